"""Which of the dialects that share a marker are asked for a text: by the other tags in it, and by what follows markers.

Many families share the marker ``<tool_call>``. Some write JSON after it, others a name or tags, and all read the JSON
of the first. So where only JSON follows the markers, one of tags or of names is asked only if the text shows something
else that it writes. Otherwise one whose tags in the text are all known to another, which has more of them there, is
asked last: if those leave something unread.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from toolconv.dialects.base import Dialect
from toolconv.dialects.grammars.fences import OBJECT_BODY
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.lexer import folded
from toolconv.dialects.lexing.mentions import ends_in_object
from toolconv.dialects.lexing.turn_tokens import TURN_HEADERS, TURN_TOKENS
from toolconv.dialects.reading.turn_parser import THINK

MAX_BLANKS: Final = 400
"""How much white space may be between two markers, in characters."""


def fitting(text: str, candidates: tuple[Dialect, ...], named: Dialect | None = None) -> tuple[Dialect, ...]:
    """The candidates that may have written reasoning and calls in the order in which a text has them."""
    if text.lstrip().startswith(THINK.open):  # this model writes reasoning first
        return tuple(each for each in candidates if each is named or each.leads_with_reasoning)
    return candidates


def in_order(
    text: str, candidates: tuple[Dialect, ...], named: Dialect | None
) -> tuple[tuple[Dialect, ...], tuple[Dialect, ...]]:
    """The candidates to ask, and those to ask if these leave something unread. The ``named`` one is asked first."""
    candidates = fitting(text, candidates, named)
    if len(candidates) < 2:
        return candidates, ()
    tags = _tags(candidates)
    left = folded(text)
    for token in _tokens():
        if token in left:
            left = left.replace(token, " ")
    present = frozenset([key for tag, key in tags.keys if tag in left])
    known = [(each, own & present) for each, own in zip(candidates, tags.own, strict=True)]
    bodies = _bodies(left, tags.opens, tags.markers)
    if bodies == {True}:
        more = present - tags.of_json
        others = [each for each, own in known[1:] if own & more or isinstance(each, JsonBlocks)]
        return (candidates[0], *others), ()
    kinds = {own for _, own in known}
    surpassed = {own for own in kinds for other in kinds if own < other}
    asked: list[Dialect] = []
    last: list[Dialect] = []
    for each, own in known:
        is_read = each is named or (isinstance(each, JsonBlocks) and (True in bodies or each.bare == "always"))
        (last if own in surpassed and not is_read else asked).append(each)
    return tuple(asked), tuple(last) if "{" in text and not ends_in_object(text) else ()


def _bodies(left: str, opens: tuple[str, ...], markers: tuple[str, ...]) -> set[bool]:
    """Whether objects follow the opening markers of a folded text, and whether anything else does.

    A marker after another one is a slip in JSON; so is no closing marker before the first opening one.
    """
    found: set[bool] = set()
    first = min((place for marker in opens if (place := left.find(marker)) >= 0), default=-1)
    if any(0 <= left.find(marker) < first for marker in markers if marker not in opens):
        found.add(False)
    for marker in opens:
        at = left.find(marker)
        while at >= 0:
            at += len(marker)
            if OBJECT_BODY.match(left, at) is not None:
                found.add(True)
            elif not left[at : at + MAX_BLANKS].lstrip().startswith(markers):
                found.add(False)
            at = left.find(marker, at)
    return found


class _Tags(NamedTuple):
    """The tags of some dialects, folded.

    Attributes:
        keys: each tag with what it is compared by: without the bracket that ends it, which some families leave open.
        own: for each dialect, what its tags are compared by.
        opens, markers: the opening markers of those that write JSON, and all of these.
        of_json: what these are compared by.
    """

    keys: tuple[tuple[str, str], ...]
    own: tuple[frozenset[str], ...]
    opens: tuple[str, ...]
    markers: tuple[str, ...]
    of_json: frozenset[str]


@lru_cache(maxsize=256)
def _tags(candidates: tuple[Dialect, ...]) -> _Tags:
    """The tags of some dialects, the longest first."""
    readers = [each for each in candidates if isinstance(each, JsonBlocks)]
    opens = _folded(marker for each in readers for marker in each.all_opens)
    markers = _folded(marker for each in readers for marker in each.all_markers)
    tags = [_folded((*each.all_tags, *each.markers)) for each in candidates]
    keys = {tag: tag.rstrip(">") for each in (*tags, markers) for tag in each}
    own = tuple([frozenset([keys[tag] for tag in each]) for each in tags])
    return _Tags(tuple(keys.items()), own, opens, markers, frozenset([keys[tag] for tag in markers]))


def _folded(tags: Iterable[str]) -> tuple[str, ...]:
    """Some tags as they are compared, the longest first."""
    found = {folded(tag.strip()) for tag in tags}
    return tuple(sorted(filter(None, found), key=lambda tag: (-len(tag), tag)))


@lru_cache(maxsize=1)
def _tokens() -> tuple[str, ...]:
    """The tokens and headers of turns, which may leak in anywhere."""
    return _folded((*TURN_TOKENS, *TURN_HEADERS))
