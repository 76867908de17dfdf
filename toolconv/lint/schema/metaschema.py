"""Whether a schema is certainly valid: one walk over it, while the metaschema of JSON Schema takes milliseconds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from toolconv.core.type_names import TYPES

DRAFTS: Final = frozenset(
    {
        "https://json-schema.org/draft/2020-12/schema",
        "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-07/schema#",
    }
)
"""The drafts in which the keywords of :data:`KEYWORDS` mean the same."""


DESCRIBED: Final = frozenset({"type", "description"})
"""The keywords of most parameters."""


def is_certainly_valid(schema: Any) -> bool:
    """Whether a schema certainly matches the metaschema of its draft; its references must be looked up separately."""
    if type(schema) is not dict:
        return type(schema) is bool
    for key, value in schema.items():
        check = _VALID.get(key)
        if check is not None and not check(value):
            return False
    return True


def _never(value: Any) -> bool:
    return False


def _is_list(value: Any) -> bool:
    return type(value) is list


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_reference(value: Any) -> bool:
    return type(value) is str and (value == "#" or value.startswith("#/"))


def _is_draft(value: Any) -> bool:
    return type(value) is str and value in DRAFTS


def _is_pattern(value: Any) -> bool:
    if type(value) is not str:
        return False
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_factor(value: Any) -> bool:
    return type(value) in (int, float) and value > 0


def _is_count(value: Any) -> bool:
    return type(value) in (int, float) and value >= 0 and value % 1 == 0  # 2.0 is an integer in JSON Schema


def _is_bool(value: Any) -> bool:
    return type(value) is bool


def _are_names(value: Any) -> bool:
    return type(value) is list and all(type(name) is str for name in value) and len(set(value)) == len(value)


def _are_named_names(value: Any) -> bool:
    return type(value) is dict and all(map(_are_names, value.values()))


def _are_types(value: Any) -> bool:
    if type(value) is str:
        return value in TYPES
    return bool(value) and _are_names(value) and all(name in TYPES for name in value)


def _are_schemas(value: Any) -> bool:
    return type(value) is list and bool(value) and all(map(is_certainly_valid, value))


def _are_named_schemas(value: Any) -> bool:
    if type(value) is not dict:
        return False
    for part in value.values():
        if type(part) is dict and part.keys() == DESCRIBED:  # most parameters: no call for each
            kind = part["type"]
            if type(kind) is str and kind in TYPES and type(part["description"]) is str:
                continue
        if not is_certainly_valid(part):
            return False
    return True


PLAIN: Final[dict[str, Callable[[Any], bool]]] = {
    **dict.fromkeys(("title", "description", "format", "$comment", "contentEncoding", "contentMediaType"), _is_text),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
    **dict.fromkeys(
        (
            "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains",
            "maxContains",
        ),
        _is_count,
    ),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _is_bool),
    **dict.fromkeys(("enum", "examples"), _is_list),
    "dependentRequired": _are_named_names,
    "multipleOf": _is_factor,
}  # fmt: skip
"""Checks for the values of keywords that hold neither schemas nor names: a value that fails is certainly invalid."""

_VALID: Final[dict[str, Callable[[Any], bool]]] = {
    **PLAIN,
    **dict.fromkeys(
        ("items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"), is_certainly_valid
    ),
    **dict.fromkeys(("anyOf", "oneOf", "allOf", "prefixItems"), _are_schemas),
    **dict.fromkeys(("properties", "$defs", "definitions"), _are_named_schemas),
    **dict.fromkeys(
        (
            "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary",
            "dependencies", "dependentSchemas", "unevaluatedItems", "unevaluatedProperties", "patternProperties",
            "contentSchema", "additionalItems",
        ),
        _never,
    ),
    "pattern": _is_pattern,
    "required": _are_names,
    "type": _are_types,
    "$ref": _is_reference,
    "$schema": _is_draft,
}  # fmt: skip
"""Checks for the values of the metaschema's keywords; other keywords may have any value."""

KEYWORDS: Final = frozenset({*_VALID, "const", "default"})
"""The keywords of JSON Schema; others assert nothing."""
