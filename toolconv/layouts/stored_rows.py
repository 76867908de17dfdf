"""Rows in the forms in which tables and databases store them, as the rows that they mean.

============  ==========================================================================================
columns       ``{"role": ["user", …], "content": ["Hi", …]}``
table         ``{"columns": ["role", …], "data": [["user", …], …]}``, ``[["role", …], ["user", …], …]``
by number     ``{"role": {"0": "user", …}, "content": {"0": "Hi", …}}``
flat keys     ``{"messages.0.role": "user", …}``, also with ``[0]``, ``/``, ``__`` and ``_``
numbered      ``{"turn_0": {"role": …}, "turn_1": {"role": …}}``
typed         ``{"role": {"S": "user"}}``, ``{"role": {"stringValue": "user"}}``
chain         ``{"role": …, "replies": [{"role": …}]}``, each turn in the one before
linked        ``{"a": {"parent": null, "message": {…}}, "b": {"parent": "a", "message": {…}}}``
Python        ``"[{'role': 'user', …}]"``, the text of a list
============  ==========================================================================================

Each form holds all of a list of objects, in order. Whether that is a conversation, the layouts decide; values that are
none stay in the form in which they came. Where a form leaves the order open (a branch), it is not read.

Source: pandas, ``DataFrame.to_json`` and ``to_dict``; flatten_json; DynamoDB, AttributeValue; Firestore, REST API
(``Value``); ChatGPT's export (``mapping``).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, NamedTuple, TypeGuard

from toolconv.core import jsontext
from toolconv.core.json_pointer import pointer_to
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Row
from toolconv.layouts.found_turns import DEEPEST, TEXT_KEYS
from toolconv.layouts.nested_json import python_value
from toolconv.layouts.tool_places import TOOL_KEYS, Place

COLUMN_KEYS: Final = ("columns", "header", "fields")
"""Keys of the names of a table's columns."""
LINE_KEYS: Final = ("data", "values", "rows")
"""Keys of a table's lines."""
PARENTS: Final = ("parent", "parent_id", "parentId", "parent_uuid", "parentUuid")
"""Keys of what a linked turn follows."""
ROOT_KEYS: Final = frozenset({"id", "message", "children", *PARENTS})
"""The keys of a node before the first turn, which says nothing else."""
LONGEST_KEY: Final = 100
"""A longer key is no name with a number."""

_TYPES: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("S", "stringValue"), str),
    **dict.fromkeys(("N", "integerValue"), lambda value: jsontext.loads(str(value))),
    **dict.fromkeys(("BOOL", "booleanValue"), bool),
    "doubleValue": lambda value: value,
    **dict.fromkeys(("NULL", "nullValue"), lambda value: None),
    "L": lambda value: [_of_type(item) for item in value],
    "M": lambda value: {key: _of_type(member) for key, member in value.items()},
    "arrayValue": lambda value: [_of_type(item) for item in _only(value, "values", [])],
    "mapValue": lambda value: {key: _of_type(member) for key, member in _only(value, "fields", {}).items()},
}
"""What reads the value under the name of its type."""
_BRACKETS: Final = lazy_re(r"\[([^\[\]]+)\]")
_INDEX: Final = lazy_re(r"(?:^|_)(\d+)(?:_|$)")
_DIGITS: Final = "0123456789"


TurnPlaces = tuple[str, list[str | None]]


class Unfolded(NamedTuple):
    """The row that a row in another form means, with lists of turns in the usual shape.

    Attributes:
        row: the row with the lists.
        places: of each list, by its pointer in this row: the pointer in the original row, and the places of the turns
            below it; ``None`` if the whole row had another form.
        repairs: names of repairs.
    """

    row: Row
    places: Mapping[str, TurnPlaces] | None
    repairs: Sequence[str] = ()


def meant_row(row: Row) -> Unfolded | None:
    """The row that a stored one means; ``None`` if nothing of it has a form of a store."""
    for whole in (_typed, _table_of_one, _nested, _numbered):
        if (found := whole(row)) is not None:
            return Unfolded(found, None)
    places: dict[str, TurnPlaces] = {}
    found = _with_members(row, (), places)
    return Unfolded(found, places) if places else None


def table_rows(document: Row) -> list[Row] | None:
    """The lines of a table, with their empty cells; ``None`` for any other object."""
    names: Any = next((document[key] for key in COLUMN_KEYS if key in document), None)
    lines: Any = next((document[key] for key in LINE_KEYS if key in document), None)
    if len(document) > 2 + ("index" in document) or not _are_names(names) or not _are_lines(lines, len(names)):
        return None
    if document.get("index", [*range(len(lines))]) != [*range(len(lines))]:
        return None
    return [dict(zip(names, line, strict=True)) for line in lines]


