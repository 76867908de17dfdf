"""The ``tools`` of a row: lists or JSON text, envelopes or bare functions, with Arrow's null padding removed."""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.declarations import are_canonical, declarations, declared, is_canonical, is_enveloped
from toolconv.core.lazy_re import lazy_re
from toolconv.core.notes import Notes
from toolconv.core.remembered import Remembered
from toolconv.core.schema_types import INNER_SCHEMAS, SCHEMAS_BY_NAME
from toolconv.layouts.nested_json import maybe_json, opened

NEVER_NULL = frozenset({
    "$defs", "$ref", "additionalProperties", "allOf", "anyOf", "definitions", "description", "exclusiveMaximum",
    "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
    "minLength", "minProperties", "minimum", "multipleOf", "not", "nullable", "oneOf", "pattern",
    "patternProperties", "prefixItems", "properties", "required", "title", "type", "uniqueItems",
})  # fmt: skip
"""Keywords of JSON Schema that can't be null. Arrow pads the union of all schemas with such nulls."""


def opened_tools(value: Any) -> Any:
    """The value of ``tools``, and of each item of a list of these, that may be a text.

    Raises:
        LayoutError: a text is not JSON.
    """
    tools = opened(value)
    if isinstance(tools, str) and tools.strip():
        tools = maybe_json(tools)
    return list(map(opened, tools)) if isinstance(tools, list) else tools


def read_tools(value: Any, notes: Notes) -> Any:
    """The tools of a row as canonical tools. Anything but a list, or the JSON text of one, stays as it is.

    Raises:
        LayoutError: a text is not JSON.
    """
    tools = opened_tools(value)
    if isinstance(tools, dict):
        found = list(declarations(tools))
        return [read_tool(each.tool, notes) for each in found] if any(each.named for each in found) else tools
    if not isinstance(tools, list):
        return tools
    read: list[Any] = []
    for item in tools:
        read += [read_tool(item, notes)] if are_canonical([item]) else _read_item(item, notes)
    return read


_known: Remembered[bytes, tuple[bytes, list[str]]] = Remembered(1024)
"""Items that were converted, by their JSON: their tools as JSON, since each row gets its own, and the repairs made."""


def _read_item(item: Any, notes: Notes) -> list[Any]:
    """The tools in an item of a list."""
    text = jsontext.dumps(item)
    known = _known.get(text)
    if known is not None:
        notes.repairs += known[1]
        tools: list[Any] = jsontext.loads(known[0])
        return tools
    own = Notes()
    tools = [read_tool(each.tool, own) for each in declarations([item])]
    notes.repairs += own.repairs
    _known.add(jsontext.trimmed(text), (jsontext.trimmed(jsontext.dumps(tools)), own.repairs), len(text))
    return tools


def needs_reading(tools: Any) -> bool:
    """Whether the value of ``tools`` may not be canonical as it is."""
    if type(tools) is not list:
        return bool(tools) and isinstance(tools, str | list | dict)
    return bool(tools) and (not are_canonical(tools) or jsontext.dumps(tools).find(b":null") >= 0)


def has_envelopes(tools: Any) -> bool:
    """Whether all tools, a list or the JSON text of one, are in OpenAI's envelope."""
    if isinstance(tools, str):
        return _text_has_envelopes(tools)
    return not isinstance(tools, dict) and (
        not isinstance(tools, list) or all(opened(tool) is tool and is_enveloped(tool) for tool in tools)
    )


@lru_cache(maxsize=64)
def _text_has_envelopes(text: str) -> bool:
    tools = jsontext.opened(text)
    return isinstance(tools, str) or has_envelopes(tools)


def read_tool(tool: Any, notes: Notes) -> Any:
    """A declaration in OpenAI's envelope, its parameters an object without null padding. Other values stay."""
    if not is_canonical(tool):
        tool = declared(tool).tool if isinstance(tool, dict) else tool
        if not isinstance(tool, dict) or tool.get("type") != "function":
            return tool
    function = tool.get("function")
    if not isinstance(function, dict):
        return tool
    parameters = function.get("parameters")
    if isinstance(parameters, str):
        parameters = maybe_json(parameters)
    clean = unpadded(parameters)
    if clean is not parameters:
        notes.repairs.append("null_padding")
    return tool if clean is function.get("parameters") else {**tool, "function": {**function, "parameters": clean}}


def unpadded(schema: Any) -> Any:
    """A schema without the nulls that its author can't have written; the same object if there are none.

    Nulls under ``default``, ``const``, ``enum`` and unknown keywords stay.
    """
    return _without_padding(schema) if jsontext.dumps(schema).find(b":null") >= 0 else schema


def _without_padding(schema: Any) -> Any:
    if isinstance(schema, list):
        items = [_without_padding(item) for item in schema]
        return schema if all(one is other for one, other in zip(items, schema, strict=True)) else items
    if not isinstance(schema, dict):
        return schema
    result = {}
    changed = False
    for key, value in schema.items():
        kept = value
        if key in SCHEMAS_BY_NAME and isinstance(value, dict):
            kept = {name: _without_padding(item) for name, item in value.items() if item is not None}
            if len(kept) == len(value) and all(kept[name] is value[name] for name in value):
                kept = value
        elif key in INNER_SCHEMAS:
            kept = _without_padding(value)
        if value is None and key in NEVER_NULL:
            changed = True
            continue
        changed = changed or kept is not value
        result[key] = kept
    return result if changed else schema


def bare(tools: Any) -> Any:
    """Tools without the envelope, for layouts that declare bare functions. An envelope with other keys stays."""
    if not isinstance(tools, list):
        return tools
    return [
        tool["function"] if isinstance(tool, dict) and tool.keys() == {"type", "function"} else tool for tool in tools
    ]


def with_schema(tool: dict[str, Any], key: str) -> dict[str, Any]:
    """A flat declaration with a schema under a key: one without takes no arguments, as OpenAI's reference has it."""
    return tool if key in tool else {**tool, key: {"type": "object", "properties": {}}}


def count_foreign(tools: list[Any], runs: Container[str | None]) -> int:
    """How many tools only another API runs, such as its web search, than the ones in ``runs``."""
    return 0 if are_canonical(tools) else sum(_api_of(tool) not in runs for tool in tools if not _declares(tool))


def _declares(tool: Any) -> bool:
    return not isinstance(tool, dict) or is_canonical(declared(tool).tool)


def _api_of(tool: dict[str, Any]) -> str:
    kind = tool.get("type")
    if isinstance(kind, str):
        return "anthropic" if BUILT_IN.fullmatch(kind) else "custom" if kind == "custom" else "responses"
    return "bedrock" if {"systemTool", "cachePoint"} & tool.keys() else "gemini"


BUILT_IN: Final = lazy_re(r"[a-z_]+_20[0-9]{6}|mcp_toolset")
"""The types of Anthropic's own tools: a name and a date."""


def flat_tool(tool: Any, **renamed: str) -> dict[str, Any] | None:
    """A declaration in OpenAI's envelope as a flat object; ``None`` if it has no envelope."""
    if not isinstance(tool, dict) or not isinstance(tool.get("function"), dict):
        return None
    flat = {**tool["function"], **{key: tool[key] for key in tool if key not in ("type", "function")}}
    return {renamed.get(key, key): kept for key, kept in flat.items()}
