"""TRL rows: ``messages``, or ``prompt`` with ``chosen`` and ``rejected``, and ``tools``.

- Messages are OpenAI's with ``arguments`` as objects, as chat templates take them. ``tools`` is a list of schemas, or
  JSON text for ``datasets`` before 4.7. ``chat_template_kwargs`` passes through.
- Preference rows have two answers, each a list of messages or a text. Without ``prompt``, both begin with it, and what
  they have in common is the prompt; so it is where the prompt is a text that their first turn repeats.
- Rows of ``prompt`` and ``completion`` are read as well; they are the layout ``prompt-completion``. Where they have a
  flag ``label``, whether the answer is desirable, they are written with these keys, as ``KTOTrainer`` reads them.

Lost: nothing.

Source: TRL documentation, dataset formats; trl/data_utils.py, ``extract_prompt``; dataset card of
HuggingFaceH4/ultrafeedback_binarized.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolconv import layouts
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.marks import NO_MARKS
from toolconv.core.messages import Message, Row, calls_of
from toolconv.core.notes import Notes
from toolconv.core.row_fields import RowField
from toolconv.core.rows import put_in_place, replace_key, same
from toolconv.layouts.answers import Pair
from toolconv.layouts.base import LayoutError, Original, have, listed, row_for
from toolconv.layouts.formats.canonical import Canonical
from toolconv.layouts.formats.openai import messages_in, part_forms, read_message, restored

if TYPE_CHECKING:
    from toolconv.layouts.part_forms import PartForm

PROMPT, ANSWER = "prompt", "completion"


class TRL(Canonical):
    """Messages with arguments as objects, whole or in a prompt and its answers."""

    name = "trl"
    runs = frozenset()
    trainer = "trl"
    tools_as_text = True
    object_arguments = True
    mark_style = NO_MARKS
    prompt_apart = True
    sample = (
        '{"prompt":[{"role":"user","content":"Ping it."}],"chosen":[{"role":"assistant","content":"","tool_calls":'
        '[{"type":"function","function":{"name":"ping","arguments":{}}}]}],"rejected":[{"role":"assistant","content":"No."}],'
        '"tools":[{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{}}}}]}'
    )

    answers = (Pair(), Pair(prompt="messages"))

    def matches(self, row: Row) -> bool:
        if "chat_template_kwargs" in row and "messages" in row:
            return super().matches(row)
        return self.apart(row) is not None

    def decode(self, row: Row) -> Conversation:
        if messages_in(row) is not None:
            return super().decode(row)
        parts = parts_of(row)
        if parts is None:
            raise LayoutError("no list of messages under 'messages', or under 'prompt' with an answer")
        notes = Notes()
        fields = [
            RowField(f"/{key}", len(part), part if isinstance(row[key], list) else None)
            for key, part in zip((PROMPT, ANSWER), parts, strict=True)
            if key in row
        ]
        messages = [read_message(message, notes) for part in parts for message in part]
        canonical = replace_key(row, PROMPT if PROMPT in row else ANSWER, "messages", messages)
        canonical.pop(ANSWER, None)
        return Conversation(canonical, notes, fields=fields)

    def form(self, *, came: bool) -> PartForm | None:
        return None if came else part_forms().TRANSFORMERS

    def owns_tools(self, row: Row, place: tuple[str, ...] | None) -> bool:
        return super().owns_tools(row, None)

    def keeps_prompt(self, conversation: Conversation) -> bool:
        return is_unpaired(conversation)

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        if original is None:
            if is_unpaired(conversation):
                return split_row(conversation, answer_start(conversation))
            return {
                **conversation.row,
                "messages": [_typed(each, conversation.notes) for each in conversation.messages],
            }
        came = original.row
        return (
            super().encode(conversation, original) if "messages" in came else self._split_like(conversation, original)
        )

    def _split_like(self, conversation: Conversation, original: Original) -> Row:
        """A row of a prompt and an answer, divided like the row it came from."""
        came, read = original
        messages, before = conversation.messages, read.messages
        answer = read.fields[-1]
        start = sum(field.size for field in read.fields[:-1])
        old_answer = before[start:]
        if not same(messages[:start], before[:start]):
            start = max(0, len(messages) - answer.size)
        row = split_row(conversation, start)
        if PROMPT not in came:
            row = {name: value for name, value in row.items() if name != PROMPT}
            row[ANSWER] = messages
        elif same(row[PROMPT], before[: read.fields[0].size]):
            row[PROMPT] = came[PROMPT]
        if answer.pieces is not None:
            row[ANSWER] = restored(answer, row[ANSWER], old_answer, row[ANSWER].__getitem__)
        if isinstance(came[ANSWER], str) and listed(came[ANSWER]) is None and len(row[ANSWER]) == 1:
            message = row[ANSWER][0]
            row[ANSWER] = message["content"] if message.keys() == {"role", "content"} else row[ANSWER]
        return row


def is_unpaired(conversation: Conversation) -> bool:
    """Whether a conversation came as a prompt and an answer, of which a flag says whether it is desirable."""
    came = conversation.origin[1] if conversation.origin is not None else {}
    return type(came.get("label")) is bool and came.keys() >= {PROMPT, ANSWER} and "messages" not in came


def _typed(message: Message, notes: Notes) -> Message:
    """A message whose calls have a type, as in TRL's rows."""
    untyped = {id(call) for call in calls_of(message) if "type" not in call}
    if not untyped:
        return message
    notes.repairs += ["type_added"] * len(untyped)
    calls = message["tool_calls"]
    return {**message, "tool_calls": [{"type": "function", **call} if id(call) in untyped else call for call in calls]}


def answer_start(conversation: Conversation) -> int:
    """Where the answer begins: where it did in a row that has it apart, of which no message was divided since.

    Otherwise it is all that follows the last message of anyone but the assistant or a tool.
    """
    messages, sizes = conversation.messages, [field.size for field in conversation.fields]
    if len(sizes) > 1 and sum(sizes) >= len(messages) and layouts.get(conversation.read_in).prompt_apart:
        return max(0, len(messages) - sizes[-1])
    users = [at for at, message in enumerate(messages) if message.get("role") not in ("assistant", "tool")]
    return users[-1] + 1 if users else 0


def split_row(conversation: Conversation, start: int) -> Row:
    """A row with the messages in ``prompt`` and ``completion``."""
    messages, row = conversation.messages, row_for(conversation, PROMPT, ANSWER)
    return put_in_place(row, "messages", {PROMPT: messages[:start], ANSWER: messages[start:]})


def _messages(value: Any, role: str = "assistant") -> list[Message] | None:
    """A part of a row as messages. It is a list, which may be JSON text or empty, a message as such, or plain text."""
    messages = [] if value == [] else listed(value)
    if messages is None and isinstance(value, str):
        message = jsontext.opened(value)
        is_message = type(message) is dict and type(message.get("role")) is str and "content" in message
        return [message if is_message else {"role": role, "content": value}]
    if messages is None:
        return None
    return messages if have(messages, "role") else None


def parts_of(row: Row) -> tuple[list[Message], list[Message]] | None:
    """The prompt and the answer; ``None`` if neither part is a list of messages."""
    if ANSWER not in row:
        return None
    prompt = _messages(row[PROMPT], "user") if PROMPT in row else []
    answer = _messages(row[ANSWER])
    if prompt is None or answer is None or not prompt + answer:
        return None
    if isinstance(row[ANSWER], str) and listed(row[ANSWER]) is None and listed(row.get(PROMPT)) is None:
        return None
    return prompt, answer


LAYOUT = TRL()
