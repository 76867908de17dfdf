"""The rows of an input and the bytes between them, so that a file can be rewritten.

Rows are the lines of a file. The elements of a file that is one JSON array are rows too, and so is an object that is
printed over several lines. Any other input is one raw text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, count, islice
from typing import Any, Final, NamedTuple

from toolconv import layouts
from toolconv.convert.detect import (
    BOM,
    ROWS,
    Detector,
    InputFormat,
    beginning,
    begins_array,
    content_of,
    is_array_of_rows,
    is_raw,
)
from toolconv.convert.gathered import Rows, gathered, gathered_document, tabular
from toolconv.convert.not_rows import check_output, unknown_document
from toolconv.convert.source import without_preamble
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.errors import FileError, too_long
from toolconv.io.inputs import Block, Input, blocks, whole
from toolconv.io.memory import MemoryRows
from toolconv.layouts.base import value_of
from toolconv.lint.model import spans
from toolconv.lint.model.row import LintRow

BATCH_BYTES: Final = 1 << 18
BATCH_ROWS: Final = 4096
"""Elements of an array are checked in batches of about this size."""


class Segment(NamedTuple):
    """A row and the bytes before it. The segments of an input, in order, are the input.

    Attributes:
        before: the bytes before the row: newlines, blank lines, the brackets and commas of an array.
        row: the row; ``None`` at the end of the input.
        raw: the input is a raw text, which ``row`` holds as ``{"text": …}``.
    """

    before: bytes
    row: LintRow | None
    raw: bool = False


class RowText(NamedTuple):
    """The text of a :class:`Segment`, for an array or a raw text; ``None`` at the end of the input."""

    before: bytes
    line: int = 0
    text: bytes | None = None
    raw: bool = False


class RowBlock(NamedTuple):
    """Some rows of an input, which one process checks.

    Attributes:
        file: name of the input.
        read: bytes read of the input up to the end of the block.
        detector: the detector that determined the format.
        input_format: the format of the rows.
        content: a block of lines, or rows of an array or a text.
        longest: how long a line may be.
        made: the rows were made from the input's lines; they are no parts of its bytes.
    """

    file: str
    read: int
    detector: Detector
    input_format: InputFormat | None
    content: Block | list[RowText]
    longest: int = sys.maxsize
    made: bool = False

    def sent(self) -> RowBlock:
        """The block as it is sent to another process, which may read the lines itself."""
        return self._replace(content=self.content.sent()) if isinstance(self.content, Block) else self

    def rows(self) -> Iterator[LintRow]:
        """The rows.

        Raises:
            FileError: a line is too long.
        """
        file, longest = self.file, self.longest
        layout, reader = self.detector.layout_and_reader(self.input_format)
        if not isinstance(self.content, Block):
            for each in self.content:
                if each.text is not None:
                    yield LintRow(file, each.line, each.text, layout, reader, fixed=self.detector.names_layout)
            return
        fixed = self.detector.names_layout
        cut = self.content.last_line if self.content.cut else 0
        numbers = self.content.numbers or count(self.content.first_line)
        for number, line in zip(numbers, self.content.lines, strict=False):
            if line and not line.isspace():
                if len(line) > longest:
                    raise _too_long(file, number, longest)
                yield LintRow(file, number, line, layout, reader, number == cut, fixed)

    def segments(self, before: bytes = b"") -> Iterator[Segment]:
        """The rows with the bytes before them; after the last line, or the last row, comes a segment without a row.

        Args:
            before: the bytes before a block of lines.

        Raises:
            FileError: a line is too long.
        """
        rows = self.rows()
        if not isinstance(self.content, Block):
            for each in self.content:
                yield Segment(each.before, next(rows) if each.text is not None else None, each.raw)
            return
        if self.made:  # no bytes of the input are between them
            yield from (Segment(b"", row) for row in rows)
            yield Segment(b"", None)
            return
        line = self.content.first_line
        for row in rows:
            if row.line > line:
                before += self._blank_lines(line, row.line)
            yield Segment(before, row)
            before, line = b"" if row.cut else b"\n", row.line + 1
        yield Segment(before + self._blank_lines(line, self.content.last_line + 1), None)

    def _blank_lines(self, start: int, stop: int) -> bytes:
        """The lines of a block from one number up to another, with their line ends."""
        if start >= stop or not isinstance(self.content, Block):
            return b""
        lines = self.content.lines[start - self.content.first_line : stop - self.content.first_line]
        is_cut = self.content.cut and stop > self.content.last_line
        return b"\n".join(lines) + (b"" if is_cut else b"\n")


def _too_long(file: str, line: int, limit: int) -> FileError:
    return FileError(f"{file}:{line}: {too_long('a line', limit)}")


def read_blocks(source: Input, detector: Detector) -> Iterator[RowBlock]:
    """The rows of an input, in order.

    Raises:
        FileError: reading fails, or a line or text is too long.
    """
    chunks = source.chunks()
    start = beginning(chunks, source.max_line)
    mark = BOM if start.startswith(BOM) else b""
    start, rows = tabular(source, start.removeprefix(BOM), chunks, detector)
    if rows is None:
        start, rows = gathered(source, start, chunks, detector)
    if rows is not None:
        return _made(source, rows, detector)
    start = mark + start
    content = content_of(start, source.name, detector.layout, source.max_line)
    if content != "text" and not begins_array(start):
        return _lines(source, chain([start], chunks), detector)
    text = whole(source, start, chunks)
    return _one_text(source, text, detector) or _lines(source, iter([text]), detector)


def rows_of_values(
    values: Iterable[Mapping[str, Any] | Conversation], detector: Detector, file: str
) -> Iterator[LintRow]:
    """Rows that are in memory."""
    numbered = enumerate(MemoryRows(values), 1)
    first = list(islice(numbered, ROWS))
    layout, reader = detector.layout_and_reader(detector.of_rows(line for _, line in first))
    for number, line in chain(first, numbered):
        yield LintRow(file, number, line, layout, reader, fixed=detector.names_layout)


def _made(source: Input, rows: Rows, detector: Detector) -> Iterator[RowBlock]:
    """Rows that a layout makes of the lines of an input."""
    for input_format, block in detector.of_blocks(rows, wait=not source.is_file):
        yield RowBlock(source.label, block.read, detector, input_format, block, source.max_line, made=True)


def _lines(source: Input, chunks: Iterator[bytes], detector: Detector) -> Iterator[RowBlock]:
    for input_format, block in detector.of_blocks(blocks(source, chunks, own=True), wait=not source.is_file):
        if block.long is not None:
            raise _too_long(source.label, block.first_line, source.max_line)
        yield RowBlock(source.label, block.read, detector, input_format, block, source.max_line)
        del block  # before the next block is read


# ── one text ──


def _one_text(source: Input, text: bytes, detector: Detector) -> Iterator[RowBlock] | None:
    """The rows of an input that is an array, one object or a raw text; ``None`` for any other, whose rows are lines."""
    value = None if detector.layout == "raw" else value_of(text)
    if is_array_of_rows(value) or value == [] or (isinstance(value, list) and detector.layout is not None):
        input_format, rows = _array(text, detector)
    elif (made := gathered_document(source, text, value, detector)) is not None:
        return _made(source, made, detector)
    elif (
        (isinstance(value, dict) and b"\n" in text.strip() and layouts.detect(value) is not None)
        or (detector.layout is None and is_raw(text, source.name) and unknown_document(text, value, detector))
        or (value is None and detector.layout != "raw" and without_preamble(text) is not None)
    ):
        is_array = isinstance(value, list) and all(isinstance(item, dict) for item in value)
        input_format, rows = _array(text, detector) if is_array else _object(text, detector)
    elif detector.layout == "raw" or (detector.layout is None and is_raw(text, source.name)):
        if detector.layout is None:
            check_output(source, text, detector)
        input_format, rows = _raw(text, detector)
    else:
        return None
    read = source.position()
    return (RowBlock(source.label, read, detector, input_format, batch) for batch in _batches(rows)) if rows else None


def _batches(rows: list[RowText]) -> Iterator[list[RowText]]:
    batch: list[RowText] = []
    size = 0
    for row in rows:
        batch.append(row)
        size += len(row.text or b"")
        if size > BATCH_BYTES or len(batch) >= BATCH_ROWS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _array(text: bytes, detector: Detector) -> tuple[InputFormat | None, list[RowText]]:
    root = spans.read(text.decode("utf-8"))
    if root is None:  # nested too deeply
        return None, []
    decoded = text.decode("utf-8")
    elements = [decoded[item.start : item.end].encode() for item in root.items]
    rows = []
    at, line = 0, 1
    for item, element in zip(root.items, elements, strict=True):
        before = decoded[at : item.start]
        line += before.count("\n")
        rows.append(RowText(before.encode(), line, element))
        line += element.count(b"\n")
        at = item.end
    return detector.of_rows(elements[:ROWS]), [*rows, RowText(decoded[at:].encode())]


def _object(text: bytes, detector: Detector) -> tuple[InputFormat | None, list[RowText]]:
    body = (without_preamble(text) or text).strip()
    at = text.rindex(body)
    rows = [RowText(text[:at], text.count(b"\n", 0, at) + 1, body), RowText(text[at + len(body) :])]
    return detector.of_rows([body]), rows


def _raw(text: bytes, detector: Detector) -> tuple[InputFormat | None, list[RowText]]:
    body = text.removesuffix(b"\n").removesuffix(b"\r")
    end = RowText(text[len(body) :])
    try:
        decoded = body.decode()
    except UnicodeDecodeError:  # which a rule reports
        return None, [RowText(b"", 1, body, raw=True), end]
    row = RowText(b"", 1, jsontext.dumps({"text": decoded}), raw=True)
    return detector.of_text(decoded), [row, end]
