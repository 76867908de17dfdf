"""Type names that are not JSON Schema types, and what they mean: ``str``, ``dict``, ``"List[int], optional"``."""

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.metaschema import TYPES

ANY: Final = "any"

NAMES: Final = {
    **dict.fromkeys(("str", "text", "char", "varchar", "date", "datetime", "time", "timestamp", "url", "uri",
                     "email", "path", "uuid", "bytes", "enum"), "string"),
    **dict.fromkeys(("int", "long", "short", "int32", "int64", "bigint", "byte"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "numeric", "float32", "float64", "real", "complex"), "number"),
    **dict.fromkeys(("bool",), "boolean"),
    **dict.fromkeys(("dict", "map", "hashmap", "mapping", "json", "struct", "record"), "object"),
    **dict.fromkeys(("list", "tuple", "set", "arraylist", "sequence", "iterable", "vector"), "array"),
    **dict.fromkeys(("none", "nonetype", "nil", "undefined"), "null"),
    **dict.fromkeys(("any", "mixed", "unknown", "union"), ANY),
}  # fmt: skip

_OPTIONAL = lazy_re(r"(?<![,(\s])[,(\s]++(?:optional|required|default\b.{0,250}+)\)?$", re.IGNORECASE)
_OF = lazy_re(r"^([A-Za-z]+)\s*[\[<](.*)[\]>]$", re.DOTALL)


def meant(name: str) -> dict[str, Any] | None:
    """The schema that a type name means; ``None`` if that is unknown. ``{}`` is any type."""
    bare = _OPTIONAL.sub("", name.strip()).strip()
    low = bare.lower()
    if low in TYPES:
        return {"type": low}
    if low in NAMES:
        return {} if NAMES[low] == ANY else {"type": NAMES[low]}
    match = _OF.match(bare)
    if match is None:
        return meant(low.removesuffix("[]")) and _array(low.removesuffix("[]")) if low.endswith("[]") else None
    outer, inner = match[1].lower(), match[2]
    if outer == "optional":
        schema = meant(inner)
        return {**schema, "type": [schema["type"], "null"]} if schema and isinstance(schema.get("type"), str) else {}
    if outer == "literal":
        return {"type": "string"}
    if outer == "union":
        return {}
    if NAMES.get(outer) == "array" or outer == "array":
        return _array(inner) if "," not in inner or "[" in inner else {"type": "array"}
    return {"type": NAMES[outer]} if NAMES.get(outer) == "object" else None


def _array(item: str) -> dict[str, Any]:
    items = meant(item)
    return {"type": "array", "items": items} if items else {"type": "array"}


def mended(schema: Any) -> Any:
    """A schema with its type names converted to JSON Schema's; other existing keywords are kept."""
    if isinstance(schema, list):
        return [mended(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    result: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "type" and isinstance(value, str) and value not in TYPES:
            known = meant(value)
            if known is None:
                result[key] = value
            else:
                result.update({name: part for name, part in known.items() if name == "type" or name not in schema})
        elif key in ("properties", "$defs", "definitions", "patternProperties") and isinstance(value, dict):
            result[key] = {name: mended(part) for name, part in value.items()}
        elif key in ("items", "additionalProperties", "anyOf", "oneOf", "allOf", "prefixItems", "not"):
            result[key] = mended(value)
        else:
            result[key] = value
    return result


def is_flat(parameters: Any) -> bool:
    """Whether parameters are an object of parameters without an enclosing schema, as in xLAM."""
    if not isinstance(parameters, dict) or not parameters or isinstance(parameters.get("properties"), dict):
        return False
    parts = [part for name, part in parameters.items() if not (name == "required" and isinstance(part, list))]
    return bool(parts) and all(isinstance(part, dict) and ("type" in part or "description" in part) for part in parts)


def schema_of(parameters: Any) -> Any:
    """Parameters as a usable schema: flat ones are wrapped in an object schema, and type names are corrected."""
    if is_flat(parameters):
        required = parameters.get("required")
        names = {name: part for name, part in parameters.items() if name != "required" or not isinstance(part, list)}
        parameters = {"type": "object", "properties": names}
        if isinstance(required, list):
            parameters["required"] = required
    return mended(parameters)
