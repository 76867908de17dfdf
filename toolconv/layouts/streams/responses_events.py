"""Events of OpenAI's Responses and Realtime APIs: items are added, continued and done; they add up to a response.

An item is known by its ``output_index``: gateways change its ids. The ``output`` of the last event counts, unless it
has fewer items, or fewer calls, than were streamed, as some gateways leave it empty.

Source: OpenAI API reference, responses, streaming events; Realtime, server events.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, NamedTuple

from toolconv.core.messages import Row
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.formats.responses import LAYOUT as RESPONSES
from toolconv.layouts.pieces import ARGUMENTS, Places, all_of
from toolconv.layouts.streams.base import StreamedAnswer, TypedEvents, object_at, objects, present

BEGIN: Final = "response.created"
ENDS: Final = frozenset(
    {"response.completed", "response.done", "response.incomplete", "response.failed", "response.cancelled"}
)


class TextPlace(NamedTuple):
    """Where the text of an event goes: to a key of an item, or of a part of a list in it."""

    item: str
    key: str
    list: str = ""
    index_key: str = ""
    part: str = ""


PLACES: Final = {
    "response.output_text": TextPlace("message", "text", "content", "content_index", "output_text"),
    "response.text": TextPlace("message", "text", "content", "content_index", "output_text"),
    "response.audio_transcript": TextPlace("message", "transcript", "content", "content_index", "audio"),
    "response.output_audio_transcript": TextPlace("message", "transcript", "content", "content_index", "output_audio"),
    "response.refusal": TextPlace("message", "refusal", "content", "content_index", "refusal"),
    "response.reasoning_text": TextPlace("reasoning", "text", "content", "content_index", "reasoning_text"),
    "response.reasoning_summary_text": TextPlace("reasoning", "text", "summary", "summary_index", "summary_text"),
    "response.function_call_arguments": TextPlace("function_call", "arguments"),
    "response.custom_tool_call_input": TextPlace("custom_tool_call", "input"),
    "response.mcp_call_arguments": TextPlace("mcp_call", "arguments"),
    "response.code_interpreter_call_code": TextPlace("code_interpreter_call", "code"),
}
"""Places of texts, by the type of their events without ``.delta`` and ``.done``."""

PART: Final[Places] = all_of("text", "transcript", "refusal", "audio")
"""The places in a part of an item."""

SOUNDS: Final = ("response.audio", "response.output_audio")
"""Events of sound, whose words are those of the transcript."""

PARTS: Final = {
    "response.content_part": ("content", "content_index"),
    "response.reasoning_summary_part": ("summary", "summary_index"),
}


class ResponsesEvents(TypedEvents):
    """``response.created`` to ``response.completed``."""

    layout: ClassVar[Layout] = RESPONSES
    begins: ClassVar[str] = BEGIN
    places: ClassVar[Places] = {
        **all_of("response", "delta", "text", "transcript", "refusal", "name", "arguments", "input", "code"),
        "part": PART,
        "item": {
            **all_of(
                "name", "namespace", "arguments", "input", "action", "actions", "queries", "results", "result", "code"
            ),
            **all_of("outputs", "output", "server_label", "tools", "pending_safety_checks", "environment", "execution"),
            "content": [PART],
            "summary": [PART],
        },
    }

    def places_in(self, event: Any) -> Places:
        kind = event.get("type") if type(event) is dict else None
        place = PLACES.get(kind.removesuffix(".delta")) if type(kind) is str else None
        return {**self.places, "delta": ARGUMENTS} if place is not None and place.key == "arguments" else self.places

    def is_event(self, value: Row) -> bool:
        kind = value.get("type")
        return isinstance(kind, str) and kind.startswith("response.")

    def assemble(self, events: Sequence[Row]) -> StreamedAnswer:
        response: Row = {}
        output = _Output()
        ended = False
        for event in events:
            kind = event["type"]
            if isinstance(event.get("response"), dict):
                response = {**response, **event["response"]}
                ended = ended or kind in ENDS
            else:
                output.add(kind, event)
        if not response and not output.items:
            raise LayoutError("a stream without an answer")
        whole = objects(response.get("output"))
        is_whole = len(whole) >= len(output.items) and _calls(whole) >= _calls([item.value for item in output.items])
        if output.unknown and not (is_whole and whole):
            raise LayoutError(f"events of an unknown kind, {output.unknown!r}, hold texts of the answer")
        items = [_bare(item) for item in (whole if is_whole else output.whole())]
        row = {**present(response, "object", "output"), "output": items}
        last = items[-1] if items else {}
        open_call = last.get("type") == "function_call" and not last.get("arguments")
        return StreamedAnswer(row, ended, response.get("status") == "incomplete", open_call)


def _calls(items: Sequence[Row]) -> int:
    """How many items are calls of functions."""
    return sum(item.get("type") == "function_call" for item in items)


def _bare(item: Row) -> Row:
    """An item with the log probabilities of its only text next to its content, as in a chat completion."""
    content = item.get("content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict) and content[0].get("logprobs"):
        part = dict(content[0])
        return {**item, "logprobs": part.pop("logprobs"), "content": [part]}
    return item


class _Output:
    """The items of a response, assembled from events.

    Attributes:
        items: the items, in their order.
        current: the item of each index.
        unknown: the kind of an event with a text that has no known place; empty if there is none.
    """

    def __init__(self) -> None:
        self.items: list[_OutputItem] = []
        self.current: dict[Any, _OutputItem] = {}
        self.unknown = ""

    def add(self, kind: str, event: Row) -> None:
        name, _, phase = kind.rpartition(".")
        if name == "response.output_item":
            self.item(event).set(object_at(event, "item"), done=phase == "done")
        elif name in PARTS:
            key, index_key = PARTS[name]
            part = self.item(event, "message" if key == "content" else "reasoning").part(key, event.get(index_key))
            part.update(object_at(event, "part"))
        elif (place := PLACES.get(name)) is not None and phase in ("delta", "done"):
            holder = self.holder(event, place)
            text = event.get("delta") if phase == "delta" else event.get(place.key)
            if isinstance(text, str):
                holder[place.key] = f"{holder.get(place.key) or ''}{text}" if phase == "delta" else text
        elif kind == "response.output_text.annotation.added":
            part = self.holder(event, PLACES["response.output_text"])
            part["annotations"] = [*(part.get("annotations") or ()), event.get("annotation")]
        elif phase == "delta" and type(event.get("delta")) is str and name not in SOUNDS:
            self.unknown = kind

    def item(self, event: Row, kind: str = "") -> _OutputItem:
        """The item that an event belongs to, by its index, its id, or what gateways keep; a new one if it begins."""
        item = object_at(event, "item")
        at = event.get("output_index", event.get("item_id", item.get("id")))
        held = self.current.get(at)
        if held is None and item.get("call_id"):
            held = next((known for known in self.items if known.value.get("call_id") == item["call_id"]), None)
        if held is None and not item and "output_index" not in event and self.items:
            held = self.items[-1]  # an id that its item does not have
        if held is None or not held.may_be(item):
            held = _OutputItem(kind, event)
            self.items.append(held)
        self.current[at] = held
        return held

    def holder(self, event: Row, place: TextPlace) -> Row:
        """The object that holds the text at a place."""
        item = self.item(event, place.item)
        if not place.list:
            return item.value
        part = item.part(place.list, event.get(place.index_key))
        part.setdefault("type", place.part)
        return part

    def whole(self) -> list[Row]:
        """The items in their order."""
        return [item.whole() for item in self.items]


class _OutputItem:
    """An item, assembled from events; one without ``output_item.added`` has the keys of its first event."""

    def __init__(self, kind: str, event: Row) -> None:
        self.value: Row = {"type": kind, **({"role": "assistant"} if kind == "message" else {})}
        self.value.update({key: event[key] for key in ("name", "call_id") if key in event})
        self.parts: dict[str, dict[Any, Row]] = {}

    def may_be(self, item: Row) -> bool:
        """Whether the item of an event is this one: nothing that a gateway keeps has another value."""
        keys = ("type", "call_id", "name")
        return all(not self.value.get(key) or item.get(key, self.value[key]) == self.value[key] for key in keys)

    def set(self, item: Row, *, done: bool) -> None:
        """Take over the item of an event; one that is done has all of its parts."""
        self.value = {**self.value, **item}
        if done:
            self.parts = {}

    def part(self, key: str, index: Any) -> Row:
        """The part at an index of one of the item's lists."""
        return self.parts.setdefault(key, {}).setdefault(index, {})

    def whole(self) -> Row:
        """The item with its parts."""
        return {**self.value, **{key: list(parts.values()) for key, parts in self.parts.items()}}
