"""Tags with damage in one place: a character that is wrong, missing or additional, or a stretch that leaked in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

MAX_INSERTED: Final = 12
"""How many additional characters a damaged tag or name may hold: a turn token is the longest."""

MIN_REST: Final = 3
"""How much follows more than one additional character."""

MIN_TAG: Final = 9
"""The length of the shortest tag that is known despite damage."""
MAX_SLIPS: Final = 2
"""More damaged tags than this, and than whole ones, are of a family that nobody knows."""
TAG_PUNCTUATION: Final = ("|", "｜", "✿", "##", "<<")
"""What a tag has, and ordinary HTML and XML tags do not. Others say what they are by their words."""


def damaged_tags(text: str, tags: frozenset[str]) -> list[tuple[int, int]]:
    """The places in a text where one of ``tags`` is, with damage in one place, in order.

    Tags that ordinary markup could be are left out.
    """
    found = (halves for sign, halves in _telling_halves(tags).items() if sign in text)
    return _damaged(text, [half for each in found for half in each])


def slipped_tags(text: str, tags: frozenset[str]) -> set[str]:
    """Those of ``tags`` that are in a text with damage in one place."""
    halves = _halves_of_long(tags)
    return {tag for half, first, tag in halves if _damaged_places(text, half, tag, first=first)}


def literals_left(text: str, literals: frozenset[str]) -> list[tuple[int, int]]:
    """The places in a text where one of ``literals`` is, whole or with damage in one place, in order.

    Args:
        text: what is left of a turn.
        literals: what a call template writes around names and arguments.
    """
    halves = [half for half in _halves(literals) if half[0] in text]
    whole = [place for _, first, literal in halves if first for place in _places(text, literal)]
    return sorted(dict([*_damaged(text, halves), *whole]).items()) if halves else []


def _places(text: str, word: str) -> list[tuple[int, int]]:
    """The places in a text where a word is, without overlaps, in order."""
    found = []
    place = text.find(word)
    while place >= 0:
        found.append((place, place + len(word)))
        place = text.find(word, place + len(word))
    return found


def _damaged(text: str, halves: Iterable[tuple[str, bool, str]]) -> list[tuple[int, int]]:
    found: dict[int, int] = {}
    for half, first, tag in halves:
        for start, end in _damaged_places(text, half, tag, first=first):
            found[start] = max(end, found.get(start, 0))
    return sorted(found.items())


def _damaged_places(
    text: str, half: str, tag: str, *, first: bool, inserted: int = MAX_INSERTED
) -> list[tuple[int, int]]:
    """The places of the damaged ``tag`` of which ``half`` is left, with at most so many characters ``inserted``."""
    found: list[tuple[int, int]] = []
    if text.count(half) == text.count(tag):  # each half is in a whole tag
        return found
    place = text.find(half)
    while place >= 0:
        span = _whole_tag(text, place, half, tag, first=first, inserted=inserted)
        if span is not None:
            found.append(span)
        place = text.find(half, place + 1)
    return found


def _whole_tag(text: str, place: int, half: str, tag: str, *, first: bool, inserted: int) -> tuple[int, int] | None:
    """The damaged ``tag`` of which ``half`` is at ``place``; ``None`` if the other half is not there."""
    if first:
        start, end = place, place + len(half)
        other = tag[len(half) :]
        if text.startswith(other, end):
            return None
        length = slipped_length(text[end : end + len(other) + inserted], other, inserted)
        return None if length is None else (start, end + length)
    other = tag[: -len(half)]
    if text.endswith(other, 0, place):
        return None
    length = slipped_length(text[max(0, place - len(other) - inserted) : place][::-1], other[::-1], inserted)
    return None if length is None else (place - length, place + len(half))


def slipped_length(text: str, word: str, inserted: int = MAX_INSERTED) -> int | None:
    """How long ``word`` is at the start of ``text``, where it has damage in one place."""
    same = 0
    while same < len(word) and same < len(text) and text[same] == word[same]:
        same += 1
    for missing in (0, 1):
        rest = word[same + missing :]
        most = inserted if not missing and len(rest) >= MIN_REST else 1
        place = text.find(rest, same, same + len(rest) + most) if rest else -1
        if place >= 0:
            return place + len(rest)
    return same if same >= len(word) - 1 else None


@lru_cache(maxsize=4)
def _telling_halves(tags: frozenset[str]) -> dict[str, list[tuple[str, bool, str]]]:
    """The halves of the tags that ordinary markup does not have, by two characters of each: no letters if it can be."""
    telling = (tag for tag in tags if len(tag) >= MIN_TAG and any(sign in tag for sign in TAG_PUNCTUATION))
    found: dict[str, list[tuple[str, bool, str]]] = {}
    for each in _halves(frozenset(telling)):
        pairs = [first + second for first, second in pairwise(each[0])]
        found.setdefault(min(pairs, key=lambda pair: sum(map(str.isalnum, pair))), []).append(each)
    return found


@lru_cache(maxsize=128)
def _halves(tags: frozenset[str]) -> tuple[tuple[str, bool, str], ...]:
    """The halves of texts, each with whether it is the first, and the whole: damage in one place leaves one of them."""
    found = []
    for tag in sorted(tags):
        middle = len(tag) // 2
        found += [(tag[:middle], True, tag), (tag[middle:], False, tag)]
    return tuple(found)


class Slip(NamedTuple):
    """A damaged tag: ``text[start:end]`` should be ``tag``.

    ``wide`` is the same span with the character at its damaged edge, which was either lost or is this other one; the
    span itself where that is no question.
    """

    start: int
    end: int
    tag: str
    wide: tuple[int, int]


def slips_of(text: str, tags: frozenset[str], known: frozenset[str]) -> list[Slip]:
    """The tags of a text that have damage in one place, in order; of overlapping ones the first and shortest.

    Args:
        text: a turn.
        tags: those that may be damaged.
        known: tags of other families, which are not damaged ones. A text with many damaged tags and few that are whole
            is of another family, too.
    """
    found = [
        (*span, tag)
        for half, first, tag in _halves_of_long(tags)
        if half in text
        for span in _slip_places(text, half, tag, first)
    ]
    if not found:
        return []
    whole = [span for tag in tags for span in _places(text, tag)]
    covered = bytearray(len(text))
    for start, end in whole:
        covered[start:end] = b"\1" * (end - start)
    others = sorted((start, end) for start, end, tag in _known_places(text, known) if tag not in tags)
    starts, reach = [start for start, _ in others], list(accumulate((end for _, end in others), max))
    slips: list[Slip] = []
    for start, end, tag in sorted(found):
        if covered.find(1, start, end) >= 0 or (slips and start < slips[-1].end):
            continue
        if (place := bisect_right(starts, start)) and reach[place - 1] >= end:
            continue
        before = text[start] != tag[0] and _may_be_wrong(text[max(0, start - 1) : start])
        after = text[end - 1] != tag[-1] and _may_be_wrong(text[end : end + 1])
        slips.append(Slip(start, end, tag, (start - before, end + after)))
    return slips if len(slips) <= max(MAX_SLIPS, len(whole)) else []


@lru_cache(maxsize=128)
def _halves_of_long(tags: frozenset[str]) -> tuple[tuple[str, bool, str], ...]:
    """The halves of the tags that are long enough to be known by one."""
    return _halves(frozenset(tag for tag in tags if len(tag) >= MIN_TAG))


@lru_cache(maxsize=256)
def _slip_places(text: str, half: str, tag: str, first: bool) -> tuple[tuple[int, int], ...]:
    """The places of a damaged tag in a text, without stretches that leaked in; many dialects ask about one text."""
    return tuple(_damaged_places(text, half, tag, first=first, inserted=1))


@lru_cache(maxsize=8)
def _known_places(text: str, known: frozenset[str]) -> tuple[tuple[int, int, str], ...]:
    """The places of some tags in a text, each with the tag; many dialects ask about one text."""
    return tuple((*span, tag) for tag in known for span in _places(text, tag))


def _may_be_wrong(char: str) -> bool:
    """Whether a character next to a damaged tag may be in the place of one of its own."""
    return bool(char) and not char.isspace() and char not in "<>"


def readings_of(slips: list[Slip]) -> list[list[tuple[int, int, str]]]:
    """What may be meant: the places of damaged tags, each with the tag; two where the edge of a tag is damaged."""
    near = [(slip.start, slip.end, slip.tag) for slip in slips]
    wide = [(*slip.wide, slip.tag) for slip in slips]
    return [near] if near == wide else [near, wide]