def _are_names(names: Any) -> TypeGuard[list[str]]:
    if type(names) is not list or not names or not all(type(name) is str for name in names):
        return False
    return len(set(names)) == len(names)


def _are_lines(lines: Any, size: int) -> bool:
    return type(lines) is list and bool(lines) and all(type(line) is list and len(line) == size for line in lines)


def _table_of_one(row: Row) -> Row | None:
    """The only line of a table that is the whole row; its cells may be without a list around them."""
    named = next((key for key in COLUMN_KEYS if key in row), "")
    key = next((key for key in LINE_KEYS if key in row), None)
    names = row.get(named)
    if key is None or not _are_names(names) or row.get("index", [0]) != [0]:
        return None
    cells = row[key] if type(row[key]) is list else []
    cells = cells[0] if len(cells) == 1 and type(cells[0]) is list else cells
    if len(cells) != len(names) or (_are_lines(cells, len(names)) and len(names) != len(row[key])):
        return None
    rest = {name: value for name, value in row.items() if name not in (named, key, "index")}
    made = dict(zip(names, cells, strict=True))
    return {**made, **rest} if made.keys().isdisjoint(rest) else None


# ── whole rows ──────────────────────────────────────────────────────────────────────────────────


def _typed(row: Row) -> Row | None:
    """A row whose values have the names of their types around them; they may be in an object of the row."""
    for key in (None, "Item", "fields"):
        members = row if key is None else row.get(key)
        if type(members) is not dict or not members:
            continue
        try:
            typed = {name: _of_type(member) for name, member in members.items()}
        except (ValueError, AttributeError, TypeError):
            continue
        rest = {} if key is None else {name: value for name, value in row.items() if name != key and name not in typed}
        return {**typed, **rest}
    return None


def of_type(value: Any) -> Any:
    """The value that has the name of its type around it; any other as it is."""
    try:
        return _of_type(value)
    except (ValueError, AttributeError, TypeError):
        return value


def _of_type(value: Any) -> Any:
    """The value under the name of its type; an error for any other."""
    if type(value) is not dict or len(value) != 1:
        raise ValueError
    ((name, member),) = value.items()
    if name not in _TYPES:
        raise ValueError
    return _TYPES[name](member)


def _only(value: Row, key: str, default: Any) -> Any:
    """The only member of an object, or the default if it has none; an error for an object with others."""
    if value.keys() - {key}:
        raise ValueError
    return value.get(key, default)


def _nested(row: Row) -> Row | None:
    """A row whose keys are paths, with the objects and lists that they lead through."""
    for split in _SPLITS:
        paths = [split(key) for key in row]
        if not any(len(path) > 2 and any(step.isdecimal() for step in path[1:-1]) for path in paths):
            continue
        made: Row = {}
        if all(_put(made, path, value) for path, value in zip(paths, row.values(), strict=True)):
            opened = {key: _with_lists(value) for key, value in made.items()}
            if any(type(value) is list for value in opened.values()):
                return opened
    return None


_SPLITS: Final[tuple[Callable[[str], list[str]], ...]] = (
    lambda key: _BRACKETS.sub(r".\1", key).split(".") if "[" in key else [key],
    lambda key: key.split("."),
    lambda key: key.split("/"),
    lambda key: key.split("__"),
    lambda key: list(filter(None, _INDEX.split(key))),
)
"""How keys that are paths are divided: by brackets, by a mark, or by the numbers in them."""


def _put(made: Row, path: Sequence[str], value: Any) -> bool:
    """Put a value at a path; whether nothing else is there, or on the way."""
    for step in path[:-1]:
        made = made.setdefault(step, {})
        if type(made) is not dict:
            return False
    if path[-1] in made:
        return False
    made[path[-1]] = value
    return True


def _with_lists(value: Any) -> Any:
    """A value with lists for the objects whose keys are their indices."""
    if type(value) is not dict or not value:
        return value
    members = {key: _with_lists(member) for key, member in value.items()}
    return list(members.values()) if list(members) == [str(at) for at in range(len(members))] else members


def _numbered(row: Row) -> Row | None:
    """A row with objects under numbered keys, as a list of these."""
    stems: dict[str, list[tuple[str, int]]] = {}
    for key, value in row.items():
        stem = key.rstrip(_DIGITS)
        if type(value) is dict and len(stem) < len(key) < LONGEST_KEY:
            stems.setdefault(stem.rstrip("_.-"), []).append((key, int(key[len(stem) :])))
    for stem, keys in stems.items():
        name = stem or "messages"
        numbers = [number for _, number in keys]
        if len(keys) < 2 or numbers[0] > 1 or name in row or any(after != at + 1 for at, after in pairwise(numbers)):
            continue
        found = dict(keys)
        rest = {key: value for key, value in row.items() if key not in found}
        return {**rest, name: [row[key] for key in found]}
    return None


