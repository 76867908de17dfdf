"""The lexer: which tags a text holds, how each is spelt, and what it costs to read a turn whose tags are damaged."""

from __future__ import annotations

import gc
import sys
from types import FrameType
from typing import Final

import pytest

from tests.conftest import each
from toolconv import dialects, templates
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing import markers
from toolconv.dialects.lexing.markers import first_marker, tokens_in
from toolconv.dialects.registry import registered
from toolconv.dialects.turn_reader import TurnReader

TOOLS = ToolIndex(
    [
        {
            "type": "function",
            "function": {
                "name": "get_weather",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
        }
    ]
)
HERMES = '{"name": "get_weather", "arguments": {"city": "Oslo"}}\n'
QWEN = "<tool_call>\n<function=get_weather>\n<parameter=city>\nOslo\n"

SPELT = {
    "<TOOL_CALL>": "<tool_call>",
    "< / tool_call >": "</tool_call>",
    "<|tool▁call▁begin|>": "<｜tool▁call▁begin｜>",
    "[ tool_calls ]": "[TOOL_CALLS]",
    "<PARAMETER=": "<parameter=",
}
DAMAGED = {
    "a letter is lost": ("<tool_cal>", "<tool_call>"),
    "a letter is doubled": ("<function_callss>", "<function_calls>"),
    "a letter is another": ("<funktion=", "<function="),
    "a bracket is lost": ("tool_call>", "<tool_call>"),
    "a closing tag stays one": ("<arg_key>city</rg_key>", "</arg_key>"),
    "another case, too": ("<TOOL_CAL>", "<tool_call>"),
}
NO_TAGS = (
    "It rains in Oslo.",
    "<tool_call>\n</tool_call>",
    "<p>Use <b>bold</b> text.</p>",
    "| a | b |\n|---|---|",
    "a < b and c > d",
    "the tool call",
)


@each("written", SPELT)
def test_a_tag_is_known_in_other_spellings(written: str) -> None:
    (token, *_) = [token for token in tokens_in(f"{written}x").odd if token.tag == SPELT[written]]
    assert (token.start, token.end, token.damage) == (0, len(written), 0)


@each("kind", DAMAGED)
def test_a_tag_is_known_with_damage_in_one_place(kind: str) -> None:
    written, tag = DAMAGED[kind]
    (token, *_) = tokens_in(written).odd
    assert (token.tag, token.damage, token.end) == (tag, 1, len(written))


@each("text", NO_TAGS)
def test_nothing_else_is_a_damaged_tag(text: str) -> None:
    assert tokens_in(text).odd == []


def test_many_damaged_tags_are_of_a_family_that_nobody_knows() -> None:
    tags = frozenset(["<tool_call>"])
    assert len(tokens_in("<tool_cal> <tool_cal>").slips(tags)) == 2
    assert tokens_in("<tool_cal> <tool_cal> <tool_cal>").slips(tags) == []
    assert len(tokens_in("<tool_call> " * 3 + "<tool_cal> " * 3).slips(tags)) == 3


DAMAGED_TURNS = {
    "the opening tag": (f"<tool_cal>\n{HERMES}</tool_call>", "hermes"),
    "the closing tag": (f"<tool_call>\n{HERMES}</tool_cal>", "hermes"),
    "the end of an argument": (f"{QWEN}</paramete>\n</function>\n</tool_call>", "qwen3_xml"),
    "the key of an argument": (
        "<tool_call>get_weather<ag_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>",
        "glm47",
    ),
    "the key of an argument after words": (
        "Let me look.<tool_call>get_weather<ag_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>",
        "glm47",
    ),
    "the case": (f"<TOOL_CALL>\n{HERMES}</TOOL_CALL>", "hermes"),
}


@each("damage", DAMAGED_TURNS)
@pytest.mark.parametrize("is_named", [True, False], ids=["named", "not named"])
def test_a_turn_with_a_damaged_tag_costs_at_most_600_function_calls(damage: str, is_named: bool) -> None:
    text, dialect = DAMAGED_TURNS[damage]
    reader = TurnReader(dialects.get(dialect) if is_named else None)
    reader.read(text, TOOLS)  # what is built once
    count = 0

    def profile(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    gc.disable()  # what other tests left would count
    sys.setprofile(profile)
    try:
        parsed = reader.read(text.replace("Oslo", "Rome"), TOOLS)
    finally:
        sys.setprofile(None)
        gc.enable()
    assert [(call.name, call.arguments) for call in parsed.calls] == [("get_weather", {"city": "Rome"})]
    assert parsed.repairs == ["marker_spelling"]
    assert count <= 600


@each("name", ["glm4_chat", "llama3_json", "pythonic", "raven", "react"])
def test_a_call_in_the_reasoning_of_a_dialect_without_markers_is_counted(name: str) -> None:
    dialect = dialects.get(name)
    call = ToolCall("get_weather", {"city": "Oslo"})
    text = dialect.render_turn("It rains.", f"I could ask.\n{dialect.render([call])}\nBut no.", [])
    parsed = TurnReader(dialect).read(text, TOOLS)
    assert (parsed.calls, parsed.displaced) == ([], ("call_in_reasoning",))


MARKED = [each.name for each in dialects.all_dialects() if each.calls and first_marker(each.sample) >= 0]
"""Dialects whose markers show a call to anybody."""


@each("name", MARKED)
def test_a_call_in_the_reasoning_is_counted_whatever_is_known(name: str) -> None:
    dialect = dialects.get(name)
    written = dialect.render([ToolCall("get_weather", {"city": "Oslo"}, "call_0")])
    mark = dialect.reasoning
    text = f"{mark.open}I could ask.\n{written}\nBut no.{mark.close}\n\nIt rains."
    for reader in (TurnReader(), TurnReader(dialect)):
        parsed = reader.read(text)
        assert len(parsed.calls) + len(parsed.dropped) + parsed.displaced.count("call_in_reasoning") == 1


def test_the_lexers_of_all_templates_are_kept() -> None:
    """Texts are tried with all of them, and a lexer takes fifty milliseconds to make."""
    known = registered()
    others = [name for name in templates.names() if not markers._are_known(templates.get(name).dialect, known)]
    assert others  # whose own tags no registered dialect has
    for name in others:
        dialect = templates.get(name).dialect
        tag = next(
            iter(dialect.all_tags - {tag for each in known if each.name == dialect.name for tag in each.all_tags})
        )
        assert markers.tokens_in(f"a {tag} b", dialect).whole
    assert len(others) < markers._lexer.cache_parameters()["maxsize"]


WORDS: Final = "The words around a tag say nothing of it, whatever they are. " * 20


@pytest.mark.parametrize("tag", ["<tool_call>", "<|tool_call_begin|>", "</parameter>", "[tool_calls]", "✿function✿"])
def test_tags_among_many_words_are_found_as_alone(tag: str) -> None:
    """The halves of damaged tags are looked for near the signs of tags only."""
    for place in range(1, len(tag) - 1):
        for damaged in (
            tag[:place] + tag[place + 1 :],
            f"{tag[:place]}\n\n{tag[place:]}",
            tag[:place] + "x" + tag[place:],
        ):
            alone = tokens_in(f" {damaged} ")
            among = tokens_in(f"{WORDS}{damaged} {WORDS}< {WORDS}")
            by = len(WORDS) - 1
            moved = [(token.start - by, token.end - by, token.tag, token.damage) for token in among.odd]
            assert moved == [(token.start, token.end, token.tag, token.damage) for token in alone.odd]
            assert [(start - by, end - by, written) for start, end, written in among.whole] == list(alone.whole)
