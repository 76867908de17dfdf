"""Parts of messages: values in short form, similar names, and names without leaked markup."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from heapq import nlargest
from itertools import islice, pairwise
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.errors import near_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.remembered import Remembered
from toolconv.core.tools import ToolIndex

NAME: Final = lazy_re(r"[a-zA-Z0-9_-]{1,64}")
"""A tool's name that every provider accepts."""

_TOKEN = lazy_re(r"<[|｜].*", re.DOTALL)
_NAMESPACE = lazy_re(r"^(?:functions?|tools?|default_api|multi_tool_use)\.")
_HUMP = lazy_re(r"(?<=[a-z0-9])(?=[A-Z])")
_BREAK = lazy_re(r"[_\W]")
_COUNTER = lazy_re(r":[0-9]+$")


def shown(value: Any, most: int = 60) -> str:
    """A value as JSON, shortened if it is long; text in single quotes."""
    text = repr(value) if isinstance(value, str) else jsontext.compact(value)
    return text if len(text) <= most else f"{text[: most - 15]}…{text[-14:]}"


def a(kind: str) -> str:
    """A type's name with its article: ``an integer``."""
    return kind if kind == "null" else f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def argument(pointer: str, tool: object) -> str:
    """Describes an argument, given its pointer in the arguments of a call."""
    return f"argument {pointer[1:].replace('/', '.')} of {tool}"


def words_in(name: str) -> list[str]:
    """The words of a name, without case: ``from_airport``, ``fromAirport``."""
    return list(_words_in(name))


@lru_cache(maxsize=1024)
def _words_in(name: str) -> tuple[str, ...]:
    return tuple(word for word in _BREAK.split(_HUMP.sub("_", name).lower()) if word)


def listed(names: Iterable[Any], most: int = 8) -> str:
    """The first few names or values, as a list."""
    names = names if isinstance(names, Collection) else list(names)
    rest = f", … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(shown(name, 40) for name in islice(names, most)) + rest


MOST_COMPARED: Final = 64
"""How many characters of a name are compared with other names: no provider accepts more."""

MOST_KNOWN: Final = 1_000
"""How many names a name is compared with."""

_CANDIDATES: Final = 5
"""How many names, those that share most characters and pairs of characters with a name, are compared at length."""


class KnownNames:
    """Finds the known name that another one was most likely meant to be, of the first :data:`MOST_KNOWN`.

    Args:
        names: the known names.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._by_letters: dict[str, str] = {}
        for name in names:
            self._by_letters.setdefault(_letters(name), name)
        self._compared = [(name, name.lower()) for name in names[:MOST_KNOWN]]
        self._bits: dict[str, int] = {}
        self._masks: list[tuple[int, int]] = []  # with the numbers of bits; empty if all names are compared
        if len(self._compared) > _CANDIDATES:
            self._masks = [(self._mask(parts), len(parts)) for parts in (_parts(each) for each, _ in self._compared)]
        self._nearest: Remembered[str, str | None] = Remembered(1_024)
        self.is_cut = len(names) > MOST_KNOWN

    def nearest(self, name: str) -> str | None:
        """The known name that is most like a name, if one is near."""
        found = self._nearest.get(name, "")
        return self._nearest.add(name, self._look_up(name), len(name)) if found == "" else found

    def _look_up(self, name: str) -> str | None:
        same = self._by_letters.get(_letters(name))
        if same is not None:
            return same
        low = name.lower()
        short = {self._compared[at][0][:MOST_COMPARED]: self._compared[at][0] for at in reversed(self._likely(name))}
        if near := near_name(name[:MOST_COMPARED], short):
            return short[near]
        within = [each for each, other in self._compared if len(low) > 2 and (low in other or other in low)]
        return min(within, key=len) if within else None

    def _likely(self, name: str) -> Sequence[int]:
        """The indices of the known names to compare a name with at length, the likeliest first."""
        every = range(len(self._compared))
        if not self._masks:
            return every
        parts = _parts(name)
        mask, size = self._mask(parts & self._bits.keys()), len(parts)

        def likeness(at: int) -> float:
            other, other_size = self._masks[at]
            return (mask & other).bit_count() / (size + other_size)

        return nlargest(_CANDIDATES, every, key=likeness)

    def _mask(self, parts: Iterable[str]) -> int:
        """A bit for each part: what two names share is quickly counted."""
        mask = 0
        for part in parts:
            mask |= 1 << self._bits.setdefault(part, len(self._bits))
        return mask


@lru_cache(maxsize=16)
def _known_names(names: tuple[str, ...]) -> KnownNames:
    return KnownNames(names)


_last: tuple[object, int, KnownNames] = (None, 0, KnownNames(()))
"""The names that were looked up last: a row with many wrong names compares all of them with the same ones."""


def did_you_mean(name: str, known: Collection[Any]) -> str:
    """``; did you mean …?``, or nothing; known values that are no texts make no difference."""
    global _last
    last = _last  # another thread may set it
    if last[0] is not known or last[1] != len(known):
        names = _known_names(tuple(each for each in known if each and isinstance(each, str)))
        last = _last = known, len(known), names
    names = last[2]
    near = names.nearest(name)
    if near:
        return f"; did you mean {near!r}?"
    return f"; compared with the first {MOST_KNOWN:,} names only" if names.is_cut else ""


def bare_name(name: Any, tools: ToolIndex) -> str | None:
    """A called name without namespace, counter and tokens; ``None`` if it has no such leaked parts."""
    if not isinstance(name, str) or name in tools:
        return None
    bare = _COUNTER.sub("", _NAMESPACE.sub("", _TOKEN.sub("", name))).strip()
    if not bare or bare == name or (tools and bare not in tools and not _TOKEN.search(name)):
        return None
    return bare


def _letters(name: str) -> str:
    """The ASCII letters and digits of a name, in lower case."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _parts(name: str) -> frozenset[str]:
    """The characters of a name and its pairs of characters; never empty."""
    low = name[:MOST_COMPARED].lower()
    return frozenset((*low, *map("".join, pairwise(low)), ""))


def without_accents(text: str) -> str:
    """A text without the accents of its letters."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
