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


QWEN = "<tool_call>\n<function=f>\n{}\n</function>\n</tool_call>".format
P = "<parameter={}>\n{}\n</parameter>".format
DSML = (
    "\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"a\" string=\"{}\">{}</｜DSML｜parameter>\n"
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
).format
NONE: dict[str, Any] = {"properties": {}}
TWO: dict[str, Any] = {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}


def called(repairs: list[str], **arguments: Any) -> list[Any]:
    return [[["f", arguments]], "", repairs, []]


MINIMAX = "\n<minimax:tool_call>\n{}\n</minimax:tool_call>".format

TAGS: list[Row] = [
    # names
    ("qwen3_xml", "<tool_call>\n<function=f/>\n</tool_call>", None, called(["marker_spelling"])),
    ("qwen3_xml", "<tool_call>\n<function=f/>\n</function>\n</tool_call>", None, called(["marker_spelling"])),
    ("minimax_m2", MINIMAX('<invoke name="f/">'), None, called(["marker_spelling"])),
    ("minimax_m2", MINIMAX('<invoke name="f/">\n</invoke>'), None, called(["marker_spelling"])),
    ("minimax_m2", MINIMAX("<invoke name='f'>\n</invoke>"), None, called(["marker_spelling"])),
    ("glm45", '\n<tool_call>f{"a": 1}</tool_call>', None, called(["json_body"], a=1)),
    ("glm45", '\n<tool_call>{"a": 1}</tool_call>', None,
     [[], '\n<tool_call>{"a": 1}</tool_call>', [], [["no name", '<tool_call>{"a": 1}</tool_call>']]]),
    # arguments
    ("qwen3_xml", QWEN('{"a": 1}'), None, called(["json_body"], a=1)),
    ("qwen3_xml", QWEN(P("a", "1") + '\n{"b": 2}'), None, [[["f", {"a": 1}]], '{"b": 2}', ["prose_in_call"], []]),
    ("qwen3_xml", QWEN("<parameter=a>\n" + P("a", "1")), None, called(["extra_open_tag"], a=1)),
    # without closing tags
    ("qwen3_xml", "<tool_call>\n<function=f>\n", NONE, called(["truncated"])),
    ("qwen3_xml", "<tool_call>\n<function=f>\n", TWO, "the text ends inside the call"),
    ("qwen3_xml", "<tool_call>\n<function=f>\n", None, "the text ends inside the call"),
    ("qwen3_xml", "<tool_call>\n<function=f>\n" + P("a", "x"), TWO, "the text ends inside the call"),
    ("qwen3_xml", "<tool_call>\n<function=f>\n" + P("a", "x") + P("b", "1"), TWO, called(["truncated"], a="x", b=1)),
    ("qwen3_xml", "<tool_call>\n<function=f>\n" + P("a", "x"), NONE, called(["truncated"], a="x")),
    ("qwen3_xml", "<tool_call>\n<function=f>\n</tool_call>", NONE, called(["missing_close_tag"])),
    ("qwen3_xml", "<tool_call>\n<function=f>\n" + P("a", "x") + "\n</fun", TWO, called(["truncated"], a="x")),
    # values that say whether they are text
    ("deepseek_v32", DSML("true", "3"), None, called([], a="3")),
    ("deepseek_v32", DSML("true", "3"), TWO, called([], a="3")),
    ("deepseek_v32", DSML("true", "3"), NUMBER, called([], a=3)),
    ("deepseek_v32", DSML("false", "3"), None, called([], a=3)),
    ("deepseek_v32", DSML("false", '"3"'), None, called([], a="3")),
    ("deepseek_v32", DSML("false", '"3"'), TWO, called([], a="3")),
    ("deepseek_v32", DSML("false", '"x"'), NUMBER, called(["type_mismatch"], a='"x"')),
    ("deepseek_v32", DSML("false", "Oslo"), None, called(["type_mismatch"], a="Oslo")),
    ("deepseek_v32", DSML("false", "Oslo"), TWO, called([], a="Oslo")),
    # values without a closing tag
    ("qwen3_xml", QWEN("<parameter=a>\nx\n" + P("b", "1")), TWO, called(["missing_close_tag"], a="x", b=1)),
    ("qwen3_xml", QWEN("<parameter=a>\nx\n" + P("c", "1")), None, called(["missing_close_tag"], a="x", c=1)),
    ("qwen3_xml", QWEN("<parameter=a>x<parameter=b>1</parameter>"), TWO, called(["missing_close_tag"], a="x", b=1)),
    ("qwen3_xml", QWEN("<parameter=a>x<parameter=c>1</parameter>"), None, called(["missing_close_tag"], a="x", c=1)),
    ("qwen3_xml", QWEN("<parameter=a>x <parameter=c>1</parameter>"), None, called(["markup_in_value"], a="x <parameter=c>1")),
    ("qwen3_xml", QWEN("<parameter=a>\nx\n<parameter=a>\ny\n</parameter>"), None, called(["markup_in_value"], a="x\n<parameter=a>\ny")),
    ("qwen3_xml", "<tool_call>\n<function=f>\n<parameter=a>\nx\n</function>\n</tool_call> and </function>\n</tool_call>", None,
     [[["f", {"a": "x"}]], " and </function>\n</tool_call>", ["missing_close_tag"], []]),
    ("qwen3_xml", "<tool_call>\n<function=f>\n<parameter=a>\nx <tool_call>\n<function=g>", None,
     [[], "<tool_call>\n<function=f>\n<parameter=a>\nx <tool_call>\n<function=g>", [],
      [["the text ends inside a value", "<tool_call>\n<function=f>\n<parameter=a>\nx "],
       ["the text ends inside the call", "<tool_call>\n<function=g>"]]]),
]  # fmt: skip


