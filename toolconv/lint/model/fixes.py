"""Edits applied to the text of a row: everything else stays unchanged, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from toolconv.core import jsontext
from toolconv.core.json_pointer import steps_of
from toolconv.lint.model import spans
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.spans import Span

Splice = tuple[int, int, str]
"""``text[start:end]`` is replaced."""


class CannotEdit(ValueError):
    """An edit whose place is not in the text."""


def compatible(findings: Iterable[Finding]) -> list[Finding]:
    """The fixable findings whose edits don't overlap; of overlapping ones, the first.

    A dropped row needs no other fix. Other findings are reported again for the fixed row, and fixed then.
    """
    chosen: list[Finding] = []
    taken: set[str] = set()
    above: set[str] = set()  # their parents
    for finding in findings:
        if finding.drop_row:
            return [finding]
        places = {_place(edit) for edit in finding.edits or ()}
        around = {place for each in places for place in _around(each)}
        if not places or not taken.isdisjoint(places | around) or not above.isdisjoint(places):
            continue
        chosen.append(finding)
        taken |= places
        above |= around
    return chosen


def _place(edit: Edit) -> str:
    """The place that an edit affects: the whole list for an insertion or removal, which moves the other items."""
    parent, _, last = edit.pointer.rpartition("/")
    return parent if last == "-" or (edit.remove and last.isdecimal()) else edit.pointer


def _around(pointer: str) -> list[str]:
    """Pointers of all parents of a value: ``""`` and ``/messages`` for ``/messages/1``."""
    return [pointer[:at] for at, char in enumerate(pointer) if char == "/"]


def apply(text: str, edits: Sequence[Edit]) -> str:
    """``text``, a JSON value, with ``edits`` applied; all pointers refer to the original text.

    Raises:
        CannotEdit: the text is not JSON, or a pointer matches nothing.
    """
    root = spans.read(text)
    if root is None:
        raise CannotEdit("not JSON")
    style = Style(text)
    splices: list[Splice] = []
    removed: dict[int, tuple[Span, set[int]]] = {}
    added: dict[int, tuple[Span, list[str]]] = {}
    for edit in edits:
        parent_pointer, _, last = edit.pointer.rpartition("/")
        span = root.at(edit.pointer)
        if not edit.pointer:
            raise CannotEdit("a row is not replaced as a whole")
        parent = root.at(parent_pointer)
        if parent is None or not parent.kind or (span is None and edit.remove):
            raise CannotEdit(f"nothing at {edit.pointer}")
        if edit.remove:
            removed.setdefault(id(parent), (parent, set()))[1].add(_index(parent, span))
        elif span is not None:
            splices.extend(_replacement(text, span, edit.value, style))
        else:
            if (parent.kind == "[") != (last == "-"):
                raise CannotEdit(f"nothing at {edit.pointer}")
            key = "" if last == "-" else style.text(steps_of(edit.pointer)[-1]) + style.colon
            added.setdefault(id(parent), (parent, []))[1].append(key + style.text(edit.value))
    for parent, indices in removed.values():
        splices.extend(_removals(parent, indices))
    for parent, texts in added.values():
        gone = removed.get(id(parent), (parent, set()))[1]
        splices.append(_addition(parent, texts, style, empty=len(gone) == len(parent.items)))
    return splice(text, splices)


def splice(text: str, splices: Iterable[Splice]) -> str:
    """``text`` with parts of it replaced."""
    parts = []
    at = 0
    for start, end, new in sorted(splices, key=lambda each: each[:2]):
        if start < at:
            raise CannotEdit("edits overlap")
        parts += [text[at:start], new]
        at = end
    return "".join([*parts, text[at:]])


def _index(parent: Span, child: Span | None) -> int:
    return next(index for index, item in enumerate(parent.items) if item is child)


def _removals(parent: Span, indices: set[int]) -> list[Splice]:
    """Remove members, each with an adjacent comma."""
    items = parent.items
    kept = [index for index in range(len(items)) if index not in indices]
    if not kept:
        return [(items[0].member, items[-1].end, "")]
    found: list[Splice] = [(items[0].member, items[kept[0]].member, "")] if kept[0] else []
    found.extend((items[index - 1].end, items[index].end, "") for index in sorted(indices) if index > kept[0])
    return found


def _addition(parent: Span, texts: list[str], style: Style, *, empty: bool) -> Splice:
    """Append members."""
    place = parent.items[-1].end if parent.items else parent.start + 1
    return place, place, ("" if empty else style.comma) + style.comma.join(texts)


def _replacement(text: str, span: Span, value: Any, style: Style) -> list[Splice]:
    """Replace a value; in objects and lists, only the members that change."""
    here = text[span.start : span.end]
    if span.kind == "{" and isinstance(value, dict) and len(span.keys) == len(span.items):
        names = list(span.keys)
        common = [name for name in names if name in value]
        if common == [name for name in value if name in span.keys] and [*common, *_new(value, names)] == list(value):
            found = [each for name in common for each in _replacement(text, span.keys[name], value[name], style)]
            gone = {index for index, name in enumerate(names) if name not in value}
            if gone:
                found.extend(_removals(span, gone))
            if new := _new(value, names):
                texts = [style.text(name) + style.colon + style.text(value[name]) for name in new]
                found.append(_addition(span, texts, style, empty=not common))
            return found
    if span.kind == "[" and isinstance(value, list) and len(value) == len(span.items):
        pairs = zip(span.items, value, strict=True)
        return [each for item, new in pairs for each in _replacement(text, item, new, style)]
    if jsontext.dumps(jsontext.loads(here)) == jsontext.dumps(value):
        return []
    return [(span.start, span.end, style.text(value))]


def _new(value: dict[str, Any], names: list[str]) -> list[str]:
    known = set(names)
    return [name for name in value if name not in known]


class Style:
    """The JSON style of a text: spaces after commas and colons, escapes for non-ASCII characters.

    Args:
        text: any JSON text.
    """

    def __init__(self, text: str) -> None:
        colon = re.search(r'":(\s?)', text)
        self.colon = ": " if colon is None or colon[1] else ":"
        comma = re.search(r'["\]}0-9],(\s?)"', text)
        self.comma = ", " if (comma[1] if comma else self.colon == ": ") else ","
        self.ascii = text.isascii() and re.search(r"\\u[0-9a-fA-F]{4}", text) is not None

    def text(self, value: Any) -> str:
        """``value`` as JSON text; compact if only that is lossless (more digits than a double has, lone surrogates)."""
        text = json.dumps(value, ensure_ascii=self.ascii, separators=(self.comma, self.colon))
        exact = jsontext.dumps(value)
        return text if _is(text, exact) else exact.decode()


def _is(text: str, exact: bytes) -> bool:
    try:
        return text.encode() is not None and jsontext.dumps(jsontext.loads(text)) == exact
    except ValueError:
        return False
