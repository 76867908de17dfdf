"""Guards: quick tests of whether a rule can find anything in a row.

A rule declares its guards next to its check. The engine evaluates all guards after one walk over the row. A guard is
a :data:`~toolconv.lint.model.overview.Fact` that the walk records, :class:`Words` to search for in all texts of a kind,
or a function of the :class:`~toolconv.lint.model.overview.Overview`. If all guards of a rule are false, it is skipped.
False positives are allowed, false negatives are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache, partial
from operator import methodcaller
from typing import Final, NamedTuple

from toolconv.lint.model.overview import Fact, Overview, Texts


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


Guard = Fact | Words | Callable[[Overview], bool]


@lru_cache(maxsize=32)
def any_word(words: frozenset[str]) -> AnyWord:
    """The search for any of some words; the same object for the same words."""
    return AnyWord(words)


_COMMON: Final = " etaoinsrhldcumfpgwybv\",.:-'0123456789{}[]()TSAICMWRPDEBNLHFO_kxj/"
"""Characters of prose and JSON, the most common ones first; all others are rare."""


class AnyWord:
    """A quick search for any of some words, most of which begin with ``<``.

    Args:
        words: the words.
    """

    def __init__(self, words: frozenset[str]) -> None:
        least: list[str] = []  # none holds another
        for word in sorted(words, key=len):
            if not any(map(word.__contains__, least)):
                least.append(word)
        tags = sorted(word[word.index("<") + 1 :] for word in least if "<" in word)
        by_mark: dict[str, list[str]] = {}
        for word in sorted(word for word in least if "<" not in word and word.isascii()):
            mark = max(word, key=lambda char: _COMMON.find(char) % 1000)  # the rarest
            by_mark.setdefault(mark, []).append(word)
        self._searches: list[tuple[str, Callable[[str], object]]] = [
            (mark, methodcaller("__contains__", found[0]) if len(found) == 1 else partial(_holds_any, found))
            for mark, found in by_mark.items()
        ]
        if tags:
            self._searches.append(("<", re.compile(f"<(?:{'|'.join(map(re.escape, tags))})").search))
        self._not_ascii = sorted(word for word in least if "<" not in word and not word.isascii())

    def is_in(self, text: str) -> bool:
        """Whether a text contains one of the words."""
        for mark, search in self._searches:
            if mark in text and search(text):
                return True
        return not text.isascii() and _holds_any(self._not_ascii, text)


def _holds_any(words: list[str], text: str) -> bool:
    for word in words:  # noqa: SIM110 - faster than any()
        if word in text:
            return True
    return False
