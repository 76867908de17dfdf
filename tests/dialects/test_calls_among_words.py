"""Real calls with words around them are read. A text shows one that its sentence or its paragraphs go on around."""

from __future__ import annotations

from typing import Final

import pytest

from tests.conftest import each
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.choice.shown import ONLY_SHOWN
from toolconv.dialects.turn_reader import TurnReader

TOOLS: Final = ToolIndex(
    [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": properties}}}
        for name, properties in {
            "get_weather": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "search_docs": {"query": {"type": "string"}},
        }.items()
    ]
)
DECLARED: Final = '{"name": "f", "description": "Does it.", "parameters": {"type": "object", "properties": {}}}'
OTHER_TOOLS: Final = ToolIndex([{"type": "function", "function": {"name": "send_mail", "parameters": {}}}])
FIRST: Final = ToolCall("get_weather", {"city": "Oslo", "days": 3})
SECOND: Final = ToolCall("search_docs", {"query": "ferry times, Bergen"})
MARKED: Final = ("hermes", "qwen3_xml", "kimi_k2", "glm45", "deepseek_v31", "minimax_m2", "granite", "hunyuan_a13b")
ONE: Final = (
    "Let me check: {a}",
    "Sure, I'll look it up: {a}\n\nOne moment please.",
    "I will check the weather now. {a} Please wait.",
    "some words before it{a} some words after it",
    "Step 1: {a}\nStep 2: I tell you.",
    "{a}\nwaiting for the result",
    "Here you go:\n\n```\n{a}\n```",
    "好的，我来查询天气：{a}",
    "(checking) {a}",
    "- {a}",
    "# Tool call\n{a}",
    "🔍 Let me search: {a}",
    "It is 10:30, so I check: {a}",
    "[1] {a}",
    "I will use this:\n    {a}",
    "For Oslo:\n{a}",
    "Plan = check the weather\n{a}",
    "User: What's the weather?\nAssistant: {a}",
    "Q: What's the weather?\nA: {a}",
    "I use “get_weather” for this: {a}",
)
TWO: Final = (
    "Checking Oslo, then the docs.\n{a}\n{b}",
    "Weather first.\n{a}\nThen the docs.\n{b}",
    "First the weather: {a} then the docs: {b}",
    "1) {a}\n2) {b}",
)


@pytest.mark.parametrize("name", MARKED)
@pytest.mark.parametrize("tools", [NO_TOOLS, TOOLS], ids=["", "tools"])
def test_calls_among_words_are_read(name: str, tools: ToolIndex) -> None:
    dialect = dialects.get(name)
    a, b = dialect.render([FIRST]), dialect.render([SECOND])
    lost = [
        (words, named)
        for words in (*ONE, *TWO)
        for named in (None, dialect)
        if [(call.name, call.arguments) for call in TurnReader(named).read(words.format(a=a, b=b), tools).calls]
        != [(each.name, each.arguments) for each in ((FIRST, SECOND) if "{b}" in words else (FIRST,))]
    ]
    assert lost == []


@each("name", MARKED)
def test_a_call_that_its_sentence_goes_on_around_is_shown(name: str) -> None:
    dialect = dialects.get(name)
    text = f"To test it, paste {dialect.render([FIRST])} into the console and press Enter."
    parsed = TurnReader().read(text, TOOLS)
    assert (parsed.calls, parsed.content, list(parsed.displaced)) == ([], text, ["shown_call"])


