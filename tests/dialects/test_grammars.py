"""Texts that take each way through the grammars: damaged, cut off, nested too deep, of schemas that say little."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_readers.json_calls import json_object
from toolconv.dialects.dialect_file import from_toml


def declared(schema: dict[str, Any]) -> ToolIndex:
    return ToolIndex([{"type": "function", "function": {"name": "f", "parameters": {"type": "object", **schema}}}])


def read(dialect: str | Dialect, text: str, schema: dict[str, Any] | None = None) -> list[Any]:
    """The calls, content and repairs of a text with the tool ``f``, and what is dropped of it, each with the reason."""
    found = dialects.get(dialect) if isinstance(dialect, str) else dialect
    parsed = found.parse(text, declared(schema) if schema is not None else ToolIndex([]))
    calls = [[call.name, call.arguments] for call in parsed.calls]
    return [calls, parsed.content, parsed.repairs, [[drop.reason, drop.text] for drop in parsed.dropped]]


def called(repairs: list[str], **arguments: Any) -> list[Any]:
    return [[["f", arguments]], "", repairs, []]


Row = tuple[str | Dialect, str, dict[str, Any] | None, Any]
NUMBER: dict[str, Any] = {"properties": {"a": {"type": "number"}}}
GEMMA = "<|tool_call>call:f{}<tool_call|>".format

DELIMITED: list[Row] = [
    ("gemma4", GEMMA("{" + "a:{" * 201 + "}" * 202), None, "nested more than 200 deep"),
    ("gemma4", GEMMA("{" + "a:{" * 200 + "}" * 201), None, None),
    ("gemma4", GEMMA("{a:" + "[" * 201 + "]" * 201 + "}"), None, "nested more than 200 deep"),
    ("gemma4", "<|tool_call>call:f{", None, "the text ends inside of an object or list"),
    ("gemma4", GEMMA("{"), None, "an object or list that is never closed"),
    ("gemma4", "<|tool_call>call:f{a:1", None, "the text ends inside a value"),
    ("gemma4", "<|tool_call>call:f{a:true", None, "the text ends inside a value"),
    ("gemma4", "<|tool_call>call:f{a:Oslo", None, "the text ends inside a value"),
    ("gemma4", "<|tool_call>call:f{a:1,", None, "the text ends inside of an object or list"),
    ("gemma4", GEMMA('{}a:<|"|>Oslo<|"|>}'), None, "text after the arguments"),
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
    ("kimi_k2", KIMI('{"a": 1}}'), None, called(["extra_bracket"], a=1)),
    ("kimi_k2", KIMI('{"a": 1}}}'), None, called(["extra_bracket", "extra_bracket"], a=1)),
    ("qwen_agent", '✿FUNCTION✿ f\n✿ARGS✿: {"a": 1}', None, called(["marker_spelling"], a=1)),
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
    ("hermes", HERMES('{"x": 1}\n' + PING), None,
     [[["ping", {}]], '{"x": 1}', ["several_objects"], [["no name", '{"x": 1}']]]),
    ("hermes", "Look: " + PING + " and\n</tool_call>", None,
     [[["ping", {}]], "Look: \n and\n</tool_call>", ["missing_tags"], []]),
    ("hermes", f"{PING}\n</tool_call>", None, [[["ping", {}]], "", ["missing_open_tag"], []]),
    ("llama3_json", 'Say `{"name": "f", "parameters": {"city": ` and so on.', CITY,
     [[], 'Say `{"name": "f", "parameters": {"city": ` and so on.', [], []]),
    ("llama3_json", '{"tool_calls": ["f"]}', CITY, [[], '{"tool_calls": ["f"]}', [], []]),
    ("hermes", HERMES(PING) + "\n" + HERMES("5"), None, [[["ping", {}]], HERMES("5"), [], [["nothing that can be read follows the marker", HERMES("5")]]]),
    ("openai", '[{"id":"x1","type":"function","function":{"name":"f","arguments":"{}"}}]', CITY, called([])),
    ("openai", '[{"id":"x1","type":"function","function":{"name":"f","arguments":{}}}]', CITY, called([])),
    ("openai", '[{"id":"x1","type":"function","function":3}]', CITY, [[], '[{"id":"x1","type":"function","function":3}]', [], []]),
    ("bfcl_fc", '[{"f": "{}"}, 3]', CITY,
     [[], '[{"f": "{}"}, 3]', [], [["not all items are calls of declared tools", '{"f": "{}"}, 3]']]]),
    ("hunyuan_a13b", "助手：Hello.", None, [[], "Hello.", [], []]),
]  # fmt: skip


QWEN = "<tool_call>\n<function=f>\n{}\n</function>\n</tool_call>".format
P = "<parameter={}>\n{}\n</parameter>".format
DSML = (
    '\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name="f">\n<｜DSML｜parameter name="a" string="{}">{}</｜DSML｜parameter>\n'
    "</｜DSML｜invoke>\n</｜DSML｜function_calls>"
).format
K3 = (
    '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="{}"<|sep|>{}'
    "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"
).format
K3_JSON = (
    '<|open|>tools<|sep|><|open|>call tool="f" index="1"<|sep|><|open|>json<|sep|>{}'
    "<|close|>json<|sep|><|close|>call<|sep|><|close|>tools<|sep|>"
).format
NONE: dict[str, Any] = {"properties": {}}
TWO: dict[str, Any] = {"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}


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
    ("glm45", '\n<tool_call>"f"\n</tool_call>', TWO, called(["marker_spelling"])),
    ("glm45", '\n<tool_call>"f"\n</tool_call>', None,
     [[], '\n<tool_call>"f"\n</tool_call>', [],
      [["nothing that can be read follows the marker", '<tool_call>"f"\n</tool_call>']]]),
    ("minimax_m2", MINIMAX('<invoke name="{x">\n</invoke>'), None,
     [[], MINIMAX('<invoke name="{x">\n</invoke>'), [],
      [["a key without a colon after it", '<minimax:tool_call>\n<invoke name="{x">\n</invoke>']]]),
    # arguments
    ("glm45", '\n<tool_call>"f"\n<arg_key>a</arg_key>\n<arg_value>x</arg_value>\n</tool_call>', None,
     called(["marker_spelling"], a="x")),
    ("qwen3_xml", "<function=f>\nand so", None, "nothing that can be read follows the marker"),
    ("qwen3_xml", "<function=f>\n" + P("a", "x") + "\nand so", None, "the text ends inside a value"),
    ("glm45", '\n<tool_call>f\n<arg_key>"a"</arg_key>\n<arg_value>x</arg_value>\n</tool_call>', None,
     called(["marker_spelling"], a="x")),
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
    ("kimi_k3", K3("integer", "3.5"), None, called([], a=3.5)),
    ("kimi_k3", K3("string", "3.5"), None, called([], a="3.5")),
    ("kimi_k3", K3("number", "x"), None, called(["type_mismatch"], a="x")),
    ("kimi_k3", K3_JSON('{"a": 1}'), None, called([], a=1)),
    ("kimi_k3", K3_JSON('{"a": 1,}\n'), None, called(["trailing_comma"], a=1)),
    ("kimi_k3", K3_JSON('{"a": 1} x'), None, [[], K3_JSON('{"a": 1} x'), [], [["text behind the arguments", K3_JSON('{"a": 1} x')]]]),
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
    ("pythonic", "[f(a='b'c'd'e'f'g', b=1)]", None, called(["inner_quotes"], a="b'c'd'e'f'g", b=1)),
    # runs of calls
    ("llama4_pythonic", "<|python_start|>Hello.<|python_end|>", None, "nothing that can be read follows the marker"),
    ("llama4_pythonic", "<|python_start|>;<|python_end|>", None, "nothing that can be read follows the marker"),
    ("llama4_pythonic", "<|python_start|>f(a='x') and so<|python_end|>", None,
     [[["f", {"a": "x"}]], "and so", ["missing_bracket"], []]),
    ("llama4_pythonic", "<|python_start|>f(a=) and so<|python_end|>", None,
     [[], "<|python_start|>f(a=) and so<|python_end|>", [], [["')' where a value should begin", "f(a=)"]]]),
    ("lfm2", "f(a='x')<|tool_call_end|>", None, called(["missing_open_tag", "missing_bracket"], a="x")),
    ("lfm2", "f(a='x'), f(a=)<|tool_call_end|>", None, [[], "f(a='x'), f(a=)<|tool_call_end|>", [], []]),
    ("llama4_pythonic", "[f(a='<|python_tag|>g(b=1)')]", TWO, None),
    ("llama4_pythonic", "[f(a='x')] and <|python_start|>[f(a='y')]<|python_end|>", TWO,
     [[["f", {"a": "y"}]], "[f(a='x')] and ", [], []]),
    ("llama4_pythonic", "[f(a=)] and <|python_start|>[f(a='y')]<|python_end|>", TWO,
     [[["f", {"a": "y"}]], "[f(a=)] and ", [], []]),
    ("llama4_pythonic", "[see] and <|python_start|>[f(a='y')]<|python_end|>", TWO,
     [[["f", {"a": "y"}]], "[see] and ", [], []]),
    ("pythonic", "[\"f(a='x')\"]", TWO, called(["quoted_call"], a="x")),
    ("pythonic", "[\"f(a='x'), f(a=)\"]", TWO,
     [[["f", {"a": "x"}]], "f(a=)", ["quoted_call"], [["')' where a value should begin", "f(a=)"]]]),
    ("pythonic", "[\"f(a='x') and so\"]", TWO,
     [[["f", {"a": "x"}]], ' and so"]', ["quoted_call", "missing_bracket"], []]),
    ("toolace", "                              [g(a='x')]", TWO, None),
    ("toolace", " [g(a='x')]\nText", TWO, [[["g", {"a": "x"}]], "Text", [], []]),
    ("toolace", "Text\n[g(a='x')]\nText", TWO, [[["g", {"a": "x"}]], "Text\n\nText", [], []]),
    ("toolace", "Text\n[g(a='x'), g(a=)]\nText", TWO, [[], "Text\n[g(a='x'), g(a=)]\nText", [], []]),
    ("toolace", " " * 81 + "[g(a='x')]\nText", TWO, [[], " " * 81 + "[g(a='x')]\nText", [], []]),
    ("toolace", "g(a=)", TWO, [[], "g(a=)", [], []]),
    ("toolace", "g(a=)", None, "')' where a value should begin"),
    ("llama4_pythonic", "<|python_start|>[]<|python_end|>", None, [[], "", ["empty_block"], []]),
    ("pythonic", "[f(a='x'), f(a=)]", TWO,
     [[["f", {"a": "x"}]], "f(a=)", [], [["')' where a value should begin", "f(a=)"]]]),
]  # fmt: skip


HELLO = "<|channel|>final<|message|>Hello."
TO = "<|channel|>commentary to={}<|message|>{}<|call|>".format

MESSAGES: list[Row] = [
    ("harmony", HELLO + "<|im_end|>", None, [[], "Hello.", ["leaked_token"], []]),
    (
        "harmony",
        "<|channel|>analysis<|message|>Hm.<|im_end|><|start|>assistant" + HELLO + "<|end|>",
        None,
        [[], "Hello.", ["leaked_token"], []],
    ),
    ("harmony", HELLO + "<|end|><|start|>assistant", None, [[], "Hello.", ["leaked_token"], []]),
    ("harmony", HELLO + "<|end|><|start|>assistant\n", None, [[], "Hello.", ["leaked_token"], []]),
    ("harmony", HELLO + "<|end|><|start|>", None, [[], "Hello.", ["leaked_token"], []]),
    ("harmony", TO("functions.f", "Oslo"), TWO, "'Oslo' is no JSON value"),
    ("harmony", TO("functions.f", "{}"), TWO, called([])),
    ("harmony", TO("python", "print(1)"), None, [[["python", {"code": "print(1)"}]], "", [], []]),
    ("harmony", TO("python", ' {"code": "print(1)"}'), None, [[["python", {"code": "print(1)"}]], "", [], []]),
]


KEYED = from_toml('grammar = "json_blocks"\nname = "keyed"\ncalls = "<t>{{name|json}: {args}}</t>"')
COUNTED = from_toml(
    'grammar = "json_blocks"\nname = "counted"\ncalls = \'<t>{"index": 1, "function": {"name": {name|json}, "arguments": {args}}}</t>\''
)
PYTHON_IN_TAGS = from_toml(
    'grammar = "python_calls"\nname = "py"\nlisted = false\n[calls]\ncall = "<c>{name}({params})</c>"\n'
    'param = "{key}={value|python}"\nparam_between = ", "'
)
MARKED = from_toml(
    'grammar = "xml_parameters"\nname = "marked"\nmarkup = ["<m>"]\n[calls]\ncall = "<f {name}>{params}</f>"\n'
    'param = "<p {key}>{value|str}</p>"'
)

FILES: list[Row] = [
    (KEYED, '<t>{"f": {"a": 1}}</t>', None, called([], a=1)),
    (KEYED, '<t>{"f": {"a": 1},}</t>', None, called(["trailing_comma"], a=1)),
    (KEYED, '<t>{"f": 3}</t>', None, "no name"),
    (KEYED, '<t>{"": {}}</t>', None, "no name"),
    (KEYED, "<t>3</t>", None, "nothing that can be read follows the marker"),
    (COUNTED, '<t>{"index": 1, "function": {"name": "f", "arguments": {"a": 1}}}</t>', None, called([], a=1)),
    (
        COUNTED,
        '<t>{"index": 2, "function": {"name": "f", "arguments": {"a": 1}}}</t>',
        None,
        called(["openai_envelope"], a=1),
    ),
    (
        KEYED,
        '<t>{"f": {}}</t><t>3</t>',
        None,
        [[["f", {}]], "<t>3</t>", [], [["nothing that can be read follows the marker", "<t>3</t>"]]],
    ),
    (PYTHON_IN_TAGS, "<c>f(a='x')</c>", None, called([], a="x")),
    (PYTHON_IN_TAGS, "<c>f(a='x')</d>", None, [[["f", {"a": "x"}]], "</d>", ["missing_close_tag"], []]),
    (MARKED, "Look.<m><f f><p a>x</p></f>", None, [[["f", {"a": "x"}]], "Look.", [], []]),
]


@pytest.mark.parametrize(
    ("dialect", "piece"),
    [
        ("hermes", "<tool_call>"),
        ("hermes", '</tool_call>f{"a": '),
        ("glm45", "<tool_call>f"),
        ("glm45", "<tool_call>{"),
        ("qwen3_xml", "<parameter=a><function=f>"),
        ("harmony", 'to=functions.{"name": "f", '),
        ("react", 'Thought: Hm.\nAction: f\nAction Input: {"a": "'),
        ("lfm2", "<|tool_call_start|>"),
        ("llama4_pythonic", "<|python_start|>["),
        ("gemma4", "<|tool_call>call:get"),
    ],
)
def test_a_text_of_markers_alone_is_given_up(dialect: str, piece: str) -> None:
    """Each marker would be read to the end of the text."""
    *_, drops = read(dialect, piece * (24_000 // len(piece)), TWO)
    assert drops[-1][0] == "gave up: too much broken markup in one text"


@each(
    "dialect, call, certain",
    [
        ("hermes", ToolCall("f", {"a b": 1}), True),
        ("hermes", ToolCall("functions.f", {}), False),
        ("hermes", ToolCall("a b", {}), False),
        ("gemma4", ToolCall("f", {"a": "x"}), True),
        ("gemma4", ToolCall("a b", {"a": "x"}), False),
        ("gemma4", ToolCall("f", {"a b": "x"}), False),
        ("gemma4", ToolCall("f", {"a": '<|"|>'}), False),
        ("lfm2", ToolCall("f", {"a": "x"}), True),
        ("lfm2", ToolCall("f", {"a b": "x"}), False),
        ("qwen3_xml", ToolCall("f", {"a": "x"}), True),
        ("qwen3_xml", ToolCall("f", {"a": "3"}), False),
        ("qwen3_xml", ToolCall("f", {"a": "</parameter>"}), False),
        ("muse", ToolCall("f", {"a": "x"}), True),
        ("muse", ToolCall("user", {"a": "x"}), False),  # recipients of prose, and of reasoning
        ("muse", ToolCall("commentary", {"a": "x"}), False),
        ("muse", ToolCall("self", {"a": "x"}), False),
        ("minimax_m3", ToolCall("f", {"a": "x"}), True),
        ("minimax_m3", ToolCall("f", {"a": None}), False),
        ("minimax_m3", ToolCall("f", {"a": {"b": "x"}}), False),
        ("minimax_m3", ToolCall("f", {"a": ["x"]}), False),
    ],
)
def test_which_calls_certainly_read_back(dialect: str, call: ToolCall, certain: bool) -> None:
    assert dialects.get(dialect).certainly_round_trips_call(call, ToolIndex([])) is certain


@each(
    "dialect, schema, value, certain",
    [
        ("hermes", {"type": "string"}, "x", True),
        ("qwen3_xml", {"type": "string"}, "3", True),
        ("qwen3_xml", {"type": "integer"}, 3, True),
        ("qwen3_xml", {"type": "integer"}, "x", False),
        ("qwen3_xml", {"type": "array"}, ["x", 1.5], True),
        ("qwen3_xml", {"type": "object"}, {"a": [None]}, True),
        ("qwen3_xml", {"type": "array"}, {"a": 1}, False),
        ("qwen3_xml", {"type": ["array", "object"]}, ["x"], False),
        ("qwen3_xml", {"type": ["string", "integer"]}, "x", False),
        ("qwen3_xml", {}, "x", False),
        ("minicpm5", {"type": "string"}, "x", False),  # an ampersand may begin an entity
        ("gemma4", {"type": "string"}, "x", False),
    ],
)
def test_which_types_certainly_read_back(dialect: str, schema: dict[str, Any], value: Any, certain: bool) -> None:
    parameters = {"type": "object", "properties": {"a": schema}}
    tools = ToolIndex([{"type": "function", "function": {"name": "f", "parameters": parameters}}])
    call = ToolCall("f", {"a": value})
    assert dialects.get(dialect).certainly_round_trips_types(call, tools) is certain


def test_what_else_an_envelope_says_joins_what_its_first_call_says() -> None:
    text = '{"step": 0, "tool_calls": [{"name": "f", "arguments": {}, "reason": "x"}]}'
    (call,) = dialects.get("llama3_json").parse(text, declared(TWO)).calls
    assert call.extra == {"step": 0, "reason": "x"}


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        ('<t>{"name": {name|json}, "arguments": {args}}</t>', ("<t>", "</t>")),
        ('<t>{"name": {name|json}, "arguments": {args}} {id}</t>', None),
        ('{name}: {"arguments": {args}}', None),
        ("<t>{name}({args})", None),
    ],
)
def test_what_is_around_the_object_of_a_call(call: str, parts: tuple[str, str] | None) -> None:
    found = json_object(call)
    assert (found and (found[0], found[2])) == parts


TABLES = {
    "delimited values": DELIMITED,
    "a name and JSON": NAMED,
    "JSON blocks": BLOCKS,
    "tags": TAGS,
    "Python": PYTHON,
    "messages": MESSAGES,
    "dialects of files": FILES,
}


@pytest.mark.parametrize(
    ("dialect", "text", "schema", "expected"),
    [pytest.param(*row, id=f"{grammar} {at}") for grammar, rows in TABLES.items() for at, row in enumerate(rows)],
)
def test_a_text_is_read(dialect: str | Dialect, text: str, schema: dict[str, Any] | None, expected: Any) -> None:
    """``expected`` is a reason where all of the text is dropped; ``None`` where one call has to be read."""
    found = read(dialect, text, schema)
    if expected is None:
        assert (len(found[0]), *found[1:]) == (1, "", [], [])
    else:
        assert found == ([[], text, [], [[expected, text]]] if isinstance(expected, str) else expected)


def test_words_behind_the_bracket_of_a_delimited_call_are_kept_and_the_call_is_read() -> None:
    """As ``text-after-object`` of Hermes has it; where a stray closing marker goes is not settled here."""
    calls, content, _, dropped = read("gemma4", GEMMA("{a:1} (checking) "), None)
    assert (calls, dropped) == ([["f", {"a": 1}]], [])
    assert "(checking)" in content
