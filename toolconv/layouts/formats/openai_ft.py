"""OpenAI fine-tuning rows: ``messages``, ``tools``, ``parallel_tool_calls``, and ``weight`` on assistant messages.

- ``weight`` (0 or 1) tells whether a turn is trained on. Arguments are JSON text; ``content`` is null if a turn only
  has calls.
- The legacy form has ``functions`` in the row, ``function_call`` in the message and results in the role ``function``.
  It is read as tools and calls. A row that came in this form is written in it.
- Preference rows have ``input`` (``messages``, ``tools``, ``parallel_tool_calls``), ``preferred_output`` and
  ``non_preferred_output``.

Only keys that the upload accepts are written. Other keys of rows, messages, calls and tools, and
``reasoning_content``, are losses.
Legacy rows also lose call ids, and can't hold parallel calls.

Source: OpenAI API reference, FineTuneChatRequestInput, FineTunePreferenceRequestInput; fine-tuning guide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolconv.core.conversation import Conversation
from toolconv.core.marks import MarkStyle
from toolconv.core.messages import Message, Row, calls_of
from toolconv.core.notes import Notes
from toolconv.core.pairing import complete, is_numbered
from toolconv.core.rows import replace_key
from toolconv.layouts.answers import Apart, Pair
from toolconv.layouts.base import LayoutError, Original
from toolconv.layouts.formats.openai import OpenAI, messages_in, part_forms, restored, write_message
from toolconv.layouts.tool_schema import bare, read_tools

if TYPE_CHECKING:
    from toolconv.layouts.part_forms import PartForm

ROW_KEYS = frozenset({"messages", "tools", "parallel_tool_calls", "functions"})
MESSAGE_KEYS = frozenset(
    {"role", "content", "name", "tool_calls", "tool_call_id", "weight", "refusal", "audio", "function_call"}
)
CALL_KEYS = frozenset({"id", "type", "function"})
FUNCTION_KEYS = frozenset({"name", "description", "parameters", "strict"})
INPUT, OUTPUTS = "input", ("preferred_output", "non_preferred_output")


class Preference(Pair):
    """A pair with what is asked in an object: ``input``, ``preferred_output`` and ``non_preferred_output``.

    Args:
        of_one_turn: each answer is a list of one message.
    """

    def __init__(self, *, of_one_turn: bool = False) -> None:
        super().__init__(prompt="messages", answers=OUTPUTS)
        self.of_one_turn = of_one_turn

    def apart(self, row: Row) -> Apart | None:
        asked = row.get(INPUT)
        if not isinstance(asked, dict) or messages_in(asked) is None or not asked.keys().isdisjoint({*OUTPUTS}):
            return None
        outer = {key: value for key, value in row.items() if key not in asked or key in OUTPUTS}
        flat: Row = {}
        for key, value in outer.items():
            flat.update(asked if key == INPUT else {key: value})
        found = super().apart(flat)
        return None if found is None else found._replace(prompt=f"/{INPUT}/messages")

    def together(self, rows: list[Row], column: str, asked: int, ranked: bool, came: Row | None) -> Row | None:
        inner = came[INPUT] if came is not None else dict.fromkeys(ROW_KEYS)
        row = super().together(rows, column, asked, ranked, None)
        if row is None or (self.of_one_turn and any(len(row[key]) != 1 for key in OUTPUTS)):
            return None
        result: Row = {}
        for key, value in row.items():
            if key in inner or (came is not None and key not in came and key not in OUTPUTS):
                result.setdefault(INPUT, {})[key] = value
            else:
                result[key] = value
        return result


class OpenAIFT(OpenAI):
    """OpenAI's messages, with the keys that a fine-tuning file may have."""

    name = "openai-ft"
    aliases = ("openai-finetuning",)
    mark_style = MarkStyle("weight")
    sample = (
        '{"messages":[{"role":"user","content":"Weather?"},{"role":"assistant","content":null,"tool_calls":[{"id":'
        '"call_0","type":"function","function":{"name":"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}}],'
        '"weight":1}],"parallel_tool_calls":false}'
    )
    tools_keys = ("tools", "functions")
    answers = (Preference(),)

    def matches(self, row: Row) -> bool:
        if INPUT in row and OUTPUTS[1] in row:
            return self.apart(row) is not None
        messages = messages_in(row)
        if messages is None or "model" in row:
            return False
        legacy = _legacy(row, messages)
        return legacy or (
            row.keys() <= ROW_KEYS
            and ("parallel_tool_calls" in row or any("weight" in message for message in messages))
        )

    def decode(self, row: Row) -> Conversation:
        messages = messages_in(row)
        if messages is None:
            raise LayoutError("no list of messages with roles under 'messages', and no 'input' with them")
        read = super().decode(row)
        if "functions" in row and "tools" not in row:
            read.row = replace_key(read.row, "functions", "tools", read_tools(row["functions"], read.notes))
        if any("function_call" in message for message in messages):
            complete(read.messages)
        return read

    def form(self, *, came: bool) -> PartForm | None:
        return part_forms().UPLOAD  # type: ignore[no-any-return]

    def owns_tools(self, row: Row, place: tuple[str, ...] | None) -> bool:
        if "functions" in row and "tools" not in row:
            return not isinstance(row["functions"], str)
        return super().owns_tools(row, place)

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        if original is not None:
            return self._encode_like(conversation, original)
        row, notes = conversation.row, conversation.notes
        messages = [_written(message, notes) for message in conversation.messages]
        known = {key: value for key, value in row.items() if key in ROW_KEYS}
        known["messages"] = messages
        if isinstance(known.get("tools"), list):
            known["tools"] = [_accepted(tool, notes) for tool in known["tools"]]
        notes.losses.extend("row_keys" for key in row if key not in ROW_KEYS)
        return known

    def _encode_like(self, conversation: Conversation, original: Original) -> Row:
        """A row in the form and with all the keys of the row it came from."""
        came, read = original
        losses = len(conversation.notes.losses)
        row = self.encode(conversation)
        del conversation.notes.losses[losses:]  # the row keeps all keys it came with
        field = read.fields[0]
        written = row["messages"]
        row = {**conversation.row}
        if _legacy(came, list(field.pieces or ())):
            written = _to_legacy(conversation.messages, written, conversation.notes)
            if "functions" in came and "tools" in row:
                row = {("functions" if key == "tools" else key): value for key, value in row.items()}
                row["functions"] = bare(row["functions"])
        row["messages"] = restored(field, conversation.messages, read.messages, written.__getitem__)
        return row