DISPLAYING: Final = (
    "Hi Tom,\n\nthis is what it wrote:\n\n{a}\n\nIt should have asked first.\n\nAnn",
    "下面是一个例子:\n\n{a}\n\n请注意名称。",
    "Prompt A gave me\n\n{a}\n\nand prompt B gave me\n\n{b}\n\nwith the same seed.",
    "**Output**\n{a}\n\n**Version**\n0.9.1",
    "## Output\n{a}\n\nThat is wrong.",
)
MAKING: Final = (
    "Let me check.\n\n{a}",
    "{a}\n\nThat is what I need.",
    "Weather first.\n\n{a}\n\nThen the docs.\n\n{b}",
    "Let me check.\n\n{a}\nThat is what I need.",
    "Let me check.\n{a}\n\nThat is what I need.",
    "First the weather.\n{a}\nthen I answer.",
    "First the weather.\n\n{a}\n\n🙂",
    "Weather first.\n\n{a}\n\nThen:\n{b}\nDone.",
)
"""On the other side of what sets a call off."""


@pytest.mark.parametrize("name", (*MARKED, "llama3_json", "pythonic"))
@pytest.mark.parametrize("words", DISPLAYING)
def test_calls_between_paragraphs_are_shown_where_no_dialect_is_named(name: str, words: str) -> None:
    dialect = dialects.get(name)
    text = words.format(a=dialect.render([FIRST]), b=dialect.render([SECOND]))
    calls = [FIRST, SECOND][: words.count("{")]
    for tools in (NO_TOOLS, OTHER_TOOLS) if name in MARKED else (NO_TOOLS, OTHER_TOOLS, TOOLS):
        for reader in (TurnReader(), TurnReader(default=dialect)):
            parsed = reader.read(text, tools)
            assert (parsed.calls, parsed.dropped, parsed.content) == ([], [], text)
            assert list(parsed.displaced) == ["shown_call"] * len(calls)
    for reader in (TurnReader(dialect), TurnReader()) if name in MARKED else (TurnReader(dialect),):
        read = reader.read(text, TOOLS).calls  # a named dialect's, or a declared tool's in a tag
        assert [(call.name, call.arguments) for call in read] == [(call.name, call.arguments) for call in calls]


@pytest.mark.parametrize("name", (*MARKED, "llama3_json", "pythonic"))
@pytest.mark.parametrize("words", MAKING)
def test_calls_that_are_not_set_off_are_made(name: str, words: str) -> None:
    dialect = dialects.get(name)
    text = words.format(a=dialect.render([FIRST]), b=dialect.render([SECOND]))
    calls = [FIRST, SECOND][: words.count("{")]
    read = TurnReader().read(text, TOOLS).calls
    assert [(call.name, call.arguments) for call in read] == [(call.name, call.arguments) for call in calls]


@each("name", MARKED)
def test_a_call_is_shown_where_a_sentence_goes_on_in_the_line_after_it(name: str) -> None:
    call = dialects.get(name).render([FIRST])
    text = f"O modelo respondeu assim:\n{call}\ne o servidor recusou."
    parsed = TurnReader().read(text)
    assert (parsed.calls, parsed.content, list(parsed.displaced)) == ([], text, ["shown_call"])
    assert TurnReader().read(text.replace("\ne o", "\nE o")).calls
    assert TurnReader().read(text, TOOLS).calls


def test_a_call_whose_values_are_dots_explains_calls() -> None:
    text = '<tool_call>{"name": "get_weather", "arguments": {"city": "...", "days": "…"}}</tool_call>'
    parsed = TurnReader().read(text, TOOLS)
    assert (parsed.calls, parsed.content, list(parsed.displaced)) == ([], text, ["shown_call"])
    (call,) = TurnReader().read(text.replace('"…"', "3"), TOOLS).calls
    assert call.arguments == {"city": "...", "days": 3}


def test_a_sentence_about_a_tag_is_no_call_that_cant_be_read() -> None:
    assert TurnReader().read("<|python_tag|> switches Llama 3.1 to code. [ and ( follow.").dropped == []
    assert TurnReader().read("<tool_call>switches this to code</tool_call>").dropped != []


