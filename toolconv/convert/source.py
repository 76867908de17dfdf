"""The content of an input: lines of rows, an array of rows, what a layout makes rows of, or one raw text."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

from toolconv import layouts
from toolconv.convert.converter import UsageError
from toolconv.convert.detect import BOM, Detector, InputFormat, beginning, begins_array, content_of, is_row
from toolconv.convert.gathered import gathered, gathered_document
from toolconv.core.rows import keys_of
from toolconv.io import json_array, sse
from toolconv.io.inputs import Block, Input, blocks, then, whole
from toolconv.layouts.base import value_of

KINDS: Final = {
    dict: "an object",
    list: "a list",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


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
    """
    layout = detector.layout
    chunks = source.chunks()
    start = beginning(chunks, source.max_line).removeprefix(BOM)
    start, found = gathered(source, start, chunks, detector)
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
        if reason := unknown(text, value, detector):
            return UnknownDocument(text, reason)
    return text.removesuffix(b"\n").removesuffix(b"\r")


def without_preamble(text: bytes) -> bytes | None:
    """The row in a text that begins with the line which its program prints before it; ``None`` for any other text."""
    line, _, rest = text.partition(b"\n")
    row = value_of(rest) if rest.lstrip()[:1] == b"{" else None
    layout = layouts.detect(row) if isinstance(row, dict) else None
    return rest if layout is not None and layout.preamble and line.startswith(layout.preamble.encode()) else None


def unknown(text: bytes, value: Any, detector: Detector) -> str | None:
    """What an input that is one text looks like if it is a JSON document without calls, or a stream that is not known.

    ``None`` for any other text.

    Args:
        text: the input.
        value: its value; ``None`` if it is not JSON.
        detector: detects the calls in it.
    """
    if value is None and (event := sse.first_payload(text)) is not None:
        first = value_of(event)
        what = (
            f"has the keys {keys_of(first)}"
            if isinstance(first, dict)
            else f"is {event[:60].decode(errors='replace')!r}"
        )
        return (
            f"server-sent events of no API that toolconv knows: the first one {what}; "
            "--from-layout raw reads them as the text of one answer"
        )
    if not value or not isinstance(value, dict | list) or detector.dialect != "auto":
        return None
    if detector.of_text(text.decode("utf-8", "replace")).dialect is not None:
        return None
    if isinstance(value, dict):
        what = f"an object with the keys {keys_of(value)}"
    elif all(isinstance(item, dict) for item in value):
        what = f"a list of objects with the keys {keys_of(value[0])}"
    else:
        what = f"a list whose first item is {KINDS.get(type(value[0]), 'a text')}"
    return (
        f"a JSON document that no layout knows: {what}; --from-layout names its layout, "
        "and --from-layout raw reads it as the text of one answer"
    )


def format_of(source: Input) -> InputFormat | None:
    """The format of an input, from its beginning; ``None`` if no line is a row of any layout."""
    detector = Detector()
    rows = open_rows(source, detector)
    if isinstance(rows, UnknownDocument):
        return None
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
        chunks = source.chunks()
        start = beginning(chunks, max_line).removeprefix(BOM)
        start, found = gathered(source, start, chunks, detector)
        if found or begins_array(start) or content_of(start, name, None, max_line) != "lines":
            raise UsageError(f"{name}: --shard needs files with one row per line")
        block = next(blocks(source, chain([start], chunks)), None)
        return detector.of_rows(block.lines) if block is not None else None
    finally:
        source.close()
