"""Read a file that is one JSON array as rows, holding one item in memory at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from toolconv.core.errors import FileError, too_long
from toolconv.core.lazy_re import lazy_re
from toolconv.io.inputs import BLOCK_BYTES, MAX_LINE_BYTES

IN_STRING = rb'[^"\\]*+(?:\\.[^"\\]*+)*+("?)'
STRING = lazy_re(IN_STRING, re.DOTALL)
"""The rest of a string, up to its closing quote or the end of the data."""

TOKEN = lazy_re(rb'"' + IN_STRING + rb"|[\[\]{},]", re.DOTALL)
OPENING = b"[{"
COMMA = b","


CUT_OFF = "the array is not closed: the file is cut off"
TRAILING = "unexpected text after the array"


class BrokenArray(ValueError):
    """The array is not closed, or text follows it."""


class Splitter:
    """Splits the text of an array, given piece by piece, into its items without parsing them.

    Args:
        longest: the longest item to hold, in bytes.
    """

    def __init__(self, longest: int = MAX_LINE_BYTES) -> None:
        self._longest = longest
        self._text = b""
        self._at = 0  # how far the text is split
        self._in_string = False  # whether that position is inside a string
        self._depth = 0

    def add(self, piece: bytes) -> Iterator[bytes]:
        """Add a piece; yields the items that it completes, each on one line.

        Raises:
            BrokenArray: text follows the array, or an item is too long.
        """
        text = self._text = self._text + piece
        start = 0
        if self._in_string and (rest := STRING.match(text, self._at)):
            self._at = rest.end()
            self._in_string = not rest[1]
        for token in () if self._in_string else TOKEN.finditer(text, self._at):
            mark = token[0]
            self._at = token.end()
            if mark[:1] == b'"':
                if not token[1]:
                    self._in_string = True
                    break
            elif self._depth == 0:
                self._opened(text[start : token.start()], mark)
                start = token.end()
            elif mark in OPENING:
                self._depth += 1
            elif mark != COMMA:
                self._depth -= 1
                if self._depth == 0:
                    yield _line(self._checked(text[start : token.start()]))
                    start = token.end()
            elif self._depth == 1:
                yield _line(self._checked(text[start : token.start()]))
                start = token.end()
        if not self._in_string:
            self._at = len(text)
        self._text = self._checked(text[start:])
        self._at -= start

    def _checked(self, text: bytes) -> bytes:
        if len(text) > self._longest:
            raise BrokenArray(too_long("an item of the array", self._longest))
        return text

    def _opened(self, before: bytes, mark: bytes) -> None:
        if before.strip() or mark != b"[":
            raise BrokenArray(TRAILING)
        self._depth = 1

    def rest(self) -> bytes:
        """The text that is not split yet."""
        return _line(self._text)

    def finish(self) -> None:
        """Check that the array is complete, at the end of the input.

        Raises:
            BrokenArray: the array is not closed, or text follows it.
        """
        if self._depth:
            raise BrokenArray(CUT_OFF)
        if self._text.strip():
            raise BrokenArray(TRAILING)


def _line(item: bytes) -> bytes:
    """An item on one line: in JSON, line breaks occur only between values."""
    return item.strip().replace(b"\r", b" ").replace(b"\n", b" ")


def rows(
    label: str, start: bytes, chunks: Iterator[bytes], is_row: Callable[[bytes], bool], longest: int = MAX_LINE_BYTES
) -> tuple[bytes, Iterator[bytes] | None]:
    """Read an input that may be an array of rows.

    Args:
        chunks: the rest; read only as far as the first item.
        is_row: tells whether an item is a row.
        longest: the longest item to hold, in bytes.

    Returns:
        If the first item is a row: empty bytes, and the items as chunks of lines. Otherwise all bytes read so far, and
        ``None``.

    Raises:
        FileError: the array is cut off, or text follows it; possibly raised only while its lines are read.
    """
    splitter = Splitter(longest)
    read = [start]
    items: list[bytes] = []
    broken: BrokenArray | None = None
    try:
        while not any(items):
            items.extend(splitter.add(read[-1]))
            if not any(items):
                read.append(next(chunks))
    except StopIteration:
        broken = BrokenArray(CUT_OFF)
    except BrokenArray as error:
        broken = error
    if not is_row(next(filter(None, items), splitter.rest())):
        return b"".join(read), None
    if broken is not None:
        raise FileError(f"{label}: {broken}")
    return b"", _lines(label, splitter, items, chunks)


def _lines(label: str, splitter: Splitter, items: list[bytes], chunks: Iterator[bytes]) -> Iterator[bytes]:
    try:
        ready = [_joined(items)]
        for chunk in chunks:
            ready.append(_joined(splitter.add(chunk)))
            if len(chunk) < BLOCK_BYTES or sum(map(len, ready)) >= BLOCK_BYTES:
                yield b"".join(ready)
                ready = []
        yield b"".join(ready)
        splitter.finish()
    except BrokenArray as error:
        raise FileError(f"{label}: {error}") from None


def _joined(items: Iterable[bytes]) -> bytes:
    return b"".join(item + b"\n" for item in items)
