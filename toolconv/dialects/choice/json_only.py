"""Texts in which JSON follows each marker: dialects of tags or of names find nothing else to read in them.

Many families share the marker ``<tool_call>``. Some write JSON after it, others a name or tags, and all read the JSON
of the first. One dialect of JSON is enough to ask where a text shows nothing of what the others write.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from toolconv.dialects.base import Dialect
from toolconv.dialects.grammars.fences import OBJECT_BODY
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.lexer import folded
from toolconv.dialects.lexing.turn_tokens import TURN_HEADERS, TURN_TOKENS

MAX_BLANKS: Final = 400
"""How much white space may be between two markers, in characters."""


def left_of_json(text: str, candidates: Sequence[Dialect]) -> str | None:
    """A folded text without the markers that dialects of JSON have; ``None`` if anything else follows one of these.

    Args:
        text: a turn.
        candidates: the dialects that may have written it.

    Returns:
        ``None``, too, for a text without JSON after any marker. A marker after another one is a slip in JSON.
    """
    readers = [each for each in candidates if isinstance(each, JsonBlocks)]
    if not readers:
        return None
    left = folded(text)
    for token in _tokens():
        if token in left:
            left = left.replace(token, " ")
    opens, markers = _markers(tuple(readers))
    found = False
    first = min((place for marker in opens if (place := left.find(marker)) >= 0), default=-1)
    if any(0 <= left.find(marker) < first for marker in markers if marker not in opens):
        return None  # a closing marker without an opening one
    for marker in opens:
        at = left.find(marker)
        while at >= 0:
            at += len(marker)
            if OBJECT_BODY.match(left, at) is not None:
                found = True
            elif not left[at : at + MAX_BLANKS].lstrip().startswith(markers):
                return None
            at = left.find(marker, at)
    if not found:
        return None
    for marker in markers:
        left = left.replace(marker, "\0")
    return left


def reads_more(dialect: Dialect, left: str) -> bool:
    """Whether a text shows a part of what a dialect of tags or names writes.

    Args:
        dialect: one of the candidates.
        left: what :func:`left_of_json` leaves of the text.
    """
    return any(tag in left for tag in _tags_of(dialect))


@lru_cache(maxsize=1)
def _tokens() -> tuple[str, ...]:
    """The tokens and headers of turns, which may leak in anywhere, the longest first."""
    return tuple(sorted(map(folded, (*TURN_TOKENS, *TURN_HEADERS)), key=lambda token: (-len(token), token)))


@lru_cache(maxsize=64)
def _markers(readers: tuple[JsonBlocks, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The opening markers of some dialects, and these and the closing ones, the longest first."""
    opens = {folded(marker.strip()) for each in readers for marker in each.all_opens}
    closes = {folded(marker.strip()) for each in readers for marker in each.all_closes}
    longest_first = sorted(filter(None, opens | closes), key=lambda marker: (-len(marker), marker))
    return tuple(sorted(filter(None, opens))), tuple(longest_first)


@lru_cache(maxsize=256)
def _tags_of(dialect: Dialect) -> frozenset[str]:
    """The tags that a dialect reads, as they are compared."""
    return frozenset(map(folded, dialect.all_tags))
