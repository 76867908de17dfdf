"""Texts in which JSON follows each marker: dialects of tags or of names find nothing else to read in them.

Many families share the marker ``<tool_call>``. Some write JSON after it, others a name or tags, and all read the JSON
of the first. One dialect of JSON is enough to ask where a text shows nothing of what the others write.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.base import Dialect
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.lexer import folded
from toolconv.dialects.lexing.turn_tokens import TURN_HEADERS, TURN_TOKENS

_JSON: Final = lazy_re(r"\s*(?:```\w*\s*)?(?:\[\s*)?\{")
_PIECE: Final = lazy_re(r"[<\[✿|#][^<{}\s]{3,}")
"""A tag in the facts of a dialect, up to its first hole."""
MAX_BLANKS: Final = 400
"""How much white space may be between two markers, in characters."""
_NOT_MARKUP: Final = frozenset({"name", "aliases", "models", "sample", "module", "losses", "turn_tokens", "chat"})


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
            if _JSON.match(left, at) is not None:
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
    """Whether a text shows a part of what a dialect writes, but not JSON, whole or damaged in one place.

    Args:
        dialect: one of the candidates.
        left: what :func:`left_of_json` leaves of the text.
    """
    return isinstance(dialect, JsonBlocks) or any(half in left for half in _halves(dialect))


def reads_like(one: JsonBlocks, other: JsonBlocks, repairs: Collection[str], text: str) -> bool:
    """Whether a text holds the same calls for two dialects, and ``one`` names all ``repairs`` that ``other`` names."""
    if type(one) is not type(other) or _way(one) != _way(other):
        return False
    if one.markers[0] in text and other.markers[0] not in text:
        return False
    if not (_unnamed(one) - _unnamed(other)).isdisjoint(repairs):
        return False
    return not any(half in text for half in _halves_apart(one, other))


@lru_cache(maxsize=256)
def _way(dialect: JsonBlocks) -> tuple[object, ...]:
    """What decides which calls are read, apart from the markers."""
    keys = (dialect.name_key, dialect.argument_key, dialect.id_key, dialect.other_keys, dialect.is_keyed_by_name)
    mark = dialect.reasoning
    turns = (dialect.turn_tokens, dialect.leads_with_reasoning, mark.open, mark.close, dialect.prose_opening)
    return keys, turns, dialect.bare, dialect.native, dialect.fallback_dialects


@lru_cache(maxsize=256)
def _unnamed(dialect: JsonBlocks) -> frozenset[str]:
    """The repairs that a dialect may do without, since it is written that way."""
    listed = ("several_objects", "list_in_block", "empty_block") if dialect.listed else ()
    unclosed = () if dialect.closing == "always" else ("missing_close_tag", "marker_spelling", "swapped_tags")
    return frozenset((*dialect.native, *listed, *unclosed))


@lru_cache(maxsize=1024)
def _halves_apart(one: JsonBlocks, other: JsonBlocks) -> tuple[str, ...]:
    """The halves of the markers that one of two dialects has and the other has not: damage leaves one of them."""
    apart = sorted(_markup(one) ^ _markup(other))
    return tuple(half for marker in apart for half in (marker[: len(marker) // 2], marker[len(marker) // 2 :]))


def _markup(dialect: JsonBlocks) -> frozenset[str]:
    tags = dialect.calls.tags if dialect.calls is not None else ()
    pairs = (tag for pair in dialect.prose_tags for tag in pair)
    texts = (*dialect.all_markers, *tags, *pairs, *(dialect.around or ()), *dialect.closed)
    return frozenset(filter(None, (text.strip() for text in texts)))


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
def _halves(dialect: Dialect) -> tuple[str, ...]:
    """The halves of the tags that a dialect reads."""
    texts = [*_texts(dialect), *dialect.markers, *(dialect.calls.tags if dialect.calls is not None else ())]
    tags = {folded(tag) for text in texts for tag in _PIECE.findall(text)}
    return tuple(sorted({half for tag in tags for half in (tag[: len(tag) // 2], tag[len(tag) // 2 :])}))


def _texts(value: Any) -> Iterator[str]:
    """The texts in the value of a fact."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Dialect):
        names = (field.name for field in fields(value) if field.name not in _NOT_MARKUP)
        yield from _texts([getattr(value, name) for name in names])
    elif isinstance(value, Iterable):
        for item in value:
            yield from _texts(item)
