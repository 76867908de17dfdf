"""Quick checks: of values, by compiled schemas, and of schemas, by the metaschema.

Most schemas contain little more than names and types, and most arguments match them. A check returns ``True`` only if
that is certain; a validator decides everything else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import Any, Final

from toolconv.lint.formats import FORMATS
from toolconv.lint.patterns import Unaffordable, search

Check = Callable[[Any], bool]
"""Whether a value certainly matches a schema that declares all its keys; ``False`` if that is not certain."""

TYPES: Final = ("array", "boolean", "integer", "null", "number", "object", "string")

_WORDS: Final = frozenset({"description", "title", "default", "examples", "$schema"})
_ASSERTIONS: Final = frozenset(
    {"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}
    | {"format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_OBJECT: Final = frozenset({"properties", "required", "additionalProperties"})
_BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_SIZES: Final = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_SCALARS: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),  # excludes floats without a fraction, which a rule reports
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def _type_check(kind: type) -> Check:
    return lambda value: type(value) is kind


_TYPE_CHECKS: Final = {kind: _type_check(kind) for kind in (str, int, bool, type(None))}


def compile_check(schema: Any, *, assertions: bool = True) -> Check | None:
    """The check for a schema; ``None`` for one with more than names, types, bounds and patterns.

    Args:
        schema: any JSON value.
        assertions: check lengths, patterns, formats and bounds; ``False`` for values that a validator has accepted.
    """
    return _check_of(schema, _WORDS if assertions else _WORDS | _ASSERTIONS)


def _check_of(schema: Any, passed: frozenset[str]) -> Check | None:
    if not isinstance(schema, dict):
        return None
    keys = schema.keys() - passed
    if "format" in keys and not (isinstance(schema["format"], str) and schema["format"] in FORMATS):
        keys -= {"format"}  # which asserts nothing
    kind = schema.get("type")
    if keys == {"anyOf"}:
        return _any_of(schema["anyOf"], passed)
    if "enum" in keys:
        return _one_of(schema["enum"]) if keys == {"enum"} or (keys == {"type", "enum"} and kind == "string") else None
    if type(kind) is str and kind in _SIZES and not keys.isdisjoint(_SIZES[kind]):
        return _sized(schema, _SIZES[kind], passed)
    keys -= {"type"}
    if kind == "object":
        return _object(schema, passed) if keys <= _OBJECT else None
    if kind == "array":
        return _array(schema["items"], passed) if keys == {"items"} else None if keys else _is_list
    if kind == "string" and keys == {"pattern"}:
        return _matching(schema["pattern"])
    if kind == "string" and keys == {"format"}:
        return _of_format(schema["format"])
    if kind in ("integer", "number") and keys and keys <= _BOUNDS:
        return _number(kind, schema)
    if keys:
        return None
    return _scalar(kind) if "type" in schema else _always


def _sized(schema: dict[str, Any], names: tuple[str, str], passed: frozenset[str]) -> Check | None:
    """The check for a schema that limits the length of a value."""
    least, most = schema.get(names[0], 0), schema.get(names[1], inf)
    check = _check_of({key: value for key, value in schema.items() if key not in names}, passed)
    if check is None or type(least) is not int or (type(most) is not int and most != inf):
        return None
    return lambda value: check(value) and least <= len(value) <= most


def _matching(pattern: Any) -> Check | None:
    if type(pattern) is not str:
        return None

    def fits(value: Any) -> bool:
        try:
            return type(value) is str and search(pattern, value)
        except (re.error, Unaffordable):
            return False

    return fits


def _of_format(name: str) -> Check:
    check = FORMATS[name][0]
    return lambda value: type(value) is str and check(value)


def _number(kind: str, schema: dict[str, Any]) -> Check | None:
    types = _SCALARS[kind]
    least, most = schema.get("minimum", -inf), schema.get("maximum", inf)
    above, below = schema.get("exclusiveMinimum", -inf), schema.get("exclusiveMaximum", inf)
    if any(type(bound) not in (int, float) for bound in (least, most, above, below)):
        return None
    return lambda value: type(value) in types and least <= value <= most and above < value < below


def _scalar(kind: Any) -> Check | None:
    names = kind if isinstance(kind, list) else [kind]
    if not names or not all(isinstance(name, str) and name in _SCALARS for name in names):
        return None
    types = frozenset(each for name in names for each in _SCALARS[name])
    if len(types) == 1:
        return _TYPE_CHECKS[next(iter(types))]
    return lambda value: type(value) in types


def _one_of(values: Any) -> Check | None:
    if not isinstance(values, list) or not values or not all(isinstance(each, str) for each in values):
        return None
    known = frozenset(values)
    return lambda value: type(value) is str and value in known


def _any_of(schemas: Any, passed: frozenset[str]) -> Check | None:
    if not isinstance(schemas, list) or not schemas:
        return None
    checks = [check for each in schemas if (check := _check_of(each, passed)) is not None]
    if len(checks) < len(schemas):
        return None
    return lambda value: any(check(value) for check in checks)


def _array(items: Any, passed: frozenset[str]) -> Check | None:
    check = _check_of(items, passed)
    if check is None:
        return None
    return lambda value: type(value) is list and all(map(check, value))


def _object(schema: dict[str, Any], passed: frozenset[str]) -> Check | None:
    if _OBJECT.isdisjoint(schema):
        return _is_object
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or schema.get("additionalProperties", False) is not False:
        return None
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return None
    checks = {name: check for name, part in properties.items() if (check := _check_of(part, passed)) is not None}
    if len(checks) < len(properties):
        return None
    types = {name: kind for name, check in checks.items() for kind, own in _TYPE_CHECKS.items() if check is own}
    needed = frozenset(required)

    def fits(value: Any) -> bool:
        if type(value) is not dict or not value.keys() >= needed:
            return False
        for name, member in value.items():
            if type(member) is not types.get(name) and not checks.get(name, _never)(member):
                return False
        return True

    return fits


def _never(value: Any) -> bool:
    """The check for a key that the schema doesn't declare."""
    return False


