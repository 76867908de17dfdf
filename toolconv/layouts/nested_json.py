"""Fields of a row that may be JSON text, and the error of a row that doesn't have a layout's shape."""

from __future__ import annotations

import ast
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.call_keys import argument_key, unread_key
from toolconv.core.calls import NotACall, arguments_from
from toolconv.core.errors import ToolconvError
from toolconv.core.notes import Dropped, Notes

PYTHON_STARTS: Final = ("[{'", "{'")
"""How the text of a list or an object in Python begins."""
LONGEST: Final = 1 << 20
"""The longest text that is read as a Python list."""


class LayoutError(ToolconvError, ValueError):
    """A row does not have the layout's shape, or the layout can't hold a conversation. The message says what to do."""


class NoConversation(LayoutError):
    """A row has the layout's shape, and says itself why there is no conversation in it: none is to be looked for."""


def maybe_json(value: Any) -> Any:
    """A value, or the value in a JSON text: many datasets store nested fields as text, since Parquet refuses mixtures.

    Raises:
        LayoutError: a text is not JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        return jsontext.loads(value)
    except ValueError as error:
        raise LayoutError(f"a nested field is text but no JSON ({error})") from None


def value_of(text: str | bytes) -> Any:
    """The value of a JSON text; ``None`` for any other text."""
    try:
        return jsontext.loads(text)
    except ValueError:
        return None


def values_of(text: str) -> list[Any]:
    """The values of JSON lines; ``None`` for a malformed one."""
    return [value_of(line) for line in text.splitlines() if line.strip()]


def opened(value: Any) -> Any:
    """A value, or the object or the list in its text: JSON, the JSON of such a text, or Python that has an object."""
    if type(value) is not str:
        return value
    text = value_of(value) if value[:2] in ('"{', '"[') else value
    found = python_value(text) if type(text) is str and text.startswith(PYTHON_STARTS) else None
    found = jsontext.opened(text) if found is None else found
    return found if type(found) in (dict, list) else value


def python_value(text: str) -> Any:
    """The list or the object in a Python text, also of one without commas between its lines, as of an array."""
    text = text.strip()
    if not text.startswith(PYTHON_STARTS) or len(text) > LONGEST:
        return None
    for written in (text, text.replace("}\n", "},\n")):
        try:
            value = ast.literal_eval(written)
            jsontext.dumps(value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
        return value
    return None


def read_arguments(function: dict[str, Any], notes: Notes) -> None:
    """Turn a call's arguments into an object. If they can't be read they stay, and the call counts as dropped.

    Arguments under another key than ``arguments`` are a repair.
    """
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        return
    key = argument_key(function)
    if key is None and (unread := unread_key(function)) is not None:
        text = jsontext.spaced(function[unread])
        notes.dropped.append(Dropped(f"call of {function.get('name')!r}: no arguments, but {unread!r}", text))
        return
    repairs: list[str] = []
    try:
        read = arguments_from(function.get(key or "arguments"), repairs)
    except NotACall as error:
        name = function.get("name")
        notes.dropped.append(Dropped(f"call of {name!r}: {error}", arguments if isinstance(arguments, str) else ""))
        return
    if key is not None and key != "arguments":
        del function[key]
        repairs.append("alternative_key")
    function["arguments"] = read
    if "arguments_string" in repairs:
        repairs.remove("arguments_string")  # this layout stores them so
    notes.repairs.extend(repairs)
