"""Where the arguments are in calls that are still being written, by the literals of the call template."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_readers.json_calls import header_pattern
from toolconv.dialects.call_template import Hole

_MARKS: Final = lazy_re(r'\\.|["\\{}\[\]]', re.DOTALL)
_WORDS: Final = lazy_re(r"[{}\[\]:,]|[^\s{}\[\]:,]+")


class CallHeaders(NamedTuple):
    """The patterns of what precedes the arguments of the first call of a block, and of the next, with their brace."""

    first: re.Pattern[str]
    following: re.Pattern[str]


@lru_cache(maxsize=128)
def headers_of(dialect: Dialect) -> CallHeaders | None:
    """The headers of a dialect's calls; ``None`` if its arguments do not follow the name as JSON."""
    template = dialect.template
    *header, before, args, tail = template.pieces
    if not isinstance(args, Hole) or args.word != "args" or args.spellings[-1:] in (("delimited",), ("json",)):
        return None
    pattern = header_pattern([*header, before], template.id, literal=_loose) + r"\{"
    return CallHeaders(
        re.compile(_loose(template.before) + pattern), re.compile(_loose(f"{tail}{template.between}") + pattern)
    )


def _loose(text: str) -> str:
    """The pattern of a text with any white space, or none, where it has some and around its brackets."""
    blanks = r"\s*+"
    return blanks + "".join(re.escape(word) + blanks for word in _WORDS.findall(text))


class JsonEnd:
    """Finds the end of a JSON object whose first brace is read, in texts that follow each other."""

    def __init__(self) -> None:
        self._depth, self._quoted, self._escaped = 1, False, False

    def find(self, text: str) -> int:
        """Where the object ends; -1 if it goes on after the text."""
        start, self._escaped = int(self._escaped), False
        for match in _MARKS.finditer(text, start):
            mark = match[0]
            if self._quoted:
                self._escaped = mark == "\\"  # what it escapes is in the next text
                self._quoted = mark != '"'
            elif mark == '"':
                self._quoted = True
            elif mark in "{[":
                self._depth += 1
            elif mark in "}]":
                self._depth -= 1
                if not self._depth:
                    return match.end()
        return -1
