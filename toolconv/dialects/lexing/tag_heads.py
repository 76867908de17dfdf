"""Which tags a text may hold, by what is next to its brackets: one look at each bracket answers for all tags.

Prose holds many brackets, but what is next to them is nearly never what a tag begins or ends with.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter
from typing import Final

from toolconv.dialects.lexing.lexer import SPACED, folded
from toolconv.dialects.lexing.trie import WordSet

LENGTH: Final = 4
"""How many characters next to a bracket are looked at."""
_first, _last = itemgetter(slice(LENGTH)), itemgetter(slice(-LENGTH, None))


@lru_cache(maxsize=4)
def lowered(text: str) -> str:
    """A text in lower case, with ASCII characters for those that families have of their own. Cached: many ask."""
    return text.lower().replace("｜", "|").replace("▁", "_")


@lru_cache(maxsize=4)
def heads_of(text: str) -> frozenset[str]:
    """The opening brackets of a text with up to :data:`LENGTH` characters after them, lowered, without white space."""
    found: list[str] = []
    for bracket in "<[":
        if bracket in text:
            heads = set(map(_first, lowered(text).split(bracket)[1:]))
            found += [bracket + head if head.isalnum() else bracket + "".join(head.split()) for head in heads]
    return frozenset(found)


@lru_cache(maxsize=4)
def _starts_of(text: str) -> frozenset[str]:
    """What the heads of a text begin with."""
    return frozenset([head[:length] for head in heads_of(text) for length in range(2, LENGTH + 1)])


@lru_cache(maxsize=4)
def tails_of(text: str) -> frozenset[str]:
    """What precedes the closing brackets of a text, as :func:`heads_of`."""
    found = set(map(_last, lowered(text).split(">")[:-1]))
    return frozenset([tail if tail.isalnum() else "".join(tail.split()) for tail in found])


class TagSearch:
    """Some tags that are looked for in a text all at once, in any spelling that :func:`~.lexer.folded` knows.

    Args:
        tags: tags, or the beginnings of tags.
        ends: the ends of tags.
    """

    __slots__ = ("_backwards", "_forwards", "_heads", "_others", "_short", "_tails")

    def __init__(self, tags: Iterable[str], ends: Iterable[str] = ()) -> None:
        tags, ends = ([SPACED.sub("", lowered(each)) for each in some] for some in (tags, ends))
        self._forwards, self._backwards = WordSet(tags), WordSet(end[::-1] for end in ends)
        heads = {max(heads_of(tag), key=len, default="") for tag in tags}
        tails = {max(tails_of(end), key=len, default="") for end in ends}
        self._heads = frozenset(head[:length] for head in heads for length in range(2, len(head) + 1))
        self._tails = frozenset(tail[-length:] for tail in tails for length in range(1, len(tail) + 1))
        self._short = frozenset(head for head in heads if 1 < len(head) <= LENGTH)
        bare = [tag for tag in tags if not any(len(head) > 1 for head in heads_of(tag))]
        self._others = WordSet([*bare, *(end for end in ends if not any(tails_of(end)))])

    def may_be_in(self, text: str) -> bool:
        """Whether any of them may be in a text. False positives are allowed."""
        if not self._heads.isdisjoint(heads_of(text)) or (self._short and not self._short.isdisjoint(_starts_of(text))):
            return True
        return (bool(self._tails) and not self._tails.isdisjoint(tails_of(text))) or self._others.are_in(lowered(text))

    def are_in(self, text: str) -> bool:
        """Whether any of them is in a text."""
        if not self.may_be_in(text):
            return False
        text = folded(lowered(text))
        return self._forwards.are_in(text) or self._backwards.are_in(text[::-1])
