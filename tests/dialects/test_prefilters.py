"""Cheap checks before a search: each lets everything pass that the search would find, and stops plain words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.conftest import each
from toolconv.core.tools import ToolIndex
from toolconv.dialects.choice.known_slips import may_hold_slips
from toolconv.dialects.choice.wrappers import may_be_wrapped
from toolconv.dialects.lexing.call_signs import _may_hold_call_tag
from toolconv.dialects.lexing.lexer import _may_be_spaced, may_hold_tags
from toolconv.dialects.lexing.markers import may_hold_markup, may_show_calls
from toolconv.dialects.lexing.mentions import may_be_prompted
from toolconv.dialects.lexing.plain_text import may_hold_bare_call, may_hold_object, may_hold_python
from toolconv.dialects.lexing.unmarked_calls import may_hold_arguments
from toolconv.dialects.prompts.stated_tools import LONGEST, may_instruct, may_state_tools
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.responses import may_be_responses

TOOLS: Final = ToolIndex([{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}])
WORDS: Final = "It is 3 degrees in Oslo, and it rains: take a coat."
PREFILTERS: dict[str, tuple[Callable[[str], bool], list[str], list[str]]] = {
    "whole tags": (may_hold_tags, ["a < b", "[x", "✿"], ["", WORDS, "a > b", "x]"]),
    "spaced tags": (
        _may_be_spaced,
        ["< tool", "<\ttool", "[ x", "x ]", "| a", "a |", "/ a", "a >", "a\t>"],
        ["", WORDS, "<a>", "<a|b>", "a b", "[a]", "<a> b", "a </b>"],
    ),
    "tags of calls": (
        _may_hold_call_tag,
        ["<tool_call>", "So: <my_tool", "[TOOL_CALLS]", "✿FUNCTION✿", "✿", "<x_function=f>"],
        ["", WORDS, "a tool <b>", "<b> tool", "< \ntool", "I call it.", "<p>Hi.</p>", "[x] <b> call"],
    ),
    "markup": (may_hold_markup, ["<tool_call>", "<|im_end|>", "<|plugin"], ["", WORDS, "<p>Hi.</p>", "[1]"]),
    "calls": (may_show_calls, ["<x", "[x", "{x", "f(", "Action: x"], ["", WORDS]),
    "prompts of Functionary's": (
        may_be_prompted,
        [">>>get_weather\n{}", "It rains.\n>>>get_weather\n{}"],
        ["", WORDS, ">>", ">> >", ">>> 1 + 1", "a >>> b"],
    ),
    "objects": (
        lambda text: may_hold_object(text, TOOLS),
        [
            '{"name": "f", "arguments": {}}',
            '{"arguments": {}, "name": "f"}',
            '{"name": "get_weather", "arguments": {"city": "Os',
            'get_weather\n{"city": "Oslo"}',
            '[{"get_weather": {"city": "Oslo"}}]',
        ],
        ["", WORDS, '{"a": 1}', "{", '{"name": "f"}', '{"arguments": {}}', '[{"get_weather": 1}]', "if x {\n  y\n}"],
    ),
    "Python": (
        lambda text: may_hold_python(text, TOOLS),
        ["get_weather(", "f(a=1)", "[f(a=1)]", "So:\n[f(a=1)]", "It is get_weather(city=1)", "```py\nf()"],
        ["", WORDS, "get_weather", "get_weather [", "It rains (a lot).", "a, b (c)", "So: f (x)"],
    ),
    "calls without markers": (
        lambda text: may_hold_bare_call(text, TOOLS),
        ["[get_we", "[f", 'get_weather {"city": "Oslo"}', '{"name": "f", "arguments": {}}'],
        ["", WORDS, "[1", "[f]", "get_weather"],
    ),
    "keys of arguments": (
        may_hold_arguments,
        ['"arguments"', "arguments", '"parameters"', '"argumets"', '"argwments"', "tool_input"],
        ["", WORDS, '"a": 1', '"city"', "ments"],
    ),
    "results": (
        may_be_responses,
        [
            "<tool_response>",
            " \n<tool_response>",
            "<function_results>",
            "<observation>",
            "```tool_output\n",
            "Tool f",
            "TOOL f",
        ],
        ["", WORDS, "<b>", "So: <tool_response>", "```json", "Tools"],
    ),
    "declared tools": (
        may_state_tools,
        [
            '{"name": 1}',
            '{"parameters": 1}',
            '{"type": 1}',
            "{'name': 1}",
            "{declaration:f",
            '"""x""" def f',
            '"type" f = (_: {}) => any;',
            "=> any;",
            "<tool><name>f</name>",
        ],
        ["", WORDS, '"name"', "{name}", '""" x', "=> x;", "<names>", "def f", "{'names': 1}", "any;"],
    ),
    "instructions": (
        may_instruct,
        ['{"name": 1}', "<tool>", "[function]", "✿", "<x> a plugin", "[x] action", "<invoke", "<TOOLS>", "[FUNCTION]"],
        ["", WORDS, "a tool", "<b>", "[1]", "<tool>" + "x" * LONGEST],
    ),
    "slips": (may_hold_slips, ["    a", "<tool_call>", "é <tool_call>"], ["", WORDS, "   a", "é"]),
    "wrappers": (
        lambda text: may_be_wrapped(Parsed(text)),
        ["<x>{}</x>", "<|x|>", "[/x]"],
        ["", WORDS, "<x></x>", "{}", "<x>{}", "<x"],
    ),
}


@each(
    "name, text, passes",
    [
        (name, text, passes)
        for name, (_, passing, stopped) in PREFILTERS.items()
        for texts, passes in ((passing, True), (stopped, False))
        for text in texts
    ],
)
def test_what_passes(name: str, text: str, passes: bool) -> None:
    assert PREFILTERS[name][0](text) is passes
