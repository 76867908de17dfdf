"""Tools declared in any maker's shape, in any place: one meaning."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import any_text, each
from tests.helpers.command import toolconv
from toolconv import dialects, layouts
from toolconv.core.notes import Notes
from toolconv.core.tools import ToolIndex
from toolconv.dialects.prompts.stated_tools import stated_tools
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import parse_turns
from toolconv.layouts.tool_places import PLACES
from toolconv.layouts.tool_schema import read_tools

Tool = dict[str, Any]


def renamed(tool: Tool, key: str) -> Tool:
    """The function object with its schema under another key."""
    return {(key if name == "parameters" else name): value for name, value in tool["function"].items()}


def capitals(schema: Any) -> Any:
    """A schema with Gemini's type names; the schemas of these tests have no data under ``type``."""
    if isinstance(schema, list):
        return [capitals(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: value.upper() if key == "type" and isinstance(value, str) else capitals(value)
        for key, value in schema.items()
    }


def specification(tool: Tool) -> Tool:
    spec = renamed(tool, "inputSchema")
    return {"toolSpec": {**spec, "inputSchema": {"json": spec["inputSchema"]}}}


SHAPES: dict[str, Callable[[list[Tool]], Any]] = {
    "openai": lambda tools: tools,
    "bare": lambda tools: [tool["function"] for tool in tools],
    "responses": lambda tools: [{"type": "function", **tool["function"]} for tool in tools],
    "mcp": lambda tools: [renamed(tool, "inputSchema") for tool in tools],
    "mcp-answer": lambda tools: {
        "jsonrpc": "2.0",
        "result": {"tools": [renamed(tool, "inputSchema") for tool in tools]},
    },
    "anthropic": lambda tools: [renamed(tool, "input_schema") for tool in tools],
    "gemini": lambda tools: [{"functionDeclarations": [capitals(tool["function"]) for tool in tools]}],
    "gemini-one": lambda tools: {"function_declarations": [capitals(tool["function"]) for tool in tools]},
    "gemini-json-schema": lambda tools: [
        {"functionDeclarations": [renamed(tool, "parametersJsonSchema") for tool in tools]}
    ],
    "bedrock": lambda tools: [specification(tool) for tool in tools],
    "text-items": lambda tools: [json.dumps(renamed(tool, "inputSchema")) for tool in tools],
    "text": lambda tools: json.dumps([renamed(tool, "input_schema") for tool in tools]),
    "text-schema": lambda tools: [
        {"type": "function", "function": {**tool["function"], "parameters": json.dumps(tool["function"]["parameters"])}}
        for tool in tools
    ],
}

TYPES = st.sampled_from(["string", "integer", "number", "boolean"])
PROPERTY = st.fixed_dictionaries({"type": TYPES}, optional={"description": any_text(max_size=9)})
NAMES = st.sampled_from(["zip", "n", "type", "default", "enum", "properties", "city"])
SCHEMA = st.dictionaries(NAMES, PROPERTY, max_size=4).map(
    lambda properties: {"type": "object", "properties": properties, "required": list(properties)[:1]}
)
TOOL = st.builds(
    lambda name, text, schema: {
        "type": "function",
        "function": {"name": name, "description": text, "parameters": schema},
    },
    st.sampled_from(["f", "get_weather", "ns.tool"]),
    any_text(max_size=20),
    SCHEMA,
)
TOOLS = st.lists(TOOL, min_size=1, max_size=3)

DECLARED: Tool = {
    "type": "function",
    "function": {
        "name": "find",
        "description": "Finds places by their postal code.",
        "parameters": {
            "type": "object",
            "properties": {"zip": {"type": "string", "description": "Code"}, "n": {"type": "integer"}},
            "required": ["zip"],
        },
    },
}
SPOKEN = (
    "<tool_call>\n<function=find>\n<parameter=zip>\n01234\n</parameter>\n<parameter=n>\n3\n</parameter>\n"
    "</function>\n</tool_call>"
)
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Where?"},
    {"role": "assistant", "content": SPOKEN},
]
ALL_PLACES = [("tools",), *PLACES, ("messages", "0", "tools")]
SUITED = [place for place in ALL_PLACES if place != ("responses_create_params", "tools")]
"""Those in rows with messages; ``responses`` has none next to its parameters. With ``toolConfig`` they are Bedrock's."""


