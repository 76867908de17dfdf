"""Ollama's chat API: a request, an answer, or both, with ``thinking`` and ``tool_name``.

- A request has ``messages``. Arguments of calls are objects, calls have no ids, and a result names its tool in
  ``tool_name``. A request without ``thinking`` or ``tool_name`` has the layout ``canonical`` or ``chat``, which read it
  the same way.
- An answer is ``{"model", "message", "done"}``. In a recorded stream, each line is such an object with a part of the
  message. The lines may be text under ``response``, or objects under ``chunks``.
- Both together are ``{"request": {…}, "response": {…}}``. All other keys are kept where they are.

Rows are only read.

Source: ollama/ollama, ``docs/api.md``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.nested_json import value_of, values_of
from toolconv.layouts.pieces import Places, all_of
from toolconv.layouts.tool_places import Place

MARKS = ("thinking", "tool_name")
CALL: Final[Places] = {"function": all_of("name", "arguments")}
CHUNK: Final[Places] = {"context": None, "message": {**all_of("content", "thinking", "images"), "tool_calls": [CALL]}}
"""The places in a chunk of a stream."""


class Ollama(NamedMessages):
    """Requests and answers."""

    name = "ollama"
    sample = (
        '{"model":"qwen3","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant","content":"","thinking":'
        '"I look it up.","tool_calls":[{"function":{"name":"get_weather","arguments":{"city":"Tokyo"}}}]},"done":true}'
    )
    renamed: ClassVar[dict[str, str]] = {
        "thinking": "reasoning_content",
        "tool_name": "name",
    }
    asked_at = (("request", "messages"), ("messages",))
    answered_at = (("message",), ("chunks", "message"), ("response", "message"))
    tools_at = (("request", "tools"), ("tools",))
    answer_marks = ("model", "done")

    def is_item(self, item: Row) -> bool:
        return super().is_item(item) and not isinstance(item.get("content"), list)

    def are_items(self, items: list[Row]) -> bool:
        return super().are_items(items) and any(key in item for item in items for key in MARKS)

    def joins(self, document: Any) -> bool:
        """Whether a document is a line of a recorded stream, but not its last."""
        return self.is_piece(document) and document["done"] is False

    def gather(self, lines: Iterator[Any], *, each_call: bool = False) -> Iterator[Any]:
        """A row for each stream, followed by the lines up to the next one that are not part of any."""
        first: Any = None
        chunks: list[Row] = []
        others: list[Any] = []
        for line in lines:
            value = value_of(line.text)
            if not self.is_piece(value):
                others.append(line)
                continue
            first = first or line
            chunks.append(value)
            if value["done"]:
                yield first._replace(text=jsontext.dumps({"chunks": chunks}))
                yield from others
                first, chunks, others = None, [], []
        if first is not None:
            yield first._replace(text=jsontext.dumps({"chunks": chunks}))
        yield from others

    def decode(self, row: Row) -> Conversation:
        for key in ("chunks", "response"):
            if key in row and (chunks := self.chunks_in(row[key])) is not None:
                read = super().decode({**row, key: {**chunks[-1], "message": joined_message(chunks)}})
                read.fields = [*read.fields[:-1], read.fields[-1]._replace(pointer=f"/{key}")]
                return read
        return super().decode(row)

    def streamed(self, row: Row) -> Places:
        return {key: [CHUNK] for key in ("chunks", "response") if key in row and self.chunks_in(row[key]) is not None}

    def answered(self, row: Row) -> Place | None:
        if (place := super().answered(row)) is not None:
            return place
        return next(((key,) for key in ("chunks", "response") if key in row and self.chunks_in(row[key])), None)

    def chunks_in(self, value: Any) -> list[Row] | None:
        """The pieces of a streamed answer; ``None`` if a value is something else."""
        chunks = values_of(value) if isinstance(value, str) else value
        return chunks if isinstance(chunks, list) and chunks and all(map(self.is_piece, chunks)) else None

    def is_piece(self, value: Any) -> bool:
        """Whether a value is an answer, or a piece of one."""
        return isinstance(value, dict) and self.is_answer(value.get("message"), value)


def joined_message(pieces: list[Row]) -> Row:
    """The message that is streamed in pieces."""
    message: Row = {}
    for piece in pieces:
        for key, value in piece["message"].items():
            if key in ("content", "thinking") and isinstance(value, str) and isinstance(message.get(key), str):
                message[key] += value
            elif key == "tool_calls" and isinstance(value, list):
                message[key] = [*message.get(key, ()), *value]
            else:
                message[key] = value
    return message


LAYOUT = Ollama()
