"""The parts of a turn: what each stretch of its text is. They cover the text without a gap and without overlaps."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from toolconv.core.tool_call import ToolCall

Kind = Literal["prose", "reasoning", "call", "dropped", "shown", "other_turn", "markup"]

KEPT: Final = frozenset({"prose", "dropped", "shown"})
"""The kinds of parts whose text is the assistant's content."""


@dataclass(slots=True)
class TurnPart:
    """A stretch of a turn's text.

    Attributes:
        start, end: its place: ``text[start:end]``. Of several calls that share their markup, the first has all of it.
        kind: what it is:

            - ``prose``, ``reasoning``: the assistant's words, its thoughts.
            - ``call``: a call with its markup.
            - ``dropped``: a call that can't be read.
            - ``shown``: markup that the text only shows: in code, in quotation marks, in the middle of a sentence.
            - ``other_turn``: what only another role says.
            - ``markup``: wrappers, separators and turn tokens, which carry nothing.
        text: what was read: the words, or the text of a dropped call; of a call, words that stood within its markup.
        call: the call, if it is one.
        reason: why a call was dropped, or why what was read as one is shown.
    """

    start: int
    end: int
    kind: Kind
    text: str = ""
    call: ToolCall | None = None
    reason: str = ""

    def of_call(self, call: ToolCall) -> TurnPart:
        """The part with another call, which is read from the same markup."""
        return TurnPart(self.start, self.end, self.kind, self.text, call)

    def moved(self, by: int) -> TurnPart:
        """The part at another place, so many characters further on."""
        return replace(self, start=self.start + by, end=self.end + by)


def split(part: TurnPart, inner: Iterable[TurnPart]) -> Iterator[TurnPart]:
    """A part of prose, taken apart at the parts that lie in it, which are in order; those lose what lies outside."""
    at = part.start
    for each in inner:
        start = min(max(at, each.start), part.end)
        end = max(start, min(part.end, each.end))
        if start > at:
            yield _cut(part, at, start)
        if end > start or each.kind == "dropped":
            yield each if (start, end) == (each.start, each.end) else replace(each, start=start, end=end)
        at = end
    if at < part.end:
        yield _cut(part, at, part.end)


def _cut(part: TurnPart, start: int, end: int) -> TurnPart:
    return replace(part, start=start, end=end, text=part.text[start - part.start : end - part.start])


def moved_back(parts: Iterable[TurnPart], places: Sequence[int]) -> list[TurnPart]:
    """The parts of an edited text, at their places in the text before.

    Args:
        parts: they cover the edited text.
        places: for each character of the edited text, and for its end, the place where it was.
    """
    return [replace(part, start=places[part.start] if part.start else 0, end=places[part.end]) for part in parts]


def with_dropped(parts: Sequence[TurnPart], content: str, dropped: Iterable[TurnPart]) -> list[TurnPart]:
    """The parts of a turn with further dropped calls in its prose, whose places are given in its ``content``."""
    queue = deque(dropped)
    found: list[TurnPart] = []
    at = 0
    for part in parts:
        place = content.find(part.text, at) if part.text and part.kind in (*KEPT, "call") else -1
        if place < 0:
            found.append(part)
            continue
        at = place + part.end - part.start if part.kind == "dropped" else place + len(part.text)
        inner = []
        while queue and queue[0].start < at:
            inner.append(queue.popleft().moved(part.start - place))
        found += split(part, inner) if part.kind == "prose" and len(part.text) == part.end - part.start else [part]
        if found[-1] is part:
            found += split(TurnPart(part.end, part.end, "prose"), inner)
    end = parts[-1].end
    return [*found, *split(TurnPart(end, end, "prose"), queue)]
