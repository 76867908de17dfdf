"""One pattern for many words, which looks at each character of a text a bounded number of times."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from itertools import takewhile
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re

FEW: Final = 3
"""Up to as many words with the same first character are looked for one by one."""


class WordSet:
    """Some words that are looked for in a text all at once.

    They are grouped by their beginning: a search for one that the text has is several times faster than one for any of
    many, and most texts lack some of its characters, which is known at once.
    """

    __slots__ = ("_groups",)

    def __init__(self, words: Iterable[str]) -> None:
        groups: dict[str, set[str]] = {}
        for word in filter(None, words):
            groups.setdefault(word[0], set()).add(word)
        self._groups: list[tuple[str, str, set[str], re.Pattern[str] | None]] = []
        for _, group in sorted(groups.items()):
            for some in [{word} for word in sorted(group)] if len(group) <= FEW else [group]:
                start = beginning_of(some)
                self._groups.append(
                    (rare_in(start), start, some, None if some == {start} else lazy_re(pattern_of(some)))
                )
        self._groups.sort(key=lambda group: len(group[1]) > 1)  # one character is found at once

    def are_in(self, text: str) -> bool:
        """Whether any of the words is in a text."""
        return any(self._found_groups(text))

    def found_in(self, text: str) -> set[str]:
        """Those of the words that are in a text."""
        found: set[str] = set()
        for group in self._found_groups(text):
            found.update(word for word in group if word in text)
        return found

    def _found_groups(self, text: str) -> Iterator[set[str]]:
        """The groups of which some word is in a text."""
        for rare, start, group, pattern in self._groups:
            for char in rare:
                if char not in text:
                    break
            else:
                if start in text and (pattern is None or pattern.search(text) is not None):
                    yield group


def beginning_of(words: Collection[str]) -> str:
    """What all of some words begin with."""
    first, last = min(words), max(words)
    if last.startswith(first):  # much faster for long texts
        return first
    same = takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    return "".join(one for one, _ in same)


def rare_in(start: str) -> str:
    """The characters of a beginning of words that many texts lack, which is known at once."""
    return "".join(sorted({char for char in start if not (char.islower() or char == " ")})) or start[0]


_SPACE: Final = r"[ \t]{0,2}+"


def pattern_of(words: Iterable[str], opening: str = "", closing: str = "") -> str:
    """The pattern that matches any of some words, the longest where several begin; one that never matches for none.

    What words have in common at their beginning is written once.

    Args:
        words: what is matched.
        opening: characters that white space may follow which no word has.
        closing: characters that such white space may precede.
    """
    tree: dict[str, Any] = {}
    for word in words:
        node = tree
        for char in word:
            node = node.setdefault(char, {})
        node[""] = {}
    return _written(tree, opening, closing) if tree else r"(?!)"


def _written(tree: dict[str, Any], opening: str, closing: str, before: str = "") -> str:
    """The pattern of a tree of characters after ``before``; the key ``""`` marks the end of a word."""
    ends = []
    for char, node in sorted(tree.items()):
        if char:
            first = _SPACE if char in closing and before and before not in opening else ""
            last = _SPACE if char in opening else ""
            ends.append(first + re.escape(char) + last + _written(node, opening, closing, char))
    if not ends:
        return ""
    whole = ends[0] if len(ends) == 1 and "" not in tree else f"(?:{'|'.join(ends)})"
    return f"{whole}?" if "" in tree else whole
