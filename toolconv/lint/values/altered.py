"""What a value was probably written for: a part of a request that it nearly is.

An id, a path or an address of the request is near if most of its characters, or all but its digits, are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.values.grounding import plain

_CHUNK = lazy_re(r"[\w./\\@:+~-]+", re.ASCII)
_MARKED = lazy_re(r"(?=.*[A-Za-z])(?=.*(?:\d|\w[/\\@._:-]\w))|[A-Z]{3,6}\Z", re.ASCII)
_ADDRESS = lazy_re(r"\d+(?:\.\d+){3}", re.ASCII)
_CLOCK = lazy_re(r"\d{1,2}(?::\d\d)*[ap]m|\d+(?:st|nd|rd|th|[a-zA-Z]{1,2})|[\dTZ:+.-]+", re.ASCII)

MIN_LIKENESS: Final = 0.75
"""How much of two ids or paths is the same where one was written for the other."""

LONGEST: Final = 100
"""A longer value is a text of the model's own."""


def nearly_given(value: str, request: str) -> str | None:
    """The one part of a request that a value nearly is; ``None`` if there is none, or more than one.

    Args:
        value: a text that the request doesn't have.
        request: what the user says.
    """
    bare = value.strip()
    if len(bare) > LONGEST or bare.casefold() in request.casefold():
        return None
    found = set(_in_chunks(bare, request)) if _CHUNK.fullmatch(bare) and _is_marked(bare) else set()
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
