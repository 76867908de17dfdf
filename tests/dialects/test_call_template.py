"""The line of data that says what a family writes: its holes, its spellings, what is refused."""

from __future__ import annotations

import pytest

from tests.conftest import each
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects import get
from toolconv.dialects.call_template import CallTemplate, TemplateError
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.xml_parameters import XmlParameters

CALLS = [ToolCall("get_weather", {"city": "Tōkyō", "days": 3, "dry": True}), ToolCall("ping", {})]
LIST = CallTemplate('{"name": {name|json}, "arguments": {args}}', before="<t>[", between=", ", after="]</t>")


@each("template, text", [
        (LIST, '<t>[{"name": "get_weather", "arguments": {"city": "Tōkyō", "days": 3, "dry": true}}, '
               '{"name": "ping", "arguments": {}}]</t>'),
        (CallTemplate("{name}:{args|compact};"), 'get_weather:{"city":"Tōkyō","days":3,"dry":true};ping:{};'),
        (CallTemplate("{{name|json}:{args|compact|json}}"),
         '{"get_weather":"{\\"city\\":\\"Tōkyō\\",\\"days\\":3,\\"dry\\":true}"}{"ping":"{}"}'),
        (CallTemplate('  "parameters": {args|pretty}{name}', between="\n"),
         '  "parameters": {\n      "city": "Tōkyō",\n      "days": 3,\n      "dry": true\n  }get_weather\n'
         '  "parameters": {}ping'),
        (CallTemplate('  {"name": {name|json}, "arguments": {args|pretty}}', between="\n"),
         '  {"name": "get_weather", "arguments": {\n      "city": "Tōkyō",\n      "days": 3,\n      "dry": true\n  }}\n'
         '  {"name": "ping", "arguments": {}}'),
        (CallTemplate("<f {name} {index}>{params}</f>", param="<{key} {type}>{value}</>", first_index=1),
         "<f get_weather 1><city string>Tōkyō</><days number>3</><dry boolean>true</></f><f ping 2></f>"),
        (CallTemplate("{name}({params|sorted})", param="{key}={value|python}", param_between=", ", between=" "),
         "get_weather(city='Tōkyō', days=3, dry=True) ping()"),
        (CallTemplate("{name}[{id}]{args|delimited}", id="{name}-{index}", delimiter="~"),
         "get_weather[get_weather-0]{city:~Tōkyō~,days:3,dry:true}ping[ping-1]{}"),
    ])  # fmt: skip
def test_a_template_writes_calls(template: CallTemplate, text: str) -> None:
    assert "".join(template.write_each(CALLS)) == text


@each(
    "call, words",
    [
        ("<call>{args}</call>", "without {name}"),
        ("{name}", "either {args} or {params}"),
        ("{name}{params}", "needs 'param'"),
        ("{name}{args|yaml}", "'yaml' is no spelling"),
        ("{name}{key}{args}", "{key} does not belong in a call"),
        ("{id}{args}", "needs it in 'id'"),
    ],
)
def test_a_template_that_makes_no_sense_is_refused(call: str, words: str) -> None:
    with pytest.raises(TemplateError) as caught:
        CallTemplate(call)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("given", "written"),
    [(None, "f:7"), ("f:3", "f:3"), ("g:3", "f:7"), ("call_3", "f:7")],
)
def test_an_id_of_another_kind_is_replaced(given: str | None, written: str) -> None:
    template = CallTemplate("{id}{args}", id="{name}:{index}")
    assert template.id_of(ToolCall("f", {}, given), 7) == written


def test_the_markers_come_from_the_template() -> None:
    dialect = JsonBlocks(name="acme", calls=LIST, opens=("<u>",))
    assert dialect.markers == ("<t>", "<u>")
    assert dialect.all_closes == ("</t>",)


@pytest.mark.parametrize(
    "text",
    [
        '<t>[{"name": "f", "arguments": {}}, {"name": "f", "arguments": {}, "more": 1}]</t>',
        '<t>[{"name": "f", "arguments": {"a": 1, "a": 2}}]</t>',
        '<t>[{"name": "f", "arguments": {}}]</t>.',
        '<t> [{"name": "f", "arguments": {}}]</t>',
        'a < b<t>[{"name": "f", "arguments": {}}]</t>',
    ],
)
def test_what_the_template_does_not_write_is_not_read_exactly(text: str) -> None:
    dialect = JsonBlocks(name="acme", calls=LIST)
    assert dialect.parse_exact(text, NO_TOOLS) is None


def test_a_key_may_stand_in_the_closing_tag_and_null_be_left_out() -> None:
    calls = CallTemplate("<f {name}>{params|not_null}</f>", param="<arg {key}>{value}</arg {key}>")
    dialect = XmlParameters(name="acme", calls=calls)
    text = dialect.render([ToolCall("ping", {"a": "x", "b": None, "c": "y"})])
    assert text == "<f ping><arg a>x</arg a><arg c>y</arg c></f>"
    parsed = dialect.parse_exact(text, NO_TOOLS)
    assert parsed is not None
    assert parsed.calls == [ToolCall("ping", {"a": "x", "c": "y"})]
    assert dialect.parse_exact("<f ping><arg a>x</arg b></f>", NO_TOOLS) is None


@pytest.mark.parametrize(
    ("call", "param"),
    [
        ("<f {name}>{args}</f>", ""),
        ("<f {name} {id}>{params}</f>", "<a {key}>{value}</a>"),
        ("<f {name}>{params}</f>", "<a>{value}</a>"),
        ("<f {name}>{params}</f>", "<a {key} {type} {is_text}>{value}</a>"),
        ("<f {name}>{params|backwards}</f>", "<a {key}>{value}</a>"),
    ],
)
def test_a_template_that_parameter_tags_can_not_have_is_refused(call: str, param: str) -> None:
    with pytest.raises(TemplateError):
        XmlParameters(name="acme", calls=CallTemplate(call, param=param))


def test_a_turn_of_muse_without_the_blank_before_its_first_message() -> None:
    dialect = get("muse")
    parsed = dialect.parse(dialect.render_turn("Hi.", "Hm.", [ToolCall("ping", {"a": "x"})]).lstrip())
    assert (parsed.reasoning, parsed.content, parsed.calls) == ("Hm.", "Hi.", [ToolCall("ping", {"a": "x"})])
