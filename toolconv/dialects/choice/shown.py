"""Markup that a turn only shows: it is hidden from the dialects that read the turn, and back in what they read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolconv.core.notes import Dropped
from toolconv.dialects.lexing.masking import masked, unmasked
from toolconv.dialects.reading.parts import TurnPart, split
from toolconv.dialects.reading.turn_parser import Parsed, parts_of


class Hidden(NamedTuple):
    """A turn whose shown markup is hidden.

    Attributes:
        text: the turn with other characters where that markup is.
        places: where it is.
    """

    text: str
    places: list[tuple[int, int]]

    def back_in(self, parsed: Parsed) -> Parsed:
        """A reading of :attr:`text`, with the markup of the turn."""
        if not self.places:
            return parsed
        parts = parts_of(parsed, self.text)
        parsed.content, parsed.reasoning = unmasked(parsed.content), unmasked(parsed.reasoning)
        for call in parsed.calls:
            call.name, call.arguments = unmasked(call.name), unmasked(call.arguments)
        parsed.dropped = [Dropped(each.reason, unmasked(each.text)) for each in parsed.dropped]
        parsed.parts = list(_with_shown(parts, deque(self.places)))
        return parsed


def hidden(text: str, places: list[tuple[int, int]]) -> Hidden:
    """A turn with the markup at some places hidden."""
    return Hidden(masked(text, places), places)


def _with_shown(parts: Iterable[TurnPart], shown: deque[tuple[int, int]]) -> Iterator[TurnPart]:
    """The parts of a text, with their markup; what is shown in prose is a part of its own."""
    for part in parts:
        part.text = unmasked(part.text)
        while shown and shown[0][1] <= part.start:
            shown.popleft()
        inner = []
        while shown and shown[0][0] < part.end:
            start, end = shown[0]
            if end > part.end:
                shown[0] = part.end, end
            else:
                shown.popleft()
            start, end = max(start, part.start), min(end, part.end)
            inner.append(TurnPart(start, end, "shown", part.text[start - part.start : end - part.start]))
        plain = part.kind == "prose" and len(part.text) == part.end - part.start
        yield from split(part, inner) if plain else [part]
