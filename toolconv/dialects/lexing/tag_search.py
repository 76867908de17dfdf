"""Tags of many dialects that are looked for in a text all at once, in any spelling that the lexer knows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.lexer import SPACED
from toolconv.dialects.lexing.trie import FEW, beginning_of, pattern_of, rare_in

_OPENING: Final = "<[|/"
_CLOSING: Final = "|>]"
"""What white space may follow, and precede, in a tag; see :data:`~.lexer.SPACED`."""


@lru_cache(maxsize=4)
def lowered(text: str) -> str:
    """A text in lower case, with ASCII characters for those that families have of their own. Cached: many ask."""
    return text.lower().replace("｜", "|").replace("▁", "_")


@lru_cache(maxsize=4)
def backwards(text: str) -> str:
    """A text from its end to its beginning, for patterns that look back from a rare character. Cached: many ask."""
    return text[::-1]


class TagSearch:
    """Some tags that are looked for in a text all at once, in any spelling that :func:`~.lexer.folded` knows.

    There is one pattern for each character that some of them begin with: so most places of a text are not looked at.

    Args:
        tags: tags, or the beginnings of tags.
        ends: the ends of tags.
    """

    __slots__ = ("_backwards", "_forwards")

    def __init__(self, tags: Iterable[str], ends: Iterable[str] = ()) -> None:
        self._forwards = _patterns(map(_key, tags), _OPENING, _CLOSING)
        self._backwards = _patterns((_key(end)[::-1] for end in ends), _CLOSING, _OPENING)

    def are_in(self, text: str) -> bool:
        """Whether any of them is in a text."""
        text = lowered(text)
        return _is_found(self._forwards, text) or (
            bool(self._backwards) and _is_found(self._backwards, backwards(text))
        )


def _key(tag: str) -> str:
    return SPACED.sub("", lowered(tag))


def _patterns(words: Iterable[str], opening: str, closing: str) -> list[tuple[str, str, re.Pattern[str]]]:
    """For each word, or all with the same first character: rare characters, what is always there, and the pattern.

    Words that another one begins are left out.
    """
    groups: dict[str, list[str]] = {}
    for word in sorted(filter(None, words)):
        group = groups.setdefault(word[0], [])
        if not (group and word.startswith(group[-1])):
            group.append(word)
    before, after = re.escape(opening), re.escape(closing)
    unbroken = re.compile(rf"[{before}]|.[^{before}{after}]*+[{before}]?")  # by white space
    found = []
    for group in groups.values():
        for some in [[word] for word in group] if len(group) <= FEW else [group]:
            start = max(unbroken.findall(beginning_of(some)), key=len)
            found.append((rare_in(beginning_of(some)), start, lazy_re(pattern_of(some, opening, closing))))
    return found


def _is_found(patterns: list[tuple[str, str, re.Pattern[str]]], text: str) -> bool:
    for rare, start, pattern in patterns:
        for char in rare:
            if char not in text:
                break
        else:
            if start in text and pattern.search(text) is not None:
                return True
    return False
