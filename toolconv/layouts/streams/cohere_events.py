"""Events of Cohere's chat API, version 2: each continues a part of the message that it is nested like.

Source: Cohere API reference, chat version 2, streaming.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from toolconv.core.messages import Row
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.formats.cohere import LAYOUT as COHERE
from toolconv.layouts.pieces import Places, all_of
from toolconv.layouts.streams.base import StreamedAnswer, TypedEvents, merged, object_at, present

BEGIN: Final = "message-start"
END: Final = "message-end"
ITEMS: Final = {"content": "content", "tool-call": "tool_calls", "citation": "citations"}
"""The lists of a message whose items have events, by how the type of the events begins."""

PHASES: Final = ("-start", "-delta", "-end")


class CohereEvents(TypedEvents):
    """``message-start`` to ``message-end``."""

    layout: ClassVar[Layout] = COHERE
    begins: ClassVar[str] = BEGIN
    places: ClassVar[Places] = {
        "delta": {
            "message": {
                **all_of("tool_plan"),
                "content": all_of("text", "thinking"),
                "tool_calls": {"function": all_of("name", "arguments")},
            }
        }
    }

    def is_event(self, value: Row) -> bool:
        kind = value.get("type")
        if not isinstance(kind, str):
            return False
        if kind in (BEGIN, END, "tool-plan-delta"):
            return isinstance(value.get("delta"), dict)
        return _list_of(kind) is not None and "index" in value

    def assemble(self, events: Sequence[Row]) -> StreamedAnswer:
        answer: Row = {}
        message: Row = {"role": "assistant"}
        items: dict[str, list[Any]] = {key: [] for key in ITEMS.values()}
        at: dict[tuple[str, Any], int] = {}
        stopped: set[int] = set()
        ended = False
        for event in events:
            kind = event["type"]
            delta = object_at(event, "delta")
            parts = present(object_at(delta, "message"))
            key = _list_of(kind)
            if kind == BEGIN:
                answer.update(present(event, "type", "delta"))
                message.update(parts)
            elif kind == END:
                answer.update(present(delta))
                ended = True
            elif key is None:
                message = merged(message, parts)
            elif key in parts:
                place = (key, event.get("index"))
                if place not in at or kind.endswith("-start"):
                    at[place] = len(items[key])
                    items[key].append(parts[key])
                else:
                    items[key][at[place]] = merged(items[key][at[place]], parts[key])
            elif kind == "tool-call-end" and (place := ("tool_calls", event.get("index"))) in at:
                stopped.add(at[place])
        if not answer and not any(items.values()) and message.keys() == {"role"}:
            raise LayoutError("a stream without an answer")
        for key, found in items.items():
            if found:
                message[key] = [*(message.get(key) or ()), *found]
        row = {**answer, "message": message, "finish_reason": answer.get("finish_reason")}
        if row["finish_reason"] is None and ended:
            row["finish_reason"] = "COMPLETE"
        calls = items["tool_calls"]
        last = len(calls) - 1
        open_call = bool(calls) and last not in stopped and not object_at(calls[last], "function").get("arguments")
        return StreamedAnswer(row, ended, row["finish_reason"] == "MAX_TOKENS", open_call)


def _list_of(kind: str) -> str | None:
    """The list that an event's item belongs to; ``None`` for another event."""
    name, dash, phase = kind.rpartition("-")
    return ITEMS.get(name) if f"{dash}{phase}" in PHASES else None
