"""Schemas with the names of types that JSON Schema has: ``str`` becomes ``string``."""

from __future__ import annotations

from typing import Any

from toolconv.core.flat_parameters import is_flat as are_flat
from toolconv.core.schema_types import INNER_SCHEMAS, SCHEMAS_BY_NAME
from toolconv.core.type_names import TYPES, meant


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
        elif key in SCHEMAS_BY_NAME and isinstance(value, dict):
            result[key] = {name: mended(part) for name, part in value.items()}
        elif key in INNER_SCHEMAS:
            result[key] = mended(value)
        else:
            result[key] = value
    return result


def is_flat(parameters: Any) -> bool:
    """Whether parameters are flat, as in xLAM, possibly with a list of required ones, and say what they are."""
    if not isinstance(parameters, dict) or isinstance(parameters.get("properties"), dict):
        return False
    parts = {name: part for name, part in parameters.items() if name != "required" or not isinstance(part, list)}
    return bool(parts) and are_flat(parts) and all("type" in part or "description" in part for part in parts.values())


def schema_of(parameters: Any) -> Any:
    """Parameters as a usable schema: flat ones are wrapped in an object schema, and type names are corrected."""
    if is_flat(parameters):
        required = parameters.get("required")
        names = {name: part for name, part in parameters.items() if name != "required" or not isinstance(part, list)}
        parameters = {"type": "object", "properties": names}
        if isinstance(required, list):
            parameters["required"] = required
    return mended(parameters)
