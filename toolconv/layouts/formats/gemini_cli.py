"""Gemini CLI sessions: ``~/.gemini/tmp/<hash>/chats/session-*.json``, or ``.jsonl`` with a message a line.

``messages`` have a ``type``: ``user``, ``gemini`` with ``thoughts`` and ``toolCalls``, or ``info``, ``error`` and
``warning``, which the client wrote and ``other_messages`` counts. Each call holds its result: ``{"output": text}`` is
that text, another response its JSON text. Content is text or parts of Gemini's API, in older files under ``parts``. In
a ``.jsonl`` file, the first line is the head; a message may be written again, and then the last one counts; ``$set``
changes the head, and ``$rewindTo`` takes back what follows a message. The model, the times and the sum of the
``tokens`` are keys of the row. Neither system prompt nor tools are recorded. Rows are only read.

Parts of results without text stay content parts, of the type ``media``.

Lost: the joints of several texts (``content_parts``).

Source: google-gemini/gemini-cli, ``packages/core/src/services/chatRecordingTypes.ts``. No real file with ``$rewindTo``,
or with a message written again, was available.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.rows import Line
from toolconv.layouts.base import WITHOUT_TOOLS, Layout, value_of
from toolconv.layouts.content_parts import plain, reasoning_text
from toolconv.layouts.formats.gemini import response_text
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.record_values import added, only


class GeminiCli(Layout):
    """A recorded chat."""

    leaves_out = True
    run_records: ClassVar[Mapping[str, frozenset[str] | None]] = {
        "type": frozenset({"info", "warning", "error"}), "resultDisplay": None,
    }  # fmt: skip
    name = "gemini-cli"
    lacks = WITHOUT_TOOLS
    shape = "'sessionId' with a list of 'messages'"
    sample = (
        '{"sessionId":"s1","projectHash":"f53b","startTime":"2026-01-01T10:00:00Z","messages":[{"id":"m1","type":"user",'
        '"content":"List the files."},{"id":"m2","type":"gemini","content":"","thoughts":[{"subject":"Files",'
        '"description":"I list them."}],"toolCalls":[{"id":"ls_1","name":"list_directory","args":{"path":"."},"result":'
        '[{"functionResponse":{"id":"ls_1","name":"list_directory","response":{"output":"a.txt"}}}],"status":"success"}]'
        "}]}"
    )

    def joins(self, document: Any) -> bool:
        return _is_head(document) and "messages" not in document

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        rows: list[Line] = []
        session: Row | None = None
        number = 0
        for line in lines:
            value = value_of(line.text)
            if not isinstance(value, dict):
                rows.append(line)
            elif _is_head(value):
                rows.extend(_row(number, session))
                session, number = {**value, "messages": list(value.get("messages") or [])}, line.number
            elif session is None:
                rows.append(line)
            else:
                _change(session, value)
        rows.extend(_row(number, session))
        yield from sorted(rows, key=lambda row: row.number)

    def matches(self, row: Row) -> bool:
        return _is_head(row) and isinstance(row.get("messages"), list)

    def decode(self, row: Row) -> Conversation:
        messages = row["messages"]
        builder = MessageBuilder(recorded=True)
        others: Counter[str] = Counter()
        tokens: Any = None
        for place, message in enumerate(messages):
            builder.place = place
            if message["type"] == "user":
                builder.say("user", [plain(part) for part in _parts(message)])
            elif message["type"] in ("gemini", "model"):
                _read(message, builder)
                tokens = added(tokens, message.get("tokens") or {})
            else:
                others[str(message["type"])] += 1
        keys: Row = {"id": row["sessionId"], **{key: value for key, value in row.items() if key != "messages"}}
        del keys["sessionId"]
        model = only(message.get("model") for message in messages)
        found = {"model": model, "tokens": tokens, "other_messages": dict(others)}
        keys.update((key, value) for key, value in found.items() if value)
        return builder.conversation(keys, "/messages", messages)


def _is_head(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("sessionId"), str) and "projectHash" in value


def _row(number: int, session: Row | None) -> list[Line]:
    return [] if session is None else [Line(number, jsontext.dumps(session))]


def _change(session: Row, line: Row) -> None:
    """What a line adds to a session, or changes in it."""
    messages: list[Row] = session["messages"]
    if isinstance(line.get("$set"), dict):
        session.update({**line, **line["$set"]})
        del session["$set"]
        return
    wanted = line.get("$rewindTo", line.get("id"))
    place = next(
        (at for at, message in enumerate(messages) if wanted is not None and message.get("id") == wanted), None
    )
    if "$rewindTo" in line:
        if place is not None:
            del messages[place + 1 :]
    elif place is not None:
        messages[place] = line
    else:
        messages.append(line)


def _parts(message: Row) -> list[Any]:
    """The parts of a message's content: one or several texts or parts of Gemini's API; older files call them so."""
    content = message.get("content") or message.get("parts")
    return [part for part in (content if isinstance(content, list) else [content]) if part]


def _thought(thought: Any) -> str:
    """The text of a thought: a subject with a description, a summary, or a text."""
    if not isinstance(thought, dict):
        return thought if isinstance(thought, str) else ""
    texts = [thought.get(key) for key in ("subject", "description")]
    return "\n".join(text for text in texts if text) or reasoning_text(thought)


def _read(message: Row, builder: MessageBuilder) -> None:
    """Add a message of the model, with the results of its calls."""
    builder.end()
    for thought in message.get("thoughts") or ():
        builder.reason(_thought(thought))
    for part in _parts(message):
        builder.part(part, "assistant")
    for call in message.get("toolCalls") or ():
        builder.invoke(call.get("id"), call.get("name"), call.get("args") or {})
        if call.get("result") is not None:
            builder.result(call.get("id"), None, _result(call["result"]))
        elif shown := call.get("resultDisplay"):
            builder.result(call.get("id"), None, shown, {"is_error": True} if call.get("status") == "error" else {})
    builder.end()


def _result(result: Any) -> Any:
    """The content of a result: of one response its text, of other parts the parts."""
    parts = result if isinstance(result, list) else [result]
    found: list[Any] = []
    for part in parts:
        response = part.get("functionResponse") if isinstance(part, dict) else None
        text = None
        if isinstance(response, dict) and "response" in response:
            text = response_text(response["response"])
        if text is None:
            text = part if isinstance(part, str) else part.get("text")
        found.append({"type": "media", **part} if text is None else {"type": "text", "text": text})
    return found


LAYOUT = GeminiCli()
