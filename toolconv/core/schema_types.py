"""The JSON types that a schema allows, and its parts, looked up through ``$ref`` and alternatives."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final
from warnings import filterwarnings

from toolconv.core.json_pointer import target_of
from toolconv.core.type_names import ANY, TYPES, meant, type_of

SCHEMAS_BY_NAME: Final = ("properties", "patternProperties", "$defs", "definitions")
"""Keywords whose values are schemas by name."""
UNIONS: Final = ("anyOf", "oneOf", "allOf")
INNER_SCHEMAS: Final = ("items", "prefixItems", "additionalProperties", *UNIONS, "not")
"""Keywords whose values are a schema, or a list of schemas."""

_NUMBERS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def accept_patterns() -> None:
    """Keep Python from warning of patterns such as ``[[:alpha:]]``: here they come from the data."""
    filterwarnings("ignore", "Possible ", FutureWarning, r"(toolconv|jsonschema)\.")


_ALONE = {kind: frozenset((kind,)) for kind in TYPES}
_MORE_TYPES = frozenset(("$ref", *UNIONS, "nullable"))


def types_of(schema: Any, root: Any, depth: int = 0) -> frozenset[str] | None:
    """The JSON types that a schema allows; ``None`` if it does not restrict them.

    Args:
        schema: the schema of a value.
        root: the whole schema, for ``$ref``.
        depth: how many references and alternatives lead to it.
    """
    if not isinstance(schema, dict) or depth > 16:
        return None
    kind = schema.get("type")
    if type(kind) is str and (alone := _ALONE.get(kind)) is not None and _MORE_TYPES.isdisjoint(schema):
        return alone
    if isinstance(schema.get("$ref"), str):
        return types_of(target_of(root, schema["$ref"]), root, depth + 1)
    found: set[str] = set()
    kinds = schema.get("type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if isinstance(kind, str):
            found |= _named(kind)
    for value in [*_list(schema.get("enum")), *([schema["const"]] if "const" in schema else [])]:
        if not found or kinds is None:
            found.add(type_of(value))
    for keyword in UNIONS:
        for branch in _list(schema.get(keyword)):
            found |= types_of(branch, root, depth + 1) or set()
    if schema.get("nullable") is True:
        found.add("null")
    if not found or ANY in found:
        return None
    return frozenset(found)


@lru_cache(1024)
def _named(name: str) -> frozenset[str]:
    """The JSON types that the name of a type means; the name itself where it is unknown."""
    schema = meant(name)
    if schema is None:
        return frozenset((name.strip().lower(),))
    kinds = schema.get("type", ANY)
    return frozenset(kinds if isinstance(kinds, list) else (kinds,))


def allows(schema: Any, value: Any, root: Any = None, depth: int = 0) -> bool:
    """Whether a schema names all members of ``value`` and allows their types; false without a schema."""
    if not isinstance(schema, dict) or not schema:
        return False
    root = schema if root is None else root
    kinds = types_of(schema, root)
    kind = type_of(value)
    if kinds is not None and kind not in kinds and not (kind == "integer" and "number" in kinds):
        return False
    if depth > 16:
        return True
    if kind == "object":
        members = subschema(schema, root, "properties")
        return not members or all(
            key in members and (not members[key] or allows(members[key], each, root, depth + 1))
            for key, each in value.items()
        )
    items = subschema(schema, root, "items") if kind == "array" else {}
    return not items or all(allows(items, each, root, depth + 1) for each in value)


def subschema(schema: Any, root: Any, keyword: str, depth: int = 0) -> dict[str, Any]:
    """The object under ``properties`` or ``items`` of a schema, also through ``$ref`` and in alternatives."""
    if not isinstance(schema, dict) or depth > 16:
        return {}
    if isinstance(found := schema.get(keyword), dict):
        return found
    referred = [target_of(root, schema["$ref"])] if isinstance(schema.get("$ref"), str) else []
    branches = [branch for name in UNIONS for branch in _list(schema.get(name))]
    found = {}
    for branch in (*referred, *branches):
        found = {**subschema(branch, root, keyword, depth + 1), **found}
    return found


def without_odd_values(schema: Any, odd: list[str]) -> Any:
    """A schema without the keys whose values are of another kind than JSON Schema's, which are added to ``odd``."""
    if isinstance(schema, list):
        return [without_odd_values(each, odd) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {}
    for key, each in schema.items():
        if not _may_hold(key, each):
            odd.append(key)
        elif key in SCHEMAS_BY_NAME:
            result[key] = {name: without_odd_values(inner, odd) for name, inner in each.items()}
        else:
            result[key] = without_odd_values(each, odd) if key in INNER_SCHEMAS else each
    return result


def _may_hold(key: str, value: Any) -> bool:
    """Whether a key of a schema may have a value of this kind; any key that toolconv doesn't look into may."""
    if key in ("type", "required"):
        texts = isinstance(value, list) and all(isinstance(each, str) for each in value)
        return texts or (key == "type" and isinstance(value, str))
    if key in ("enum", *UNIONS):
        return isinstance(value, list)
    if key in SCHEMAS_BY_NAME:
        return isinstance(value, dict)
    return key not in _NUMBERS or isinstance(value, int | float)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
