"""Flat parameters of tools: one object per parameter with Python's types, as in xLAM, read as JSON Schema and written.

Source: dataset card of Salesforce/xlam-function-calling-60k.
"""

from __future__ import annotations

import re
from typing import Any

from toolconv.core.lazy_re import lazy_re
from toolconv.core.notes import Notes
from toolconv.core.rows import same
from toolconv.core.type_names import meant


def is_flat(parameters: Any) -> bool:
    """Whether ``parameters`` are one object per parameter, not JSON Schema."""
    if not isinstance(parameters, dict) or isinstance(parameters.get("type"), str):
        return False
    properties = parameters.get("properties")
    if isinstance(properties, dict) and not isinstance(properties.get("type"), str):
        return False
    return all(isinstance(definition, dict) for definition in parameters.values())


def schema_of(parameters: dict[str, Any], *, marked: bool = False, given: list[Any] | None = None) -> dict[str, Any]:
    """Flat parameters as JSON Schema.

    Args:
        parameters: one object per parameter.
        marked: required parameters are marked; otherwise optional ones are.
        given: the names of the required parameters, if they are listed.
    """
    properties: dict[str, Any] = {}
    required: list[Any] = []
    for name, definition in parameters.items():
        properties[name], optional = _property(definition)
        if definition.get("required") is True if marked else not optional:
            required.append(name)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = required if given is None else given
    if required:
        schema["required"] = required
    return schema


def _property(definition: dict[str, Any]) -> tuple[dict[str, Any], bool]:
    """The schema of a parameter, and whether its type marks it as optional."""
    result: dict[str, Any] = {}
    optional = False
    for key, value in definition.items():
        if key == "type" and isinstance(value, str):
            text, optional = _bare_type(value)
            kind = meant(text) or {}
            result.update({word: kept for word, kept in kind.items() if word == "type" or word not in definition})
            if _normal(spell_type(kind)[0]) != _normal(text):
                result["x-type"] = text
        elif key != "required" or not isinstance(value, bool):
            result[key] = value
    return result, optional


def flattened(parameters: dict[str, Any], notes: Notes) -> dict[str, Any]:
    """The flat parameters of a schema; the schema itself if they would not be read back to it."""
    properties = parameters.get("properties", {})
    required = parameters.get("required", [])
    if not parameters.keys() <= {"type", "properties", "required"} or not isinstance(properties, dict):
        return parameters
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return parameters
    if not all(isinstance(schema, dict) for schema in properties.values()):
        return parameters
    flat = {name: _definition(schema, name in required) for name, schema in properties.items()}
    again = schema_of(flat) if is_flat(flat) else parameters
    if again is parameters or not same(again["properties"], properties):
        return parameters
    if set(again.get("required", ())) != set(required):
        return parameters
    if not same(again, parameters):
        notes.losses.append("schema_form")
    return flat


def _definition(schema: dict[str, Any], required: bool) -> dict[str, Any]:
    text, used = spell_type(schema)
    if "x-type" in schema:
        text, used = str(schema["x-type"]), used | {"x-type", "type"}
    suffix = "" if required else ", optional"
    result: dict[str, Any] = {}
    if "type" not in schema and (text != "any" or suffix):
        result["type"] = text + suffix
    for key, value in schema.items():
        if key == "type":
            result["type"] = text + suffix
        elif key not in used:
            result[key] = value
    return result


# ── types ──

WORDS = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "object": "dict", "array": "list",
    "null": "none",
}  # fmt: skip
"""JSON Schema's types in Python's words, which xLAM writes."""
_OPTIONAL = lazy_re(r"(.*\S)\s*,\s*optional\s*", re.DOTALL)


def _bare_type(text: str) -> tuple[str, bool]:
    match = _OPTIONAL.fullmatch(text)
    return (match[1], True) if match else (text, False)


def _normal(text: str) -> str:
    """A type's name in one form: case, spaces, and JSON Schema's or Python's words make no difference."""
    text = re.sub(r"\s", "", text).lower().replace("(", "[").replace(")", "]")
    return re.sub(r"\w+", lambda word: WORDS.get(word[0], word[0]), text)


def spell_type(schema: dict[str, Any]) -> tuple[str, set[str]]:
    """The Python type of a schema, and the keywords that it expresses."""
    kind = schema.get("type")
    if isinstance(kind, list) and len(kind) > 1 and all(isinstance(word, str) and word in WORDS for word in kind):
        names = [WORDS[word] for word in kind]
        if len(names) == 2 and names[1] == "none":
            return f"Optional[{names[0]}]", {"type"}
        return f"Union[{', '.join(names)}]", {"type"}
    if not isinstance(kind, str):
        return "any", {"type"} if kind is None else set()
    for word, keyword, form in (("array", "items", "List[{}]"), ("object", "additionalProperties", "Dict[str, {}]")):
        inner = schema.get(keyword)
        if kind == word and isinstance(inner, dict) and inner:
            text, used = spell_type(inner)
            if inner.keys() <= used and text != "any":
                return form.format(text), {"type", keyword}
    return WORDS.get(kind, kind), {"type"}
