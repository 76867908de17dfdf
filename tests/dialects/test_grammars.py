"""Texts that take each way through the grammars: damaged, cut off, nested too deep, of schemas that say little."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv import dialects
from toolconv.core.tools import ToolIndex


def declared(schema: dict[str, Any]) -> ToolIndex:
    return ToolIndex([{"type": "function", "function": {"name": "f", "parameters": {"type": "object", **schema}}}])


def read(dialect: str, text: str, schema: dict[str, Any] | None = None) -> list[Any]:
    """The calls, content and repairs of a text with the tool ``f``, and what is dropped of it, each with the reason."""
    parsed = dialects.get(dialect).parse(text, declared(schema) if schema is not None else ToolIndex([]))
    calls = [[call.name, call.arguments] for call in parsed.calls]
    return [calls, parsed.content, parsed.repairs, [[drop.reason, drop.text] for drop in parsed.dropped]]


def dropped(reason: str) -> str:
    """What is expected of a text that is, all of it, a call that can't be read."""
    return reason


Row = tuple[str, str, dict[str, Any] | None, Any]
NUMBER: dict[str, Any] = {"properties": {"a": {"type": "number"}}}
GEMMA = "<|tool_call>call:f{}<tool_call|>".format

DELIMITED: list[Row] = [
    ("gemma4", GEMMA("{" + "a:{" * 201 + "}" * 202), None, "nested more than 200 deep"),
    ("gemma4", GEMMA("{" + "a:{" * 200 + "}" * 201), None, None),
    ("gemma4", GEMMA("{a:" + "[" * 201 + "]" * 201 + "}"), None, "nested more than 200 deep"),
    ("gemma4", "<|tool_call>call:f{", None, "the text ends inside the arguments"),
    ("gemma4", GEMMA("{"), None, "the text ends inside the arguments"),
    ("gemma4", "<|tool_call>call:f{a:1", None, "the text ends inside a value"),
    ("gemma4", "<|tool_call>call:f{a:true", None, "the text ends inside a value"),
    ("gemma4", "<|tool_call>call:f{a:Oslo", None, "the text ends inside a value"),
    ("gemma4", GEMMA("{a:1"), None, [[["f", {"a": 1}]], "", ["missing_bracket"], []]),
    ("gemma4", GEMMA("{a:true"), None, [[["f", {"a": True}]], "", ["missing_bracket"], []]),
    ("gemma4", GEMMA("{a:truest}"), None, [[["f", {"a": "truest"}]], "", ["unquoted_string"], []]),
    ("gemma4", GEMMA("{a:12 km}"), None, [[["f", {"a": "12 km"}]], "", ["unquoted_string"], []]),
    ("gemma4", GEMMA("{a:1,a:2}"), None, [[["f", {"a": 2}]], "", ["duplicate_key"], []]),
    ("gemma4", GEMMA("{a:“Oslo”}"), None, [[["f", {"a": "Oslo"}]], "", ["smart_quotes"], []]),
    ("gemma4", GEMMA("{a:“Oslo}"), None, [[["f", {"a": "“Oslo"}]], "", ["unquoted_string"], []]),
    ("gemma4", GEMMA("{a:＂}"), None, [[["f", {"a": "＂"}]], "", ["unquoted_string"], []]),
    ("gemma4", GEMMA("{a:1.10}"), None, [[["f", {"a": "1.10"}]], "", ["unquoted_string"], []]),
    ("gemma4", GEMMA("{a:1.10}"), NUMBER, [[["f", {"a": 1.1}]], "", [], []]),
    ("gemma4", GEMMA("{a:1.10"), NUMBER, [[["f", {"a": 1.1}]], "", ["missing_bracket"], []]),
    ("gemma4", GEMMA("{a:1.10}"), {"properties": {"a": {"type": "integer"}}},
     [[["f", {"a": "1.10"}]], "", ["type_mismatch"], []]),
    ("gemma4", GEMMA("{a:1.10}"), {"properties": {"a": {"type": ["number", "string"]}}},
     [[["f", {"a": "1.10"}]], "", ["unquoted_string"], []]),
    ("gemma4", "<|tool_call>call:f{a}" + GEMMA("{a:1}"), None,
     [[["f", {"a": 1}]], "<|tool_call>call:f{a}", [], [["a key without a colon after it", "<|tool_call>call:f{a}"]]]),
    ("functiongemma", "Look.\n<start_function_call>call:f{}<end_function_call>", None,
     [[["f", {}]], "Look.", [], []]),
    ("functiongemma", "Look.<start_function_call>call:f{}<end_function_call>", None,
     [[["f", {}]], "Look.", [], []]),
]  # fmt: skip

