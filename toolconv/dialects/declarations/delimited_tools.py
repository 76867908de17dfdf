"""Tools declared as Gemma's templates do: ``declaration:f{description:<d>…<d>,parameters:{…}}``, strings delimited.

Types are in capitals, lists of types as Python prints a list. Only the keys that the templates know are written for a
parameter: description, enumerations of texts, items, members, required members, and whether null is allowed (Gemma 4
only). A parameter named like one of these keys is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core import jsontext, lenient_json
from toolconv.core.facts import Facts
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.declarations.schemas import mapping, properties_of, required_of
from toolconv.dialects.values.delimited import BareNumber, read_members

_SCHEMA_KEYS: Final = frozenset({"description", "type", "properties", "required", "nullable"})
_HEAD: Final = lazy_re(r"declaration:([^{\n]+)\{")


class DelimitedTools(Facts):
    """The wording of one family.

    Attributes:
        delimiter: the text before and after a string.
        between: the text between two declarations.
        all_described: parameters without a description get an empty one, and ``nullable`` is left out.
    """

    delimiter: str
    between: str
    all_described: bool = False

    # ── writing ──

    def write(self, tool: Tool) -> str:
        """One declaration."""
        function = function_of(tool) or {}
        parts = [f"description:{self._text(function.get('description') or '')}"]
        if schema := mapping(function.get("parameters")):
            members = "".join(f"{part}," for part in self._members(schema))
            kind = f"type:{self._text(_kind(schema))}}}" if schema.get("type") else ""
            parts.append(f"parameters:{{{members}{kind}")  # without a type it is never closed
        return f"declaration:{function.get('name')}{{{','.join(parts)}}}"

    def _parameters(self, properties: dict[str, Any]) -> str:
        return ",".join(
            f"{name}:{{{','.join(self._parameter(mapping(properties[name])))}}}"
            for name in sorted(properties, key=str.lower)
            if name not in _SCHEMA_KEYS
        )

    def _parameter(self, schema: dict[str, Any]) -> Iterator[str]:
        """The facts of a parameter or a member."""
        kind = _kind(schema)
        if schema.get("description") or self.all_described:
            yield f"description:{self._text(schema.get('description') or '')}"
        if kind == "STRING" and schema.get("enum"):
            yield f"enum:{self._value(schema['enum'])}"
        if kind == "ARRAY" and (items := mapping(schema.get("items"))):
            yield f"items:{{{','.join(self._items(items))}}}"
        if schema.get("nullable") and not self.all_described:
            yield "nullable:true"
        if kind == "OBJECT":
            # without ``properties``, the template treats the keys of the schema itself as members
            properties = schema.get("properties")
            members = properties if isinstance(properties, dict) else schema
            yield f"properties:{{{self._parameters(members)}}}"
            if required := required_of(schema):
                yield f"required:{self._value(required)}"
        yield f"type:{self._text(kind)}"

    def _members(self, schema: dict[str, Any]) -> Iterator[str]:
        if properties := properties_of(schema):
            yield f"properties:{{{self._parameters(properties)}}}"
        if required := required_of(schema):
            yield f"required:{self._value(required)}"

    def _items(self, schema: dict[str, Any]) -> Iterator[str]:
        """The facts of a list's items: all of their schema."""
        for key in sorted(schema, key=str.lower):
            value = schema[key]
            if key == "properties":
                yield f"properties:{{{self._parameters(mapping(value))}}}"
            elif key == "type":
                kinds = [str(kind).upper() for kind in value] if isinstance(value, list) else _kind(schema)
                yield f"type:{self._value(kinds)}"
            elif value is not None:
                yield f"{key}:{self._value(value)}"

    def _text(self, text: str) -> str:
        return f"{self.delimiter}{text}{self.delimiter}"

    def _value(self, value: Any) -> str:
        """A value. Keys are delimited, too."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, bool):
            return jsontext.spaced(value)
        if isinstance(value, dict):
            members = (f"{self._text(key)}:{self._value(value[key])}" for key in sorted(value, key=str.lower))
            return f"{{{','.join(members)}}}"
        if isinstance(value, list):
            return f"[{','.join(map(self._value, value))}]"
        return str(value)

    # ── reading ──

    def read(self, text: str) -> list[Tool]:
        """The tools of consecutive declarations; none if one of them can't be read."""
        tools: list[Tool] = []
        at = 0
        try:
            while (head := _HEAD.match(text, at)) is not None:
                facts = read_members(text, head.end() - 1, self.delimiter)
                tools.append({"type": "function", "function": {"name": head[1], **_function(facts.value)}})
                if facts.end == len(text):
                    return tools
                if not text.startswith(self.between, facts.end):
                    break
                at = facts.end + len(self.between)
        except lenient_json.Unreadable:
            pass
        return []


def _kind(schema: dict[str, Any]) -> str:
    """The type of a schema in capitals; a list of types as Python prints it, in capitals."""
    return str(schema.get("type") or "").upper()


def _function(facts: dict[str, Any]) -> dict[str, Any]:
    function: dict[str, Any] = {"description": str(facts.get("description") or "")}
    if isinstance(facts.get("parameters"), dict):
        function["parameters"] = _schema({"properties": {}, **facts["parameters"]})
    return function


def _schema(facts: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a parameter from the facts that were written."""
    schema: dict[str, Any] = {}
    if facts.get("type"):
        schema["type"] = _types(facts["type"])
    for key, value in facts.items():
        if key == "properties" and isinstance(value, dict):
            schema[key] = {name: _schema(mapping(member)) for name, member in value.items()}
        elif key == "items" and isinstance(value, dict):
            schema[key] = _schema(value)
        elif key != "type" and value != "":
            schema[key] = _plain(value)
    return schema


def _types(kind: Any) -> Any:
    """One type or several, in lower case."""
    if isinstance(kind, list):
        return [str(one).lower() for one in kind]
    kinds = str(kind).lower()
    if not kinds.startswith("["):
        return kinds
    try:
        return lenient_json.read(kinds).value
    except lenient_json.Unreadable:
        return kinds


def _plain(value: Any) -> Any:
    """A value with ordinary strings."""
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, BareNumber):
        return lenient_json.number(value)
    return str(value) if isinstance(value, str) else value
