"""Tools as Qwen3-Coder declares them: read back, with what does not come back said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each, rows, shared
from toolconv import dialects, layouts, templates
from toolconv.core.conversation import Conversation
from toolconv.dialects.declarations.function_list import read_functions, write_function
from toolconv.dialects.prompts.stated_tools import stated_tools
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import parse_turns, render_turns
from toolconv.templates.base import ChatView, TextWriter

WEATHER = """<function>
<name>get_weather</name>
<description>Weather of a city.
Two lines, with <b>tags</b>.</description>
<parameters>
<parameter>
<name>city</name>
<type>string</type>
<description>As in "</description>"</description>
<minLength>1</minLength>
</parameter>
<parameter>
<name>unit</name>
<type>['string', 'null']</type>
<enum>["c", "f", null]</enum>
</parameter>
<required>["city"]</required>
<additionalProperties>False</additionalProperties>
</parameters>
<strict>True</strict>
</function>"""
FUNCTION = {
    "name": "get_weather",
    "description": "Weather of a city.\nTwo lines, with <b>tags</b>.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": 'As in "</description>"', "minLength": 1},
            "unit": {"type": ["string", "null"], "enum": ["c", "f", None]},
        },
        "required": ["city"],
        "additionalProperties": False,
    },
    "strict": True,
}
PING = {"name": "ping", "parameters": {"type": "object", "properties": {}}}


def enveloped(*functions: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": "function", "function": function} for function in functions]


def test_written_and_read_back() -> None:
    assert write_function(FUNCTION) == WEATHER
    ping = "<function>\n<name>ping</name>\n<parameters>\n</parameters>\n</function>"
    assert read_functions(f"\n{WEATHER}\n{ping}\n") == enveloped(FUNCTION, PING)


@each(
    "text",
    [
        "",
        "prose",
        "<function>",
        "<tool>\n</tool>",
        WEATHER + "x",
        WEATHER[:-9],
        "<function>\n<parameters>\n</function>",
    ],
)
def test_other_texts_declare_nothing(text: str) -> None:
    assert read_functions(text) == []


def test_read_from_tags_in_any_wording() -> None:
    found = stated_tools(f"Use these:\n<tools>\n{WEATHER}\n</tools>\nThank you.")
    assert found == (enveloped(FUNCTION), None)


@pytest.mark.parametrize(
    "changed",
    [{"description": " padded "}, {"parameters": {"type": "object", "properties": {"a": {"default": "1"}}}}],
)
def test_what_is_not_in_the_text_is_a_loss(changed: dict[str, Any]) -> None:
    for function, lost in ((FUNCTION, []), ({**FUNCTION, **changed}, ["tool_schema"])):
        conversation = Conversation({"tools": enveloped(function), "messages": [{"role": "user", "content": "Hi"}]})
        template = templates.get("qwen3-coder")
        template.write(ChatView(conversation, template.dialect), TextWriter())
        assert conversation.notes.losses == lost


@pytest.mark.parametrize("name", ["mimo", "qwen3_xml", "granite4", "granite", "nemotron", "granite-20b-fc"])
def test_chat_rows_are_read_back(name: str) -> None:
    """Tools and results of a chat row in a dialect; text that stands beside them is left as it is."""
    dialect = dialects.get(name)
    for given in rows(shared("golden/conversations.jsonl")):
        conversation = layouts.get("openai").read(given)
        if not conversation.tools or not dialect.chat.keeps(conversation.tools):
            continue
        tools = [tool["function"] for tool in conversation.tools]
        results = [one["content"] for one in conversation.messages if one["role"] == "tool"]
        if not all(isinstance(result, str) for result in results):
            continue
        render_turns(conversation, dialect)
        parse_turns(conversation, TurnReader(dialect))
        assert [tool["function"] for tool in conversation.tools] == tools, given["id"]
        assert conversation.messages[0]["content"] == given["messages"][0]["content"], given["id"]
        read = [one["content"] for one in conversation.messages if one["role"] == "tool"]
        assert ", ".join(read) == ", ".join(results), given["id"]  # nemotron's list has no other borders