def test_a_code_block_that_is_a_call_is_shown_behind_words_where_nothing_says_more() -> None:
    block = '```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```'
    hermes = dialects.get("hermes")
    for reader, text, tools, calls in (
        (TurnReader(), block, NO_TOOLS, 1),
        (TurnReader(), f"Ok:\n{block}", NO_TOOLS, 0),
        (TurnReader(), f"Ok:\n{block}", TOOLS, 1),
        (TurnReader(hermes), f"Ok:\n{block}", NO_TOOLS, 1),
    ):
        parsed = reader.read(text, tools)
        assert (len(parsed.calls), list(parsed.displaced)) == (calls, [] if calls else ["shown_call"])


@pytest.mark.parametrize("named", [None, "hermes", "qwen3_xml"])
@pytest.mark.parametrize(
    ("held", "reason"),
    [
        (f'{{"type": "function", "function": {DECLARED}}}', "a declaration of a tool where a call should be"),
        ('{"method": "tools/call", "params": {"name": "f", "arguments": {"a": 1}}}', ONLY_SHOWN),
    ],
    ids=["declaration", "request"],
)
def test_tags_without_a_call_are_a_dropped_call(named: str | None, held: str, reason: str) -> None:
    text = f"<tool_call>\n{held}\n</tool_call>"
    read = TurnReader(named=dialects.get(named) if named else None).read(text)
    assert not read.calls
    assert [(each.text, each.reason) for each in read.dropped] == [(text, reason)]


@each(
    "text, tools, read, dropped, shown",
    [
        ('{"tool": "rag_search", "params": {"query": "x"}}', NO_TOOLS, 1, 0, False),
        ('{"tool": "rag_search", "input": {"query": "x"}}', NO_TOOLS, 1, 0, False),
        ('[{"name": "rag_search", "params": {"query": "x"}}]', NO_TOOLS, 1, 0, False),
        ('```json\n{"name": "rag_search", "parameters": {"query": "x"}}\n```', NO_TOOLS, 1, 0, False),
        ('I look.\n\n```json\n{"name": "rag_search", "parameters": {"query": "x"}}\n```', NO_TOOLS, 0, 0, True),
        ('{"tool": "rag_search", "params": {"query": "x"}}', TOOLS, 0, 1, False),
        ('{"tool": "hammer", "params": 3}', NO_TOOLS, 0, 0, False),
        ('{"tool": "hammer", "params": {"size": 3}, "price": 4, "shop": "Oslo"}', NO_TOOLS, 0, 0, False),
        (
            '[{"name": "Alice", "parameters": {"age": 3}}, {"name": "Bob", "parameters": {"age": 4}}]',
            TOOLS,
            0,
            2,
            False,
        ),
        (
            '[{"name": "search_docs", "parameters": {"query": "x"}}, {"name": "Bob", "parameters": {}}]',
            TOOLS,
            2,
            0,
            False,
        ),
    ],
)
def test_a_whole_turn_with_the_two_keys_of_a_call_is_never_passed_over(
    text: str, tools: ToolIndex, read: int, dropped: int, shown: bool
) -> None:
    parsed = TurnReader().read(text, tools)
    assert (len(parsed.calls), len(parsed.dropped), "shown_call" in parsed.displaced) == (read, dropped, shown)
    assert parsed.calls or parsed.content == text


@each("name", ["gemma4", "functiongemma", "kimi_k3", "solar_open2", "minimax_m3", "qwen3_xml", "glm45", "hermes"])
@pytest.mark.parametrize("tools", [NO_TOOLS, TOOLS])
def test_a_call_in_a_value_is_a_part_of_it(name: str, tools: ToolIndex) -> None:
    dialect = dialects.get(name)
    inner = dialect.render([ToolCall("get_weather", {"city": "Oslo"})])
    outer = ToolCall("search_docs", {"query": f"What does this do?\n{inner}\nAnd {inner} here?"})
    text = dialect.render([outer, FIRST])
    for reader in (TurnReader(dialect), TurnReader()):
        parsed = reader.read(text, tools)
        assert (parsed.calls, parsed.dropped) == ([outer, FIRST], []), reader
