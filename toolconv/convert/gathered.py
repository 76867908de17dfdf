"""Rows that are no lines of their own: made by layouts from several lines, from elements of an array or a document.

The rows of tables, and plain outputs, are made here as well.

A layout says that it does so by ``joins`` or ``split``, and does it in ``gather``. Sessions, recorded streams, traces
and files of evaluation results are read so.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any, Final, NamedTuple

from toolconv import layouts
from toolconv.convert.detect import Detector, begins_array, is_named_rows
from toolconv.core import jsontext
from toolconv.core.errors import FileError, too_long
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row
from toolconv.core.rows import MISSHAPEN, Line
from toolconv.io import json_array, opencode_storage, plain_outputs, sse, tables
from toolconv.io.inputs import Block, Input, blocks, then
from toolconv.io.printed_rows import begins_printed, printed_rows
from toolconv.layouts.base import Layout, value_of
from toolconv.layouts.found_turns import DEEPEST
from toolconv.layouts.nested_json import opened
from toolconv.layouts.tool_places import Place, value_at
from toolconv.layouts.turn_shapes import as_row

BATCH_BYTES: Final = 1 << 18
"""The rows of a file go on in blocks of about this size."""


WRAPPED: Final = lazy_re(rb'\s*(?:\[|\{\s*"[^"]*"\s*:\s*(?:"\s*)?[\[{])')
"""How a line begins that may have one value alone."""
LOOKED_AT: Final = 1 << 20
"""How many bytes of an input are examined to tell a table from other text."""


def gathered(source: Input, start: bytes, chunks: Iterator[bytes], detector: Detector) -> tuple[bytes, Rows | None]:
    """The rows of an input whose lines, or elements, are no rows but parts of rows.

    Args:
        source: the input.
        start: its beginning; see :func:`toolconv.convert.detect.beginning`.
        chunks: the rest; read only as far as the first element of an array.
        detector: detects the layout, if it is not given.

    Returns:
        If it is such an input: empty bytes and its rows. Otherwise all bytes read so far, and ``None``.

    Raises:
        FileError: an array is cut off, or a line is too long; possibly raised only while the rows are read.
    """
    layout, each_call = detector.layout, detector.each_call
    if layout == "raw":
        return start, None
    found: Gatherer | None = None
    if begins_printed(start, alone=is_named_rows(source.name)):
        make = partial(printed_rows, label=source.label, longest=source.max_line)
        return b"", Rows(source, blocks(source, then(start, chunks)), make)
    if not begins_array(start):
        found = _gatherer(_first_document(start), layout)
        if found is None:
            return start, None
        return b"", _gathered_by(found, source, blocks(source, then(start, chunks)), each_call)

    def is_part(item: bytes) -> bool:
        nonlocal found
        found = _gatherer(value_of(item), layout)
        return found is not None

    if is_line(start):
        return b"", Rows(source, blocks(source, then(start, chunks)), iter)
    start, items = json_array.rows(source.label, start, chunks, is_message, source.max_line)
    if items is not None:
        make = partial(_one_conversation, label=source.label, longest=source.max_line)
        return b"", Rows(source, blocks(source, items), make)
    start, items = json_array.rows(source.label, start, chunks, is_part, source.max_line)
    if items is None or found is None:
        return start, None
    return b"", _gathered_by(found, source, blocks(source, items), each_call)


def is_line(start: bytes) -> bool:
    """Whether an input begins with a line that is a list of turns: each line is a conversation."""
    first = start.lstrip().partition(b"\n")[0]
    return len(first) < len(start.strip()) and type(as_row(value_of(first))) is dict


def is_message(item: bytes) -> bool:
    """Whether the first item of an array is a message: then the array is one conversation."""
    value = value_of(item)
    if type(value) is not dict or type(as_row([value])) is not dict or layouts.gathering(value) is not None:
        return False
    layout = layouts.detect(value)
    return layout is None or layout.name == "message"


def _one_conversation(items: Iterator[Line], label: str, longest: int) -> Iterator[Line]:
    """The messages of an array, as one row.

    Raises:
        FileError: it is longer than ``longest`` bytes.
    """
    texts: list[bytes] = []
    size = 0
    for _, text in items:
        texts.append(text)
        size += len(text)
        if size > longest:
            raise FileError(f"{label}: {too_long('a conversation', longest)}")
    yield Line(1, b"[" + b",".join(texts) + b"]")


def gathered_document(source: Input, text: bytes, value: Any, detector: Detector) -> Rows | None:
    """The rows of an input that is one JSON document; ``None`` if no layout makes rows of it.

    Each row has its number in the document.

    Args:
        source: the input.
        text: all of it.
        value: its value; ``None`` if it is not JSON.
        detector: detects the layout, if it is not given.
    """
    found = _gatherer(value, detector.layout)
    if found is None:
        return None
    line = text.replace(b"\r", b" ").replace(b"\n", b" ")  # line breaks occur only between values
    content = iter([Block(1, 1, line, source.position())])
    return _gathered_by(found, source, content, detector.each_call, renumber=True)


def tabular(source: Input, start: bytes, chunks: Iterator[bytes], detector: Detector) -> tuple[bytes, Rows | None]:
    """The rows of an input that is a table (CSV, TSV), one model output a line, or a session of OpenCode's storage.

    Like :func:`gathered`, for inputs that are not JSON or not complete without other files.

    A table is known by its name, or by a header with columns that make a row of a known layout, or the named ones.
    """
    if detector.records is not None:
        null = detector.records == "null"
        texts = then(start, chunks)
        content = blocks(source, (chunk.translate(plain_outputs.SWAPPED) for chunk in texts) if null else texts)
        return b"", Rows(source, content, partial(plain_outputs.rows, null=null))
    if detector.layout == "raw":
        return start, None
    if opencode_storage.is_session(source.name):
        session = Block(1, 1, opencode_storage.exported(source.name), source.position())
        return b"", Rows(source, iter([session]), iter)
    header = start.partition(b"\n")[0].decode(errors="replace")
    delimiter = tables.delimiter_of(source.name, header)
    if delimiter is None and start[:1] not in (b"{", b"[", b"<") and tables.may_begin(header):
        while start.count(b"\n") < tables.EXAMINED and len(start) < LOOKED_AT and (chunk := next(chunks, None)):
            start += chunk
        delimiter = _delimiter(start, detector)
    if delimiter is None:
        return start, None
    make = partial(tables.rows, source.label, delimiter=delimiter, longest=source.max_line)
    return b"", Rows(source, blocks(source, then(start, chunks)), make)


def _delimiter(start: bytes, detector: Detector) -> str | None:
    """The delimiter of an input that begins like a table of rows."""
    found = tables.columns_of(start[:LOOKED_AT].decode(errors="replace"))
    if found is None:
        return None
    delimiter, columns, cells = found
    row = dict(zip(columns, cells, strict=True))
    if not {detector.text_key, detector.prompt_key}.isdisjoint(row):
        return delimiter
    return delimiter if layouts.detect(row) is not None else None


def _gathered_by(
    gatherer: Gatherer, source: Input, content: Iterator[Block], each_call: bool, *, renumber: bool = False
) -> Rows:
    layout, place = gatherer

    def make(lines: Iterator[Line]) -> Iterator[Line]:
        full: Iterator[Line] = (line for line in lines if line.text and not line.text.isspace())
        if place:
            full = _unwrapped(full, gatherer, source)
        if type(layout).joins is not Layout.joins:
            full = (_bare(line, layout, source) for line in full)
        if layout.containers or type(layout).unread_keys is not Layout.unread_keys:
            full = _counted(full, layout, source)
        return layout.gather(full, each_call=each_call)

    return Rows(source, content, make, renumber=renumber)


def _bare(line: Line, layout: Layout, source: Input) -> Line:
    """A line, or the part of a conversation that is the only list or object in it; what is beside it is left out."""
    if WRAPPED.match(line.text) is None:
        return line
    value, beside = value_of(line.text), 0
    with suppress(*MISSHAPEN):
        while type(value) in (list, dict) and not layout.joins(value):
            members = value if type(value) is list else list(value.values())
            inner = [member for each in members if type(member := opened(each)) in (list, dict)]
            value = inner[0] if len(inner) == 1 else None
            beside += len(members) - 1
        if value is not None and layout.joins(value):
            source.left_out["document_keys"] += beside
            return Line(line.number, jsontext.dumps(value))
    return line


def _unwrapped(lines: Iterator[Line], gatherer: Gatherer, source: Input) -> Iterator[Line]:
    """The documents in the lines of an input; the keys around each count as left out."""
    for line in lines:
        document = value_of(line.text)
        inner = opened(value_at(document, gatherer.place)) if type(document) is dict else None
        if gatherer.layout.gathers(inner):
            for depth in range(len(gatherer.place)):
                source.left_out["document_keys"] += len(opened(value_at(document, gatherer.place[:depth]))) - 1
            line = Line(line.number, jsontext.dumps(inner))
        yield line


def _counted(lines: Iterator[Line], layout: Layout, source: Input) -> Iterator[Line]:
    """The lines of an input; the keys next to the rows of each document count as left out."""
    for line in lines:
        document = value_of(line.text)
        if type(document) is dict and layout.gathers(document):
            source.left_out["document_keys"] += layout.unread_keys(document)
        yield line


class Rows:
    """The rows that are made of the lines of an input, as blocks.

    Args:
        source: the input.
        content: its lines.
        make: makes rows, each with the number of its first line, of lines.
        renumber: count the rows, instead of giving each the number of a line.
    """

    def __init__(
        self,
        source: Input,
        content: Iterator[Block],
        make: Callable[[Iterator[Line]], Iterator[Line]],
        *,
        renumber: bool = False,
    ) -> None:
        self._source = source
        self._content = content
        self._make = make
        self._renumber = renumber
        self._read = 0

    def __iter__(self) -> Iterator[Block]:
        batch: list[Line] = []
        size = 0
        for count, row in enumerate(self._make(self._lines()), 1):
            if size >= BATCH_BYTES and row.number > batch[-1].number:  # a line's rows stay together, for checkpoints
                yield self._block(batch)
                batch, size = [], 0
            batch.append(Line(count, row.text) if self._renumber else row)
            size += len(row.text)
            if not self._source.is_file:  # a pipe's rows go on at once
                yield self._block(batch)
                batch, size = [], 0
        if batch:
            yield self._block(batch)

    def _block(self, rows: list[Line]) -> Block:
        numbers, texts = zip(*rows, strict=True)
        return Block(numbers[0], numbers[-1], b"\n".join(texts), self._read, numbers=numbers)

    def _lines(self) -> Iterator[Line]:
        for block in self._content:
            if block.long is not None:
                raise FileError(f"{self._source.label}:{block.first_line}: {too_long('a line', self._source.max_line)}")
            self._read = block.read
            for number, line in enumerate(block.lines, block.first_line):
                yield Line(number, line)


class Gatherer(NamedTuple):
    """What makes rows of documents.

    Attributes:
        layout: the layout that does.
        place: where they are in the objects around them.
    """

    layout: Layout
    place: Place = ()


def _gatherer(document: Any, name: str | None) -> Gatherer | None:
    if not isinstance(document, dict | list):
        return None
    if name is not None:
        layout = layouts.get(name)
        return Gatherer(layout) if layout.gathers(document) else None
    if (found := layouts.gathering(document)) is not None:
        return Gatherer(found)
    if type(document) is not dict or layouts.detect_by_keys(document) is not None:
        return None
    return _wrapped(document)


def _wrapped(document: Row) -> Gatherer | None:
    """What makes rows of a document in an object of another one."""
    for place in _places(document, ()):
        layout = layouts.gathering(opened(value_at(document, place)))
        if layout is not None and layout.containers:
            return Gatherer(layout, place)
    return None


def _places(value: Row, path: Place) -> Iterator[Place]:
    """The places of the objects in an object, the outer ones first."""
    inner = {key: member for key, each in value.items() if type(member := opened(each)) is dict}
    for key in inner:
        yield (*path, key)
    for key, member in inner.items():
        if len(path) < DEEPEST:
            yield from _places(member, (*path, key))


def _first_document(start: bytes) -> Any:
    """The value of the first line that has one; a line may be a server-sent event."""
    for line in io.BytesIO(start):  # which takes no more apart than is asked for
        if data := sse.payload(line):
            return value_of(data)
    return None
