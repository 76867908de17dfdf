"""Guards: quick tests of whether a rule can find anything in a row.

A rule declares its guards next to its check. The engine evaluates all guards after one walk over the row. A guard is
a :data:`~toolconv.lint.model.overview.Fact` that the walk records, :class:`Words` to search for in all texts of a kind,
or a function of the :class:`~toolconv.lint.model.overview.Overview`, perhaps :class:`InLayouts` only, or where a
declaration may hold what the rule looks for (:class:`Declaring`). If all guards of a rule are false, it is skipped.
False positives are allowed, false negatives are not.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from toolconv.layouts.base import Layout
from toolconv.lint.model.overview import Fact, Overview, Texts
from toolconv.lint.schema.parameters import Parameters


class Words(NamedTuple):
    """A guard: the texts of a kind contain one of some words.

    Attributes:
        kind: the kind of the texts.
        words: the words, or a function that returns them, called for the first row.
        also: a further condition that must be true.
    """

    kind: Texts
    words: tuple[str, ...] | Callable[[], Iterable[str]]
    also: Callable[[Overview], bool] | None = None

    def listed(self) -> frozenset[str]:
        """The words."""
        return frozenset(self.words() if callable(self.words) else self.words)


class InLayouts(NamedTuple):
    """A guard for some layouts only.

    Attributes:
        includes: whether a layout is one of them.
        guard: a function of the overview that must be true.
    """

    includes: Callable[[Layout], bool]
    guard: Callable[[Overview], bool]


class Declaring(NamedTuple):
    """A guard: a declared tool has parameters of some kind.

    Attributes:
        test: whether parameters are of the kind; asked once for a declaration, not once for a row.
        guard: a function of the overview that must be true, too.
    """

    test: Callable[[Parameters], bool]
    guard: Callable[[Overview], bool]


Guard = Fact | Words | InLayouts | Declaring | Callable[[Overview], bool]


def has_calls(overview: Overview) -> bool:
    """A guard: there are calls."""
    return bool(overview.arguments)


def has_several_calls(overview: Overview) -> bool:
    """A guard: there are two calls to compare."""
    return len(overview.arguments) > 1


def matching(kind: Texts, pattern: re.Pattern[str]) -> Callable[[Overview], bool]:
    """A guard: a pattern is found in a text of a kind."""
    return lambda overview: any(map(pattern.search, getattr(overview, kind)))


def has_responses(overview: Overview) -> bool:
    """A guard: there are tool responses."""
    return bool(overview.responses)


@lru_cache(maxsize=32)
def any_word(words: frozenset[str]) -> AnyWord:
    """The search for any of some words; the same object for the same words."""
    return AnyWord(words)


_COMMON: Final = " etaoinsrhldcumfpgwybv\",.:-'0123456789{}[]()TSAICMWRPDEBNLHFO_kxj/"
"""Characters of prose and JSON, the most common ones first; all others are rare."""

MAX_UNCOMPILED: Final = 16
"""How many texts are searched for tags one by one before a pattern is compiled, which takes as long as hundreds."""


class AnyWord:
    """A quick search for any of some words, most of which begin with ``<``.

    A text that lacks a few characters, each part of several words, has none of these words.

    Args:
        words: the words; of one with a ``<``, only what follows is looked for.
    """

    def __init__(self, words: frozenset[str]) -> None:
        keys = {key_of(word) for word in words}
        self._tags = sorted((key for key in keys if key[0] == "<"), key=len, reverse=True)
        # The tags' pattern and, by tag, those in it: one value, which other threads see whole or not at all.
        self._compiled: tuple[re.Pattern[str], dict[str, list[str]]] | None = None
        self._uncompiled = 0
        others = sorted(key for key in keys if key[0] != "<")
        self._searches = [
            (mark, _searches(found, mark)) for mark, found in _searches([key for key in others if key.isascii()])
        ]
        self._by_lead: dict[int, list[str]] = defaultdict(list)  # by the first byte beyond ASCII, in UTF-8
        for key in others:
            if not key.isascii():
                self._by_lead[next(byte for byte in key.encode() if byte > 127)].append(key)

    def is_in(self, text: str) -> bool:
        """Whether a text contains one of the words."""
        return bool(self.found_in(text))

    def found_in(self, text: str) -> list[str]:
        """The words that a text contains, each from its ``<`` on."""
        found = []
        for mark, searches in self._searches:
            if mark in text:
                for other, keys in searches:
                    if other in text:
                        for key in keys:
                            if key in text:
                                found.append(key)
        if self._by_lead and not text.isascii():
            encoded = text.encode(errors="surrogatepass")
            for lead, keys in self._by_lead.items():
                if lead in encoded:
                    found += [key for key in keys if key in text]
        if "<" in text and self._tags:
            found += self._tags_in(text)
        return found

    def _tags_in(self, text: str) -> Iterable[str]:
        if self._compiled is None:
            self._uncompiled += 1
            if self._uncompiled <= MAX_UNCOMPILED:
                return [tag for tag in self._tags if tag in text]
            self._compiled = (
                re.compile(f"<(?:{'|'.join(re.escape(tag[1:]) for tag in self._tags)})"),
                {tag: [other for other in self._tags if other in tag] for tag in self._tags},
            )
        pattern, held = self._compiled
        return chain.from_iterable(map(held.__getitem__, dict.fromkeys(pattern.findall(text))))


def key_of(word: str) -> str:
    """What is looked for of a word: nearly all that have a ``<`` begin with it."""
    return word[max(word.find("<"), 0) :]


def _searches(words: list[str], known: str = "") -> list[tuple[str, list[str]]]:
    """Characters, each with some words that have it: few characters, and rare ones; a word by itself is its own.

    ``known`` is a character that the text is known to have.
    """
    searches: list[tuple[str, list[str]]] = []
    left = {word: set(word) - {known} or {word} for word in words}
    while left:
        counts = Counter(char for chars in left.values() for char in chars)
        # Of each text, the character is looked for, and its words if the text has it.
        mark = min(sorted(counts), key=lambda char: 1 / counts[char] + _probability(char))
        found = [word for word, chars in left.items() if mark in chars]
        searches.append((found[0] if known and len(found) == 1 else mark, found))
        for word in found:
            del left[word]
    return searches


def _probability(char: str) -> float:
    """How likely a text has a character: a rough guess."""
    rank = _COMMON.find(char)
    return 0.0 if rank < 0 else 1 - rank / len(_COMMON)
