"""The lexer: one scan finds the tags of all dialects in a text, and says how each is spelt.

A tag may be in the wrong case, have whitespace at its brackets or ASCII characters for a family's own, or have damage
in one place: a character that is wrong, missing or additional, or a stretch that leaked in. Who reads a text gets the
tags as their families write them, so no grammar knows of other spellings.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import compress, pairwise
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.trie import pattern_of

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

_SEAM: Final = lazy_re(r"[<>\[\]|｜/]")
_SIGNS: Final = "<>[]|/"
"""What :data:`_SEAM` matches in a folded text."""
MAX_STRETCHES: Final = 12
"""A text with signs of tags in more stretches than this is looked at as a whole."""
SPACED: Final = lazy_re(r"[ \t](?:(?<=[<\[|/][ \t])[ \t]?(?=[\w|/])|(?<=[\w|/][ \t])[ \t]?(?=[|>\]]))")
"""The white space that models put inside of the brackets of tags."""
_FOLDED: Final = ("<", "[", "✿")
"""What every tag holds."""
_HEADING: Final = lazy_re(r"[^\n]*\n[ \t]*\n")
"""The rest of a heading of Markdown, and the blank line that follows it; a call goes on in the next line."""
_SPACED_SIGNS: Final = {
    "<": ("< ", "<\t"),
    "[": ("[ ", "[\t"),
    "|": ("| ", "|\t", " |", "\t|"),
    "/": ("/ ", "/\t"),
    ">": (" >", "\t>"),
    "]": (" ]", "\t]"),
}


Wholes = list[tuple[bool, str]]
"""The tags that a half may be of, each after whether it is the first half."""
Halves = dict[str, dict[str, Wholes]]
"""Halves of tags, by two characters of each."""


def may_hold_tags(text: str) -> bool:
    """Whether a text holds a character of those of which each whole tag has one."""
    for sign in _FOLDED:  # noqa: SIM110 - faster than any()
        if sign in text:
            return True
    return False


def folded(text: str) -> str:
    """A text as tags are compared: any case, either kind of bar, no space at brackets. Words compare as they are."""
    if not may_hold_tags(text):
        return text
    text = text.lower().replace("｜", "|").replace("▁", "_")
    return SPACED.sub("", text) if _may_be_spaced(text) else text


def _may_be_spaced(text: str) -> bool:
    """Whether a text has white space next to a sign of tags, a cheap check."""
    for sign, pairs in _SPACED_SIGNS.items():
        if sign in text:
            for pair in pairs:
                if pair in text:
                    return True
    return False


class MarkupToken(NamedTuple):
    """A tag at ``text[start:end]``, which its family writes as ``tag``.

    Attributes:
        damage: 0 for another spelling of the whole tag; otherwise how many characters it is longer or shorter, at
            least 1.
        wide: the same place with the character at a damaged edge, which was either lost or is this other one.
    """

    start: int
    end: int
    tag: str
    damage: int = 0
    wide: tuple[int, int] = (0, 0)


class Tokens(NamedTuple):
    """The tags in a text.

    Attributes:
        whole: the places of whole tags, in order, each with what is written there.
        odd: the tags that are not as some family writes them; several at one place may be meant.
    """

    whole: Sequence[tuple[int, int, str]]
    odd: Sequence[MarkupToken]

    def spelt(self, tags: frozenset[str]) -> list[MarkupToken]:
        """Those of ``tags`` that are whole, but spelt otherwise."""
        right = {start for start, _, written in self.whole if written in tags}
        return _apart(
            token for token in self.odd if not token.damage and token.tag in tags and token.start not in right
        )

    def slips(self, tags: frozenset[str]) -> list[MarkupToken]:
        """Those of ``tags`` that have damage in one place; none where more of them are damaged than whole."""
        found = [token for token in self.odd if token.damage == 1 and token.tag in tags]
        if found:
            keys = {key_of(tag) for tag in tags}
            whole = [(start, end) for start, end, written in self.whole if key_of(written) in keys]
            found = _apart(token for token in found if not _overlaps(whole, token))
            if len(found) > max(MAX_SLIPS, len(whole)):
                return []
        return found


def _overlaps(places: list[tuple[int, int]], token: MarkupToken) -> bool:
    """Whether a token shares a character with one of some places, which are in order and apart."""
    before = bisect_left(places, (token.end, 0))
    return before > 0 and places[before - 1][1] > token.start


def _apart(tokens: Iterable[MarkupToken]) -> list[MarkupToken]:
    """Of overlapping tokens, which are in order, the first."""
    found: list[MarkupToken] = []
    for token in tokens:
        if not found or token.start >= found[-1].end:
            found.append(token)
    return found


@lru_cache(maxsize=4096)
def key_of(tag: str) -> str:
    """What all spellings of a tag have in common."""
    return SPACED.sub("", _in_one_case(tag.strip()))


def _in_one_case(text: str) -> str:
    """A text in lower case, with ASCII characters for those that families have of their own; as long as before."""
    lower = text.lower()
    return (lower if len(lower) == len(text) else text).replace("｜", "|").replace("▁", "_")  # a dotted capital I


class Lexer:
    """Finds the tags of some dialects.

    Args:
        writers: the tags, each with the names of those that write it, by rank.
    """

    def __init__(self, writers: Mapping[str, Sequence[str]]) -> None:
        self._writers = {tag.strip(): names for tag, names in writers.items()}
        self._tags: dict[str, list[str]] = {}
        for tag in self._writers:
            self._tags.setdefault(key_of(tag), []).append(tag)
        self._pattern = re.compile(pattern_of(key for key in self._tags if _SEAM.search(key)))
        halves = halves_of(frozenset(key for key in self._tags if len(key) >= MIN_TAG))
        self._halves = _by_rare_pair(half for half in halves if _SEAM.search(half[0]))
        self._words = _by_rare_pair(half for half in halves if not _SEAM.search(half[0]))
        self._reach = 2 * max(map(len, self._tags), default=0) + MAX_INSERTED

    def writers_of(self, written: str) -> set[str]:
        """The names of the dialects that write a tag, however it is spelt."""
        return {name for tag in self._tags.get(key_of(written), ()) for name in self._writers[tag]}

    def _exact_writers(self, written: str) -> Iterable[str]:
        """The names of the dialects that write a whole tag as it stands; if none does, of those that write it."""
        return self._writers.get(written) or self.writers_of(written)

    def scan(self, text: str) -> Tokens:
        """The tags in a text."""
        spaced = _in_one_case(text)
        seen = SPACED.sub("", spaced) if _may_be_spaced(spaced) else spaced
        found = [(*match.span(), match[0]) for match in self._pattern.finditer(seen)]
        damaged = [*self._damaged(seen, found)]
        places = _places(spaced, seen) if found or damaged else range(0)
        whole, odd = [], list[MarkupToken]()
        for start, end, key in found:
            begin, stop = places[start], places[end - 1] + 1
            written = text[begin:stop]
            whole.append((begin, stop, written))
            if self._tags[key] != [written]:
                odd += [MarkupToken(begin, stop, tag) for tag in self._tags[key] if tag != written]
        for start, end, key in damaged:
            damage = max(1, abs(end - start - len(key)))
            begin, stop = places[start], places[end - 1] + 1
            before = seen[start] != key[0] and _may_be_wrong(seen[max(0, start - 1) : start])
            after = seen[end - 1] != key[-1] and _may_be_wrong(seen[end : end + 1])
            odd += [MarkupToken(begin, stop, tag, damage, (begin - before, stop + after)) for tag in self._tags[key]]
        if odd:
            support = Counter([name for _, _, written in whole for name in self._exact_writers(written)])
            supports = {tag: max([support[name] for name in self._writers[tag]]) for tag in {each.tag for each in odd}}
            if found:  # a damaged tag is of a dialect that has whole ones in the text
                odd = [token for token in odd if not token.damage or supports[token.tag]]
            odd.sort(key=lambda token: (token.start, -supports[token.tag], token.damage, *_unlike(token, text)))
        return Tokens(whole, odd)

    def _damaged(self, text: str, whole: Sequence[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
        """The damaged tags in a folded text, each with its key; none that is a whole tag, or lies in one."""
        covered = bytearray(len(text))
        for start, end, key in whole:
            if not key[-1].isalpha():  # the head of a tag may go on
                covered[start:end] = b"\1" * (end - start)
        found: set[tuple[int, int, str]] = set()
        stretches = _around_signs(text, self._reach)
        for known, places in ((self._halves, stretches), (self._words, [(0, len(text))])):
            for begin, stop in places:
                part = text[begin:stop]
                for place, half, wholes in _halves_in(part, known, covered, begin):
                    for first, key in wholes:
                        if (span := _whole_tag(part, place, half, key, first=first)) is not None:
                            found.add((begin + span[0], begin + span[1], key))
        number, reach = 0, 0
        for start, end, key in sorted(found):
            while number < len(whole) and whole[number][0] <= start:
                reach = max(reach, whole[number][1])
                number += 1
            if end > reach and not (key[0] == "#" and _HEADING.match(text, end)):
                yield start, end, key


def _places(spaced: str, seen: str) -> Sequence[int]:
    """For each character of a text without the white space in its tags, its place in the text."""
    if len(spaced) == len(seen):
        return range(len(seen))
    kept = bytearray(b"\1") * len(spaced)
    for blank in SPACED.finditer(spaced):
        start, end = blank.span()
        kept[start:end] = bytes(end - start)
    return array("L", compress(range(len(spaced)), kept))


def _halves_in(text: str, halves: Halves, covered: bytearray, begin: int) -> list[tuple[int, str, Wholes]]:
    """The places of halves of tags in a text, each with the half, and the tags it may be of.

    Not those that whole tags have: ``covered`` says where these are in the turn, in which the text begins at ``begin``.
    """
    found = []
    for pair, some in halves.items():
        if not (pair[0] in text and pair[1] in text and pair in text):  # one character is found at once
            continue
        for half, wholes in some.items():
            place = text.find(half)
            while place >= 0:
                if covered.find(0, begin + place, begin + place + len(half)) >= 0:
                    found.append((place, half, wholes))
                place = text.find(half, place + 1)
    return found


def _around_signs(text: str, reach: int) -> list[tuple[int, int]]:
    """The parts of a text that are near a sign of tags; the whole of one that has many."""
    places: list[int] = []
    for sign in _SIGNS:
        place = text.find(sign)
        while place >= 0:
            places.append(place)
            place = text.find(sign, place + reach)
        if len(places) > MAX_STRETCHES:
            return [(0, len(text))]
    found: list[tuple[int, int]] = []
    for place in sorted(places):
        begin, stop = max(0, place - reach), place + 2 * reach
        found.append((found.pop()[0], stop) if found and begin <= found[-1][1] else (begin, stop))
    return found


def _unlike(token: MarkupToken, text: str) -> tuple[int, ...]:
    """How unlike its tag a damaged one is, compared from left to right: a closing tag stays one, and edges stay."""
    written, tag = text[token.start : token.end], token.tag
    edges = (written[0] != tag[0]) + (written[-1] != tag[-1])
    return ("/" in written) != ("/" in tag), edges, -len(written), abs(len(written) - len(tag))


def _may_be_wrong(char: str) -> bool:
    """Whether a character next to a damaged tag may be in the place of one of its own."""
    return bool(char) and not char.isspace() and char not in "<>"


# ── damage in one place ──


def _whole_tag(text: str, place: int, half: str, tag: str, *, first: bool) -> tuple[int, int] | None:
    """The damaged ``tag`` of which ``half`` is at ``place``; ``None`` if the other half is not there."""
    if first:
        start, end = place, place + len(half)
        other = tag[len(half) :]
        if text.startswith(other, end):
            return None
        length = slipped_length(text[end : end + len(other) + MAX_INSERTED], other)
        return None if length is None else (start, end + length)
    other = tag[: -len(half)]
    if text.endswith(other, 0, place):
        return None
    length = slipped_length(text[max(0, place - len(other) - MAX_INSERTED) : place][::-1], other[::-1])
    return None if length is None else (place - length, place + len(half))


def slipped_length(text: str, word: str) -> int | None:
    """How long ``word`` is at the start of ``text``, where it has damage in one place."""
    same = 0
    while same < len(word) and same < len(text) and text[same] == word[same]:
        same += 1
    for missing, most in ((0, 1), (1, 1), (0, MAX_INSERTED)):
        rest = word[same + missing :]
        if most > 1 and len(rest) < MIN_REST:
            break
        place = text.find(rest, same, same + len(rest) + most) if rest else -1
        if place >= 0:
            return place + len(rest)
    return same if same >= len(word) - 1 else None


@lru_cache(maxsize=128)
def halves_of(tags: frozenset[str]) -> tuple[tuple[str, bool, str], ...]:
    """The halves of texts, each with whether it is the first, and the whole: damage in one place leaves one of them."""
    found = []
    for tag in sorted(tags):
        middle = len(tag) // 2
        found += [(tag[:middle], True, tag), (tag[middle:], False, tag)]
    return tuple(found)


def _by_rare_pair(halves: Iterable[tuple[str, bool, str]]) -> Halves:
    """The tags of halves, and which halves they are, by two characters of each half: no letters if it can be."""
    found: Halves = {}
    for half, first, tag in halves:
        pairs = [one + other for one, other in pairwise(half)]
        rare = min(pairs, key=lambda pair: sum(map(str.isalnum, pair)))
        found.setdefault(rare, {}).setdefault(half, []).append((first, tag))
    return found