def placed(value: Any, place: tuple[str, ...], messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A row that declares ``value`` at a place."""
    if place[0] == "messages":
        first, *others = messages
        return {"messages": [{**first, "tools": value}, *others]}
    for key in reversed(place):
        value = {key: value}
    return {**value, "messages": messages}


@pytest.mark.parametrize("text", [json.dumps, lambda value: json.dumps(json.dumps(value)), repr])
def test_declarations_as_a_text(text: Callable[[Any], str]) -> None:
    for written in (text([DECLARED, DECLARED]), [text(DECLARED), DECLARED]):
        notes = Notes()
        assert read_tools(written, notes) == [DECLARED, DECLARED]
        assert notes.repairs == []
        assert layouts.get("xlam").read({"query": "Where?", "answers": [], "tools": written}).tools == [
            DECLARED,
            DECLARED,
        ]


@pytest.mark.parametrize("shape", SHAPES)
@settings(max_examples=2 * settings().max_examples)
@given(tools=TOOLS)
def test_all_shapes_mean_the_same(shape: str, tools: list[Tool]) -> None:
    notes = Notes()
    read = read_tools(SHAPES[shape](tools), notes)
    assert read == tools
    assert read_tools(read, notes) == tools
    assert not notes.repairs and not notes.losses
    declared = SHAPES[shape](tools)
    if isinstance(declared, list):
        assert ToolIndex(declared).functions == ToolIndex(tools).functions


@each("shape", SHAPES)
@each("place", SUITED)
def test_all_places_mean_the_same(place: tuple[str, ...], shape: str) -> None:
    row = placed(SHAPES[shape]([DECLARED]), place, MESSAGES)
    layout = layouts.detect(row)
    assert layout is not None
    conversation = layout.read(row)
    parse_turns(conversation, TurnReader(dialects.get("qwen3_xml")))
    assert conversation.tools == [DECLARED]
    call = conversation.messages[-1]["tool_calls"][0]["function"]
    assert call == {"name": "find", "arguments": {"zip": "01234", "n": 3}}
    assert not conversation.notes.losses
    assert json.dumps(conversation.row).count("Finds places by") == 1


@pytest.mark.whole
@pytest.mark.parametrize("place", ALL_PLACES, ids="/".join)
def test_a_row_in_the_chat_layout_comes_back_as_it_was(place: tuple[str, ...]) -> None:
    row = {"id": 7, **placed([DECLARED], place, MESSAGES)}
    layout = layouts.get("chat")
    assert layout.write(layout.read(row)) == row
    changed = layout.read(row)
    changed.messages[1]["content"] = "Here?"
    expected = json.loads(json.dumps(row).replace("Where?", "Here?"))
    assert json.dumps(layout.write(changed)) == json.dumps(expected)


FAULTY = {"role": "assistant", "content": "", "tool_calls": [
    {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{\"n\": \"x\", \"bad\": 1}"}}
]}  # fmt: skip


@pytest.mark.exhaustive
@each("place", [place for place in SUITED if place[0] != "toolConfig"])
@each("shape", SHAPES)
def test_all_shapes_and_places_have_the_same_findings(place: tuple[str, ...], shape: str) -> None:
    from toolconv import lint_rows

    def found(row: dict[str, Any]) -> list[tuple[str, str]]:
        findings = list(lint_rows([row]))
        return sorted((each.code, each.message) for each in findings)

    messages = [*MESSAGES[:2], FAULTY]
    expected = found(placed([DECLARED], ("tools",), messages))
    assert {"TC102", "TC103"} <= {code for code, _ in expected}
    assert found(placed(SHAPES[shape]([DECLARED]), place, messages)) == expected


KEPT = {
    "mcp": (
        {"name": "f", "title": "F", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"},
         "annotations": {"readOnlyHint": True}},
        {"name": "f", "title": "F", "parameters": {"type": "object"}, "outputSchema": {"type": "object"},
         "annotations": {"readOnlyHint": True}},
    ),
    "anthropic": (
        {"name": "f", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
        {"name": "f", "parameters": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
    ),
    "responses": (
        {"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": True},
        {"name": "f", "parameters": {"type": "object"}, "strict": True},
    ),
    "smolagents": (
        {"name": "f", "inputs": {"a": {"type": "integer"}, "b": {"type": "string", "nullable": True}},
         "output_type": "string"},
        {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"},
         "b": {"type": "string", "nullable": True}}, "required": ["a"]}, "output_type": "string"},
    ),
    "arrow-padding": (
        {"type": None, "name": "f", "parameters": None, "inputSchema": {"type": "object"}},
        {"name": "f", "parameters": {"type": "object"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_what_else_a_declaration_holds_is_kept(name: str) -> None:
    given_tool, function = KEPT[name]
    assert read_tools([given_tool], Notes()) == [{"type": "function", "function": function}]


PROVIDERS_OWN: list[Any] = [
    {"type": "web_search"},
    {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
    {"type": "custom", "name": "patch", "format": {"type": "grammar"}},
    {"type": "custom", "custom": {"name": "patch"}},
    {"type": "mcp", "server_label": "deepwiki", "server_url": "https://mcp.example"},
    {"googleSearch": {}},
    {"cachePoint": {"type": "default"}},
]


@pytest.mark.parametrize("tool", PROVIDERS_OWN, ids=json.dumps)
def test_a_provider_s_own_tool_stays_as_it_is(tool: Any) -> None:
    from toolconv import lint_rows

    assert read_tools([tool, DECLARED], Notes()) == [tool, DECLARED]
    messages = [*MESSAGES[:2], {"role": "assistant", "content": "There."}]
    with_it, without = ({"messages": messages, "tools": tools} for tools in ([tool, DECLARED], [DECLARED]))
    codes = [[each.code for each in list(lint_rows([row]))] for row in (with_it, without)]
    assert codes[0] == codes[1]


def test_a_dialect_without_words_for_it_leaves_it_out() -> None:
    chat = dialects.get("harmony").chat
    text, kept = chat.declaration([{"type": "web_search"}, DECLARED])
    assert (text.count("type find"), "None" in text, kept) == (1, False, False)


def test_a_namespace_is_taken_apart_and_put_together() -> None:
    flat = [
        {"type": "function", **DECLARED["function"]},
        {"type": "function", "name": "g", "parameters": {"type": "object"}},
    ]
    tools = [{"type": "namespace", "name": "crm", "description": "Customers.", "tools": flat}, {"type": "web_search"}]
    row = {"input": [{"role": "user", "content": "Hi"}], "tools": tools}
    layout = layouts.get("responses")
    conversation = layout.read(row)
    namespace = {"name": "crm", "description": "Customers."}
    assert conversation.tools[0] == {**DECLARED, "namespace": namespace}
    assert [tool.get("namespace") for tool in conversation.tools] == [namespace, namespace, None]
    conversation.origin = None
    assert layout.write(conversation)["tools"] == tools


def test_two_lists_that_differ_are_said() -> None:
    other = {"type": "function", "function": {"name": "other", "parameters": {"type": "object"}}}
    row = {"tools": [DECLARED], "tool_defs": [other], "messages": MESSAGES}
    conversation = layouts.get("openai").read(row)
    assert conversation.tools == [DECLARED]
    assert conversation.row["tool_defs"] == [other]
    assert conversation.notes.losses == ["tools_declared_twice"]
    same = layouts.get("openai").read({**row, "tool_defs": [DECLARED["function"]]})
    assert not same.notes.losses


@each("layout", ["openai", "openai-ft", "trl", "canonical", "axolotl"])
@each("shape", SHAPES)
def test_layouts_of_openai_write_envelopes(layout: str, shape: str) -> None:
    row = {"messages": MESSAGES[:2], "tools": SHAPES[shape]([DECLARED])}
    written = layouts.get(layout).write(layouts.get("openai").read(row))
    tools = written["tools"]
    tools = json.loads(tools) if isinstance(tools, str) else tools
    if layout == "openai" and shape == "text-schema":
        tools[0]["function"]["parameters"] = json.loads(tools[0]["function"]["parameters"])
    assert tools == [DECLARED]


def test_what_an_upload_refuses_is_counted() -> None:
    row = {"messages": MESSAGES[:2], "tools": [KEPT["mcp"][0]]}
    conversation = layouts.get("openai").read(row)
    assert layouts.get("openai-ft").write(conversation)["tools"] == [
        {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
    ]
    assert conversation.notes.losses == ["tool_keys"]


# ── in texts ──


@each("dialect", dialects.names())
@each("given", [None, "hermes", "kimi_k2"])
def test_a_declaration_is_read_whatever_the_dialect_given(dialect: str, given: str | None) -> None:
    chat = dialects.get(dialect).chat
    text = chat.declare("Be brief.", [DECLARED])
    found = stated_tools(text, dialects.get(given) if given else None)
    assert found is not None
    function = ToolIndex(found.tools).functions["find"]
    assert function["description"] == DECLARED["function"]["description"]
    assert function["parameters"]["properties"]["zip"]["type"] == "string"
    assert found.rest in (None, "Be brief.")


GPT_OSS = """# Instructions

Be kind.

# Tools

## functions

namespace functions {

// Finds places.
// Only in towns.
type find = (_: {
// Code
zip: string,
unit?: "km" | "mi", // default: km
}) => any;

type here = () => any;

} // namespace functions"""
"""As openai-harmony writes it: further lines of a description are comments, no comma after a comment."""


def test_gpt_oss_tools_in_the_developer_s_turn() -> None:
    messages = [
        {"role": "system", "content": "You are ChatGPT."},
        {"role": "developer", "content": GPT_OSS},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello."},
    ]
    kept = [*messages[:1], {"role": "developer", "content": "# Instructions\n\nBe kind."}, *messages[2:]]
    for arguments, expected in (((), kept), (("--from", "hermes"), kept), (("--keep-prompt",), messages)):
        row = toolconv("parse", "-q", *arguments, stdin=json.dumps({"messages": messages})).rows[0]
        find, here = (tool["function"] for tool in row["tools"])
        assert find == {
            "name": "find",
            "description": "Finds places.\nOnly in towns.",
            "parameters": {
                "type": "object",
                "properties": {
                    "zip": {"type": "string", "description": "Code"},
                    "unit": {"type": "string", "enum": ["km", "mi"], "default": "km"},
                },
                "required": ["zip"],
            },
        }
        assert here == {"name": "here", "parameters": {"type": "object", "properties": {}}}
        assert row["messages"] == expected


@pytest.mark.parametrize("question", ["Where is it?", "What is {this}?", '{"name": "x"}', '{"a": 1}'])
@pytest.mark.parametrize("system", ["Be brief.", None])
def test_llama_s_tools_in_the_first_question(system: str | None, question: str) -> None:
    block = dialects.get("llama3_json").chat.block(
        [DECLARED, {**DECLARED, "function": {**DECLARED["function"], "name": "g"}}]
    )
    given = [{"role": "user", "content": f"{block}\n\n{question}"}, {"role": "assistant", "content": "There."}]
    plain = [{"role": "system", "content": system}] if system else []
    for arguments in ((), ("--from", "hermes"), ("--from", "llama3_json")):
        run = toolconv("parse", "-q", *arguments, stdin=json.dumps({"messages": plain + given}))
        row = run.rows[0]
        assert [tool["function"]["name"] for tool in row["tools"]] == ["find", "g"]
        assert row["messages"] == [*plain, {"role": "user", "content": question}, given[1]]


def test_a_question_that_mentions_tools_declares_none() -> None:
    messages = [
        {"role": "user", "content": f"Explain this: {json.dumps(DECLARED)}"},
        {"role": "assistant", "content": "It is a tool."},
    ]
    row = toolconv("parse", "-q", stdin=json.dumps({"messages": messages})).rows[0]
    assert row == {"messages": messages}


def test_the_neighbours_of_a_row_without_calls_don_t_matter() -> None:
    system = f"Here are the tools: <tools> {json.dumps([DECLARED])} </tools> Call them with <tool_call>."
    turns = [{"from": "system", "value": system}, {"from": "human", "value": "Hi"}]
    alone = json.dumps({"conversations": [*turns, {"from": "gpt", "value": "Hello."}]}) + "\n"
    call = '<tool_call>\n{"name": "find", "arguments": {"zip": "01234"}}\n</tool_call>'
    other = json.dumps({"conversations": [*turns, {"from": "gpt", "value": call}]}) + "\n"
    first = toolconv("parse", "-q", stdin=alone).rows[0]
    assert first["tools"] == [DECLARED]
    assert toolconv("parse", "-q", stdin=alone + other).rows[0] == first
    assert "# Tools" in toolconv("convert", "-q", "--template", "qwen3", stdin=alone).out
