"""The values that a ``response_template`` of Transformers reads, what it writes, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each
from tests.helpers.response_templates import HEADER, JSON, LINES, LIST, THINKING, XML, changed, described, read
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import RenderError
from toolconv.dialects.grammars.response_template import from_template
from toolconv.export.response_template import response_template


@each("parser, text, value, repairs", [
        (None, " 3 ", " 3 ", []),
        ({}, " 3 ", "3", []),
        ({"name": "text", "args": {"strip": True}}, " 3 ", "3", []),
        ({"name": "text", "args": {"strip": False}}, " 3 ", " 3 ", []),
        ({"name": "int"}, " 42 ", 42, []),
        ({"name": "int"}, "1", 1, []),
        ({"name": "int"}, "1.5", "1.5", ["type_mismatch"]),
        ({"name": "float"}, "1.50", 1.5, []),
        ({"name": "float"}, "nan", "nan", ["type_mismatch"]),
        ({"name": "bool"}, "True", True, []),
        ({"name": "bool"}, "1", True, []),
        ({"name": "bool"}, "false", False, []),
        ({"name": "bool"}, "0", False, []),
        ({"name": "bool"}, "maybe", "maybe", ["type_mismatch"]),
        ({"name": "json"}, '{"a": [1]}', {"a": [1]}, []),
        ({"name": "json"}, "[1,]", [1], ["trailing_comma"]),
        ({"name": "json", "args": {"allow_non_json": True}}, " Oslo ", "Oslo", []),
        ({"name": "kv-lines", "args": {"kv_sep": "-"}}, "a-b", {"a": "b"}, []),
        ({"name": "xml-inline", "args": {"tag_pattern": "<(?P<key>.)(?P<value>.*?)>"}}, "<a1><b2>", {"a": "1", "b": "2"}, []),
    ])  # fmt: skip
def test_a_value_is_read_by_its_parser(parser: Any, text: str, value: Any, repairs: list[str]) -> None:
    options = {"line_sep": ";", "strip": False, **({} if parser is None else {"value_parser": parser})}
    expected = [[["f", {"v": value}]], "", None, repairs, []]
    assert repr(read(changed(LINES, content_args=options), f"@f\nv:{text}@@")) == repr(expected)


def test_a_value_that_its_parser_cannot_read_drops_the_call() -> None:
    text = "@f\nv: Oslo@@"
    template = changed(LINES, content_args={"value_parser": {"name": "json"}})
    reason = "unreadable arguments: 'Oslo' is no JSON value"
    assert read(template, text) == [[], text, None, [], [[reason, text]]]


TYPED = {"days": {"type": "integer"}, "city": {"type": "string"}, "any": {}, "where": {"type": ["string", "integer"]}}
TOOLS = ToolIndex([{"type": "function", "function": {"name": "f", "parameters": {"properties": TYPED}}}])


@each(
    "field, text, arguments, repairs",
    [
        (XML, "<p=days>3</p>", {"days": 3}, []),
        (XML, "<p=days>three</p>", {"days": "three"}, ["type_mismatch"]),
        (XML, "<p=city>3</p>", {"city": "3"}, []),
        (XML, "<p=any>3</p>", {"any": "3"}, []),
        (XML, "<p=where>3</p>", {"where": "3"}, []),
        (XML, "<p=other>3</p>", {"other": "3"}, []),
        (XML, '<p=any>{"a": 1}</p>', {"any": '{"a": 1}'}, []),
        (XML, "<p=where>[1,]</p>", {"where": "[1,]"}, []),
        (JSON, '{"name": "f", "arguments": {"days": "3"}}', {"days": "3"}, []),
    ],
)
def test_texts_take_the_types_of_the_schema(
    field: dict[str, Any], text: str, arguments: dict[str, Any], repairs: list[str]
) -> None:
    opening = "<c>" if field is JSON else "<c><f=f>"
    assert read(changed(field), f"{opening}{text}</c>", TOOLS) == [[["f", arguments]], "", None, repairs, []]


def test_a_value_that_is_no_text_keeps_its_type() -> None:
    template = changed(XML, content_args={**XML["content_args"], "value_parser": {"name": "json"}})
    assert read(template, "<c><f=f><p=days>3.5</p></c>", TOOLS) == [[["f", {"days": 3.5}]], "", None, [], []]


def test_texts_of_an_undeclared_tool_stay_texts() -> None:
    assert read(described(tool_calls=XML), "<c><f=g><p=days>3</p></c>", TOOLS)[0] == [["g", {"days": "3"}]]


@pytest.mark.parametrize("opener", ["<c>{/*", "<c1>{/*"])
def test_reading_broken_calls_is_linear(opener: str) -> None:
    """Each comment would be read to the end of the text."""
    template = changed(JSON, open=None, open_pattern=r"<c\d?>")
    *_, drops = read(template, opener * 3000)
    assert len(drops) == 3000
    assert drops[-1][0] == "gave up: too much broken markup in one text"


def test_looking_for_closers_is_linear() -> None:
    *_, drops = read(described(tool_calls=XML), "<c><f=f>x" * 3000)
    assert len(drops) == 3000
    assert drops[-1][0] == "gave up: too much broken markup in one text"


# ── what a template writes ──


@each("template, text", [
        (changed(JSON), '<c>\n{"name": "f", "arguments": {"a b": [1, "x", null], "c": {}}}\n</c>'),
        (changed(JSON, open="[call]"), '[call]{"name": "f", "arguments": {"a b": [1, "x", null], "c": {}}}</c>'),
        (changed(JSON, close=None), '<c>\n{"name": "f", "arguments": {"a b": [1, "x", null], "c": {}}}\n'),
        (changed(JSON, transform="{content}"), '<c>\n{"name": "f", "arguments": {"a b": [1, "x", null], "c": {}}}\n</c>'),
        (
            changed(JSON, transform={"function": {"name": "{content.call.n}", "arguments": "{content.call.a}"}}),
            '<c>\n{"call": {"n": "f", "a": {"a b": [1, "x", null], "c": {}}}}\n</c>',
        ),
        (
            changed(JSON, transform="{content.call}"),
            '<c>\n{"call": {"name": "f", "arguments": {"a b": [1, "x", null], "c": {}}}}\n</c>',
        ),
        (
            changed(HEADER, open_pattern=r"<ch>to=functions\.(?P<name>\w+)<msg>\n"),
            '<ch>to=functions.f<msg>\n{"a b": [1, "x", null], "c": {}}<call>',
        ),
        (
            changed(HEADER, open="<ch>", open_pattern=None, close=None, close_pattern=r"<to (?P<name>\w+)>"),
            '<ch>{"a b": [1, "x", null], "c": {}}<to f>',
        ),
        (
            changed(HEADER, open_pattern=r"<ch>(?P<name>\w+)\{", content_args={"unquoted_keys": True}),
            '<ch>f{{"a b":[1,"x",null],c:{}}<call>',
        ),
        (
            changed(HEADER, open_pattern=r"<ch>(?P<name>\w+)<msg>", content_args={"unquoted_keys": True}),
            '<ch>f<msg>{"a b":[1,"x",null],c:{}}<call>',
        ),
        (
            changed(HEADER, open_pattern=r"<ch>(?P<name>\w+)<msg>", content_args={"string_delims": [["«", "»"]]}),
            "<ch>f<msg>{«a b»:[1,«x»,null],«c»:{}}<call>",
        ),
        (
            changed(JSON, content_args={"unquoted_keys": True}),
            '<c>{name:"f",arguments:{"a b":[1,"x",null],c:{}}}</c>',
        ),
        (
            changed(JSON, content_args={"string_delims": [["«", "»"]]}),
            "<c>{«name»:«f»,«arguments»:{«a b»:[1,«x»,null],«c»:{}}}</c>",
        ),
        (changed(JSON, transform={"function": {"name": "f", "arguments": "{content}"}}), None),
        (changed(XML, open_pattern=r"<f=(?P<name>\w+)>"), None),
        (changed(HEADER), None),
        (changed(HEADER, open_pattern=r"<ch>(?P<name>\w+)(?P<more>\w*)<msg>"), None),
        (changed(JSON, close=None, close_pattern="</c+>"), None),
        (changed(JSON, transform={"function": {"name": {"first": "{content.n}"}, "arguments": "{content.a}"}}), None),
        (described(tool_calls=XML), None),
        (described(tool_calls=LIST), None),
        (described(thinking=THINKING), None),
    ])  # fmt: skip
def test_a_call_is_written_by_its_template_if_it_says_how(template: dict[str, Any], text: str | None) -> None:
    dialect = from_template(template)
    call = ToolCall("f", {"a b": [1, "x", None], "c": {}})
    if text is None:
        assert dialect.sample == ""
        with pytest.raises(RenderError, match="the response template of 'hf' can only be read, not written"):
            dialect.render([call])
        return
    assert dialect.render([call]) == text
    assert read(template, text) == [[["f", {"a b": [1, "x", None], "c": {}}]], "", None, [], []]


def test_a_template_that_is_read_can_be_written_as_a_template() -> None:
    template = response_template(from_template(described(tool_calls=JSON)), "<a>", ["<end>"])
    assert template["fields"]["tool_calls"] == {
        "open": "<c>", "close": "</c>", "content": "json", "repeats": True,
        "transform": {"type": "function", "function": {"name": "{content.name}", "arguments": "{content.arguments}"}},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("mark", "text"),
    [
        (THINKING, "<think>\nHm.\n</think>\n\nHello."),
        ({"open": "<ch>analysis\n", "close": "<end>"}, "<ch>analysis\nHm.\n<end>\n\nHello."),
        ({"open_pattern": "<ch>an?<msg>", "close": "<end>"}, "<think>\nHm.\n</think>\n\nHello."),
        ({"open": "<t>", "close_pattern": "</t+>"}, "<think>\nHm.\n</think>\n\nHello."),
        ({"open": "<t>"}, "<think>\nHm.\n</think>\n\nHello."),
    ],
)
def test_reasoning_is_written_with_marks_that_are_literal(mark: dict[str, Any], text: str) -> None:
    assert from_template(described(thinking=mark, tool_calls=JSON)).render_turn("Hello.", "Hm.", []) == text


# ── what is no response template ──


@each("template, message", [
        ({}, "needs 'fields'"),
        ({"fields": {}}, "needs 'fields'"),
        ({"fields": ["content"]}, "needs 'fields'"),
        ({"response_template": "x"}, "needs 'fields'"),
        (described(content="text"), "the field 'content' of a response template must be an object"),
        (described(content={"open": ""}), "'open' of a response template must be text or a list of texts"),
        (described(content={"open": []}), "'open' of a response template must be text or a list of texts"),
        (described(content={"close": ["a", 3]}), "'close' of a response template must be text or a list of texts"),
        (described(content={"close": 3}), "'close' of a response template must be text or a list of texts"),
        (described(content={"open_pattern": "("}), "'open_pattern' of a response template is not a valid pattern"),
        (described(content={"open_pattern": 3}), "'open_pattern' of a response template is not a valid pattern"),
        (described(content={"content": "yaml"}), "unknown content 'yaml'"),
        (changed(JSON, content_args=[]), "options of a response template's content must be an object"),
        (changed(JSON, content_args={"string_delims": 3}), "'string_delims' of a response template must be pairs"),
        (changed(JSON, content_args={"string_delims": [["«"]]}), "'string_delims' of a response template must be pairs"),
        (changed(JSON, content_args={"string_delims": [["", ""]]}), "'string_delims' of a response template must be pairs"),
        (changed(JSON, content_args={"string_delims": ["«»"]}), "'string_delims' of a response template must be pairs"),
        (changed(XML, content_args={"tag_pattern": "("}), "'tag_pattern' of a response template is not a valid pattern"),
        (changed(XML, content_args={"tag_pattern": 3}), "'tag_pattern' of a response template is not a valid pattern"),
        (changed(XML, content_args={}), "needs a group 'key'"),
        (changed(LINES, content_args={"value_parser": "json"}), "the 'value_parser' of a response template must be an object"),
        (changed(LINES, content_args={"value_parser": {"name": "python-call-list"}}), "'value_parser' .* can't read calls"),
        (changed(LINES, content_args={"value_parser": {"name": "xml"}}), "unknown content 'xml'"),
        (changed(JSON, transform={"function": {"name": "{content.name} x"}}), "mixes a placeholder and text"),
        (changed(JSON, transform=[["x {content}"]]), "mixes a placeholder and text"),
    ])  # fmt: skip
def test_what_is_no_response_template(template: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        from_template(template)
