"""Calls out of JSON values: keys, envelopes, arguments; both sides of each condition."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import each
from toolconv.core.call_keys import argument_key, rare_argument_key, unread_key
from toolconv.core.calls import (
    NotACall,
    arguments_from,
    call_from,
    call_rank,
    cut_off,
    declares_tools,
    envelope_of,
    is_call,
    is_likely_name,
    is_schema,
    lists_calls,
)
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
TYPED = {"type": "object", "properties": {"type": {"type": "string"}, "id": {}}}
TOOLS = ToolIndex(
    [
        {"type": "function", "function": {"name": name, "parameters": parameters}}
        for name, parameters in {"go": SCHEMA, "typed": TYPED, "functions.own": {}, "open": {}}.items()
    ]
)
OSLO = {"city": "Oslo"}

READ: list[tuple[Any, str, Any, str | None, Any, str]] = [
    # the value, name, arguments, id, what else it holds, repairs
    ({"name": "go", "arguments": OSLO}, "go", OSLO, None, None, ""),
    ({"name": "go", "arguments": OSLO, "id": "x1"}, "go", OSLO, "x1", None, ""),
    ({"name": "go", "arguments": OSLO, "id": 7}, "go", OSLO, "7", None, "call_id_form"),
    ({"name": "go", "arguments": OSLO, "id": True}, "go", OSLO, None, {"id": True}, ""),
    ({"name": "go", "arguments": OSLO, "type": "function"}, "go", OSLO, None, None, ""),
    ({"name": "go", "arguments": OSLO, "type": "tool"}, "go", OSLO, None, {"type": "tool"}, ""),
    ({"name": "go", "arguments": OSLO, "why": "x"}, "go", OSLO, None, {"why": "x"}, ""),
    ({"name": "go", "arguments": {}}, "go", {}, None, None, ""),
    ({"name": "functions.go", "arguments": OSLO}, "go", OSLO, None, None, "name_prefix"),
    ({"name": "functions.own", "arguments": OSLO}, "functions.own", OSLO, None, None, ""),
    ({"name": "functions.far", "arguments": OSLO}, "functions.far", OSLO, None, None, ""),
    ({"name": "go", "arguments": '{"city": "Oslo"}'}, "go", OSLO, None, None, "arguments_string"),
    ({"name": "go", "arguments": '"{}"'}, "go", {}, None, None, "arguments_string arguments_string"),
    ({"name": "go", "arguments": "{'city': 'Oslo'}"}, "go", OSLO, None, None, "single_quotes arguments_string"),
    ({"name": "go", "arguments": '{"city": "x", "city": "Oslo"}'}, "go", OSLO, None, None, "duplicate_key arguments_string"),
    ({"name": "go", "arguments": None}, "go", {}, None, None, "null_arguments"),
    ({"name": "go", "arguments": " "}, "go", {}, None, None, "empty_arguments"),
    ({"name": "go", "parameters": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"name": "go", "input": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"name": "go", "tool_input": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"name": "go", "argumants": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"name": "go", "argumnets": {"x": 1}}, "go", None, None, None, "no arguments, but 'argumnets'"),
    ({"name": "go", "argument": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"tool_name": "go", "arguments": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"function": "go", "arguments": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"action": "go", "action_input": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"tool": "go", "args": OSLO}, "go", OSLO, None, None, "alternative_key"),
    ({"function": {"name": "go", "arguments": OSLO}}, "go", OSLO, None, None, "openai_envelope"),
    ({"id": "x1", "type": "function", "function": {"name": "go", "arguments": OSLO}}, "go", OSLO, "x1", None,
     "openai_envelope"),
    ({"name": "go", "where": OSLO}, "go", OSLO, None, None, "alternative_key"),  # the only object of parameters
    ({"name": "go", "where": {"town": "Oslo"}}, "go", None, None, None, "no arguments, but 'where'"),
    ({"name": "go", "where": {}}, "go", None, None, None, "no arguments, but 'where'"),
    ({"name": "go", "city": "Oslo"}, "go", OSLO, None, None, "flat_arguments"),
    ({"name": "go", "city": "Oslo", "x": 1}, "go", None, None, None, "no arguments, but 'x'"),
    ({"name": "go"}, "go", {}, None, None, "missing_arguments"),
    ({"name": "go", "id": "x1", "status": "done"}, "go", {}, "x1", {"status": "done"}, "missing_arguments"),
    ({"name": "typed", "id": "x1", "type": "a"}, "typed", {"id": "x1", "type": "a"}, None, None, "flat_arguments"),
    ({"go": OSLO}, "go", OSLO, None, None, "alternative_key"),  # the tool's name as the key
    ({"go": OSLO, "why": "x"}, "", None, None, None, "no name"),
    ({"go": {"town": "Oslo"}}, "", None, None, None, "no name"),
    ({"go": "Oslo"}, "", None, None, None, "no name"),
    ({"far": OSLO}, "", None, None, None, "no name"),
    ({"name": "", "arguments": OSLO}, "", None, None, None, "no name"),
    ({"arguments": OSLO}, "", None, None, None, "no name"),
    ({"name": "go", "arguments": [1]}, "", None, None, None, "arguments are a list, no object"),
    ({"name": "go", "arguments": 1}, "", None, None, None, "arguments are a number, no object"),
    ({"name": "go", "arguments": True}, "", None, None, None, "arguments are a boolean, no object"),
    ({"name": "go", "arguments": "{} x"}, "", None, None, None, "text after the arguments"),
    ({"name": "go", "arguments": "so"}, "", None, None, None, "unreadable arguments"),
    ({"name": "go", "arguments": SCHEMA}, "", None, None, None, "a declaration of a tool where a call should be"),
    ("go", "", None, None, None, "text where a call object should stand"),
    ([], "", None, None, None, "a list where a call object should stand"),
    (None, "", None, None, None, "null where a call object should stand"),
]  # fmt: skip


@each("value, name, arguments, call_id, extra, repairs", READ)
def test_a_call_out_of_an_object(
    value: Any, name: str, arguments: Any, call_id: str | None, extra: Any, repairs: str
) -> None:
    made: list[str] = []
    if arguments is None:
        with pytest.raises(NotACall, match=repairs):
            call_from(value, "arguments", TOOLS, made)
        return
    found = call_from(value, "arguments", TOOLS, made)
    assert (found.name, found.arguments, found.id, found.extra or None) == (name, arguments, call_id, extra)
    assert made == repairs.split()


@each(
    "value, arguments, repairs",
    [
        ({"name": "go", "x": 1, "y": 2}, {"x": 1, "y": 2}, "flat_arguments"),
        ({"name": "go", "id": "a", "x": 1}, None, ""),
        ({"tool": "go", "tool_input": {"x": 1}}, {"x": 1}, "alternative_key"),
        ({"tool": "go", "args": {"x": 1}}, {"x": 1}, "alternative_key"),
        ({"action": "go", "args": {"x": 1}}, None, ""),
        ({"tool": "null", "args": {"x": 1}}, None, ""),
    ],
)
def test_a_call_without_declared_tools(value: Any, arguments: Any, repairs: str) -> None:
    made: list[str] = []
    if arguments is None:
        with pytest.raises(NotACall):
            call_from(value, "arguments", NO_TOOLS, made)
        return
    assert call_from(value, "arguments", NO_TOOLS, made).arguments == arguments
    assert made == repairs.split()


def test_the_keys_of_a_format_are_no_repair() -> None:
    made: list[str] = []
    value = {"tool": "go", "params": OSLO, "nr": "x1"}
    found = call_from(value, "params", TOOLS, made, name_key="tool", id_key="nr")
    assert (found.name, found.arguments, found.id, made) == ("go", OSLO, "x1", [])
    call_from({"name": "go", "parameters": OSLO}, "arguments", TOOLS, made, variants=("parameters",))
    assert made == []
    with pytest.raises(NotACall, match="arguments are text"):
        arguments_from('"\\"\\\\\\"{}\\\\\\"\\""', [])


@each(
    "value, declared, bare",
    [
        # whether it is a call where tools are declared, and where none is
        ({"name": "go", "arguments": {}}, True, True),
        ({"name": "far", "arguments": {}}, False, True),
        ({"name": "functions.go", "arguments": {}}, True, True),
        ({"function": {"name": "go", "arguments": {}}}, True, True),
        ({"tool": "go", "args": {}}, True, True),
        ({"tool": "far", "args": {}}, False, True),
        ({"name": "go"}, True, False),
        ({"name": "far"}, False, False),
        ({"name": "go", "city": "Oslo"}, True, False),
        ({"name": "go", "town": "Oslo"}, False, False),
        ({"name": "go", "tool_input": {}}, True, True),
        ({"name": "go", "parameters": SCHEMA}, False, False),
        ({"name": "", "arguments": {}}, False, False),
        ({"arguments": {}}, False, False),
        (["go"], False, False),
    ],
)
def test_an_object_without_a_marker_is_a_call(value: Any, declared: bool, bare: bool) -> None:
    assert (is_call(value, TOOLS), is_call(value, NO_TOOLS)) == (declared, bare)


@each(
    "arguments, name, schema",
    [
        (SCHEMA, "go", True),
        ({"type": "object"}, "go", True),
        ({"type": "dict", "properties": {}}, "go", True),
        ({"type": "OBJECT", "properties": {}}, "go", True),
        ({"type": "object", "properties": []}, "go", False),
        ({"type": "object", "city": "Oslo"}, "go", False),
        ({"type": "string"}, "go", False),
        ({"type": "object"}, "typed", False),  # a parameter of the tool
        ({"type": "object", "properties": {}}, "typed", True),
        ({"type": "object"}, "far", True),
    ],
)
def test_arguments_that_are_a_schema(arguments: dict[str, Any], name: str, schema: bool) -> None:
    assert is_schema(arguments, name, TOOLS) is schema


@each(
    "value, tools",
    [
        ([{"name": "go", "parameters": SCHEMA}], True),
        ({"name": "go", "parameters": SCHEMA}, True),
        ([{"name": "go", "parameters": SCHEMA}, {"name": "far"}], True),
        ([{"name": "go", "parameters": SCHEMA}, {"x": 1}], False),
        ([{"name": "go", "parameters": {"type": "object"}}], True),
        ([{"name": "go", "parameters": {"type": "OBJECT"}}], True),
        ([{"name": "go", "parameters": {"type": "string"}}], False),
        ([{"name": "go", "parameters": {"city": "Oslo"}}], False),
        ([{"name": "go"}], False),
        ([], False),
        ("go", False),
    ],
)
def test_a_value_that_declares_tools(value: Any, tools: bool) -> None:
    assert declares_tools(value) is tools


ONE, FAR = '{"name": "go", "parameters": {}}', '{"name": "far", "parameters": {}}'


@each(
    "text, calls",
    [
        (f"[{ONE}]", True),
        (f"[{FAR}]", False),
        (f"[{FAR}, {FAR}]", False),  # people, say
        (f"[{FAR}, {ONE}]", True),
        (f"[{FAR.replace('parameters', 'arguments')}]", True),
        (ONE, True),
        (FAR, False),
        ('{"tool": "go", "params": {}}', True),
        ('{"tool": "go", "params": 3}', False),
        ('{"type": "tool_use", "id": "a", "name": "far", "input": {}}', True),
        (f"```json\n{ONE}\n```", True),
        (f"```json\n[{ONE}]\n```", True),
        (f" [{ONE}] ", True),
        (f"See [{ONE}]", False),
        (f"[{ONE}, 5]", False),
        (f"[{ONE[:-1]}]", False),
        (f"[{ONE},]", True),
        (f"[{ONE}".replace('"', "'"), False),
        (f"[{ONE}]".replace('"', "'"), True),
        (f"[{ONE}] []", False),
        ("[]", False),
        ('[{"name": "go", "arguments": {}, "why": 1}]', False),
        ('[{"name": "null", "arguments": {}}]', False),
        ('[{"name": "go now", "arguments": {}}]', False),
        ('[{"name": "go", "arguments": []}]', False),
        ('[{"name": "go", "arguments": {"type": "object"}}]', False),
        ('[{"arguments": {}}]', False),
    ],
)
def test_a_text_that_is_a_list_of_calls(text: str, calls: bool) -> None:
    assert lists_calls(text, TOOLS) is calls


@each(
    "text, calls",
    [
        (f"[{FAR}, {FAR}]", True),
        (FAR, True),
        ('{"tool": "far", "params": {}}', True),
        ('{"name": "far", "kwargs": {}}', True),
        ('{"name": "far", "inputs": {}}', False),  # a component, say
        ('{"tool": "far", "inputs": {}}', True),
        ('{"name": "far", "kwargs": {}, "age": 3}', False),
        ('{"action": "far", "params": {}}', False),
        ('{"name": "far"}', False),
        ('[{"name": "far", "arguments": "{}"}]', False),  # only what APIs wrap has its arguments as a text
        ('[{"type": "function", "function": {"name": "far", "arguments": "{}"}}]', True),
        ('[{"index": 0, "id": "a", "type": "function", "function": {"name": "far", "arguments": "{}"}}]', True),
        (
            '[{"index": 0, "id": "a", "type": "function", "function": {"name": "far", "arguments": "{}"}, "x": 1}]',
            False,
        ),
    ],
)
def test_a_text_that_is_a_list_of_calls_where_no_tools_are_declared(text: str, calls: bool) -> None:
    assert lists_calls(text, NO_TOOLS) is calls


@each("name, likely", [("go", True), ("go.now", True), ("go-now", True), ("größe", True), ("null", False), ("True", False),
                       ("1st", False), ("go now", False), ("", False), (".go", False)])  # fmt: skip
def test_names_that_are_likely_those_of_tools(name: str, likely: bool) -> None:
    assert is_likely_name(name) is likely


def call(**more: Any) -> ToolCall:
    return ToolCall("go", OSLO, **more)


@each(
    "calls, made, rank",
    [
        ([call()], [], 2),
        ([call(), ToolCall("go", {"city": 5})], [], 1),
        ([ToolCall("far", {})], [], 1),
        ([call(extra={"x": 1})], [], 0),
        ([call()], ["missing_arguments"], 0),
        ([call()], ["flat_arguments"], 0),
        ([call()], ["single_quotes"], 2),
        ([], [], 0),
    ],
)
def test_how_well_calls_suit_a_place(calls: list[ToolCall], made: list[str], rank: int) -> None:
    assert call_rank(calls, made, TOOLS) == rank


def test_calls_that_the_end_cut_off() -> None:
    arguments: dict[str, Any] = {}
    plain: dict[str, Any] = {"name": "go", "arguments": arguments}
    envelope: dict[str, Any] = {"function": plain}
    listed = [envelope]
    assert not cut_off([plain], ())
    assert not cut_off([envelope, plain], ())
    assert not cut_off([listed, envelope, plain], ())
    assert not cut_off([{"tool_calls": listed}, listed], ())
    assert cut_off([plain, arguments], ())
    assert cut_off([plain], ("missing_arguments",))
    assert not cut_off([plain], ("single_quotes",))


@each(
    "members, key, rare, unread",
    [
        ({"arguments": {}}, "arguments", None, None),
        ({"args": "x", "input": {}}, "input", None, None),
        ({"args": "x"}, "args", None, None),
        ({"args": "x", "params": {}}, "params", "params", None),
        ({"params": "{}"}, "params", "params", "params"),
        ({"params": "x"}, None, None, None),
        ({"params": {}, "kwargs": {}}, None, None, None),
        ({"params": {}, "kwargs": 1}, "params", "params", None),
        ({"argument": {"x": 1}}, "argument", "argument", "argument"),
        ({"argumants": {"x": 1}}, "argumants", "argumants", "argumants"),
        ({"rguments": {"x": 1}}, "rguments", "rguments", "rguments"),
        ({"xarguments": {"x": 1}}, "xarguments", "xarguments", "xarguments"),
        ({"argumanta": {"x": 1}}, None, None, "argumanta"),
        ({"parameterz": {"x": 1}}, "parameterz", "parameterz", "parameterz"),
        ({"where": {"x": 1}}, None, None, "where"),
        ({"where": {}}, None, None, None),
        ({"where": [1]}, None, None, None),
        ({"metadata": {"x": 1}}, None, None, None),
        ({"result": {"x": 1}}, None, None, None),
    ],
)
def test_the_key_of_arguments(members: dict[str, Any], key: str | None, rare: str | None, unread: str | None) -> None:
    assert (argument_key(members), rare_argument_key(members), unread_key(members)) == (key, rare, unread)


PING = {"name": "ping", "arguments": {}}


@each(
    "value, items, prose, others",
    [
        ({"tool_calls": [PING]}, [PING], "", {}), ({"function_call": PING}, [PING], "", {}),
        ({"role": "assistant", "id": "m", "type": "message", "object": "x", "index": 0, "calls": [PING]}, [PING], "", {}),
        ({"content": "I look.", "tool_calls": [PING]}, [PING], "I look.", {}),
        ({"thought": "Hm.", "tool_calls": [PING], "next": "x"}, [PING], "Hm.", {"next": "x"}),
        ({"content": "", "refusal": None, "tags": [], "meta": {}, "tool_calls": [PING]}, [PING], "", {}),
        ({"content": 3, "tool_calls": [PING]}, [PING], "", {"content": 3}),
    ],
)  # fmt: skip
def test_an_object_around_calls(value: Any, items: list[Any], prose: str, others: dict[str, Any]) -> None:
    assert envelope_of(value) == (items, prose, others)


@each("value", [PING, [PING], "x", {"role": "user", "tool_calls": [PING]}, {"tool_calls": []}, {"tool_calls": "x"}])
def test_what_is_no_object_around_calls(value: Any) -> None:
    assert envelope_of(value) is None


def test_what_declares_tools() -> None:
    tool = {"type": "function", "function": {"name": "go", "parameters": {"type": "object", "properties": {}}}}
    assert declares_tools(tool) and declares_tools([tool])
    assert not any(map(declares_tools, [json.dumps([tool]), 7, None, [], [tool, {"x": 1}]]))
