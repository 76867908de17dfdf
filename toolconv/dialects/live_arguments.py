"""The calls in a block that is still being written: their names, and the text of their arguments as it grows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from toolconv.dialects.base import TELLING, Dialect
from toolconv.dialects.call_readers.json_calls import header_pattern
from toolconv.dialects.call_template import Hole

HEADER: Final = 500
"""How many characters a name and what stands around it have."""
BRACKETS: Final = re.compile(r"\A[\s\]})'\"]*")


class _Shape(NamedTuple):
    """What stands before the arguments of the first call of a block, and of the next; and what follows arguments."""

    first: re.Pattern[str]
    following: re.Pattern[str]
    brackets: str
    closing: str


class LiveArguments:
    """Tells of the calls in a block, for templates in which JSON arguments follow the name."""

    def __init__(self, dialect: Dialect) -> None:
        self._shape = _shape(dialect)
        self._header = self._shape.first if self._shape else None
        self._text = ""  # what is to be looked at
        self._inside = False

    def feed(self, chunk: str) -> Iterator[tuple[str, str]]:
        """Names of calls that began, and further text of the arguments of the last: one of the two is empty."""
        shape = self._shape
        if shape is None:
            return
        self._text += chunk
        while True:
            if not self._inside:
                assert self._header is not None
                found = self._header.match(self._text)
                if found is None:
                    if len(self._text) > HEADER:
                        self._shape = None  # the block is written otherwise
                    return
                self._text = self._text[found.end() :]
                self._inside = True
                yield found["name"], ""
            place = self._text.find(shape.closing)
            if place < 0:
                end = len(self._text)
                for length in range(min(end, len(shape.closing) - 1), 0, -1):
                    if self._text.endswith(shape.closing[:length]):
                        end -= length
                        break
                end = len(self._text[:end].rstrip(" \t\r\n]}"))
                if end:
                    yield "", self._text[:end]
                self._text = self._text[end:]
                return
            body = self._text[:place].rstrip()
            for bracket in reversed(shape.brackets):
                body = body.removesuffix(bracket).rstrip()
            if body:
                yield "", body
            self._text = self._text[place + len(shape.closing) :]
            self._inside = False
            self._header = shape.following


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
    if not TELLING.search(closing):
        return None
    brackets = re.sub(r"\s", "", str(tail)[: str(tail).find(closing)])
    pattern = header_pattern([*header, before], template.id, literal=_loose) + r"(?=\{)"
    opening = _loose(template.before)
    return _Shape(re.compile(opening + pattern), re.compile(_loose(template.between) + pattern), brackets, closing)


def _loose(text: str) -> str:
    """The pattern of a text with any white space, or none, where it has some and around its brackets."""
    return r"\s*" + r"\s*".join(re.escape(word) for word in re.findall(r"[{}\[\]:,]|[^\s{}\[\]:,]+", text)) + r"\s*"
