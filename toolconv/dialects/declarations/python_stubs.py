"""Tools declared as Python stubs: a signature, and a docstring that describes the parameters.

Seed-OSS's wording, with its marks for required (``必填``) and optional (``选填``) parameters. A stub holds names,
descriptions, five types and which parameters are required, and nothing else of a schema.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.declarations.schemas import mapping, properties_of, required_of

HEAD: Final = "Function:\ndef "
REQUIRED, OPTIONAL = "必填", "选填"

_TYPES: Final = {"string": "str", "number": "int", "integer": "int", "boolean": "bool", "array": "list"}
_SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    "str": {"type": "string"},
    "int": {"type": "number"},
    "bool": {"type": "boolean"},
    "list": {"type": "array"},
    "Any": {},
}
_STUB: Final = lazy_re(
    r'(?P<name>[^\n(]+)\([^\n]*\):\n    """\n    (?P<description>(?>.*?(?=\n\n(?:    Args:|\n\n    """))))\n\n'
    r'(?:    Args:(?P<parameters>.*?))?\n\n    """',
    re.DOTALL,
)
_PARAMETER: Final = lazy_re(
    rf"\n    - (?P<name>[^\n]+?) \((?P<type>str|int|bool|list|Any)\) \[(?P<need>{REQUIRED}|{OPTIONAL})\]: "
)


def stub(tool: Tool) -> str:
    """A tool as a stub, without :data:`HEAD`."""
    function = function_of(tool) or {}
    schema = mapping(function.get("parameters"))
    properties, required = properties_of(schema), required_of(schema)
    types = {name: _type(member) for name, member in properties.items()}
    signature = ",".join(f"{name}: {kind}" for name, kind in types.items())
    parameters = "    Args:" if properties else ""
    for name, member in properties.items():
        need = REQUIRED if name in required else OPTIONAL
        parameters += f"\n    - {name} ({types[name]}) [{need}]: {member.get('description') or ''}"
    description = str(function.get("description") or "").strip()
    return f'{function.get("name")}({signature}):\n    """\n    {description}\n\n{parameters}\n\n    """'


def read_stubs(text: str) -> list[Tool]:
    """The tools of stubs with :data:`HEAD` between them; none if one of them can't be read."""
    tools: list[Tool] = []
    at = 0
    while (match := _STUB.match(text, at)) is not None:
        tools.append({"type": "function", "function": _function(match)})
        at = match.end()
        if at == len(text):
            return tools
        between = text.find(HEAD, at)
        at = between + len(HEAD) if between >= 0 else len(text)
    return []


def _type(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    return _TYPES.get(kind, "Any") if isinstance(kind, str) else "Any"


def _function(match: re.Match[str]) -> dict[str, Any]:
    text = match["parameters"] or ""
    heads = list(_PARAMETER.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    properties: dict[str, Any] = {}
    for head, end in zip(heads, ends, strict=False):
        description = text[head.end() : end]
        properties[head["name"]] = _SCHEMAS[head["type"]] | ({"description": description} if description else {})
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if required := [head["name"] for head in heads if head["need"] == REQUIRED]:
        parameters["required"] = required
    return {"name": match["name"], "description": match["description"], "parameters": parameters}