def _legacy(row: Row, messages: list[Message]) -> bool:
    return "functions" in row or any(
        "function_call" in message or message.get("role") == "function" for message in messages
    )


def _written(message: Message, notes: Notes) -> Message:
    """A message in the keys that the upload accepts."""
    message = write_message(message)
    kept = {key: value for key, value in message.items() if key in MESSAGE_KEYS}
    for key in message:
        if key not in MESSAGE_KEYS:
            notes.losses.append("reasoning" if key == "reasoning_content" else "message_keys")
    if message.get("role") == "tool" and "tool_call_id" in kept:
        kept.pop("name", None)  # the call has it
    if (calls := calls_of(kept)) and not all(call.keys() <= CALL_KEYS for call in calls):
        kept["tool_calls"] = [{key: call[key] for key in call if key in CALL_KEYS} for call in calls]
        notes.losses += ["call_keys"] * (sum(map(len, calls)) - sum(map(len, kept["tool_calls"])))
    return kept


def _accepted(tool: Any, notes: Notes) -> Any:
    """A declaration in the keys that the upload accepts."""
    if not isinstance(tool, dict) or not isinstance(tool.get("function"), dict):
        return tool
    function = {key: value for key, value in tool["function"].items() if key in FUNCTION_KEYS}
    if len(function) < len(tool["function"]) or not tool.keys() <= {"type", "function"}:
        notes.losses.append("tool_keys")
    return {"type": "function", "function": function}


def _to_legacy(messages: list[Message], written: list[Message], notes: Notes) -> list[Message]:
    """Messages with ``function_call`` and the role ``function``."""
    result = []
    for message, item in zip(messages, written, strict=True):
        calls = calls_of(message)
        if len(calls) > 1:
            raise LayoutError("a legacy row holds one call a message: write the layout openai instead")
        if calls:
            call = item["tool_calls"][0]
            if isinstance(call.get("id"), str) and not is_numbered(call["id"]):
                notes.losses.append("call_id")
            item = {
                ("function_call" if key == "tool_calls" else key): (call["function"] if key == "tool_calls" else value)
                for key, value in item.items()
            }
        elif message.get("role") == "tool":
            item = {"role": "function", **({"name": message["name"]} if "name" in message else {}), **item}
            item["role"] = "function"
            item.pop("tool_call_id", None)
        result.append(item)
    return result


LAYOUT = OpenAIFT()
