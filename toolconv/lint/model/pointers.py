"""Deep pointers: JSON pointers that continue inside text that is itself JSON.

``/messages/1/tool_calls/0/function/arguments/days`` is one if ``arguments`` is text. :func:`standing` returns the
part of it that exists in the row, and :func:`edit` turns a change at it into a change to the row.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.lint.model.finding import Edit
from toolconv.lint.model.spans import parts

MISSING: Final = object()
"""What :func:`look` returns if a pointer has no value."""


def look(value: Any, pointer: str) -> Any:
    """The value at a deep pointer; :data:`MISSING` if there is none."""
    for part in parts(pointer):
        if type(value) is str:
            value = jsontext.opened(value)
        value = value.get(part, MISSING) if type(value) is dict else _item(value, part)
    return value


def standing(value: Any, pointer: str) -> str:
    """The longest part of a deep pointer that exists in a value without decoding texts."""
    path = parts(pointer)
    for count, part in enumerate(path):
        value = value.get(part, MISSING) if type(value) is dict else _item(value, part)
        if value is MISSING:
            return _spelled(path[:count])
    return pointer


def edit(value: Any, pointer: str, new: Any = None, *, remove: bool = False) -> Edit:
    """The edit of a value that changes the part at a deep pointer; a new last key inserts a member."""
    path = parts(pointer)
    for count, part in enumerate(path):
        if isinstance(value, str):
            inner = jsontext.opened(value)
            if inner is value:
                break
            return Edit(_spelled(path[:count]), _respelled(value, inner, _changed(inner, path[count:], new, remove)))
        value = value.get(part, MISSING) if type(value) is dict else _item(value, part)
    return Edit(pointer, None if remove else new, remove)


def walk(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar and key of a JSON value, each with its pointer; a key is given with its value's pointer."""
    stack: list[tuple[str, Any]] = [(pointer, value)]
    while stack:
        here, item = stack.pop()
        if isinstance(item, dict):
            keys = [(f"{here}/{_escaped(key)}", key) for key in item]
            yield from keys
            stack += [(place, item[key]) for place, key in reversed(keys)]
        elif isinstance(item, list):
            stack += [(f"{here}/{index}", item[index]) for index in range(len(item) - 1, -1, -1)]
        else:
            yield here, item


def _spelled(path: Sequence[str]) -> str:
    return "".join("/" + _escaped(part) for part in path)


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1") if "~" in part or "/" in part else part


def _item(value: Any, part: str) -> Any:
    if type(value) is list and part.isdigit() and int(part) < len(value):
        return value[int(part)]
    return MISSING


def _changed(value: Any, parts: Sequence[str], new: Any, remove: bool) -> Any:
    """A copy of ``value``, changed at a path, which may lead through JSON texts."""
    if not parts:
        return new
    if isinstance(value, str):
        inner = jsontext.opened(value)
        return value if inner is value else _respelled(value, inner, _changed(inner, parts, new, remove))
    part, rest = parts[0], parts[1:]
    if isinstance(value, dict):
        if remove and not rest:
            return {key: member for key, member in value.items() if key != part}
        return {**value, part: _changed(value.get(part), rest, new, remove)}
    if isinstance(value, list) and part.isdigit() and int(part) < len(value):
        at = int(part)
        middle = [] if remove and not rest else [_changed(value[at], rest, new, remove)]
        return [*value[:at], *middle, *value[at + 1 :]]
    return value


def respelled(text: str, after: Any) -> str:
    """A value as JSON text, in the style of ``text``, which is a JSON text, too."""
    return _respelled(text, jsontext.opened(text), after)


def _respelled(text: str, before: Any, after: Any) -> str:
    """``after`` as JSON text, in the style in which ``text`` writes ``before``."""
    if jsontext.compact(before) == text:
        return jsontext.compact(after)
    if "\n" in text and jsontext.pretty(before) == text:
        return jsontext.pretty(after)
    return jsontext.spaced(after)
