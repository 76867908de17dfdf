"""Tools declared as TypeScript functions, their descriptions as comments: the wording of gpt-oss and Apertus.

    // Current weather of a city.
    type get_weather = (_: {
    // City name
    city: string,
    unit?: "celsius" | "fahrenheit", // default: celsius,
    }) => any;

Integers become numbers. Bounds, formats, patterns and descriptions of members are left out, since TypeScript can't
express them. Alternatives (``oneOf``) are written, but not read.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.facts import Facts
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.declarations.schemas import NotAListing, mapping, properties_of, required_of

_PLAIN: Final = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "object": "object"}
_SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object"},
    "any": {},
}
_INDENT: Final = "\n" + 16 * " "
"""The text before the type of an object's member."""

_LONGEST_ITEM: Final = 50
"""The longest item type that is written; longer ones become ``any``."""

_HEAD: Final = lazy_re(
    r"(?:// (?P<description>.*?)\n)?type (?P<name>\S+) = (?:(?P<none>\(\) => any;)|\(_: \{\n)", re.DOTALL
)
_TAIL: Final = "}) => any;"
_MEMBER: Final = lazy_re(r"(?:// (?P<description>.*?)\n)?(?P<name>[^\s:?]+)(?P<optional>\?)?: \s*", re.DOTALL)
_ENUM: Final = lazy_re(r'"[^"\n]*"(?: \| "[^"\n]*")*')
_WORDS: Final = lazy_re(r"[a-z]+(?: \| [a-z]+)*")
_DEFAULT: Final = lazy_re(r", // default: (?P<value>[^\n]*?)(?=,?\n)")


class TypeScriptTools(Facts):
    """The wording of one family.

    Attributes:
        between: the text between two tools.
        last: the text after the last parameter of a tool.
    """

    between: str
    last: str

    # ── writing ──

    def write(self, tool: Tool) -> str:
        """One tool."""
        function = function_of(tool) or {}
        schema = mapping(function.get("parameters"))
        properties, required = properties_of(schema), required_of(schema)
        head = f"// {function.get('description') or ''}\ntype {function.get('name')} = "
        if not properties:
            return f"{head}() => any;"
        members = [_member(name, member, name in required) for name, member in properties.items()]
        return f"{head}(_: {{\n" + ",\n".join(members) + f"{self.last}\n{_TAIL}"

    # ── reading ──

    def read(self, text: str) -> list[Tool]:
        """The tools of a listing; none if any part of it can't be read."""
        tools: list[Tool] = []
        at = 0
        try:
            while (head := _HEAD.match(text, at)) is not None:
                schema: dict[str, Any] = {"type": "object", "properties": {}}
                at = head.end() if head["none"] else self._parameters(text, head.end(), schema)
                described = {} if head["description"] is None else {"description": _uncommented(head["description"])}
                function = {"name": head["name"], **described, "parameters": schema}
                tools.append({"type": "function", "function": function})
                if at == len(text):
                    return tools
                if not text.startswith(self.between, at):
                    break
                at += len(self.between)
        except NotAListing:
            pass
        return []

    def _parameters(self, text: str, at: int, schema: dict[str, Any]) -> int:
        """Read the parameters from ``at`` on into ``schema``, and return the end of the tool."""
        while not text.startswith(_TAIL, at):
            member, at = _read_member(text, at, schema)
            if (default := _DEFAULT.match(text, at)) is not None:
                member["default"] = _default(default["value"], member)
                at = default.end()
            for end in (",\n", "\n"):
                if text.startswith(end, at):
                    at += len(end)
                    break
            else:
                raise NotAListing
        return at + len(_TAIL)


def _member(name: str, schema: dict[str, Any], required: bool) -> str:
    """A parameter: its description, its name, its type, its default."""
    comment = f"// {schema['description']}\n" if schema.get("description") else ""
    text = f"{comment}{name}{'' if required else '?'}: {_type(schema)}"
    if "default" not in schema:
        return text
    if schema.get("enum"):
        return f"{text}, // default: {schema['default']}"
    if schema.get("oneOf"):
        return f"{text}// default: {schema['default']}"
    return f"{text}, // default: {jsontext.spaced(schema['default'])}"


def _type(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    null = " | null" if schema.get("nullable") else ""
    if kind == "array":
        return _list_of(schema.get("items")) + null
    if isinstance(kind, list) and kind:
        return " | ".join(map(str, kind))
    if isinstance(schema.get("oneOf"), list) and schema["oneOf"]:
        return " | \n".join(map(_alternative, map(mapping, schema["oneOf"])))
    if kind == "string":
        values = schema.get("enum")
        return " | ".join(f'"{value}"' for value in values) if isinstance(values, list) and values else f"string{null}"
    if kind == "object" and (properties := properties_of(schema)):
        required = required_of(schema)
        members = (
            f"{name}{'' if name in required else '?'}: {_INDENT}{_type(member)}" for name, member in properties.items()
        )
        return f"{{\n{', '.join(members)}}}"
    return _PLAIN.get(kind, "any") if isinstance(kind, str) else "any"


def _list_of(items: Any) -> str:
    schema = mapping(items)
    kind = schema.get("type")
    if kind in ("string", "number", "integer", "boolean"):
        return f"{_PLAIN[kind]}[]"
    inner = _type(schema)
    return "any[]" if inner == "object | object" or len(inner) > _LONGEST_ITEM else f"{inner}[]"


def _alternative(schema: dict[str, Any]) -> str:
    text = _type(schema)
    if schema.get("description"):
        text += f"// {schema['description']}"
    return f"{text}{20 * ' '}// default: {jsontext.spaced(schema['default'])}" if "default" in schema else text


def _read_member(text: str, at: int, schema: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Read the member at ``at`` into the object ``schema``, and return the member's schema and the end of its type."""
    match = _MEMBER.match(text, at)
    if match is None:
        raise NotAListing
    member, at = _read_type(text, match.end())
    if match["description"]:
        member["description"] = _uncommented(match["description"])
    schema.setdefault("properties", {})[match["name"]] = member
    if not match["optional"]:
        schema.setdefault("required", []).append(match["name"])
    return member, at


def _read_type(text: str, at: int) -> tuple[dict[str, Any], int]:
    """The schema of a type that begins at ``at``, and where it ends."""
    schema: dict[str, Any]
    if text.startswith("{\n", at):
        schema, at = {"type": "object"}, at + 2
        while not text.startswith("}", at):
            _, at = _read_member(text, at, schema)
            at += 2 if text.startswith(", ", at) else 0
        at += 1
    elif (enum := _ENUM.match(text, at)) is not None:
        schema, at = {"type": "string", "enum": enum[0][1:-1].split('" | "')}, enum.end()
    elif (words := _WORDS.match(text, at)) is not None:
        kinds = words[0].split(" | ")
        schema = dict(_SCHEMAS.get(kinds[0], {"type": kinds})) if len(kinds) == 1 else {"type": kinds}
        at = words.end()
    else:
        raise NotAListing
    while True:
        if text.startswith("[]", at):
            schema = {"type": "array", **({"items": schema} if schema else {})}
            at += len("[]")
        elif text.startswith(" | null", at):
            schema["nullable"] = True
            at += len(" | null")
        else:
            return schema, at


def _uncommented(text: str) -> str:
    """The text of a comment, each further line of which may be a comment of its own."""
    return text.replace("\n// ", "\n")


def _default(text: str, schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return text
    try:
        return jsontext.loads(text)
    except ValueError:
        raise NotAListing from None
