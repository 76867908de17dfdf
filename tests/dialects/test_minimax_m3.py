"""MiniMax M3: what elements in elements say, as the family's template writes them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex

DIALECT = dialects.get("minimax_m3")
OBJECT: dict[str, Any] = {"type": "object"}


def tools(schema: dict[str, Any]) -> ToolIndex:
    parameters = {"type": "object", "properties": {"a": schema}}
    return ToolIndex([{"type": "function", "function": {"name": "f", "parameters": parameters}}])


@each(
    "schema, value",
    [
        (OBJECT, {"item": 1}),
        (OBJECT | {"properties": {"item": {"type": "string"}}}, {"item": "1"}),
        (OBJECT | {"properties": {"b": {"type": "array", "items": {"type": "integer"}}}}, {"b": [1]}),
        ({"type": "array"}, [{"b": 1, "c": ["x"]}, 2]),
        ({"type": ["array", "object"]}, {"b": 1}),
        ({"type": ["array", "object"]}, [{"b": 1}]),
        ({"$ref": "#/properties/a"}, [1, {"b": 2}]),
        ({"type": "array"}, []),
        (OBJECT, {}),
    ],
)
def test_the_schema_says_what_an_element_is(schema: dict[str, Any], value: Any) -> None:
    text = DIALECT.render([ToolCall("f", {"a": value})])
    for read in (DIALECT.parse_exact(text, tools(schema)), DIALECT.parse_own(text, tools(schema))):
        assert read is not None
        assert [call.arguments for call in read.calls] == [{"a": value}]


@pytest.mark.parametrize("value", [[1, [2, None], {"b": "x"}], {"b": {"c": [True]}}, "x y"])
def test_elements_say_it_where_there_is_no_schema(value: Any) -> None:
    text = DIALECT.render([ToolCall("f", {"a": value})])
    for read in (DIALECT.parse_exact(text, NO_TOOLS), DIALECT.parse_own(text, NO_TOOLS)):
        assert read is not None
        assert [call.arguments for call in read.calls] == [{"a": value}]


@pytest.mark.parametrize(
    ("old", "new"), [("</b>", "</c>"), ("<b>", "<b>x"), ("<b>", "b>"), ("</a>", "</a>x"), ("]<]minimax[>[</a>", "")]
)
def test_what_is_no_plain_element_takes_the_long_way(old: str, new: str) -> None:
    text = DIALECT.render([ToolCall("f", {"a": {"b": {"c": 1}}})])
    assert DIALECT.parse_exact(text, NO_TOOLS) is not None
    assert DIALECT.parse_exact(text.replace(old, new), NO_TOOLS) is None


def elements(inner: str) -> str:
    """A call with some elements, whose marks are written as ``~``."""
    return f'~<tool_call>\n~<invoke name="f">{inner}~</invoke>\n~</tool_call>'.replace("~", "]<]minimax[>[")


@each(
    "inner, reasons",
    [
        ("~<a>" + "~<b>" * 127 + "1" + "~</b>" * 127 + "~</a>", []),
        ("~<a>" + "~<b>" * 128 + "1" + "~</b>" * 128 + "~</a>", ["nested more than 128 deep"]),
        ("~<a>~<b>1~</c>~</a>", ["<b> is closed by </c>"]),
        ("~<a>1", ["the text ends inside a value"]),
        ('~<a>x ~<invoke name="g">~<b>1~</b> y~</a>', ["the text ends inside a value", "text between the arguments"]),
        ('~<a>~<invoke name="g">~<b>1~</b>~</invoke>~</a>', []),
    ],
)
def test_elements_that_can_not_be_read(inner: str, reasons: list[str]) -> None:
    parsed = DIALECT.parse(elements(inner), NO_TOOLS)
    assert [each.reason for each in parsed.dropped] == reasons
    assert len(parsed.calls) == (not reasons)
