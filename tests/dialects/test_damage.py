"""Damage in any place of a turn, in every dialect, with default flags: no call is lost without being counted."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import each, exhaustive, few_examples
from tests.fuzz.laws import is_counted
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.lexing.damaged_markup import _last_name
from toolconv.dialects.turn_reader import TurnReader

ALL = [each for each in dialects.all_dialects() if each.calls is not None]
each_dialect = pytest.mark.parametrize("dialect", ALL, ids=[dialect.name for dialect in ALL])
MARKED = [dialect for dialect in ALL if any(len(each) > 8 and each in dialect.sample for each in dialect.markers)]
"""Dialects whose markers say by themselves that there is a call."""

NAMES = ("get_weather", "book_hotel")
PARAMETERS = {"city": {"type": "string"}, "days": {"type": "integer"}, "tags": {"type": "array"}}
TOOLS = ToolIndex(
    [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": PARAMETERS}}}
        for name in NAMES
    ]
)
INSERTED = ("<|im_end|>", "\n", "</s>", " ", '"', "x")
REPLACED = "x{}[]<>\"' \n|_"


@st.composite
def written(draw: st.DrawFn, dialect: Dialect) -> tuple[str, list[ToolCall]]:
    """A turn with one or two calls, as the dialect writes it."""
    arguments = st.fixed_dictionaries(
        {"city": st.sampled_from(["Oslo", "New York", "x"]), "days": st.integers(0, 99)},
        optional={"tags": st.just(["a", "b"])},
    )
    calls = draw(st.lists(st.builds(ToolCall, st.sampled_from(NAMES), arguments), min_size=1, max_size=2))
    for number, call in enumerate(calls):
        call.id = dialect.call_id(call, number)
    return dialect.render_turn(draw(st.sampled_from(["", "Sure.", "Let me look that up."])), None, calls), calls


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """A text with damage in one place."""
    place = draw(st.integers(0, len(text) - 1))
    before, after = text[:place], text[place:]
    return draw(
        st.sampled_from([before + after[1:], before + after[0] + after])
        | st.sampled_from(REPLACED).map(lambda char: before + char + after[1:])
        | st.sampled_from(INSERTED).map(lambda more: before + more + after)
    )


@pytest.mark.sweep
@each_dialect
@few_examples
@given(data=st.data())
def test_damage_is_never_silent_where_tools_are_declared(dialect: Dialect, data: st.DataObject) -> None:
    text, calls = data.draw(written(dialect))
    parsed = TurnReader().read(data.draw(damaged(text)), TOOLS)
    assert len(parsed.calls) + len(parsed.dropped) >= len(calls)


@pytest.mark.sweep
@pytest.mark.parametrize("dialect", MARKED, ids=[dialect.name for dialect in MARKED])
@few_examples
@given(data=st.data())
def test_damage_is_never_silent_where_markers_show_the_call(dialect: Dialect, data: st.DataObject) -> None:
    """One call: a list that can't be read in a family that nobody expects is one dropped call, however many it holds."""
    text, calls = data.draw(written(dialect).filter(lambda drawn: len(drawn[1]) == 1))
    assert is_counted(TurnReader(default=dialect).read(data.draw(damaged(text)), NO_TOOLS), len(calls))


SILENT_ONCE = {
    "a value that swallows the next call": '<|tool_call>call:book_hotel{city:<|"|>x<|"}>,days:39}<tool_call|>'
    '<|tool_call>call:book_hotel{city:<|"|>New York<|"|>,days:51}<tool_call|>',
    "another letter for a bracket": '[get_weather_city="Oslo", days=80), get_weather(city="Rome", days=62)]',
    "a line end": 'Action: get_weatherAction Input: {"city": "x"}\nAction: book_hotel\nAction Input: {"city": "Rome"}',
    "a letter for a line end": 'Action: get_weatherxAction Input: {"city": "x"}\nAction: f\nAction Input: {"city": "y"}',
    "a letter for a space": "Call:x get_weather(city='x', days=9); get_weather(city='y', days=8)<bot_end>",
    "a separator": "Call: book_hotel(city='x', days=47, tags=['a'])x book_hotel(city='y', days=6)<bot_end>",
    "the last letter": '[{"name":"get_weather","arguments":{"city":"x"}},{"name":"get_weathe\n","arguments":{"city":"y"}}]',
}

ALONE_SILENT_ONCE = (
    "get_weather\n`` `python\ntool_call(city='x', days=33)\n```",
    "get_weather\n``<|im_end|>`python\ntool_call(city='x', days=33)\n```",
    'Sure.\n\n```json\n[{"name": "get_weathe", "arguments": {"city": "Oslo"}}]\n```',
    'Sure.\n\n```json\n[{"name": "get_weathe"", "arguments": {"city": "Oslo"}}]\n```',
)


@each("kind", SILENT_ONCE)
def test_two_calls_with_damage_between_them_are_counted(kind: str) -> None:
    assert is_counted(TurnReader().read(SILENT_ONCE[kind], TOOLS), 2)


