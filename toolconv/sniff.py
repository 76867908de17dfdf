"""What an input is, told from its beginning: one raw text or rows, the rows' layout, the dialect of their texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from toolconv import jsontext, layouts, streams
from toolconv.conversation import Row
from toolconv.dialects import callshape
from toolconv.dialects.detection import Detection, detect_all
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.completion import Completion
from toolconv.toolindex import NO_TOOLS, ToolIndex

ROWS = 100
"""How many rows are looked at."""

ROW_FILES = (".jsonl", ".ndjson", ".parquet")
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Shape:
    """What an input is.

    Attributes:
        layout: its name.
        dialect: the dialect of its texts; ``None`` where there is no call in a text.
        detection: how the dialect was found; ``None`` when it was given.
    """

    layout: str
    dialect: str | None
    detection: Detection | None = None


def is_raw(start: bytes, name: str) -> bool:
    """Whether an input that begins with ``start`` is one raw text.

    It is rows when a line of ``start`` is a JSON object that is no bare call; a file that says so by its name
    (``.jsonl``) always is.
    """
    stem = name.removesuffix(".gz").removesuffix(".zst")
    if stem.endswith(ROW_FILES) or not start.strip() or streams.begins(start):
        return False
    if start.lstrip()[:1] not in (b"{", b"["):
        return True
    for line in start.split(b"\n"):
        if not line.strip():
            continue
        value = _value(line)
        if isinstance(value, dict):
            return callshape.is_call(value, NO_TOOLS)
        if isinstance(value, list):
            break
    return True


def rows_of_array(text: bytes) -> list[bytes] | None:
    """The rows of a whole-file JSON array, one line each; ``None`` when it is none, or a list of bare calls."""
    value = _value(text) if text.lstrip()[:1] == b"[" else None
    if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
        return None
    if all(callshape.is_call(item, NO_TOOLS) or layouts.detect(item) is None for item in value):
        return None
    return [jsontext.dumps(item) for item in value]


def is_row(text: bytes, *, known: bool = False) -> bool:
    """Whether a JSON text is a row: an object of some layout that is no bare call; any object if that is ``known``."""
    value = _value(text)
    if not isinstance(value, dict):
        return False
    return known or (not callshape.is_call(value, NO_TOOLS) and layouts.detect(value) is not None)


def _value(text: bytes) -> Any:
    try:
        return jsontext.loads(text)
    except ValueError:
        return None


def layout_of(name: str, text_key: str | None) -> Layout:
    """The layout of a name; ``text_key`` is where a completion row has its text."""
    return Completion(text_key) if name == "completion" and text_key else layouts.get(name)


def sniff(
    lines: Sequence[bytes], *, layout: str | None = None, dialect: str | None = "auto", text_key: str | None = None
) -> Shape | None:
    """Say what an input is by its first lines.

    Args:
        lines: the first lines.
        layout: its layout, where that is known.
        dialect: its dialect; ``auto`` to look for it, ``None`` for none.
        text_key: where a completion row has its text; rows with a string there are of that layout.

    Returns:
        The shape, or ``None`` when no line is a row of any layout.
    """
    texts: list[tuple[str, ToolIndex]] = []
    found: str | None = layout
    for line in lines:
        row = _value(line) if line.strip() else None
        if not isinstance(row, dict):
            continue
        if found is None:
            if text_key is not None and Completion(text_key).fits(row):
                found = "completion"
            elif (detected := layouts.detect(row)) is not None:
                found = detected.name
            else:
                continue
        if dialect != "auto" or len(texts) >= ROWS:
            break
        texts.extend(_texts(row, layout_of(found, text_key)))
    if found is None:
        return None
    if dialect != "auto":
        return Shape(found, dialect)
    detection = detect_all(texts)
    return Shape(found, detection.name, detection)


def sniff_raw(text: str, dialect: str | None = "auto") -> Shape:
    """Say in which dialect a raw text is."""
    if dialect != "auto":
        return Shape("raw", dialect)
    detection = detect_all([(text, NO_TOOLS)])
    return Shape("raw", detection.name, detection)


def _texts(row: Row, layout: Layout) -> list[tuple[str, ToolIndex]]:
    """What the assistant says in a row without structured calls, and the tools it was given."""
    try:
        conversation = layout.read(row)
    except LayoutError:
        return []
    tools = ToolIndex(conversation.tools)
    return [
        (message["content"], tools)
        for message in conversation.messages
        if message.get("role") == "assistant" and message.get("content") and isinstance(message["content"], str)
        if not message.get("tool_calls")
    ]
