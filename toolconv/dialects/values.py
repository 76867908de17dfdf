"""Types for values that a dialect writes as text: by the tool's schema, or by a heuristic where there is none.

With a schema the value takes the first type it fits of those the schema allows, in the order null, integer, number,
boolean, object, array, string. A string schema keeps the text whatever it looks like; null is read only where the
schema admits it; a value that fits no allowed type stays text, as the repair ``type_mismatch``. Numbers, literals and
containers may be spelled as JSON or as Python spells them, since chat templates write both.

Without a schema a text is read as JSON (or Python) if it is a number, ``true``/``false``/``null`` (``True``/``False``/
``None``), or a whole list or object; anything else is a string.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from toolconv import jsontext
from toolconv.dialects.cores.python_values import Expression, Undecided

LADDER = ("null", "integer", "number", "boolean", "object", "array", "string")
ALIASES = {
    "str": "string", "text": "string", "varchar": "string", "char": "string", "enum": "string", "any": "any",
    "int": "integer", "int32": "integer", "int64": "integer", "uint": "integer", "long": "integer", "short": "integer",
    "float": "number", "double": "number", "float32": "number", "float64": "number", "decimal": "number",
    "bool": "boolean", "dict": "object", "map": "object",
    "list": "array", "arr": "array", "tuple": "array", "set": "array", "sequence": "array",
}  # fmt: skip

_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")
_NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None}
_MISFIT = object()


def typed(text: str, schema: Any, root: Any, repairs: list[str]) -> Any:
    """Give ``text`` the type its parameter has.

    Args:
        text: the value as written.
        schema: the parameter's schema, or ``None`` when it is not declared.
        root: the schema that ``$ref`` in it refers to.
        repairs: ``type_mismatch`` is added to it when no allowed type fits.
    """
    allowed = types_of(schema, root)
    if allowed is None:
        return guess(text)
    if "string" in allowed and len(allowed) == 1:
        return text
    for kind in LADDER:
        if kind in allowed and (value := _READ[kind](text)) is not _MISFIT:
            return value
    repairs.append("type_mismatch")
    return text


def guess(text: str) -> Any:
    """The type of a value without a schema, by its looks."""
    if text[:1].isalpha() and text[0] not in "tTfFnN":
        return text
    for kind in ("null", "integer", "number", "boolean", "object", "array"):
        if (value := _READ[kind](text)) is not _MISFIT:
            return value
    return text


_ALONE = {kind: frozenset((kind,)) for kind in LADDER}
_MORE_TYPES = frozenset(("$ref", "anyOf", "oneOf", "allOf", "nullable"))


def is_plain(schema: dict[str, Any]) -> bool:
    """Whether ``type`` is all that a schema says of the type."""
    return schema.keys().isdisjoint(_MORE_TYPES)


def types_of(schema: Any, root: Any, depth: int = 0) -> frozenset[str] | None:
    """The JSON types a schema allows; ``None`` when it says nothing about them."""
    if not isinstance(schema, dict) or depth > 16:
        return None
    kind = schema.get("type")
    if type(kind) is str and kind in _ALONE and is_plain(schema):
        return _ALONE[kind]
    if isinstance(schema.get("$ref"), str):
        return types_of(_referred(schema["$ref"], root), root, depth + 1)
    found: set[str] = set()
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if isinstance(kind, str):
            kind = kind.strip().lower()
            found.add(ALIASES.get(kind, kind))
    for value in [*_list(schema.get("enum")), *([schema["const"]] if "const" in schema else [])]:
        if not found or kinds is None:
            found.add(_type(value))
    for keyword in ("anyOf", "oneOf", "allOf"):
        for branch in _list(schema.get(keyword)):
            found |= types_of(branch, root, depth + 1) or set()
    if schema.get("nullable") is True:
        found.add("null")
    if not found or "any" in found:
        return None
    return frozenset(found)


def subschema(schema: Any, root: Any, keyword: str, depth: int = 0) -> dict[str, Any]:
    """The object under ``properties`` or ``items`` of a schema, looked for behind ``$ref`` and in alternatives too."""
    if not isinstance(schema, dict) or depth > 16:
        return {}
    if isinstance(schema.get(keyword), dict):
        return dict(schema[keyword])
    referred = [_referred(schema["$ref"], root)] if isinstance(schema.get("$ref"), str) else []
    branches = [branch for name in ("anyOf", "oneOf", "allOf") for branch in _list(schema.get(name))]
    found: dict[str, Any] = {}
    for branch in (*referred, *branches):
        found = {**subschema(branch, root, keyword, depth + 1), **found}
    return found


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _type(value: Any) -> str:
    kinds = {str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array"}
    return kinds.get(type(value), "null")


def _referred(pointer: str, root: Any) -> Any:
    """What a ``$ref`` inside the same schema points at; ``None`` for anything else."""
    if not pointer.startswith("#"):
        return None
    target = root
    for part in pointer[1:].split("/")[1:]:
        target = target.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(target, dict) else None
    return target


def _null(text: str) -> Any:
    return None if text.strip() in ("null", "None") else _MISFIT


def _integer(text: str) -> Any:
    if _INTEGER.fullmatch(text) and len(text) <= jsontext.MAX_INTEGER_DIGITS:
        return int(text)
    value = _number(text)
    return value if isinstance(value, float) and value.is_integer() else _MISFIT


def _number(text: str) -> Any:
    if not _NUMBER.fullmatch(text) or len(text) > jsontext.MAX_INTEGER_DIGITS:
        return _MISFIT
    if _INTEGER.fullmatch(text):
        return int(text)
    try:
        value = jsontext.loads(text.strip().removeprefix("+"))
    except ValueError:  # ``.5``, ``5.``, or beyond a double
        value = float(text)
    return _MISFIT if value in (float("inf"), float("-inf")) else value


def _boolean(text: str) -> Any:
    return _WORDS[word] if (word := text.strip().lower()) in ("true", "false") else _MISFIT


def _object(text: str) -> Any:
    return _container(text, "{", dict)


def _array(text: str) -> Any:
    return _container(text, "[(", list)


def _container(text: str, brackets: str, kind: type) -> Any:
    bare = text.strip()
    if not bare or bare[0] not in brackets:
        return _MISFIT
    try:
        value = jsontext.loads(bare)
    except ValueError:
        value = _tolerant(bare)
    return value if isinstance(value, kind) else _MISFIT


def _tolerant(text: str) -> Any:
    """A container as Python spells it, or as JSON with small slips."""
    try:
        reading = jsontext.read(text)
    except jsontext.Unreadable:
        return _python(text)
    if reading.end < len(text) or not set(reading.repairs) <= _PYTHON:
        return _python(text)
    return reading.value


def _python(text: str) -> Any:
    """A Python literal whose value is JSON: tuples too, and strings with Python's own escapes."""
    reader = Expression(text)
    try:
        value = reader.value(0, "")
    except (jsontext.Unreadable, Undecided):
        return _MISFIT
    return value if reader.at == len(text) and not reader.repairs else _MISFIT


_PYTHON = {"single_quotes", "python_literal", "python_number", "trailing_comma", "unescaped_newline", "unescaped_tab"}
_READ: dict[str, Callable[[str], Any]] = {
    "null": _null,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "object": _object,
    "array": _array,
    "string": lambda text: text,
}


def spell_json(value: Any) -> str:
    """A value as text: strings as they are, everything else as JSON."""
    return value if isinstance(value, str) else jsontext.spaced(value)


def spell_python(value: Any) -> str:
    """A value as Jinja's ``string`` filter writes it: containers as JSON, ``True``, ``False`` and ``None`` as such."""
    return str(value) if isinstance(value, bool) or value is None else spell_json(value)


def spell_python_all(value: Any) -> str:
    """A value as Python's ``str`` writes it, containers too."""
    return str(value)
