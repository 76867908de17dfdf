"""Tools as Command R's prompt declares them: fenced Python stubs, with types as Python's ``typing`` names them.

A signature, ``def get_weather(city: str, days: Optional[int] = None) -> List[Dict]:``, a docstring that describes each
parameter, ``days (Optional[int]): Days ahead``, and ``pass``.

A stub holds names, descriptions, types and which parameters are required, and nothing else of a schema. The template
should write the item types of lists, and ``Any``, but writes ``Union[]`` instead. Here they are written.

Source: CohereForAI/c4ai-command-r-plus chat template ``tool_use``.
"""

from __future__ import annotations

import re
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import function_of
from toolconv.dialects.declarations.schemas import NotAListing, mapping

BASIC: Final = {"string": "str", "number": "float", "integer": "int", "boolean": "bool"}
_KINDS: Final = {word: kind for kind, word in BASIC.items()}
_END: Final = r'\n    """\n    pass\n```(?:\n\n|\Z)'
_STUB = lazy_re(
    rf'```python\ndef (?P<name>[^\n(]+)\([^\n]*\) -> List\[Dict\]:\n    """'
    rf"(?P<description>(?>.*?(?=\n\n    Args:|{_END})))(?:\n\n    Args:(?P<parameters>.*?))?{_END}",
    re.DOTALL,
)
_PARAMETER = lazy_re(r"\n        (?P<name>\S+) \((?P<type>[A-Za-z\[\], ]+)\): ")


# ── writing ──


def write_stub(tool: Tool) -> str:
    """One tool."""
    function = function_of(tool) or {}
    schema = mapping(function.get("parameters"))
    required = schema.get("required") or []
    signature, lines = [], []
    for name, member in mapping(schema.get("properties")).items():
        kind = _type(member)
        kind = kind if name in required else f"Optional[{kind}]"
        signature.append(f"{name}: {kind}" + ("" if name in required else " = None"))
        lines.append(f"\n        {name} ({kind}): {mapping(member).get('description') or ''}")
    arguments = "\n\n    Args:" + "".join(lines) if lines else ""
    head = f"def {function.get('name')}({', '.join(signature)}) -> List[Dict]:"
    return f'```python\n{head}\n    """{function.get("description") or ""}{arguments}\n    """\n    pass\n```'


def _type(schema: Any) -> str:
    fields = mapping(schema)
    kind = fields.get("type")
    if isinstance(kind, list):
        return f"Union[{','.join(_type({'type': one}) for one in kind)}]"
    if kind == "array":
        return f"List[{_type(fields.get('items'))}]"
    if kind == "object":
        return f"Dict[str, {_type(fields.get('additionalProperties'))}]"
    return BASIC.get(kind, "Any") if isinstance(kind, str) else "Any"


# ── reading ──


def read_stubs(text: str) -> list[Tool]:
    """The tools of consecutive stubs; none if part of ``text`` is not a stub."""
    tools: list[Tool] = []
    at = 0
    while at < len(text) and (match := _STUB.match(text, at)) is not None:
        try:
            parameters = _read_parameters(match["parameters"] or "")
        except NotAListing:
            return []
        function = {"name": match["name"], "description": match["description"], "parameters": parameters}
        tools.append({"type": "function", "function": function})
        at = match.end()
    return tools if at == len(text) else []


def _read_parameters(text: str) -> dict[str, Any]:
    heads = list(_PARAMETER.finditer(text))
    properties: dict[str, Any] = {}
    required = []
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=False):
        kind = head["type"]
        if kind.startswith("Optional["):
            kind = kind[len("Optional[") : -1]
        else:
            required.append(head["name"])
        description = text[head.end() : end]
        properties[head["name"]] = _read_type(kind) | ({"description": description} if description else {})
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _read_type(text: str) -> dict[str, Any]:
    if text == "Any":
        return {}
    if text in _KINDS:
        return {"type": _KINDS[text]}
    outer, _, inner = text.removesuffix("]").partition("[")
    if outer == "List":
        items = _read_type(inner)
        return {"type": "array", "items": items} if items else {"type": "array"}
    if outer == "Dict" and inner.startswith("str, "):
        values = _read_type(inner.removeprefix("str, "))
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if outer == "Union":
        return {"type": [_KINDS.get(word, "null") for word in inner.split(",")]}
    raise NotAListing(text)