LISTS = (
    '<tool_calls>[\n  x {"name": "f", "arguments": {"a": 1}},\n  {"name": "f", "arguments": {"a": 1}}\n]</tool_calls>',
    '< |tool_call|>[{"name": "f", "arguments": {"a": 1}}, {"name": "g", "arguments": {"a": 2}}]',
)


@each("text", LISTS)
def test_each_call_of_a_list_that_is_dropped_is_counted(text: str) -> None:
    """Its objects stand among other text, as those that are only shown."""
    parsed = TurnReader().read(text, NO_TOOLS)
    assert (parsed.calls, len(parsed.dropped)) == ([], 2)


@each("text", ALONE_SILENT_ONCE)
def test_a_call_with_a_slip_in_its_name_or_its_fence_is_counted(text: str) -> None:
    tools = TOOLS if "arguments" in text else NO_TOOLS
    assert is_counted(TurnReader(default=dialects.get("chatglm3")).read(text, tools), 1)


TAG = re.compile(r"<[^<>\n]{2,80}>|\[/?[A-Z_]{4,30}\]")
SPECIAL: dict[str, Callable[[str], str]] = {
    "stripped": lambda text: re.sub(r"<[|｜][^<>\n]{1,60}>|\[[A-Z_]{4,20}\]", "", text),
    "upper case": lambda text: TAG.sub(lambda match: match[0].upper(), text),
    "spaced": lambda text: TAG.sub(lambda match: f"{match[0][0]} {match[0][1:-1]} {match[0][-1]}", text),
    "escaped": lambda text: text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"),
    "entities": lambda text: text.replace("<", "&lt;").replace(">", "&gt;"),
    "cut": lambda text: text[: len(text) * 2 // 3],
}


@exhaustive
@each("kind", SPECIAL)
@each("dialect", ALL)
def test_text_that_was_damaged_as_a_whole_is_never_silent(dialect: Dialect, kind: str) -> None:
    calls = [ToolCall("get_weather", {"city": "Oslo", "days": 3})]
    calls[0].id = dialect.call_id(calls[0], 0)
    text = SPECIAL[kind](dialect.render_turn("Let me look.", None, calls))
    assert is_counted(TurnReader().read(text, TOOLS), len(calls))


# ── the opposite error ──

ANSWERS: dict[str, str] = {
    "a Python session": "Like so:\n\n>>> import json\n>>> json.dumps({'a': 1})\n'{\"a\": 1}'\n>>> x = 1",
    "HTML": '<p>Use <code>city</code> and <b>days</b>.</p>\n<form action="/w"><input name="city" type="text"></form>',
    "XML": '<?xml version="1.0"?>\n<weather><city>Oslo</city><days n="3">x</days></weather>',
    "a signature": "It is defined as def get_weather(city: str, days=3) -> str, and book_hotel takes a city.",
    "a sentence": "I could call get_weather for the city you name, or book_hotel: which city, and how many days?",
    "code in a sentence": "You would write get_weather(city='Oslo') to ask for the weather there.",
    "inline code": 'Call `get_weather(city=\'Oslo\')` or `<tool_call>{"name": "get_weather"}</tool_call>` for that.',
    "a code block": "For example:\n```python\nresult = get_weather(city='Oslo', days=2)\n```\nThen print the result.",
    "a declaration": '{"name": "get_weather", "description": "Looks.", "parameters": {"type": "object", "properties": {}}}',
    "a table": "| city | days |\n|---|---|\n| Oslo | 3 |\n\nSee get_weather | book_hotel.",
    "JSON": 'The record:\n{"city": "Oslo", "days": 3, "tags": ["a"]}',
    "a list of names": "It takes two parameters:\nget_weather\ncity\ndays",
    "a line break": "That is what I would ask get_weather\ncitywide, for all the days.",
    "a tag in a sentence": "The model writes <tool_call> before a call, and the parser looks for it.",
}


@pytest.mark.whole
@pytest.mark.parametrize("kind", ANSWERS)
@pytest.mark.parametrize("tools", [NO_TOOLS, TOOLS], ids=["", "tools"])
def test_an_answer_that_only_shows_or_mentions_is_no_dropped_call(kind: str, tools: ToolIndex) -> None:
    parsed = TurnReader().read(ANSWERS[kind], tools)
    assert (parsed.content, parsed.calls, parsed.dropped) == (ANSWERS[kind], [], [])


def test_a_damaged_call_is_counted_once() -> None:
    text = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo", "days": }}\n</tool_call>'
    parsed: Any = TurnReader().read(text, TOOLS)
    assert (parsed.calls, len(parsed.dropped)) == ([], 1)


@each(
    "text, found",
    [
        ("x getweather(", ["getweather"]),
        ("x getweatxer(", ["getweatxer"]),  # another character in the second half
        ("x getweathr(", ["getweathr"]),  # one that is lost
        ("x getweatther(", ["getweatther"]),  # one that is written twice
        ("x gexweather(", ["gexweather"]),
        ("x geweather(", ["geweather"]),
        ("x getnews(", []),
    ],
)
def test_a_name_with_damage_in_one_place(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in _last_name(text, "getweather")] == found
