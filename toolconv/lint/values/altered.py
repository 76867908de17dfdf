"""What a value was probably written for: a part of a request that it nearly is.

An id, a path or an address of the request is near if most of its characters, or all but its digits, are the same; a
name of several words, if one of them is another; a text in Chinese, if one character is another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from operator import ne
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.values.grounding import plain

_CHUNK = lazy_re(r"[\w./\\@:+~-]+", re.ASCII)
_MARKED = lazy_re(r"(?=.*[A-Za-z])(?=.*(?:\d|\w[/\\@._:-]\w))|[A-Z]{3,6}\Z", re.ASCII)
_ADDRESS = lazy_re(r"\d+(?:\.\d+){3}", re.ASCII)
_CLOCK = lazy_re(r"\d{1,2}(?::\d\d)*[ap]m|\d+(?:st|nd|rd|th|[a-zA-Z]{1,2})|[\dTZ:+.-]+", re.ASCII)
_WORD = lazy_re(r"\w+")
_BEGINS = lazy_re(r"(?:\A|[.!?:\n])[\s\"'(]*\Z")
_SIGNS = lazy_re(r"[\u3400-\u9fff\w]+")
_SIGN = lazy_re(r"[\u3400-\u9fff]")

MIN_LIKENESS: Final = 0.75
"""How much of two ids or paths is the same where one was written for the other."""

MIN_SIGNS: Final = 4
"""A shorter text without spaces has others that differ from it in one character."""

LONGEST: Final = 100
"""A longer value is a text of the model's own."""


def nearly_given(value: str, request: str, is_name: bool = True) -> str | None:
    """The one part of a request that a value nearly is; ``None`` if there is none, or more than one.

    Args:
        value: a text that the request doesn't have.
        request: what the user says.
        is_name: whether the value is a name; other texts of several words are the model's own.
    """
    bare = value.strip()
    if len(bare) > LONGEST or bare.casefold() in request.casefold():
        return None
    if _SIGN.search(bare):
        near = _in_signs(bare, request)
    elif _CHUNK.fullmatch(bare):
        near = _in_chunks(bare, request) if _is_marked(bare) else iter(())
    else:
        near = _in_words(bare, request) if is_name else iter(())
    found = set(near)
    return found.pop() if len(found) == 1 else None


def _is_marked(chunk: str) -> bool:
    """Whether somebody copies a chunk of a text as it is: an id, a path, an address; not a time or an ordinal."""
    return _ADDRESS.fullmatch(chunk) is not None or (
        _MARKED.match(chunk) is not None and _CLOCK.fullmatch(chunk) is None
    )


def _in_chunks(value: str, request: str) -> Iterator[str]:
    for match in _CHUNK.finditer(request):
        chunk = match[0].rstrip(".:/-")
        low, mine = chunk.casefold(), value.casefold()
        if (
            len(chunk) > 2 * LONGEST
            or not _is_marked(chunk)
            or value.isalpha() != chunk.isalpha()
            or plain(low) == plain(mine)
        ):
            continue
        parts = zip(low.split("/"), mine.split("/"), strict=False)
        if low in mine or mine in low or all(a.startswith(b) for a, b in parts):
            continue  # a part of it, or an abbreviation
        one, other = low.rpartition("/")[2], mine.rpartition("/")[2]
        is_alike = _likeness(low, mine) >= MIN_LIKENESS and _likeness(one, other) >= MIN_LIKENESS
        if is_alike or re.sub(r"\d+", "0", low) == re.sub(r"\d+", "0", mine):
            yield chunk


def _likeness(one: str, other: str) -> float:
    """How much of two texts is the same, from 0 to 1."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def _in_words(value: str, request: str) -> Iterator[str]:
    mine = _WORD.findall(value)
    if len(mine) < 2:
        return
    given = list(_WORD.finditer(request))
    low, given_low = [word.casefold() for word in mine], [match[0].casefold() for match in given]
    for at in range(len(given) - len(mine) + 1):
        if sum(map(ne, low, given_low[at : at + len(mine)])) != 1:
            continue
        window = given[at : at + len(mine)]
        others = [(a, b[0]) for a, b in zip(mine, window, strict=True) if a.casefold() != b[0].casefold()]
        start = window[0].start()
        if others[0][0].casefold() in given_low:
            continue  # "the museum of Philadelphia" is the Philadelphia museum
        if _are_names(*others[0]) and not _BEGINS.search(request, max(start - 9, 0), start):
            part = request[start : window[-1].end()]
            if _between(part) == _between(value):
                yield part


def _between(text: str) -> list[str]:
    """The signs between the words of a text: a list is no name of several words."""
    return [signs.strip() for signs in _WORD.split(text)[1:-1]]


def _are_names(one: str, other: str) -> bool:
    """Whether two words are numbers, or names that are not spellings of one another."""
    if one.isdecimal() or other.isdecimal():
        return one.isdecimal() and other.isdecimal()
    return one[0].isupper() and other[0].isupper() and _likeness(one.casefold(), other.casefold()) < MAX_SPELLING


MAX_SPELLING: Final = 0.6
"""Words with more in common are spellings or forms of one."""


def _in_signs(value: str, request: str) -> Iterator[str]:
    if len(value) < MIN_SIGNS:
        return
    for run in _SIGNS.findall(request):
        for at in range(len(run) - len(value) + 1):
            window = run[at : at + len(value)]
            others = [(a, b) for a, b in zip(window, value, strict=True) if a != b]
            is_sign = len(others) == 1 and _PARTICLES.isdisjoint(others[0])
            if is_sign and all(map(_SIGN.match, others[0])):  # in Japanese, other letters are an ending
                yield window


_PARTICLES: Final = frozenset("的了把去到给从和与在是")
"""Chinese signs between words, not of a name."""
