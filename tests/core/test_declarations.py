"""Declarations of tools in the forms of the APIs and libraries that have them, as canonical ones."""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each
from toolconv.core.declarations import are_canonical, declarations, is_enveloped

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
NAMED = {"name": "f", "description": "Does it."}
FUNCTION = {**NAMED, "parameters": SCHEMA}
TOOL = {"type": "function", "function": FUNCTION}
CAPITALS = {
    "type": "OBJECT",
    "properties": {"type": {"type": "ARRAY", "items": {"type": "STRING"}, "default": {"type": "NULL"}}},
    "anyOf": [{"type": "NUMBER"}, {"type": "INTEGER"}, {"type": "BOOLEAN"}, {"type": "NULL"}, {"type": "OTHER"}],
}
LOWERED = {
    "type": "object",
    "properties": {"type": {"type": "array", "items": {"type": "string"}, "default": {"type": "NULL"}}},
    "anyOf": [{"type": "number"}, {"type": "integer"}, {"type": "boolean"}, {"type": "null"}, {"type": "OTHER"}],
}
INPUTS = {"city": {"type": "string"}, "days": {"type": "integer", "nullable": True}}

FORMS: dict[str, tuple[Any, list[Any], str]] = {
    "OpenAI": ([TOOL], [TOOL], "/0/function/parameters"),
    "OpenAI, strict": ([{**TOOL, "function": {**FUNCTION, "strict": True}}], [{**TOOL, "function": {**FUNCTION, "strict": True}}],
                       "/0/function/parameters"),
    "OpenAI, without its type": ([{"function": FUNCTION}], [TOOL], "/0/function/parameters"),
    "OpenAI's responses": ([{"type": "function", **FUNCTION}], [TOOL], "/0/parameters"),
    "functions": ([FUNCTION], [TOOL], "/0/parameters"),
    "Anthropic": ([{**NAMED, "input_schema": SCHEMA}], [TOOL], "/0/input_schema"),
    "MCP": ([{**NAMED, "inputSchema": SCHEMA}], [TOOL], "/0/inputSchema"),
    "MCP's answer": ({"tools": [{**NAMED, "inputSchema": SCHEMA}]}, [TOOL], "/tools/0/inputSchema"),
    "MCP's answer in JSON-RPC": ({"jsonrpc": "2.0", "result": {"tools": [{**NAMED, "inputSchema": SCHEMA}]}}, [TOOL],
                                 "/result/tools/0/inputSchema"),
    "Bedrock": ([{"toolSpec": {**NAMED, "inputSchema": {"json": SCHEMA}}}], [TOOL], "/0/toolSpec/inputSchema/json"),
    "Gemini": ([{"functionDeclarations": [{**NAMED, "parameters": CAPITALS}]}],
               [{"type": "function", "function": {**NAMED, "parameters": LOWERED}}], "/0/functionDeclarations/0/parameters"),
    "Gemini, JSON Schema": ([{"function_declarations": [{**NAMED, "parametersJsonSchema": SCHEMA}]}], [TOOL],
                            "/0/function_declarations/0/parametersJsonSchema"),
    "Gemini in Python": ([{"function_declarations": [{**NAMED, "parameters_json_schema": SCHEMA}]}], [TOOL],
                         "/0/function_declarations/0/parameters_json_schema"),
    "smolagents": ([{**NAMED, "inputs": INPUTS}],
                   [{"type": "function", "function": {**NAMED, "parameters": {"type": "object", "properties": INPUTS, "required": ["city"]}}}],
                   "/0/inputs"),
    "arguments": ([{**NAMED, "arguments": SCHEMA}], [TOOL], "/0/arguments"),
    "JSON text": (json.dumps([TOOL]), [TOOL], "/0/function/parameters"),
    "a schema as JSON text": ([{**NAMED, "parameters": json.dumps(SCHEMA)}], [TOOL], "/0/parameters"),
    "a schema that is null": ([{**NAMED, "input_schema": None}],
                              [{"type": "function", "function": {**NAMED, "parameters": None}}], "/0/input_schema"),
    "one declaration": (TOOL, [TOOL], "/function/parameters"),
    "by name": ({"f": {"description": "Does it.", "parameters": SCHEMA}}, [TOOL], "/f/parameters"),
    "by name, with the name": ({"f": FUNCTION}, [TOOL], "/f/parameters"),
    "by what each is for": ({"Where is it?": FUNCTION}, [TOOL], "/Where is it?/parameters"),
    "Letta": ([{"name": "f", "json_schema": FUNCTION}], [{**TOOL, "name": "f"}], "/0/json_schema/parameters"),
    "by name in MCP's answer": ({"tools": {"f": {"description": "Does it.", "inputSchema": SCHEMA}}}, [TOOL],
                                "/tools/f/inputSchema"),
    "by a name with a slash": ({"a/f": {"parameters": SCHEMA}},
                               [{"type": "function", "function": {"name": "a/f", "parameters": SCHEMA}}], "/a~1f/parameters"),
}  # fmt: skip


