"""Sessions of goose: what ``goose session export --format json`` prints, and the files of older versions.

The messages of an export are under ``conversation``. Older versions kept them in files
``~/.local/share/goose/sessions/*.jsonl``: the first line is about the session, and each other line is a message; they
are joined to a row with ``messages``. Results are parts of turns of the user. Messages that were summarised later stay,
as does the summary. The other keys of the session are keys of the row. Neither system prompt nor tools are recorded.
Rows are only read.

Lost: reasoning that is redacted (``hidden_reasoning``), the joints of several texts (``content_parts``), and without a
count the times and ids of messages.

Source: block/goose, ``crates/goose/src/conversation/message.rs`` and ``tool_result_serde.rs``, as programs that read
these files quote them. No whole real session was available.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.rows import Line
from toolconv.layouts.base import WITHOUT_TOOLS, Layout, value_of
from toolconv.layouts.message_builder import HIDDEN_REASONING, MessageBuilder

KEYS = ("conversation", "messages")


class Goose(Layout):
    """A session."""

    leaves_out = True
    name = "goose"
    lacks = WITHOUT_TOOLS
    shape = "'working_dir' with a list of messages under 'conversation'"
    sample = (
        '{"id":"20260101_1","working_dir":"/app","name":"Files","conversation":[{"role":"user","created":1,"content":'
        '[{"type":"text","text":"List the files."}]},{"role":"assistant","created":2,"content":[{"type":"toolRequest",'
        '"id":"t1","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{"command":"ls"}}}}]},'
        '{"role":"user","created":3,"content":[{"type":"toolResponse","id":"t1","toolResult":{"status":"success","value"'
        ':[{"type":"text","text":"a.txt"}]}}]}]}'
    )

    def joins(self, document: Any) -> bool:
        return _is_head(document) and all(key not in document for key in KEYS)

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        rows: list[Line] = []
        head: tuple[Line, Row] | None = None
        messages: list[bytes] = []
        for line in lines:
            value = value_of(line.text)
            if self.joins(value):
                rows += _row(head, messages)
                head, messages = (line, value), []
            elif head is not None and _is_message(value):
                messages.append(line.text)
            else:
                rows.append(line)
        yield from sorted(rows + _row(head, messages), key=lambda row: row.number)

    def matches(self, row: Row) -> bool:
        messages = row.get(_key(row)) if _is_head(row) else None
        return isinstance(messages, list) and all(map(_is_message, messages))

    def decode(self, row: Row) -> Conversation:
        key = _key(row)
        builder = MessageBuilder(recorded=True)
        for place, message in enumerate(row[key]):
            builder.place = place
            _read(message, builder)
        keys = {name: value for name, value in row.items() if name != key}
        return builder.conversation(keys, f"/{key}", row[key])


def _is_head(value: Any) -> bool:
    """Whether a value is about a session: the whole of it, or the first line of a file."""
    return isinstance(value, dict) and isinstance(value.get("working_dir"), str)


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("role"), str)
        and isinstance(value.get("content"), list)
        and "created" in value
    )


def _key(row: Row) -> str:
    """The key of the messages."""
    return KEYS[0] if KEYS[0] in row else KEYS[1]


def _row(head: tuple[Line, Row] | None, messages: list[bytes]) -> list[Line]:
    if head is None:
        return []
    line, session = head
    start = jsontext.dumps(session)[:-1]
    return [Line(line.number, start + b',"messages":[' + b",".join(messages) + b"]}")]


def _read(message: Message, builder: MessageBuilder) -> None:
    """Add a message."""
    role = message["role"]
    for part in message["content"]:
        kind = part.get("type") if isinstance(part, dict) else None
        call, result = (part.get("toolCall"), part.get("toolResult")) if kind is not None else (None, None)
        if kind == "toolRequest" and (asked := _value(call)) is not None and isinstance(asked.get("name"), str):
            builder.invoke(part.get("id"), asked["name"], asked.get("arguments") or {})
        elif kind == "toolResponse":
            content, failed = _result(result)
            builder.result(part.get("id"), None, content, {"is_error": True} if failed else {})
        elif kind == "redactedThinking":
            builder.notes.losses.append(HIDDEN_REASONING)
        else:
            builder.part(part, role)
    builder.end()


def _value(outcome: Any) -> Row | None:
    """What an outcome ``{"status": "success", "value": …}`` holds; older versions have the value alone."""
    value = outcome.get("value", outcome) if isinstance(outcome, dict) else None
    return value if isinstance(value, dict) else None


def _result(outcome: Any) -> tuple[Any, bool]:
    """The content of a result, and whether it is an error."""
    if not isinstance(outcome, dict):
        return outcome, False
    value = outcome.get("value", outcome.get("error"))
    failed = outcome.get("status") == "error" or "error" in outcome
    if isinstance(value, dict) and "content" in value:
        return value["content"], failed or bool(value.get("isError"))
    return value, failed


LAYOUT = Goose()