KIMI = (
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{}<|tool_call_end|>"
    "<|tool_calls_section_end|>"
).format
REACT = "Action: f\nAction Input: Oslo now"
TEXT = [[["f", {"s": "Oslo now"}]], "", ["plain_arguments"], []]
ONE_TEXT = {"properties": {"s": {"type": "string"}}}

NAMED: list[Row] = [
    ("kimi_k2", KIMI("```json\n"), None,
     [[], KIMI("```json\n"), [], [["a fence without arguments", KIMI("```json\n")[28:-26]]]]),
    ("react", REACT, ONE_TEXT, TEXT),
    ("react", REACT, {"properties": {"s": {}}}, TEXT),
    ("react", REACT, {"properties": {"n": {"type": "integer"}}}, "plain text where the arguments should stand"),
    ("react", REACT, {"properties": {"s": {"type": "string"}, "t": {"type": "string"}}},
     "plain text where the arguments should stand"),
    ("react", REACT, {"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}, "required": ["s"]}, TEXT),
    ("react", REACT, {"properties": {"n": {"type": "integer"}, "s": {"type": "string"}}, "required": ["n"]},
     "plain text where the arguments should stand"),
    ("react", REACT, {**ONE_TEXT, "required": True}, TEXT),
    ("react", REACT, {**ONE_TEXT, "required": [["s"]]}, TEXT),
    ("react", REACT, {**ONE_TEXT, "required": ["other"]}, TEXT),
]  # fmt: skip

HERMES = "<tool_call>\n{}\n</tool_call>".format
PING = '{"name": "ping", "arguments": {}}'
CITY: dict[str, Any] = {"properties": {"city": {"type": "string"}}}

BLOCKS: list[Row] = [
    ("apertus", '<|tools_prefix|>[{"f": 3}]<|tools_suffix|>', None, "arguments are a number, no object"),
    ("apertus", '<|tools_prefix|>[{"": {}}]<|tools_suffix|>', None, "no name"),
    ("apertus", '<|tools_prefix|>[{"name": "all", "arguments": {"tool_uses": [3]}}]<|tools_suffix|>', None,
     "a number where a call object should stand"),
    ("hermes", HERMES('{"name": "all", "arguments": {"tool_uses": "x"}}'), None,
     [[["all", {"tool_uses": "x"}]], "", [], []]),
    ("hermes", HERMES('{"name": "all", "arguments": {"tool_uses": [], "more": 1}}'), None,
     [[["all", {"tool_uses": [], "more": 1}]], "", [], []]),
    ("hermes", HERMES(f'{{"name": "all", "arguments": {{"tool_uses": [{PING}], "more": 1}}}}'), None,
     [[["all", {"tool_uses": [{"name": "ping", "arguments": {}}], "more": 1}]], "", [], []]),
    ("hermes", HERMES(f'{{"name": "all", "arguments": {{"tool_uses": [{PING}]}}}}'), None,
     [[["ping", {}]], "", ["parallel_wrapper"], []]),
    ("hermes", HERMES('{"name": "f"}\n{"city": "Oslo"}'), None,
     [[["f", {"city": "Oslo"}]], "", ["split_call", "several_objects"], []]),
    ("hermes", HERMES('{"name": "f"}\n{"name": "ping", "arguments": {}}'), None,
     [[["f", {}], ["ping", {}]], "", ["missing_arguments", "several_objects"], []]),
    ("hermes", f"{PING}\n</tool_call>", None, [[["ping", {}]], "", ["missing_open_tag"], []]),
    ("llama3_json", 'Say `{"name": "f", "parameters": {"city": ` and so on.', CITY,
     [[], 'Say `{"name": "f", "parameters": {"city": ` and so on.', [], []]),
    ("llama3_json", '{"tool_calls": ["f"]}', CITY, [[], '{"tool_calls": ["f"]}', [], []]),
    ("hunyuan_a13b", "助手：Hello.", None, [[], "Hello.", [], []]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "text", "schema", "expected"),
    [
        *(pytest.param(*row, id=f"{grammar} {at}") for grammar, rows in (("delimited values", DELIMITED), ("a name and JSON", NAMED), ("JSON blocks", BLOCKS)) for at, row in enumerate(rows)),
    ],
)  # fmt: skip
def test_a_text_is_read(dialect: str, text: str, schema: dict[str, Any] | None, expected: Any) -> None:
    """``expected`` is a reason where all of the text is dropped; ``None`` where one call has to be read."""
    found = read(dialect, text, schema)
    if expected is None:
        assert (len(found[0]), *found[1:]) == (1, "", [], [])
    else:
        assert found == ([[], text, [], [[expected, text]]] if isinstance(expected, str) else expected)
