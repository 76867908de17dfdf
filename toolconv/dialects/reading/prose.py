"""The prose of a turn: what is left of its text when the calls are cut out, without the markup around them."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.turn_tokens import TURN_HEADERS, end_without
from toolconv.dialects.reading.parts import TurnPart, split
from toolconv.dialects.reading.turn_parser import Cut, TurnParser

EMPTY_FENCE = lazy_re(r"^```[ \t]{0,8}\w{0,20}[ \t]{0,8}\n\s{0,40}```[ \t]{0,8}$\n?", re.MULTILINE)
"""What is left of a code block once the calls in it are cut out."""


class ProseReader(NamedTuple):
    """Reads what the calls of a turn leave.

    Attributes:
        separator: what the family writes between prose and the first call.
        turn_tokens: tokens that end a turn and may have been left in the text.
    """

    separator: str
    turn_tokens: tuple[str, ...]

    def read(self, parser: TurnParser, start: int) -> tuple[str, list[TurnPart]]:
        """The text from ``start`` on without its cuts, and its parts.

        Line breaks that only set a call apart are not prose.
        """
        text = parser.text
        pieces: list[tuple[int, str]] = []
        parts: list[TurnPart] = []
        whole, after_call = not parser.cuts and not start, False
        if whole and not parser.left:
            begin, end = self._place(parser, 0, len(text), after_call=False, whole=True)
            words = text[begin:end]
            return words, list(_with_markup(0, len(text), [TurnPart(begin, end, "prose", words)] if words else []))
        left = deque(sorted(parser.left, key=lambda part: part.start))
        for cut in [*sorted(parser.cuts, key=_place_of), Cut(len(text), len(text), "", ())]:
            if cut.start > start:
                begin, end = self._place(parser, start, cut.start, after_call=after_call, whole=whole)
                inner = [left.popleft() for _ in range(_begun_before(left, cut.start))]
                parts += _with_markup(start, cut.start, split(TurnPart(begin, end, "prose", text[begin:end]), inner))
                if end > begin:
                    pieces.append((begin, text[begin:end]))
            if cut.prose:
                pieces.append((-1, without_start(cut.prose, self.separator or "\n") if after_call else cut.prose))
            parts += cut.parts
            start = max(start, cut.end)
            while left and left[0].end <= start:
                parts += split(TurnPart(start, start, "prose"), [left.popleft()])
            after_call = True
        joint = self.separator if self.separator.isspace() else "\n"
        content = joint.join(piece for _, piece in pieces)
        if not whole and "```" in content and (fences := [match.span() for match in EMPTY_FENCE.finditer(content)]):
            if "markdown_fence" not in parser.repairs:
                parser.repair("markdown_fence")
            bare = EMPTY_FENCE.sub("", content)
            content, parts = bare, _without(parts, pieces, len(joint), fences)
        return content, parts

    def _place(self, parser: TurnParser, start: int, end: int, *, after_call: bool, whole: bool) -> tuple[int, int]:
        """Where the prose in ``text[start:end]`` begins and ends: between two cuts, or of the ``whole`` turn."""
        text = parser.text
        piece = text[start:end]
        if end < len(text):
            piece = _without_end(piece, self.separator)
        if after_call:
            length = len(piece)
            piece = without_start(piece, self.separator or "\n")
            start += length - len(piece)
        if not piece or (piece.isspace() and not whole):
            return start, start
        begin, stop = self._between_turn_tokens(piece, start=after_call)
        if stop - begin < len(piece):
            parser.repair("leaked_token")
            if not whole and piece[begin:stop].isspace():
                return start, start
        return start + begin, start + stop

    def _between_turn_tokens(self, text: str, *, start: bool) -> tuple[int, int]:
        """Where ``text`` without the turn tokens and headers at its end (and ``start``) begins and ends."""
        if text[-1] not in ">\n " and not (start and text.lstrip().startswith(self.turn_tokens)):
            return 0, len(text)
        tokens = (*TURN_HEADERS, *self.turn_tokens)
        begin = at = 0
        end = end_without(tokens, text)
        token = "" if start else None
        while token is not None:
            at += len(token)
            begin = at if token else begin
            while at < end and text[at].isspace():
                at += 1
            token = next((token for token in tokens if text.startswith(token, at, end)), None)
        return begin, max(begin, end)


def _begun_before(parts: Iterable[TurnPart], place: int) -> int:
    """How many of some parts, in order, begin before a place."""
    return sum(1 for _ in takewhile(lambda part: part.start < place, parts))


def _place_of(cut: Cut) -> tuple[int, int]:
    return cut.start, cut.end


def _with_markup(start: int, end: int, parts: Iterable[TurnPart]) -> Iterator[TurnPart]:
    """Parts of ``text[start:end]``, with the markup before and after them."""
    for part in parts:
        if part.start > start:
            yield TurnPart(start, part.start, "markup")
        yield part
        start = part.end
    if start < end:
        yield TurnPart(start, end, "markup")


def _without(
    parts: list[TurnPart], pieces: list[tuple[int, str]], between: int, spans: list[tuple[int, int]]
) -> list[TurnPart]:
    """The parts of a turn; what is at ``spans`` of the joined ``pieces`` of its prose is markup.

    Each piece comes with its place in the turn, or -1; ``between`` characters join it to the next.
    """
    cut: list[TurnPart] = []
    at = 0
    for place, piece in pieces:
        inside = [(max(start - at, 0), min(end - at, len(piece))) for start, end in spans if place >= 0]
        cut += [TurnPart(place + start, place + end, "markup") for start, end in inside if start < end]
        at += len(piece) + between
    return [
        each
        for part in parts
        for each in (split(part, [hole for hole in cut if hole.end > part.start]) if part.kind == "prose" else [part])
    ]


def _without_end(piece: str, separator: str) -> str:
    """``piece`` without the separator at its end, or without the longest part of it that is there."""
    if not separator.isspace():
        return piece.removesuffix(separator)
    for length in range(len(separator), 0, -1):
        if piece.endswith(separator[:length]):
            return piece[:-length]
    return piece


def without_start(piece: str, separator: str) -> str:
    """``piece`` without the separator at its start, or without the longest part of it that is there."""
    if not separator.isspace():
        return piece.removeprefix(separator)
    for length in range(len(separator), 0, -1):
        if piece.startswith(separator[:length]):
            return piece[length:]
    return piece
