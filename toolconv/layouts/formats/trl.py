"""TRL rows: ``messages``, or ``prompt`` with ``chosen`` and ``rejected``, and ``tools``.

- Messages are OpenAI's with ``arguments`` as objects, as chat templates take them. ``tools`` is a list of schemas, or
  JSON text for ``datasets`` before 4.7. ``chat_template_kwargs`` passes through.
- In preference rows, the chosen messages follow those of the prompt; ``rejected`` keeps its key. Without ``prompt``,
  both answers begin with it. An answer may be plain text. A conversation with ``rejected`` is written as such a row,
  and everything up to the last user message is its prompt. A row that came like this keeps its own boundary.
- Rows of ``prompt`` and ``completion`` are read as well; they are the layout ``prompt-completion``.

Lost: nothing. Calls in the text of a rejected answer stay text.

Source: TRL documentation, dataset formats.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.conversation import Conversation, Message, Notes, Row, RowField
from toolconv.core.rows import same
from toolconv.layouts.base import LayoutError, Original, as_came, have, listed, row_for
from toolconv.layouts.formats.canonical import Canonical
from toolconv.layouts.formats.openai import messages_in, read_message, restored
from toolconv.layouts.tool_schema import read_tools

ANSWERS = ("completion", "chosen")


class TRL(Canonical):
    """Messages with arguments as objects, whole or in a prompt and its answers."""

    name: ClassVar[str] = "trl"
    trainer: ClassVar[str] = "trl"
    object_arguments: ClassVar[bool] = True
    sample: ClassVar[str] = (
        '{"prompt":[{"role":"user","content":"Ping it."}],"chosen":[{"role":"assistant","content":"","tool_calls":'
        '[{"type":"function","function":{"name":"ping","arguments":{}}}]}],"rejected":[{"role":"assistant","content":"No."}],'
        '"tools":[{"type":"function","function":{"name":"ping","parameters":{"type":"object","properties":{}}}}]}'
    )

    def matches(self, row: Row) -> bool:
        if "messages" in row:
            return "chat_template_kwargs" in row and super().matches(row)
        return parts_of(row) is not None and "rejected" in row

    def decode(self, row: Row) -> Conversation:
        notes = Notes()
        if (source := messages_in(row)) is not None:
            fields = [RowField("/messages", len(source), source)]
            canonical = {**row, "messages": [read_message(message, notes) for message in source]}
        elif (parts := parts_of(row)) is not None:
            prompt, key, answer = parts
            fields = [_field("prompt", prompt, row)] if "prompt" in row else []
            fields.append(_field(key, answer, row))
            messages = [read_message(message, notes) for message in (*prompt, *answer)]
            place = "prompt" if "prompt" in row else key
            canonical = {}
            for name, value in row.items():
                if name == place:
                    canonical["messages"] = messages
                elif name != key:
                    canonical[name] = value
            if "rejected" in row and not isinstance(row["rejected"], str):
                rejected = _messages(row["rejected"])
                if rejected is not None:
                    canonical["rejected"] = [read_message(message, notes) for message in rejected]
        else:
            raise LayoutError("no list of messages under 'messages', or under 'prompt' with 'completion' or 'chosen'")
        if "tools" in row:
            canonical["tools"] = read_tools(row["tools"], notes)
        return Conversation(canonical, notes, fields=fields)

    def owns_tools(self, row: Row, place: tuple[str, ...] | None) -> bool:
        return super().owns_tools(row, None)

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        if original is None:
            if "rejected" in conversation.row:
                return split_row(conversation, answer_start(conversation.messages), "chosen")
            return conversation.row
        came, read = original
        row = super().encode(conversation, original) if "messages" in came else self._split_like(conversation, original)
        if "tools" in came and "tools" in row:
            row = {**row, "tools": as_came(row["tools"], came["tools"])}
        if "rejected" in came and same(row.get("rejected"), read.row.get("rejected")):
            row = {**row, "rejected": came["rejected"]}
        return row

    def _split_like(self, conversation: Conversation, original: Original) -> Row:
        """A row of a prompt and an answer, divided like the row it came from."""
        came, read = original
        messages, before = conversation.messages, read.messages
        answer = read.fields[-1]
        start = sum(field.size for field in read.fields[:-1])
        old_answer = before[start:]
        if not same(messages[:start], before[:start]):
            start = max(0, len(messages) - answer.size)
        key = answer.pointer.split("/")[1]
        row = split_row(conversation, start, key)
        if "prompt" not in came:
            row = {name: value for name, value in row.items() if name != "prompt"}
            row[key] = messages
        elif same(row["prompt"], before[: read.fields[0].size]):
            row["prompt"] = came["prompt"]
        if answer.pieces is not None:
            row[key] = restored(answer, row[key], old_answer, row[key].__getitem__)
        row[key] = _as_came(row[key], came[key])
        return row


def _field(key: str, messages: list[Message], row: Row) -> RowField:
    return RowField(f"/{key}", len(messages), messages if isinstance(row[key], list) else None)


def answer_start(messages: list[Message]) -> int:
    """Where the answer begins: after the last message that is not from the assistant or a tool."""
    users = [at for at, message in enumerate(messages) if message.get("role") not in ("assistant", "tool")]
    return users[-1] + 1 if users else 0


def split_row(conversation: Conversation, start: int, key: str) -> Row:
    """A row with the messages in ``prompt`` and ``key``."""
    row: Row = {}
    for name, value in row_for(conversation, "prompt", key).items():
        if name == "messages":
            row["prompt"] = value[:start]
            row[key] = value[start:]
        else:
            row[name] = value
    return row


def _messages(value: Any, role: str = "assistant") -> list[Message] | None:
    """A part of a row as messages. It is a list, which may be JSON text or empty, or plain text."""
    messages = [] if value == [] else listed(value)
    if messages is None:
        return [{"role": role, "content": value}] if isinstance(value, str) else None
    return messages if have(messages, "role") else None


def parts_of(row: Row) -> tuple[list[Message], str, list[Message]] | None:
    """The prompt, the key of the answer and the answer; ``None`` if neither part is a list of messages."""
    key = next((key for key in ANSWERS if key in row), None)
    if key is None:
        return None
    prompt = _messages(row["prompt"], "user") if "prompt" in row else []
    answer = _messages(row[key])
    if prompt is None or answer is None or not prompt + answer:
        return None
    if isinstance(row[key], str) and listed(row[key]) is None and listed(row.get("prompt")) is None:
        return None
    return prompt, key, answer


def _as_came(answer: list[Message], came: Any) -> Any:
    if not isinstance(came, str):
        return answer
    if listed(came) is None and len(answer) == 1 and answer[0].keys() == {"role", "content"}:
        return answer[0]["content"]
    return answer if listed(came) is None else as_came(answer, came)


LAYOUT = TRL()
