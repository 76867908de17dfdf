"""Deep pointers: JSON pointers that continue inside text that is itself JSON.

``/messages/1/tool_calls/0/function/arguments/days`` is one if ``arguments`` is text. :func:`standing` returns the
part of it that exists in the row, and :func:`outside_texts` turns edits at them into edits of the row.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.json_pointer import escaped, pointer_to, steps_of
from toolconv.lint.model.finding import Edit

MISSING: Final = object()
"""What :func:`look` returns if a pointer has no value."""


def look(value: Any, pointer: str) -> Any:
    """The value at a deep pointer; :data:`MISSING` if there is none."""
    for part in steps_of(pointer):
        if type(value) is str:
            value = _opened(value)
        value = value.get(part, MISSING) if type(value) is dict else _item(value, part)
    return value


@lru_cache(maxsize=4)
def _opened(text: str) -> Any:
    """The object or list in a JSON text, else the text; remembered, since many findings may lead into one text."""
    return jsontext.opened(text)


def standing(value: Any, pointer: str) -> str:
    """The longest part of a deep pointer that exists in a value without decoding texts."""
    path = steps_of(pointer)
    for count, part in enumerate(path):
        value = value.get(part, MISSING) if type(value) is dict else _item(value, part)
        if value is MISSING:
            return pointer_to(path[:count])
    return pointer


def leads_to(value: Any, edit: Edit) -> bool:
    """Whether a value has a place for an edit at a deep pointer: what it removes, or what its new value goes into."""
    parent, _, last = edit.pointer.rpartition("/")
    around = look(value, parent) if edit.pointer else MISSING
    around = _opened(around) if type(around) is str else around
    if type(around) is dict:
        return last != "-" if not edit.remove else look(around, f"/{last}") is not MISSING
    return type(around) is list and ((last == "-" and not edit.remove) or _item(around, last) is not MISSING)


def outside_texts(value: Any, edits: Iterable[Edit]) -> list[Edit]:
    """The edits that make some at deep pointers: those that lead into one JSON text become one edit of that text."""
    found: list[Edit] = []
    within: dict[str, tuple[str, list[Edit]]] = {}
    for edit in edits:
        path, here = steps_of(edit.pointer), value
        for count, part in enumerate(path):
            if type(here) is str:
                inner = Edit(pointer_to(path[count:]), edit.value, edit.remove)
                within.setdefault(pointer_to(path[:count]), (here, []))[1].append(inner)
                break
            here = here.get(part, MISSING) if type(here) is dict else _item(here, part)
        else:
            found.append(edit)
    for pointer, (text, inner_edits) in within.items():
        before, after = jsontext.opened(text), jsontext.opened(text)
        for edit in sorted(outside_texts(before, inner_edits), key=_from_the_end):
            _make(after, edit)
        found.append(Edit(pointer, _respelled(text, before, after)))
    return found


def _from_the_end(edit: Edit) -> int:
    """Sorts edits: items are removed last, and later ones first, since the others move."""
    last = edit.pointer.rpartition("/")[2]
    return -int(last) if edit.remove and last.isdecimal() else -sys.maxsize


def _make(value: Any, edit: Edit) -> None:
    """Make an edit in an object or list, which has a place for it."""
    parent, _, last = edit.pointer.rpartition("/")
    around, key = look(value, parent), steps_of(f"/{last}")[0]
    if type(around) is list and key == "-":
        around.append(edit.value)
        return
    at = key if type(around) is dict else int(key)
    if edit.remove:
        del around[at]
    else:
        around[at] = edit.value


def walk(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar and key of a JSON value, each with its pointer; a key is given with its value's pointer."""
    stack: list[tuple[str, Any]] = [(pointer, value)]
    while stack:
        here, item = stack.pop()
        if isinstance(item, dict):
            keys = [(f"{here}/{escaped(key)}", key) for key in item]
            yield from keys
            stack += [(place, item[key]) for place, key in reversed(keys)]
        elif isinstance(item, list):
            stack += [(f"{here}/{index}", item[index]) for index in range(len(item) - 1, -1, -1)]
        else:
            yield here, item


def _item(value: Any, part: str) -> Any:
    if type(value) is list and part.isdigit() and int(part) < len(value):
        return value[int(part)]
    return MISSING


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
