"""The calls in a block that is still being written: their names, and the text of their arguments as it grows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_readers.json_calls import header_pattern
from toolconv.dialects.call_template import Hole
from toolconv.dialects.lexing.mentions import DISTINCTIVE

HEADER: Final = 500
"""How many characters a name and what stands around it have."""
_JSON_MARKS: Final = lazy_re(r'\\.|["\\{}\[\]]', re.DOTALL)
BRACKETS: Final = lazy_re(r"\A[\s\]})'\"]*")


class _Shape(NamedTuple):
    """What precedes the arguments of the first call of a block, and of the next; and what closes a call."""

    first: re.Pattern[str]
    following: re.Pattern[str]
    closing: str


class LiveArguments:
    """Tells of the calls in a block, for templates in which JSON arguments follow the name."""

    def __init__(self, dialect: Dialect) -> None:
        self._shape = _shape(dialect)
        self._header = self._shape.first if self._shape else None
        self._text = ""  # what is to be looked at
        self._depth = 0
        self._quoted = self._escaped = False

    def feed(self, chunk: str) -> Iterator[tuple[str, str]]:
        """Names of calls that began, and further text of the arguments of the last: one of the two is empty."""
        shape = self._shape
        if shape is None:
            return
        self._text += chunk
        while self._text:
            if self._depth:
                end = self._end()
                yield "", self._text[:end]
                self._text = self._text[end:]
                if not self._depth:
                    self._header = None
            elif self._header is None:  # after the arguments
                place = self._text.find(shape.closing)
                if place < 0:
                    self._text = self._text[-len(shape.closing) :]
                    return
                self._text = self._text[place + len(shape.closing) :]
                self._header = shape.following
            else:
                found = self._header.match(self._text)
                if found is None:
                    if len(self._text) > HEADER:
                        self._shape = None  # the block is written otherwise
                    return
                self._text = self._text[found.end() :]
                self._depth = 1
                yield found["name"], ""
                yield "", "{"

    def _end(self) -> int:
        """Where the object ends that the text is in, or the text."""
        start, self._escaped = int(self._escaped), False
        for match in _JSON_MARKS.finditer(self._text, start):
            mark = match[0]
            if self._quoted:
                self._escaped = mark == "\\"  # what it escapes is in the next chunk
                self._quoted = mark != '"'
            elif mark == '"':
                self._quoted = True
            elif mark in "{[":
                self._depth += 1
            elif mark in "}]":
                self._depth -= 1
                if not self._depth:
                    return match.end()
        return len(self._text)


@lru_cache(maxsize=128)
def _shape(dialect: Dialect) -> _Shape | None:
    template = dialect.calls
    if template is None or len(template.pieces) < 5:
        return None
    *header, before, args, tail = template.pieces
    if (
        not isinstance(args, Hole)
        or args.word != "args"
        or args.spellings not in ((), ("spaced",), ("compact",), ("pretty",))
    ):
        return None
    closing = BRACKETS.sub("", str(tail)).rstrip()
    if not DISTINCTIVE.search(closing):
        return None
    pattern = header_pattern([*header, before], template.id, literal=_loose) + r"\{"
    opening = _loose(template.before)
    return _Shape(re.compile(opening + pattern), re.compile(_loose(template.between) + pattern), closing)


def _loose(text: str) -> str:
    """The pattern of a text with any white space, or none, where it has some and around its brackets."""
    blanks = r"\s*+"
    words = re.findall(r"[{}\[\]:,]|[^\s{}\[\]:,]+", text)
    return blanks + "".join(re.escape(word) + blanks for word in words)
