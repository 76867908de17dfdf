"""A value that looks like a listing, a document or another family's call is a value: in each dialect, named or detected."""

from __future__ import annotations

from typing import Final

import pytest

from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.turn_reader import TurnReader

TOOLS: Final = ToolIndex(
    [
        {
            "type": "function",
            "function": {
                "name": "write_file",
                "parameters": {
                    "type": "object",
                    "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                    "required": ["path"],
                },
            },
        }
    ]
)
VALUES: Final = {
    "hunk": "@@ -1,2 +1,2 @@\n-a = f(1)\n+a = f(2)\n context\n",
    "quoted lines": "> quoted f(x=1)\n> more\n\nanswer\n",
    "table": '| a | b |\n|---|---|\n| f(x=1) | {"name": "write_file"} |\n',
    "console": "$ write_file a\nout\n$ git st\nmore\n",
    "settings": '[tool.x]\nname = "y"\n[b]\nc = 1\n',
    "code block": '```json\n{"name": "write_file", "arguments": {"path": "b"}}\n```\nUse this.\n',
    "tabs": "a\tb\tc\n1\t2\t3\n4\t5\t6\n",
    "request": 'POST /x HTTP/1.1\nHost: a\n\n{"name": "write_file"}\n',
    "HTML": "<p class=\"a\">It's {b: 'c'}</p>\n",
    "XML": '<root>\n  <item name="write_file"><arguments>{}</arguments></item>\n</root>\n<!-- c -->',
    "indented code": '# T\n\nWrite:\n\n    write_file(path="b")\n\nand so on.',
    "ReAct": 'Thought: x\nAction: write_file\nAction Input: {"path": "b"}\nObservation: y',
}
"""What tools that write files are given, by what it is."""
XML_CALL: Final = "See:\n<function=write_file>\n<parameter=path>b</parameter>\n</function>"
WRITTEN: Final = [each for each in dialects.all_dialects() if each.calls is not None and each.name != "generic"]
WHOLE: Final = [each for each in WRITTEN if each.name in ("canonical", "llama3_json", "openai", "xlam")]
"""Whose calls fill the turn as JSON."""
REPEATED: Final = [each for each in WRITTEN if each.name not in ("bfcl_fc", "mimo")]
"""All but BFCL's record, which is the whole text, and MiMo's calls: Qwen3-Coder's tags without its line breaks, so that
detection takes a break at a value's end for markup, as vLLM does."""


def calls_read(text: str, named: Dialect | None) -> list[tuple[str, object]]:
    parsed = TurnReader(named).read(text, TOOLS)
    assert not parsed.dropped
    return [(call.name, call.arguments) for call in parsed.calls]


def written(dialect: Dialect, value: str) -> tuple[str, tuple[str, dict[str, str]]]:
    """A call with a value, as a dialect writes it."""
    arguments = {"path": "a.md", "content": value}
    return dialect.render_turn("", None, [ToolCall("write_file", arguments)]), ("write_file", arguments)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("dialect", WRITTEN, ids=lambda dialect: dialect.name)
def test_a_value_is_a_value(dialect: Dialect, value: str) -> None:
    text, call = written(dialect, VALUES[value])
    assert calls_read(text, dialect) == calls_read(text, None) == [call]


@pytest.mark.parametrize("value", ["console", "HTML", "tabs"])
@pytest.mark.parametrize("dialect", REPEATED, ids=lambda dialect: dialect.name)
def test_a_value_does_not_reach_into_the_next_call(dialect: Dialect, value: str) -> None:
    text, call = written(dialect, VALUES[value])
    both = f"{text}\n{text}"
    assert calls_read(both, dialect) == calls_read(both, None) == [call, call]


@pytest.mark.parametrize("dialect", WHOLE, ids=lambda dialect: dialect.name)
def test_a_call_in_a_string_of_a_call_is_a_value(dialect: Dialect) -> None:
    text, call = written(dialect, XML_CALL)
    assert calls_read(text, dialect) == calls_read(text, None) == [call]


