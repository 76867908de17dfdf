"""A text as its reader decodes it, with the place of each part in the text as it is written.

A text may hold escapes of JSON, JavaScript, Python and shells (``\\u0040``, ``\\/``, ``\\u{40}``, ``\\x40``,
``\\100``), percent-encoding (``%40``), HTML's character references (``&#64;``), a terminal's colours and characters
without a width, in several layers: JSON in a string of JSON. What is found in a decoded text can be replaced in the
original one.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from toolconv.core.lazy_re import lazy_re

MAX_LAYERS: Final = 8
"""How many layers of encodings are decoded."""

_NO_WIDTH: Final = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff"
_INVISIBLE: Final = lazy_re(rf"[\x1b{_NO_WIDTH}](?:(?<=\x1b)\[[0-9;:?]{{0,40}}[ -/]{{0,4}}[@-~])?")
"""A character without a width, or one of a terminal's sequences: ``ESC [31m`` begins red text."""
_UNIT: Final = lazy_re(
    r"""\\(?:u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,5}\}|U000[0-9A-Fa-f]{5}|x[0-7][0-9A-Fa-f]|[01][0-7]{2}|["'\\/bfnrt])"""
    r"|(?:\\x[89A-Fa-f][0-9A-Fa-f])+|(?:\\[23][0-7]{2})+"  # bytes
    r"|%[0-7][0-9A-Fa-f]|(?:%[89A-Fa-f][0-9A-Fa-f])+"
    r"|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,8});"
)
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Decoded:
    """One layer of a text, decoded.

    Args:
        text: the text.
        unit: matches what is decoded.

    Attributes:
        text: the decoded text.
    """

    def __init__(self, text: str, unit: re.Pattern[str]) -> None:
        self._at: list[int] = []
        self._units: list[tuple[int, int, int]] = []
        pieces: list[str] = []
        done = length = 0
        for match in unit.finditer(text):
            start, end = match.span()
            char = _decoded(match[0])
            self._at.append(length := length + start - done)
            self._units.append((length := length + len(char), start, end))
            pieces += text[done:start], char
            done = end
        self.text = "".join([*pieces, text[done:]])

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The start and end, in the original text, of a part of the decoded text that is not empty."""
        return self._of_char(start)[0], self._of_char(end - 1)[1]

    def _of_char(self, at: int) -> tuple[int, int]:
        unit = bisect_right(self._at, at) - 1
        if unit < 0:
            return at, at + 1
        after, start, end = self._units[unit]
        return (start, end) if at < after else (end + at - after, end + at - after + 1)


def layers(text: str) -> Iterator[Decoded]:
    """The layers of a text, each one decoded from the one before, until nothing is left to decode.

    Characters without a width are a layer of their own: a path of Windows without them may look like escapes.
    """
    for _ in range(MAX_LAYERS):
        unit = _UNIT if _INVISIBLE.search(text) is None else _INVISIBLE
        if unit.search(text) is None:
            return
        layer = Decoded(text, unit)
        if layer.text == text:
            return
        yield layer
        text = layer.text


def _decoded(unit: str) -> str:
    if unit[0] == "%":
        return bytes.fromhex(unit.replace("%", "")).decode("utf-8", "replace")
    if unit[0] == "&":
        return html.unescape(unit)
    if unit[0] != "\\":
        return ""
    if unit[1] in "uU":
        return chr(int(unit[2:].strip("{}"), 16))
    if unit[1] in "x0123":
        numbers = unit.replace("\\x", "\\").split("\\")[1:]
        return _text_of_bytes(bytes(int(number, 16 if unit[1] == "x" else 8) for number in numbers))
    return _ESCAPED.get(unit[1], unit[1])


def _text_of_bytes(data: bytes) -> str:
    """Bytes are UTF-8, as Python and Git write them; if they can't be, each is a character of JavaScript."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
