"""Find the texts of a conversation in the output of a chat template, by marking them.

The conversation is rendered a second time with marks around every text. Without its marks, that output must equal the
first one; then the marks show the position of each text.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Tool
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import SpanKind
from toolconv.templates.jinja.adapter import Adapter, Turns
from toolconv.templates.jinja.sandbox import Stopped

MARKS: Final = range(0x17000, 0x187F8)
"""Tangut: printable letters without case, so templates copy them unchanged; hardly any data contains them."""

_MARKED: Final = lazy_re(rf"[{chr(MARKS[0])}-{chr(MARKS[-1])}]|\\ud8(?:1[c-f]|2[01])\\ud[c-f][0-9a-f]{{2}}")
"""A mark, literally or as a JSON escape."""

CONTENT: Final[dict[str, SpanKind]] = {
    "system": "system",
    "developer": "system",
    "assistant": "prose",
    "tool": "response",
}
"""The span kind of a message's content by role; for other roles it is ``user``."""


class Slot(NamedTuple):
    """A text of the conversation: its kind, the index of its message, and of its call in that message."""

    kind: SpanKind
    message: int
    call: int | None = None


class SlotSpan(NamedTuple):
    """The position of a slot in the text."""

    start: int
    end: int
    slot: Slot


class SpansNotFound(Exception):
    """The spans of a text can't be found; the message says why."""


class _Marker:
    """Inserts marks into turns: one before and one after each text, and one after each string in a call's arguments.

    Args:
        inside: put the marks inside the whitespace around a text, for templates that strip texts.
        ids: also mark the ids of calls, for templates that write them, and the same ids in responses.
    """

    def __init__(self, *, inside: bool, ids: bool) -> None:
        self.inside = inside
        self.ids = ids
        self.slots: list[Slot] = []
        self._marked_ids: dict[str, str] = {}

    def turns(self, turns: Turns) -> Turns:
        """A marked copy of ``turns``."""
        calls = {
            index: [self._call(Slot("call", index, place), one) for place, one in enumerate(calls)]
            for index, calls in turns.calls.items()
            if index < len(turns.messages)
        }
        return Turns([self._message(index, dict(message)) for index, message in enumerate(turns.messages)], calls)

    def _message(self, index: int, message: Message) -> Message:
        answered = message.get("tool_call_id")
        if isinstance(answered, str):
            message["tool_call_id"] = self._marked_ids.get(answered, answered)
        role = str(message.get("role"))
        if role == "assistant" and isinstance(message.get("reasoning_content"), str):
            message["reasoning_content"] = self._text(Slot("reasoning", index), message["reasoning_content"])
        slot, content = Slot(CONTENT.get(role, "user"), index), message.get("content")
        if isinstance(content, str):
            message["content"] = self._text(slot, content)
        elif isinstance(content, list):
            message["content"] = [self._part(slot, part) for part in content]
        return message

    def _part(self, slot: Slot, part: Any) -> Any:
        """A content part, with its text marked."""
        text = part.get("text") if isinstance(part, dict) else None
        return {**part, "text": self._text(slot, text)} if isinstance(text, str) else part

    def _call(self, slot: Slot, one: ToolCall) -> ToolCall:
        after = chr(self._place() + 2)
        name = self._text(slot, one.name)
        call_id = one.id
        if self.ids and one.id:
            call_id = self._marked_ids[one.id] = self._text(slot, one.id)
        return ToolCall(name, {key: after_texts(value, after) for key, value in one.arguments.items()}, call_id)

    def _text(self, slot: Slot, text: str) -> str:
        inner = text.strip() if self.inside else text
        if not inner:
            return text
        place = self._place()
        self.slots.append(slot)
        start = text.index(inner)
        return text[:start] + chr(place) + inner + chr(place + 1) + text[start + len(inner) :]

    def _place(self) -> int:
        """The first of the three marks for the next slot."""
        place = MARKS.start + 3 * len(self.slots)
        if place + 2 not in MARKS:
            raise SpansNotFound("the conversation has too many parts")
        return place


def has_marks(text: str) -> bool:
    """Whether a text has letters in it that are marks."""
    data = b"" if text.isascii() else text.encode("utf-8", "surrogatepass")
    if "\\ud8" not in text and data.find(b"\xf0\x97") < 0 and data.find(b"\xf0\x98") < 0:  # most texts, and faster
        return False
    return _MARKED.search(text) is not None


def after_texts(value: Any, mark: str) -> Any:
    """``value`` with ``mark`` after each string in it."""
    if isinstance(value, str):
        return value + mark
    if isinstance(value, dict):
        return {key: after_texts(item, mark) for key, item in value.items()}
    if isinstance(value, list):
        return [after_texts(item, mark) for item in value]
    return value


class MarkedText(NamedTuple):
    """The result of reading a marked text: the text without marks, the slots found in order, and the missing slots."""

    text: str
    found: list[SlotSpan]
    missing: list[Slot]


def read(
    adapter: Adapter, turns: Turns, tools: Sequence[Tool], *, inside: bool = False, ids: bool = False, **options: Any
) -> MarkedText:
    """Render ``turns`` with marks, and read the positions of the marks.

    Raises:
        SpansNotFound: a text is split or inside another one, or there are too many texts.
        RenderError: the template raises an error.
    """
    marker = _Marker(inside=inside, ids=ids)
    marked = adapter.render(marker.turns(turns), tools, **options)
    places: dict[int, int] = {}
    last: dict[int, int] = {}
    pieces: list[str] = []
    at = seen = 0
    for match in _MARKED.finditer(marked):
        pieces.append(marked[seen : match.start()])
        at += match.start() - seen
        seen = match.end()
        mark = ord(json.loads(f'"{match[0]}"')) - MARKS.start
        places.setdefault(mark, at)
        last[mark] = at
    pieces.append(marked[seen:])
    found: dict[Slot, SlotSpan] = {}
    for number, slot in enumerate(marker.slots):
        start, end = places.get(3 * number), places.get(3 * number + 1)
        if start is None and end is None:
            continue
        if start is None or end is None or end < start:
            raise SpansNotFound("the chat template cuts texts in two")
        also = found.get(slot, SlotSpan(start, end, slot))
        found[slot] = SlotSpan(min(start, also.start), max(end, also.end, last.get(3 * number + 2, 0)), slot)
    missing = [slot for slot in dict.fromkeys(marker.slots) if slot not in found]
    ordered = sorted(found.values(), key=lambda one: one.start)
    if any(one.end > other.start for one, other in pairwise(ordered)):
        raise SpansNotFound("the chat template writes texts inside of others")
    return MarkedText("".join(pieces), ordered, missing)


def locate(
    adapter: Adapter, turns: Turns, tools: Sequence[Tool], text: str, *, ids: bool, **options: Any
) -> MarkedText:
    """Find the texts of ``turns`` in ``text``, which ``adapter`` rendered.

    Raises:
        SpansNotFound: the positions can't be determined.
        Stopped: the template exceeds a limit.
    """
    if has_marks(text):
        raise SpansNotFound("it has Tangut letters in it")
    why = "the chat template writes another text when marks stand in the conversation"
    for inside in (False, True):
        try:
            marked = read(adapter, turns, tools, inside=inside, ids=ids, **options)
        except Stopped:
            raise
        except RenderError:
            continue
        except SpansNotFound as error:
            why = str(error)
            continue
        if marked.text == text:
            return marked
    raise SpansNotFound(why)