OBJECT: dict[str, Any] = {"properties": {"o": {"type": "object"}, "s": {"type": "string"}}}

def unread(call: str, reason: str) -> list[Any]:
    """What is expected of a list of one call that can't be read."""
    return [[], f"[{call}]", [], [[reason, call]]]


PYTHON: list[Row] = [
    # arguments
    ("pythonic", "[f('x', 1)]", TWO, called(["positional_argument"], a="x", b=1)),
    ("pythonic", "[f('x', a='y')]", TWO, unread("f('x', a='y')", "two values for 'a'")),
    ("pythonic", "[f('x', b=1, b=2)]", TWO, called(["positional_argument", "duplicate_key"], a="x", b=2)),
    ("pythonic", "[f(a='x', 1)]", TWO, unread("f(a='x', 1)", "a positional value behind a named one")),
    ("pythonic", "[f('x', 1, 2)]", TWO, unread("f('x', 1, 2)", "a positional value for no declared parameter")),
    ("pythonic", "[f('x')]", None, unread("f('x')", "a positional value for no declared parameter")),
    ("pythonic", "[f({'a': 'x'})]", TWO, called(["positional_argument"], a="x")),
    ("pythonic", "[f({'c': 'x'})]", OBJECT, called(["positional_argument"], o={"c": "x"})),
    ("pythonic", "[f(**{'a': 'x'}, b=1)]", TWO, called([], a="x", b=1)),
    ("pythonic", "[f(**['a'])]", TWO, unread("f(**['a'])", "what is spread out is no object")),
    # names as values
    ("pythonic", "[f(a=Oslo)]", TWO, called(["unquoted_string"], a="Oslo")),
    ("pythonic", "[f(b=Oslo)]", TWO, unread("f(b=Oslo)", "'Oslo' is a name, no value")),
    ("pythonic", "[f(o=Oslo)]", OBJECT, called(["unquoted_string", "type_mismatch"], o="Oslo")),
    ("pythonic", "[f(c=Oslo)]", {"properties": {"c": {}}}, called(["unquoted_string"], c="Oslo")),
    # quotes in strings
    ("pythonic", "[f(a='it's', b=1)]", TWO, called(["inner_quotes"], a="it's", b=1)),
    # runs of calls
    ("llama4_pythonic", "<|python_start|>[]<|python_end|>", None, [[], "", ["empty_block"], []]),
    ("pythonic", "[f(a='x'), f(a=)]", TWO,
     [[["f", {"a": "x"}]], "f(a=)", [], [["')' where a value should begin", "f(a=)"]]]),
]  # fmt: skip


TABLES = {
    "delimited values": DELIMITED,
    "a name and JSON": NAMED,
    "JSON blocks": BLOCKS,
    "tags": TAGS,
    "Python": PYTHON,
}


@pytest.mark.parametrize(
    ("dialect", "text", "schema", "expected"),
    [pytest.param(*row, id=f"{grammar} {at}") for grammar, rows in TABLES.items() for at, row in enumerate(rows)],
)
def test_a_text_is_read(dialect: str, text: str, schema: dict[str, Any] | None, expected: Any) -> None:
    """``expected`` is a reason where all of the text is dropped; ``None`` where one call has to be read."""
    found = read(dialect, text, schema)
    if expected is None:
        assert (len(found[0]), *found[1:]) == (1, "", [], [])
    else:
        assert found == ([[], text, [], [[expected, text]]] if isinstance(expected, str) else expected)
