"""Tools as functionary's prompts declare them: TypeScript types, one member per line, further keys in comments.

    // Current weather of a city
    type get_weather = (_: {
    // City name.
    city: string,
    // Default=3. Maximum=10
    days?: number,
    place?: {
        tags: string[],
    },
    }) => any;

Descriptions of parameters get a full stop, integers become numbers, and many keys of a schema are left out. Reading
gives back what the text holds. A parameter without a type is ``any``, as in functionary's own code; its chat template
writes nothing there.

Source: functionary/schema.py of MeetKai/functionary, meetkai/functionary-medium-v3.2 chat template.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.schemas import NotAListing, mapping

INDENT: Final = "    "
BOUNDS: Final = {
    "maximum": "Maximum",
    "minimum": "Minimum",
    "maxLength": "Maximum length",
    "minLength": "Minimum length",
}
"""Keys of a schema, and their names in a comment."""

WORDS: Final = {"True": True, "False": False, "None": None}
_TOOL = lazy_re(
    r"// (?P<description>(?>.*?(?=\ntype \S+ = \((?:\) => any;(?:\n\n|\Z)|_: \{\n))))\ntype (?P<name>\S+) = "
    r"(?:\(\) => any;|\(_: \{\n(?P<members>.*?)\n\}\) => any;)(?:\n\n|\Z)",
    re.DOTALL,
)
_MEMBER = lazy_re(r"(?P<name>[^?:\s]+)(?P<optional>\?)?: (?P<type>.*)")
_LIST = lazy_re(r"\(?(?P<item>.*?)(?:\)|(?<!\[\]))(?P<lists>(?:\[\])*+)")
_WORDS = lazy_re(r"[a-z]\w*(?: \| [a-z]\w*)*")
_COMMENT = lazy_re(
    r"(?P<description>.*?)(?: ?Default=(?P<default>.*)\.)?(?: ?Format=(?P<format>\S+))?"
    + "".join(rf"(?: ?{word}=(?P<{key}>[\d.e+-]+))?" for key, word in BOUNDS.items())
)


# ── writing ──


def write_tool(tool: Tool) -> str:
    """One tool."""
    function = function_of(tool) or {}
    schema = mapping(function.get("parameters"))
    head = f"// {function.get('description') or ''}\ntype {function.get('name')} = "
    if not schema.get("properties"):
        return f"{head}() => any;"
    return f"{head}(_: {{{_members(schema, 0)}\n}}) => any;"


def _members(schema: dict[str, Any], depth: int) -> str:
    """The members of an object, one per line."""
    offset = f"\n{INDENT * depth}"
    required = schema.get("required") or []
    text = ""
    for name, member in mapping(schema.get("properties")).items():
        if isinstance(member, dict):
            if comment := _comment(member):
                text += f"{offset}// {comment}"
            text += f"{offset}{name}{'' if name in required else '?'}: {_type(member, depth)},"
    return text


def _comment(schema: dict[str, Any]) -> str:
    facts = []
    if "description" in schema:
        facts.append(schema["description"] + ("" if schema["description"].endswith(".") else "."))
    if "default" in schema:
        default = schema["default"]
        facts.append(f'Default="{default}".' if schema.get("type") == "string" else f"Default={default}.")
    if "format" in schema:
        facts.append(f"Format={schema['format']}")
    facts.extend(f"{word}={schema[key]}" for key, word in BOUNDS.items() if key in schema)
    return " ".join(facts).replace("\n", " ")


def _type(schema: dict[str, Any], depth: int) -> str:
    kind = _kind(schema)
    if kind == "object":
        return f"{{{_members(schema, depth + 1)}\n{INDENT * depth}}}"
    if kind == "array":
        items = mapping(schema.get("items"))
        if "type" not in items:
            return "[]"
        item = _type(items, depth + (items["type"] == "array"))
        return f"({item})[]" if "enum" in items else f"{item}[]"
    if "enum" in schema:
        return " | ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in schema["enum"])
    return f"{kind} | null" if schema.get("nullable") else kind


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    if kind is None:
        kinds = [str(one["type"]) for one in map(mapping, schema.get("oneOf") or ()) if "type" in one]
        return " | ".join(dict.fromkeys(kinds)) or "any"
    return "number" if kind in ("integer", "float") else str(kind)


# ── reading ──


def read_tools(text: str) -> list[Tool]:
    """The tools of a listing; none if any part of it can't be read."""
    tools: list[Tool] = []
    at = 0
    while at < len(text) and (match := _TOOL.match(text, at)) is not None:
        try:
            parameters = _read_parameters(match["members"])
        except NotAListing:
            return []
        function = {"name": match["name"], "description": match["description"], "parameters": parameters}
        tools.append({"type": "function", "function": function})
        at = match.end()
    return tools if at == len(text) else []