# ── values in a row ─────────────────────────────────────────────────────────────────────────────


def _with_members(value: Row, path: Place, places: dict[str, TurnPlaces]) -> Row:
    """An object, or a copy with lists for the members that have a form of a store, whose places are added.

    Lists are not looked into.
    """
    changed: Row = {}
    for key, member in value.items():
        at = (*path, key)
        opened = python_value(member) if type(member) is str else member
        opened = opened if key in TOOL_KEYS else as_objects(opened) or opened
        if opened is not None and opened is not member:
            changed[key] = opened
            places[pointer_to(at)] = (pointer_to(at), [None])
        elif type(member) is dict and key not in TOOL_KEYS and len(at) < DEEPEST:
            inner = _with_members(member, at, places)
            if inner is not member:
                changed[key] = inner
    return {**value, **changed} if changed else value


def as_objects(value: Any) -> list[Row] | None:
    """The list of objects that a value means; ``None`` if it has no form of a store."""
    if type(value) is list and len(value) > 1 and _are_names(value[0]) and _are_lines(value, len(value[0])):
        return objects_of(value[0], value[1:])
    if type(value) is not dict or not value or not TOOL_KEYS.isdisjoint(value):
        return None
    if (rows := table_rows(value)) is not None:
        return objects_of(rows[0], (row.values() for row in rows))
    members = list(value.values())
    if len(members) > 1 and all(type(member) is list and len(member) == len(members[0]) > 1 for member in members):
        return objects_of(value, zip(*members, strict=True))
    if all(type(member) is dict for member in members):
        return _by_number(value) or _linked(value)
    return _chain(value)


def objects_of(names: Iterable[str], lines: Iterable[Iterable[Any]], *, texts: Container[str] = TEXT_KEYS) -> list[Row]:
    """The lines of a table as objects. A null is an empty cell, other than of ``texts``."""
    return [
        {name: cell for name, cell in zip(names, line, strict=True) if cell is not None or name in texts}
        for line in lines
    ]


def _by_number(columns: Row) -> list[Row] | None:
    numbers = list(next(iter(columns.values())))
    if not all(number.isdecimal() for number in numbers) or any(list(cells) != numbers for cells in columns.values()):
        return None
    return objects_of(columns, zip(*(cells.values() for cells in columns.values()), strict=True))


def _linked(nodes: Row) -> list[Row] | None:
    """Turns that say which one they follow; ``None`` if two follow the same, or not all are in one line."""
    key = next((key for key in PARENTS if all(key in node for node in nodes.values())), None)
    if key is None:
        return None
    after = {node[key] if node[key] in nodes else None: name for name, node in nodes.items() if _is_name(node[key])}
    names: list[str] = []
    place: str | None = None
    while (place := after.get(place)) is not None and len(names) < len(nodes):
        names.append(place)
    if len(names) < len(nodes):
        return None
    turns = []
    for name in names:
        inner = nodes[name].get("message", nodes[name])
        if inner is not None and type(inner) is not dict:
            return None
        if inner is None and nodes[name].keys() - ROOT_KEYS:
            return None
        if inner is not None:
            turns.append({**(nodes[name] if inner is not nodes[name] else {}), **inner})
            if inner is not nodes[name] and turns[-1].get("message") is inner:
                del turns[-1]["message"]
    return turns or None


def _is_name(value: Any) -> bool:
    return value is None or type(value) is str


def _chain(value: Row) -> list[Row] | None:
    """Turns of which each is in the one before; ``None`` if one has two in it."""
    key = next((key for key, member in value.items() if _next_in(member) is not None), None)
    if key is None:
        return None
    turns: list[Row] = []
    node: Row | None = value
    while node:
        turns.append({name: member for name, member in node.items() if name != key})
        if (member := node.get(key)) and _next_in(member) is None:
            return None
        node = _next_in(member)
    same = set(turns[0]).intersection(*turns[1:])
    texts = sum(type(turns[0][name]) is str for name in same)
    return turns if len(turns) > 1 and texts > (len(turns) == 2) else None


def _next_in(member: Any) -> Row | None:
    """The turn in a member of another one."""
    if type(member) is list and len(member) == 1:
        (member,) = member
    return member if type(member) is dict and member else None
