"""Rows as lines, and compared and edited key by key. The order of keys is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row

MISSHAPEN = (TypeError, AttributeError, KeyError, IndexError)
"""The exceptions of code that reads data of an unexpected shape."""
_TYPES: Final = {
    "NoneType": "null", "bool": "a boolean", "int": "a number", "float": "a number", "str": "text", "list": "a list",
    "dict": "an object",
}  # fmt: skip
_BLAMED = lazy_re(rf"""['"]({"|".join(_TYPES)})['"]|, (\w+) found|^(list) indices""")


def misshapen(error: Exception) -> str:
    """What one of :data:`MISSHAPEN` says of the data, without Python's words for it."""
    if isinstance(error, KeyError):
        return f"an object has no key {error}"
    blamed = _BLAMED.search(str(error))
    if isinstance(error, IndexError) or blamed is None:
        return "a field has another shape than it should"
    found = next(filter(None, blamed.groups()))
    return f"a field is {_TYPES.get(found, 'of a type')} that can't be there"


AUGMENTED = "augmented"
"""The key of the record of ``toolconv augment``: how a row was made, and what undoes it."""


class Line(NamedTuple):
    """A JSON text on one line, or what is there instead, and its number in the input, from 1."""

    number: int
    text: bytes


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values have the same JSON text: ``1`` and ``1.0`` do not."""
    return one is other or (one == other and jsontext.dumps(one) == jsontext.dumps(other))


def unchanged(new: Sequence[Any], old: Sequence[Any]) -> list[int | None]:
    """For each new value, the index of the same old value, or ``None`` if it has changed.

    Lists of the same length are compared place by place. Otherwise values are paired from the end and from the start,
    each up to the first difference.
    """
    if len(new) == len(old):
        return [at if same(value, old[at]) else None for at, value in enumerate(new)]
    shorter, shift = min(len(new), len(old)), len(old) - len(new)
    tail = head = 0
    while tail < shorter and same(new[-1 - tail], old[-1 - tail]):
        tail += 1
    while head < shorter - tail and same(new[head], old[head]):
        head += 1
    return [at if at < head else at + shift if at >= len(new) - tail else None for at in range(len(new))]


def replace_key(row: Row, old: str, new: str, value: Any) -> Row:
    """A copy of ``row`` with the key ``old`` replaced by ``new`` in the same place, or at the end without ``old``."""
    if old not in row:
        return {**row, new: value}
    result: Row = {}
    for key, kept in row.items():
        if key == old:
            result[new] = value
        else:
            result[key] = kept
    return result


def put_in_place(row: Row, column: str, parts: Row) -> Row:
    """A copy of ``row`` with ``parts`` in the place of ``column``; these replace keys of the same name."""
    result: Row = {}
    for key, value in row.items():
        if key == column:
            result.update(parts)
        elif key not in parts:
            result[key] = value
    return result


def found_at(value: Any, path: Sequence[str]) -> Any:
    """The value at a path of keys and indexes; ``None`` if there is none."""
    for step in path:
        if isinstance(value, list):
            value = value[int(step)] if step.isdigit() and int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def put_at(holder: Any, path: Sequence[str], value: Any) -> Any:
    """A copy of an object or a list, which may be JSON text, with another value at a path that it has."""
    holder = jsontext.opened(holder)
    step, *inner = path
    key = int(step) if type(holder) is list else step
    changed = holder.copy()
    changed[key] = put_at(holder[key], inner, value) if inner else value
    return changed


def without(row: Row, *paths: Sequence[str]) -> Row:
    """A copy of ``row`` without the values at some paths of keys and indexes, and without what is empty then."""
    for path in sorted(paths, key=lambda path: [(int(step) if step.isdigit() else -1, step) for step in path])[::-1]:
        row = _without(row, path) or {}
    return row


def _without(value: Any, path: Sequence[str]) -> Any:
    """A copy of an object or a list, which may be JSON text, without what is at a path; ``None`` if nothing is left."""
    step, *rest = path
    came, value = value, jsontext.opened(value)
    if isinstance(value, list):
        at: Any = int(step) if step.isdigit() and int(step) < len(value) else None
    else:
        at = step if isinstance(value, dict) and step in value else None
    if at is None:
        return came
    inner = _without(value[at], rest) if rest else None
    if rest and inner is value[at]:
        return came
    if isinstance(value, list):
        return [*value[:at], *([] if inner is None else [inner]), *value[at + 1 :]] or None
    kept = {key: inner if key == at else member for key, member in value.items() if key != at or inner is not None}
    return kept or None


def moved(row: Row, found: Row, taken: Mapping[tuple[str, ...], str]) -> Row:
    """A copy of ``row`` with what was found at some paths in it, each under a key of its own.

    Args:
        row: the row.
        found: what was found, by its new key, which is in the place of the key that its first path begins with.
        taken: for each path whose value is gone then, the new key; empty for what was not found there.
    """
    rest = row
    for path in taken:
        if len(path) > 1:
            rest = _without(rest, path) or {}
    begin = {path[0] for path in taken}
    result: Row = {}
    for key in row:
        if key in begin:
            result |= {name: found[name] for path, name in taken.items() if path[0] == key and name}
        if key in rest and key not in found and (key,) not in taken:
            result[key] = rest[key]
    return result


def ordered_like(row: Row, origin: Row) -> Row:
    """A copy of ``row`` in which the keys it shares with ``origin`` have the order of ``origin``."""
    if list(row) == list(origin):
        return dict(row)
    shared = iter([key for key in origin if key in row])
    return {key: row[key] for key in (next(shared) if name in origin else name for name in row)}


def insert_before(row: Row, place: str, key: str, value: Any) -> Row:
    """A copy of ``row`` with ``key`` inserted before ``place``."""
    result: Row = {}
    for name, kept in row.items():
        if name == place:
            result[key] = value
        result[name] = kept
    return result


def keys_of(row: Row) -> str:
    """The keys of a row, for a message; the first twelve."""
    names = ", ".join(map(repr, list(row)[:12])) or "none"
    return names + (", …" if len(row) > 12 else "")