CALLS_OF_OTHERS: Final = {
    "tokens": "<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>"
    '{"path": "b"}<|tool_call_end|><|tool_calls_section_end|>',
    "a header": '<|channel|>commentary to=functions.write_file<|message|>{"path": "b"}<|call|>',
    "words in brackets": '[TOOL_CALLS]write_file[ARGS]{"path": "b"}',
    "tags": "<function=write_file>\n<parameter=path>b</parameter>\n</function>",
    "JSON": '{"name": "write_file", "arguments": {"path": "b"}}',
}
BARE: Final = [
    each
    for each in WRITTEN
    if each.name in ("canonical", "llama3_json", "xlam", "pythonic", "functionary_v32", "glm4_chat", "structured_chat")
]
"""Whose calls begin with no marker, or with words."""


TAGGED: Final = [each for each in WRITTEN if isinstance(each, XmlParameters)]


@pytest.mark.parametrize("other", ["qwen3_xml", "anthropic_xml"])
@pytest.mark.parametrize("dialect", TAGGED, ids=lambda dialect: dialect.name)
def test_a_value_holds_the_tags_of_another_dialect(dialect: Dialect, other: str) -> None:
    value = dialects.get(other).render_turn("", None, [ToolCall("write_file", {"path": "b", "content": "x"})])
    if dialects.get(other).calls != dialect.calls:
        text, call = written(dialect, value)
        assert calls_read(text, dialect) == [call]
        assert TurnReader(dialect).read(text, TOOLS).dropped == []


def test_a_value_holds_an_element_named_as_its_argument() -> None:
    page = '<html><head><title>t</title></head>\n<content class="x">y</content></html>\n'
    for name in ("anthropic_xml", "minimax_m2"):
        text, call = written(dialects.get(name), page)
        assert calls_read(text, dialects.get(name)) == calls_read(text, None) == [call]
        assert TurnReader(dialects.get(name)).read(text, TOOLS).repairs == []


@pytest.mark.parametrize("value", sorted(CALLS_OF_OTHERS))
@pytest.mark.parametrize("dialect", BARE, ids=lambda dialect: dialect.name)
def test_no_call_is_made_up_from_a_string_of_a_call_among_words(dialect: Dialect, value: str) -> None:
    text, call = written(dialect, f"Write {CALLS_OF_OTHERS[value]} and go on.")
    for turn in (f"I do it.\n{dialect.separator}{text}", f"{text}\n<|im_end|>", f"I do it.\n\n{text}\n\nDone."):
        read = TurnReader().read(turn, TOOLS)
        assert [each.arguments for each in read.calls] in ([call[1]], [])
        assert read.calls or read.dropped or read.displaced


@pytest.mark.parametrize("dialect", WRITTEN, ids=lambda dialect: dialect.name)
def test_a_call_with_another_in_a_string_is_counted_without_tools(dialect: Dialect) -> None:
    for value in CALLS_OF_OTHERS.values():
        text, _ = written(dialect, f"Write\n{value}\nand go on.")
        read = TurnReader().read(text)
        assert read.calls or read.dropped, value


@pytest.mark.parametrize("value", ["x = {1\n" * 99, "(" * 999], ids=["lines", "brackets"])
def test_no_call_is_made_up_from_a_long_string(value: str) -> None:
    content = f"{value}{CALLS_OF_OTHERS['tokens']}"
    for name in ("llama3_json", "pythonic"):
        text, call = written(dialects.get(name), content)
        assert calls_read(f"I do it.\n{text}", None) == [call]


def test_no_call_is_made_up_from_a_string_with_line_breaks() -> None:
    value = f"a\n{CALLS_OF_OTHERS['tokens']}"
    quoted = value.replace('"', r"\"")
    read = TurnReader().read(f'I do it.\n{{"name": "write_file", "arguments": {{"content": "{quoted}"}}}}', TOOLS)
    assert [call.arguments for call in read.calls] == [{"content": value}]
    assert read.repairs == ["unescaped_newline"]
