"""Events of Anthropic's Messages API: blocks begin, are continued and end; they add up to a message.

Unknown events are passed over. A delta whose block has no ``content_block_start`` begins that block, and a second
``content_block_start`` at an index begins another one.

Source: Anthropic API reference, streaming messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from toolconv.core import jsontext
from toolconv.core.messages import Row
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.formats.anthropic import LAYOUT as ANTHROPIC
from toolconv.layouts.pieces import Places, all_of
from toolconv.layouts.streams.base import StreamedAnswer, TypedEvents, merged, object_at, present

BEGIN: Final = "message_start"
BLOCK: Final = "content_block_"
PLAIN: Final = frozenset({"ping", "message_stop"})
DELTAS: Final = {"thinking": "thinking", "signature": "thinking", "partial_json": "tool_use"}
"""The type of the block that a delta continues, by its key; other deltas continue a ``text``."""


class AnthropicEvents(TypedEvents):
    """``message_start`` to ``message_stop``."""

    layout: ClassVar[Layout] = ANTHROPIC
    begins: ClassVar[str] = BEGIN
    places: ClassVar[Places] = {
        "message": all_of("content"),
        "content_block": all_of("text", "thinking", "signature", "data", "name", "input", "content"),
        "delta": all_of("text", "thinking", "signature", "partial_json"),
    }

    def is_event(self, value: Row) -> bool:
        kind = value.get("type")
        if kind in PLAIN and "role" not in value:
            return True
        if kind == BEGIN:
            return isinstance(value.get("message"), dict)
        if kind == "message_delta":
            return isinstance(value.get("delta"), dict)
        if kind == "error":
            return isinstance(value.get("error"), dict)
        return isinstance(kind, str) and kind.startswith(BLOCK) and "index" in value

    def assemble(self, events: Sequence[Row]) -> StreamedAnswer:
        message: Row = {}
        blocks: list[_StreamedBlock] = []
        current: dict[Any, _StreamedBlock] = {}
        ended = False
        for event in events:
            kind, at = event["type"], event.get("index")
            if kind == BEGIN:
                message.update(object_at(event, "message"))
            elif kind in ("content_block_start", "content_block_delta"):
                delta = object_at(event, "delta")
                if kind == "content_block_start" or at not in current:
                    kinds = [DELTAS[key] for key in delta if key in DELTAS]
                    current[at] = _StreamedBlock({"type": (*kinds, "text")[0], **object_at(event, "content_block")})
                    blocks.append(current[at])
                current[at].add(delta)
            elif kind == "content_block_stop" and at in current:
                current[at].stopped = True
            elif kind == "message_delta":
                usage = {**object_at(message, "usage"), **object_at(event, "usage")}
                message.update(object_at(event, "delta"))
                message.update({"usage": usage} if usage else {})
            ended = ended or kind == "message_stop" or bool(message.get("stop_reason"))
        if not message and not blocks:
            raise LayoutError("a stream without an answer")
        begun = message.pop("content", None)
        content = [*(begun if isinstance(begun, list) else ()), *(block.whole() for block in blocks)]
        rest = present(message, "role", "type")
        row = {**rest, "messages": [{"role": "assistant", "content": content}]}
        open_call = bool(blocks) and blocks[-1].is_open_call()
        return StreamedAnswer(row, ended, message.get("stop_reason") == "max_tokens", open_call)


class _StreamedBlock:
    """A block of content, assembled from its deltas."""

    def __init__(self, start: Row) -> None:
        self.block = dict(start)
        self.json: list[str] = []
        self.stopped = False

    def add(self, delta: Row) -> None:
        if "partial_json" in delta:
            self.json.append(str(delta["partial_json"] or ""))
        elif "citation" in delta:
            self.block["citations"] = [*(self.block.get("citations") or ()), delta.get("citation")]
        else:
            self.block = merged(self.block, {key: value for key, value in delta.items() if key != "type"})

    def is_open_call(self) -> bool:
        return self.block.get("type") == "tool_use" and not (self.stopped or self.block.get("input") or any(self.json))

    def whole(self) -> Row:
        """The block. Input that can't be read stays text: the layout repairs it, or drops the call."""
        text = "".join(self.json)
        if not text:
            return self.block
        try:
            return {**self.block, "input": jsontext.loads(text)}
        except ValueError:
            return {**self.block, "input": text}
