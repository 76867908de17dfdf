"""The values below a value, and their words, among which those of a text are looked for that a layout took apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.layouts.nested_json import opened
from toolconv.layouts.speakers import meaning_of

WORK: Final = 1 << 25
"""How many characters are searched for pieces of texts, so that a row of many pieces costs no more than its length."""
PHRASE: Final = 3
"""How many words that follow each other are compared; values of fewer words are compared as a whole."""
MISSING: Final = 4
"""So many words that follow each other, and are nowhere in the row, are more than markup. So is most of one line."""
PLAIN: Final = 8
"""One of so many words of a text without markup may be elsewhere."""
MARKED: Final = lazy_re(r"[<>{}\[\]|=:*#`\\]")
"""The characters of markup, and of the labels of a text that is taken apart."""
_TAG: Final = lazy_re(r"<[^<>]*>|\[/?[A-Z_]+\]")
_WORD: Final = lazy_re(r"\\[nrtbf]|\w+")


class Wording:
    """The values below a value, and their words.

    Args:
        value: the value, in which texts may be JSON.
        contents: the texts in it that count as they are as well, if they are short.
    """

    def __init__(self, value: Any, contents: Sequence[Any] = ()) -> None:
        self._value = value
        self._contents = [content for content in contents if type(content) is str]
        self._texts: list[str] = []
        self._lines: set[str] = set()
        self._values: set[Any] = set()
        self._phrases: set[tuple[str, ...]] | None = None
        self._whole = ""
        self._work = WORK
        waiting = [("", value)]
        for key, member in waiting:  # which grows
            member = opened(member)
            if type(member) is dict:
                waiting += member.items()
                self._values.update(member)
            elif type(member) is list:
                waiting += [(key, item) for item in member]
            elif type(member) is str:
                self._texts.append(member)
                self._lines.update(map(str.strip, member.splitlines()))
                self._values.add(member.strip())
            else:
                self._values.add((key, member) if type(member) is bool else str(member))

    def has_value(self, key: str, value: Any) -> bool:
        """Whether a value is one of these: a text is a line of one, or a key; a flag is under its key."""
        if type(value) is bool:
            return (key, value) in self._values or (f"is_{key}", value) in self._values
        value = str(value).strip()
        return value in self._values or value in self._lines

    def has(self, text: str, *, copied: bool = False) -> bool:
        """Whether a text is in the value: its lines are, or the words of all that is no markup.

        A layout may have taken it apart: then its words are in several values, and a few may be elsewhere. A text that
        was ``copied`` has none but these, tags and the names of speakers: another answer may differ in one word.
        """
        if copied:
            text = _TAG.sub(" ", text)
        lines = [line for line in map(str.strip, text.splitlines()) if line]
        if all(line in self._lines for line in lines):
            return True
        if self._work > 0:
            self._whole = self._whole or "\n".join(self._texts)
            self._work -= len(self._whole)
            if text.strip() in self._whole:  # a piece of a text, as in a stream
                return True
        if self._phrases is None:
            self._phrases = set(_phrases(_words(jsontext.dumps(self._value).decode())))
            for kept in (*self._texts, *self._contents):
                if len(words := _words(kept)) < PHRASE:
                    self._phrases.add(tuple(words))
        words = _words(text)
        if len(words) < PHRASE:
            return tuple(words) in self._phrases or (not copied and any(line in self._lines for line in lines))
        since = lost = 0
        for at in range(len(words)):
            held = any(
                tuple(words[start : start + size]) in self._phrases
                for size in range(1, PHRASE + 1)
                for start in range(max(at - size + 1, 0), at + 1)
            )
            if copied and not held and meaning_of(words[at]) is None:
                return False
            since = 0 if held else since + 1
            lost += not held
            if since == MISSING:
                return False
        allowed = len(words) // (2 if MARKED.search(text) else PLAIN)
        return copied or lost <= allowed or any(line in self._lines for line in lines)


def _words(text: str) -> list[str]:
    """The words of a text, which may be JSON."""
    return [word for word in _WORD.findall(text) if word[0] != "\\"]


def _phrases(words: list[str]) -> Iterator[tuple[str, ...]]:
    """All words that follow each other, as many as are compared."""
    return zip(*(words[start:] for start in range(PHRASE)), strict=False)
