"""Rows of any layout in an object of another row, as ``{"data": {…}}``, or there as JSON text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolconv import layouts
from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to
from toolconv.core.messages import Row
from toolconv.core.rows import put_at
from toolconv.layouts.arranged import Arranged, Path, opened_at, replaced_at
from toolconv.layouts.base import Layout
from toolconv.layouts.formats.completion import LAYOUT as COMPLETION
from toolconv.layouts.formats.rendered import LAYOUT as RENDERED
from toolconv.layouts.found_turns import DEEPEST, find_turns
from toolconv.layouts.nested_json import opened
from toolconv.layouts.tool_places import TOOL_KEYS, value_at

TEXT_ROWS: Final = frozenset({"completion", "rendered", "message"})
"""Layouts that wrapped rows, and lists of rows, are not known by: what they need, objects of other kinds have, too."""


def wrapped_in(row: Row) -> tuple[Path, Layout] | None:
    """Where the only row of another layout in a row is, and its layout; ``None`` if there is none.

    Turns of the row itself, or elsewhere in it, are the conversation instead.
    """
    found = list(_rows_below(row, ()))
    if COMPLETION.key_of(row) is not None:
        found = [each for each in found if each[1] is not COMPLETION]
    if len(found) != 1:
        return None
    path, _ = found[0]
    return found[0] if all(place.path[: len(path)] == path for place in find_turns(row)) else None


def _rows_below(row: Row, path: Path) -> Iterator[tuple[Path, Layout]]:
    for key, value in row.items():
        if key in TOOL_KEYS:
            continue
        if type(value) is str and value[:1] in ("{", '"'):
            value = opened(value)
        place = (*path, key)
        if type(value) is list and len(value) == 1:
            value, place = value[0], (*place, "0")
        if type(value) is not dict:
            continue
        layout = layouts.detect_by_keys(value)  # any-keys would ask for rows in this object again
        if layout is not None and not isinstance(layout, Arranged) and _is_sure(value, layout):
            yield place, layout
        elif len(path) + 1 < DEEPEST:
            yield from _rows_below(value, place)


def _is_sure(value: Row, layout: Layout) -> bool:
    """Whether an object is certainly a row of a layout: so are a prompt with a text, an answer of
    Anthropic's, and turn tokens.
    """
    if layout is COMPLETION:
        key = COMPLETION.key_of(value) or ""
        prompt = COMPLETION.prompt_text(value, key)
        return prompt is not None and not any(
            type(opened(text)) in (dict, list) for text in (value.get(key), prompt[1])
        )
    return layout.name not in TEXT_ROWS or layout is RENDERED or value.get("type") == "message"


def read_wrapped(row: Row, path: Path, layout: Layout) -> Conversation:
    """The conversation of a row that is wrapped, with all answers; what is next to it stays where it is."""
    hidden = _text_of_text(row, path)
    if hidden is not None:
        row = put_at(row, hidden, opened(value_at(row, hidden)))
    read, above = layout.read(opened_at(row, path)), pointer_to(path)
    for each in conversations_of(read):
        each.fields = [
            field._replace(pointer=above + field.pointer)
            if hidden is None
            else field._replace(pointer=pointer_to(hidden), pieces=None, starts=None)
            for field in each.fields
        ]
        each.read_as, each.origin = layout.name, None
        parts: Row = {name: each.row[name] for name in ("tools", "messages") if name in each.row}
        own = {name: value for name, value in each.row.items() if name not in parts}
        rest = {name: value for name, value in replaced_at(row, path, own).items() if name not in parts}
        each.row = {**parts, **rest}
    if read.answers is not None:
        read.answers.places = [above + place for place in read.answers.places]
        read.answers.row = row
    return read


def _text_of_text(row: Row, path: Path) -> Path | None:
    """The beginning of a path up to a JSON text that is the text of another, where no pointer leads further."""
    starts = (path[: end + 1] for end in range(len(path)))
    return next((start for start in starts if str(value_at(row, start)).startswith('"')), None)