@each("name", FORMS)
def test_a_declaration(name: str) -> None:
    value, tools, place = FORMS[name]
    found = list(declarations(value))
    assert [each.tool for each in found] == tools
    assert [each.schema_pointer for each in found] == [place]
    assert found[0].named == tools[0]["function"]


def test_groups_of_declarations() -> None:
    group = {"functionDeclarations": [FUNCTION], "googleSearch": {}}
    space = {"type": "namespace", "name": "n", "tools": [TOOL, "f"]}
    found = list(declarations([[TOOL], group, space], "/tools"))
    assert [(each.tool, each.pointer) for each in found] == [
        (TOOL, "/tools/0/0/function"), (TOOL, "/tools/1/functionDeclarations/0"), ({"googleSearch": {}}, "/tools/1"),
        ({**TOOL, "namespace": {"name": "n"}}, "/tools/2/tools/0/function"), ("f", "/tools/2/tools/1"),
    ]  # fmt: skip
    custom = {"type": "custom", "custom": {"name": "f"}}
    assert [(each.tool, each.named) for each in declarations([custom])] == [(custom, {"type": "custom", "name": "f"})]


@each(
    "value", [{"type": "web_search"}, {"googleSearch": {}}, "f", None, 3, {"type": "computer_use", "name": "computer"}]
)
def test_a_tool_of_the_provider_stays_as_it_is(value: Any) -> None:
    assert [each.tool for each in declarations([value])] == [value]


@each(
    "tool, canonical",
    [(TOOL, True), ({**TOOL, "function": NAMED}, True), ({**TOOL, "type": "custom"}, False), (FUNCTION, False), ("f", False),
     ({**TOOL, "function": {**NAMED, "parameters": CAPITALS}}, False), ({**TOOL, "function": {"name": 3}}, False),
     ({**TOOL, "function": {"description": "x"}}, False), ({**TOOL, "function": {**NAMED, "parameters": "{}"}}, False),
     *(({**TOOL, "function": {**NAMED, key: SCHEMA}}, False)
       for key in ("inputSchema", "input_schema", "parametersJsonSchema", "parameters_json_schema", "inputs", "arguments"))],
)  # fmt: skip
def test_a_canonical_declaration(tool: Any, canonical: bool) -> None:
    assert are_canonical([TOOL, tool]) == canonical


@each(
    "tool, enveloped",
    [(TOOL, True), ({"function": FUNCTION}, True), ({**TOOL, "type": "custom"}, False), (FUNCTION, False),
     ({**TOOL, "function": {**NAMED, "inputs": INPUTS}}, False), ({"type": "web_search"}, True)],
)  # fmt: skip
def test_an_item_that_chat_completions_accept(tool: Any, enveloped: bool) -> None:
    assert is_enveloped(tool) == enveloped


@each(
    "value",
    [
        {"f": {"description": "Does it."}},
        {"g": {**FUNCTION, "name": 1}},
        {"f": {"parameters": SCHEMA}, "mode": "auto"},
        {},
    ],
)
def test_an_object_that_is_no_functions_by_name_declares_none(value: Any) -> None:
    assert [each.named for each in declarations(value)] in ([None], [])