def _always(value: Any) -> bool:
    return True


def _is_object(value: Any) -> bool:
    return type(value) is dict


def _is_list(value: Any) -> bool:
    return type(value) is list


# ── schemas themselves ──────────────────────────────────────────────────────────────────────────


def is_certainly_valid(schema: Any) -> bool:
    """Whether a schema certainly matches the metaschema of draft 2020-12, and all its references are resolvable."""
    if type(schema) is not dict:
        return type(schema) is bool
    for key, value in schema.items():  # noqa: SIM110 - faster than all()
        if not _VALID.get(key, _always)(value):
            return False
    return True


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_bool(value: Any) -> bool:
    return type(value) is bool


def _are_names(value: Any) -> bool:
    return type(value) is list and all(type(name) is str for name in value) and len(set(value)) == len(value)


def _are_types(value: Any) -> bool:
    if type(value) is str:
        return value in TYPES
    return bool(value) and _are_names(value) and all(name in TYPES for name in value)


def _are_schemas(value: Any) -> bool:
    return type(value) is list and bool(value) and all(map(is_certainly_valid, value))


def _are_named_schemas(value: Any) -> bool:
    return type(value) is dict and all(map(is_certainly_valid, value.values()))


_VALID: Final[dict[str, Check]] = {
    **dict.fromkeys(("title", "description", "format", "$comment"), _is_text),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is_count),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _is_bool),
    **dict.fromkeys(("items", "additionalProperties", "not", "contains", "propertyNames"), is_certainly_valid),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), _are_schemas),
    **dict.fromkeys(("enum", "examples"), _is_list),
    **dict.fromkeys(
        (
            "$schema", "$id", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor",
            "$vocabulary", "$defs", "definitions", "dependencies", "dependentSchemas", "dependentRequired", "if",
            "then", "else", "unevaluatedItems", "unevaluatedProperties", "multipleOf", "pattern", "patternProperties",
            "minContains", "maxContains", "contentEncoding", "contentMediaType", "contentSchema",
        ),
        _never,
    ),
    "properties": _are_named_schemas,
    "required": _are_names,
    "type": _are_types,
}  # fmt: skip
"""Checks for the values of the metaschema's keywords; other keywords may have any value."""
