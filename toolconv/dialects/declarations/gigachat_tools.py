"""Tools declared as TypeScript functions in nested, indented types: the wording of GigaChat 3 and 3.1.

    // Book a room.
    type book = (_: {
      // Start of the stay
      // format: "date"
      from: Date,
      nights?: number, // default: 1
    }) => any;

Integers become numbers, and types that TypeScript has no word for become ``any``. Bounds, formats and patterns are
comments, and so are descriptions, without their blank lines.
"""

from __future__ import annotations

import ast
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.declarations.schemas import NotAListing, mapping, properties_of, required_of

COMMENTED: Final = ("format", "maxItems", "maximum", "minItems", "minimum", "pattern")
"""The keys of a schema that are written as comments."""

STEP: Final = "  "

_HEAD: Final = lazy_re(r"(?P<comments>(?://[^\n]*\n)*)type (?P<name>\S+) = ")
_MEMBER: Final = lazy_re(r"(?P<comments>(?: *//[^\n]*\n)*) *(?:\[key: string\]|(?P<name>[^\s:?]+?)(?P<optional>\?)?): ")
_CLOSE: Final = lazy_re(r" *\}")
_NUMBER: Final = r"-?[0-9][0-9.e+-]*"
_WORD: Final = lazy_re(
    r'(?P<texts>"[^"\n]*"(?: \| "[^"\n]*")*)|(?P<list>Array<any>)|(?P<word>string|Date|number|boolean|any)\b'
    rf"|(?P<numbers>{_NUMBER}(?: \| {_NUMBER})*)"
)
_SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "string": {"type": "string"},
    "Date": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "any": {},
}
_DEFAULT: Final = lazy_re(r" // default: ([^\n]*)")

# ── writing ──


def write_tool(tool: Tool) -> str:
    """One tool."""
    function = function_of(tool) or {}
    schema, returned = mapping(function.get("parameters")), mapping(function.get("return_parameters"))
    parameters = f"_: {_type(schema, STEP)}" if schema.get("properties") else ""
    result = _type(returned, STEP) if returned.get("properties") else "any"
    return f"{_comments(function, '')}type {function.get('name')} = ({parameters}) => {result};"


def _comments(described: dict[str, Any], indent: str) -> str:
    lines = str(described.get("description") or "").split("\n")
    return "".join(f"{indent}// {line}\n" for line in lines if line.strip())


def _type(schema: dict[str, Any], indent: str) -> str:
    kind, values = schema.get("type"), schema.get("enum")
    if kind == "object":
        return _object(schema, indent)
    if kind == "string":
        if isinstance(values, list) and values:
            return " | ".join(f'"{value}"' for value in values)
        return "Date" if schema.get("format") in ("date-time", "date") else "string"
    if kind in ("number", "integer"):
        return " | ".join(map(str, values)) if isinstance(values, list) and values else "number"
    if kind == "array":
        return _type(mapping(schema["items"]), indent) + "[]" if "items" in schema else "Array<any>"
    return "boolean" if kind == "boolean" else "any"


def _object(schema: dict[str, Any], indent: str) -> str:
    required, lines = required_of(schema), ""
    for name, member in properties_of(schema).items():
        lines += _comments(member, indent)
        for key, value in member.items():
            if key in COMMENTED:
                lines += f"{indent}// {key}: {_literal(value)}\n"
        lines += f"{indent}{name}{'' if name in required else '?'}: {_type(member, indent + STEP)},"
        if "default" in member:
            lines += f" // default: {_literal(member['default'])}"
        lines += "\n"
    more = schema.get("additionalProperties")
    if more is True or isinstance(more, dict):
        lines += f"{indent}[key: string]: {_type(mapping(more), indent + STEP)}\n"
    return f"{{\n{lines}{indent.removesuffix(STEP)}}}"


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


# ── reading ──


def read_tools(text: str) -> list[Tool]:
    """The tools of a listing; none if any part of it can't be read."""
    tools: list[Tool] = []
    at = 0
    try:
        while (head := _HEAD.match(text, at)) is not None:
            function: dict[str, Any] = {"name": head["name"], **_commented(head["comments"], ())}
            schema: dict[str, Any] = {"type": "object", "properties": {}}
            at = _after(text, head.end(), "(")
            if text.startswith("_: ", at):
                schema, at = _read_type(text, at + len("_: "))
            at = _after(text, at, ") => ")
            returned, at = _read_type(text, at)
            at = _after(text, at, ";")
            function["parameters"] = schema
            if returned:
                function["return_parameters"] = returned
            tools.append({"type": "function", "function": function})
            if at == len(text):
                return tools
            at = _after(text, at, "\n\n")
    except (NotAListing, RecursionError):
        pass
    return []


def _after(text: str, at: int, literal: str) -> int:
    if not text.startswith(literal, at):
        raise NotAListing
    return at + len(literal)


def _read_type(text: str, at: int) -> tuple[dict[str, Any], int]:
    """The schema of the type that begins at ``at``, and where it ends."""
    schema: dict[str, Any]
    if text.startswith("{\n", at):
        schema, at = _read_object(text, at + 2)
    elif (match := _WORD.match(text, at)) is None:
        raise NotAListing
    else:
        at = match.end()
        if match["texts"]:
            schema = {"type": "string", "enum": match["texts"][1:-1].split('" | "')}
        elif match["numbers"]:
            schema = {"type": "number", "enum": [_value(number) for number in match["numbers"].split(" | ")]}
        else:
            schema = {"type": "array"} if match["list"] else dict(_SCHEMAS[match["word"]])
    while text.startswith("[]", at):
        schema, at = {"type": "array", "items": schema}, at + len("[]")
    return schema, at


def _read_object(text: str, at: int) -> tuple[dict[str, Any], int]:
    schema: dict[str, Any] = {"type": "object"}
    while (close := _CLOSE.match(text, at)) is None:
        head = _MEMBER.match(text, at)
        if head is None:
            raise NotAListing
        member, at = _read_type(text, head.end())
        if head["name"] is None:
            schema["additionalProperties"] = member or True
        else:
            at = _after(text, at, ",")
            member |= _commented(head["comments"], COMMENTED)
            if (default := _DEFAULT.match(text, at)) is not None:
                member["default"], at = _value(default[1]), default.end()
            schema.setdefault("properties", {})[head["name"]] = member
            if not head["optional"]:
                schema.setdefault("required", []).append(head["name"])
        at = _after(text, at, "\n")
    return schema, close.end()


def _commented(text: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """The description that comments hold, and the values of the schema's ``keys``."""
    found: dict[str, Any] = {}
    lines = []
    for line in text.splitlines():
        words = line.lstrip(" ").removeprefix("// ")
        key, colon, value = words.partition(": ")
        if colon and key in keys:
            found[key] = _value(value)
        else:
            lines.append(words)
    return {"description": "\n".join(lines), **found} if lines else found


def _value(text: str) -> Any:
    """A string between quotes, or what Python prints."""
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise NotAListing from None
