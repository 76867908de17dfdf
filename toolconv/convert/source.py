"""The content of an input: lines of rows, an array of rows, what a layout makes rows of, or one raw text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import NamedTuple

from toolconv import layouts
from toolconv.convert.detect import BOM, Detector, InputFormat, beginning, begins_array, content_of, is_row
from toolconv.convert.gathered import Rows, gathered, gathered_document, tabular
from toolconv.convert.options import UsageError
from toolconv.io import json_array
from toolconv.io.inputs import Block, Input, blocks, then, whole
from toolconv.layouts.base import value_of


class UnknownDocument(NamedTuple):
    """An input that is a JSON document which no layout knows.

    Attributes:
        text: the document.
        reason: what it looks like, and what to do.
    """

    text: bytes
    reason: str


def open_rows(source: Input, detector: Detector) -> Iterable[Block] | bytes | UnknownDocument:
    """The rows of an input, in blocks: its lines, the elements of an array, or what a layout gathers from these.

    Or, for a raw text, all of it, unless it is a JSON document without rows and calls.

    Raises:
        FileError: the input fails.
        NotRows: it is neither rows nor the output of a model.
    """
    layout = detector.layout
    start, chunks, found = _begun(source, detector)
    if found is not None:
        return found
    if layout != "raw" and begins_array(start):
        start, rows = json_array.rows(source.label, start, chunks, partial(is_row, known=layout), source.max_line)
        if rows is not None:
            return blocks(source, rows)
    if content_of(start, source.name, layout, source.max_line) == "lines":
        return blocks(source, then(start, chunks), own=True)
    text = whole(source, start, chunks)
    if layout != "raw":
        value = value_of(text)
        found = gathered_document(source, text, value, detector)
        if found is not None:
            return found
        if b"\n" in text.strip() and is_row(text, known=layout):  # one row, printed over several lines
            return blocks(source, iter([text.replace(b"\r", b" ").replace(b"\n", b" ")]))
        if value is None and (rest := without_preamble(text)) is not None:
            return blocks(source, iter([rest.replace(b"\r", b" ").replace(b"\n", b" ")]))
        if layout is not None and (layout != "rendered" or value is not None):
            return blocks(source, iter([text]))
        from toolconv.convert.not_rows import check_output, unknown_document  # which rows don't need

        if reason := unknown_document(text, value, detector):
            return UnknownDocument(text, reason)
        check_output(source, text, detector)
    return text.removesuffix(b"\n").removesuffix(b"\r")


def _begun(source: Input, detector: Detector) -> tuple[bytes, Iterator[bytes], Rows | None]:
    """The beginning of an input, the rest, and its rows if its lines, or elements, are no rows of their own."""
    chunks = source.chunks()
    start = beginning(chunks, source.max_line).removeprefix(BOM)
    start, found = tabular(source, start, chunks, detector)
    if found is None:
        start, found = gathered(source, start, chunks, detector)
    return start, chunks, found


def without_preamble(text: bytes) -> bytes | None:
    """The row in a text that begins with the line which its program prints before it; ``None`` for any other text."""
    line, _, rest = text.partition(b"\n")
    row = value_of(rest) if rest.lstrip()[:1] == b"{" else None
    layout = layouts.detect(row) if isinstance(row, dict) else None
    return rest if layout is not None and layout.preamble and line.startswith(layout.preamble.encode()) else None


def format_of(source: Input) -> InputFormat | None:
    """The format of an input, from its beginning; ``None`` if no line is a row of any layout.

    Raises:
        NotRows: it is neither rows nor the output of a model.
    """
    detector = Detector()
    rows = open_rows(source, detector)
    if isinstance(rows, UnknownDocument):
        from toolconv.convert.not_rows import NotRows

        raise NotRows(f"{source.label}: {rows.reason}")
    if isinstance(rows, bytes):
        return detector.of_text(rows.decode("utf-8", "replace"))
    return next((found for found, _ in detector.of_blocks(rows, wait=not source.is_file)), None)


def format_of_lines(name: str, detector: Detector, max_line: int) -> InputFormat | None:
    """The format of the rows of a file, from its beginning: the same for all shards of it.

    Raises:
        UsageError: the file is not one row a line.
    """
    source = Input(name, max_line=max_line)
    try:
        start, chunks, found = _begun(source, detector)
        if found or begins_array(start) or content_of(start, name, None, max_line) != "lines":
            raise UsageError(f"{name}: --shard needs files with one row per line")
        block = next(blocks(source, chain([start], chunks)), None)
        return detector.of_rows(block.lines) if block is not None else None
    finally:
        source.close()
