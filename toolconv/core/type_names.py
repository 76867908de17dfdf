"""The types of JSON Schema: that of a value, and those that other names mean: ``str``, ``"List[int], optional"``."""

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re

TYPES: Final = ("null", "integer", "number", "boolean", "object", "array", "string")
"""JSON Schema's types, from the narrowest to the widest for a value in text."""

_OF_VALUES: Final[dict[type, str]] = {
    str: "string", bool: "boolean", int: "integer", float: "number", dict: "object", list: "array", type(None): "null",
}  # fmt: skip

ANY: Final = "any"

NAMES: Final = {
    **dict.fromkeys(("str", "text", "char", "character", "varchar", "date", "datetime", "time", "timestamp", "url",
                     "uri", "email", "path", "uuid", "bytes", "enum"), "string"),
    **dict.fromkeys(("int", "long", "short", "int32", "int64", "uint", "bigint", "byte"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric", "float32", "float64", "real", "complex"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("dict", "map", "hashmap", "hashtable", "mapping", "json", "struct", "record"), "object"),
    **dict.fromkeys(("list", "arr", "arraylist", "tuple", "set", "sequence", "iterable", "vector", "stack", "queue"),
                    "array"),
    **dict.fromkeys(("none", "nonetype", "nil", "undefined"), "null"),
    **dict.fromkeys((ANY, "mixed", "unknown", "union"), ANY),
    **{name: name for name in TYPES},
}  # fmt: skip
"""The JSON Schema type that each name stands for, in lower case. Sources: Python, Java, JavaScript, SQL and Go,
in the tools of xLAM, ToolACE, API-Bank, BFCL and ACEBench."""

_OPTIONAL = lazy_re(r"(?<![,(\s])[,(\s]++(?:optional|required|default\b.{0,250}+)\)?$", re.IGNORECASE)
_OF = lazy_re(r"([A-Za-z]+)\s*[\[<(](.*)[\]>)]", re.DOTALL)
_OPENING, _CLOSING = "[<(", "]>)"


def type_of(value: Any) -> str:
    """The JSON Schema type of a value: ``1.0`` is a number, ``1`` an integer; of other values, Python's name."""
    kind = type(value)
    found = _OF_VALUES.get(kind)
    return found or next((_OF_VALUES[base] for base in kind.__mro__ if base in _OF_VALUES), kind.__name__)


def meant(name: str) -> dict[str, Any] | None:
    """The schema that a name of a type means; ``{}`` is any type, ``None`` an unknown name."""
    bare = _OPTIONAL.sub("", name.strip()).strip()
    kind = NAMES.get(bare.lower())
    if kind is not None:
        return {} if kind == ANY else {"type": kind}
    if bare.endswith("[]"):
        return None if (item := meant(bare[:-2])) is None else _array(item)
    match = _OF.fullmatch(bare)
    if match is None:
        return None
    outer, inner = match[1].lower(), _split(match[2])
    if outer in ("optional", "union"):
        return _union([meant(part) for part in inner], optional=outer == "optional")
    if outer == "literal":
        return {"type": "string"} if all(part[:1] in ("'", '"') for part in inner) else {}
    kind = NAMES.get(outer)
    if kind == "array":
        return _array(meant(inner[0])) if len(inner) == 1 else {"type": kind}
    if kind == "object":
        values = meant(inner[1]) if len(inner) == 2 and meant(inner[0]) == {"type": "string"} else None
        return {"type": kind, "additionalProperties": values} if values else {"type": kind}
    return {"type": kind} if kind == "string" else None


def _array(items: dict[str, Any] | None) -> dict[str, Any]:
    return {"type": "array", "items": items} if items else {"type": "array"}


def _union(parts: list[dict[str, Any] | None], *, optional: bool) -> dict[str, Any]:
    """The schema of any of several types; any type at all where one of them is more than its name."""
    kinds = [part.get("type") if part is not None and len(part) == 1 else None for part in parts]
    names = [kind for kind in kinds if isinstance(kind, str)]
    return {"type": [*names, "null"] if optional else names} if len(names) == len(kinds) else {}


def _split(text: str) -> list[str]:
    """A list of types, split at commas outside brackets."""
    parts, depth = [""], 0
    for char in text:
        depth += (char in _OPENING) - (char in _CLOSING)
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts]
