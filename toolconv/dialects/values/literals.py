"""Reads well-formed values that templates write in formats other than JSON.

Anything odd (extra whitespace, an escape, a repeated key) is left to the tolerant readers.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core import lenient_json
from toolconv.core.lenient_json import WORDS

_ENDS: Final = r"(?=[,)\]}])"


class Literals:
    """One way to spell values.

    Args:
        strings: patterns of a string, each with one group: its text.
        key: the pattern of a key of an object with what stands between it and its value, likewise.
        canonical: a number that JSON writes otherwise, such as ``1.10``, is odd.
    """

    def __init__(self, strings: tuple[str, ...], key: str, *, canonical: bool = False) -> None:
        self._canonical = canonical
        number = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
        one_of = "|".join(strings)
        self._value = re.compile(f"(?:{one_of}|({number}){_ENDS}|({'|'.join(WORDS)}){_ENDS}|([{{\\[]))", re.DOTALL)
        self._key = re.compile(key, re.DOTALL)
        self._number = len(strings) + 1

    def value(self, text: str, at: int, depth: int = 0) -> tuple[Any, int]:
        """The value at ``text[at]``, inside of ``depth`` others, and where it ends.

        Raises:
            ValueError: there is none, or an odd one.
        """
        match = self._value.match(text, at)
        if match is None:
            raise ValueError("no plain value")
        kind: int = match.lastindex or 0
        token, end = match[kind], match.end()
        if kind < self._number:
            return token, end
        if kind == self._number:
            if token.isdigit():
                return int(token), end
            number = lenient_json.number(token)
            if self._canonical and repr(number) != token:
                raise ValueError("an odd number")
            return number, end
        if token not in ("{", "["):
            return WORDS[token], end
        if depth >= lenient_json.MAX_TEXT_DEPTH:
            raise ValueError("too deep")
        return self.members(text, end, self._key, "}", depth + 1) if token == "{" else self._items(text, end, depth + 1)

    def members(
        self, text: str, at: int, key: re.Pattern[str], close: str, depth: int = 0
    ) -> tuple[dict[str, Any], int]:
        """The members from ``text[at]`` to the bracket ``close``, and where they end; ``key`` as for the class.

        The values are nested in ``depth`` others.

        Raises:
            ValueError: something there is odd.
        """
        found: dict[str, Any] = {}
        if text.startswith(close, at):
            return found, at + 1
        while (match := key.match(text, at)) is not None:
            name = match[match.lastindex or 0]
            if name in found:
                break
            found[name], at = self.value(text, match.end(), depth)
            if text.startswith(close, at):
                return found, at + 1
            at = _next(text, at)
        raise ValueError("no plain members")

    def _items(self, text: str, at: int, depth: int) -> tuple[list[Any], int]:
        """The items from ``text[at]`` to the end of a list, and where that is."""
        found: list[Any] = []
        if text.startswith("]", at):
            return found, at + 1
        while True:
            item, at = self.value(text, at, depth)
            found.append(item)
            if text.startswith("]", at):
                return found, at + 1
            at = _next(text, at)


def _next(text: str, at: int) -> int:
    """The place after the comma at ``text[at]`` and a space that may follow it."""
    if not text.startswith(",", at):
        raise ValueError("no comma")
    return at + 2 if text.startswith(" ", at + 1) else at + 1


_SINGLE, _DOUBLE = r"'([^'\\\n\r]*+)'", r'"([^"\\\n\r]*+)"'
PYTHON: Final = Literals((_SINGLE, _DOUBLE), f"(?:{_SINGLE}|{_DOUBLE}): ?")
"""Python's and JSON's values, strings without escapes."""
