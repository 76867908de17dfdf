"""Real calls with words around them are read: a text only shows a call that its sentence goes on around."""

from __future__ import annotations

from typing import Final

import pytest

from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
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
FIRST: Final = ToolCall("get_weather", {"city": "Oslo", "days": 3})
SECOND: Final = ToolCall("search_docs", {"query": "ferry times, Bergen"})
MARKED: Final = ("hermes", "qwen3_xml", "kimi_k2", "glm45", "deepseek_v31", "minimax_m2", "granite", "hunyuan_a13b")
ONE: Final = (
    "Let me check: {a}",
    "Sure, I'll look it up: {a}\n\nOne moment please.",
    "I will check the weather now. {a} Please wait.",
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


@pytest.mark.parametrize("name", MARKED)
def test_a_call_that_its_sentence_goes_on_around_is_shown(name: str) -> None:
    dialect = dialects.get(name)
    text = f"To test it, paste {dialect.render([FIRST])} into the console and press Enter."
    parsed = TurnReader().read(text, TOOLS)
    assert (parsed.calls, parsed.content, list(parsed.displaced)) == ([], text, ["shown_call"])