def _read_parameters(members: str | None) -> dict[str, Any]:
    lines = members.split("\n") if members else []
    schema, end = _read_members(lines, 0, 0)
    if end < len(lines):
        raise NotAListing
    return schema


def _read_members(lines: list[str], at: int, depth: int) -> tuple[dict[str, Any], int]:
    """The object whose members begin at line ``at``, and the line after them."""
    properties: dict[str, Any] = {}
    required = []
    offset = INDENT * depth
    while at < len(lines) and not lines[at].lstrip(" ").startswith("}"):
        facts: dict[str, Any] = {}
        if lines[at].startswith(f"{offset}// ") and at + 1 < len(lines):
            facts = _read_comment(lines[at][len(offset) + 3 :])
            at += 1
        match = _MEMBER.fullmatch(lines[at].removeprefix(offset))
        if match is None:
            raise NotAListing
        kind = match["type"]
        if kind == "{":
            schema, at = _read_members(lines, at + 1, depth + 1)
            kind = lines[at].strip(" ") if at < len(lines) else ""
            properties[match["name"]] = _listed(schema, kind.removeprefix("}").removesuffix(",").count("[]")) | facts
        else:
            properties[match["name"]] = _read_type(kind.removesuffix(",")) | facts
        if not match["optional"]:
            required.append(match["name"])
        at += 1
    return {"type": "object", "properties": properties} | ({"required": required} if required else {}), at


def _read_type(text: str) -> dict[str, Any]:
    match = _LIST.fullmatch(text)
    item = match["item"] if match is not None else ""
    words = item.split(" | ")
    schema: dict[str, Any]
    if not item:
        schema = {}
    elif _WORDS.fullmatch(item):
        schema = {} if item == "any" else {"type": words if len(words) > 1 else item}
    else:
        schema = {"enum": [_read_value(word) for word in words]}
        if item.startswith('"'):
            schema = {"type": "string"} | schema
    return _listed(schema, match["lists"].count("[]") if match is not None else 0)


def _listed(schema: dict[str, Any], times: int) -> dict[str, Any]:
    """The schema of lists of lists of ``schema``, which may be empty; ``times`` is how deep they are nested."""
    for _ in range(times):
        schema = {"type": "array", "items": schema} if schema else {"type": "array"}
    return schema


def _read_comment(text: str) -> dict[str, Any]:
    match = _COMMENT.fullmatch(text)
    fields = {key: value for key, value in (match.groupdict() if match is not None else {}).items() if value}
    return {key: value if key in ("description", "format") else _read_value(value) for key, value in fields.items()}


def _read_value(text: str) -> Any:
    if text.startswith('"') and text.endswith('"') and len(text) > 1:
        return text[1:-1]
    if text in WORDS:
        return WORDS[text]
    try:
        return jsontext.loads(text)
    except ValueError:
        raise NotAListing from None


FUNCTIONARY_CHAT = ChatFormat(
    tools_open="// Supported function definitions that should be called when necessary.\nnamespace functions {\n\n",
    tools_between="\n\n",
    tools_close="\n\n} // namespace functions",
    tool=write_tool,
    read=read_tools,
    response_role="tool",
    response="{content}",
    one_turn=False,
)
"""The part that all versions of functionary with this notation share."""
