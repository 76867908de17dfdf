"""What the reader of turns is given beside the text: marks of reasoning, a state to begin in, what other rows show."""

from __future__ import annotations

import pytest

from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.grammars.response_template import from_template
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.dialects.turn_reader import TurnReader
from toolconv.export.response_template import response_template

CALL = ToolCall("get_weather", {"city": "Oslo"})
HERMES_CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
MARK = Reasoning("[HM]", "[/HM]")


@pytest.mark.whole
@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        ("[HM]Hm.[/HM]\n\nHi.", "Hm.", "Hi."),
        ("\n[HM]\nHm.\n[/HM]Hi.", "Hm.", "Hi."),
        ("Hm.[/HM]Hi.", "Hm.", "Hi."),
        ("[HM][/HM]Hi.", None, "Hi."),
        ("[HM]Hm.[/HM]<think>\nSo.\n</think>\n\nHi.", "Hm.\nSo.", "Hi."),
        ("Hi.", None, "Hi."),
        ("[HM]Hm.", None, "[HM]Hm."),
        ("Hi [HM]Hm.[/HM]", None, "Hi [HM]Hm.[/HM]"),
        ("[HM]a[HM]b[/HM]Hi.", None, "[HM]a[HM]b[/HM]Hi."),
    ],
)
@pytest.mark.parametrize("calls", [[], [CALL]])
def test_reasoning_in_a_mark_that_the_user_names(
    text: str, reasoning: str | None, content: str, calls: list[ToolCall]
) -> None:
    text += f"\n{HERMES_CALL}" if calls else ""
    for named in (dialects.get("hermes"), None):
        parsed = TurnReader(named, reasoning=MARK).read(text)
        assert (parsed.reasoning, parsed.content, parsed.calls) == (reasoning, content, calls)
        assert not parsed.repairs and not parsed.dropped


@pytest.mark.parametrize(
    ("text", "reasoning", "content", "calls", "repairs"),
    [
        ("Hm.", "Hm.", "", [], ["unclosed_reasoning"]),
        ("Hm.</think>\nHi.", "Hm.", "Hi.", [], []),
        ("[f(a=1)]\n</think>\n[g(b=2)]", "[f(a=1)]", "", [ToolCall("g", {"b": 2})], []),
    ],
)
def test_a_text_that_begins_in_reasoning(
    text: str, reasoning: str, content: str, calls: list[ToolCall], repairs: list[str]
) -> None:
    parsed = TurnReader().read(text, in_reasoning=True)
    assert (parsed.reasoning, parsed.content, parsed.calls) == (reasoning, content, calls)
    assert (parsed.repairs, parsed.dropped) == (repairs, [])


def test_a_list_in_opened_reasoning_is_no_call_of_the_turn() -> None:
    text = '[{"name": "get_weather", "arguments": {"city": "Oslo"}}]'
    parsed = TurnReader().read(text, in_reasoning=True)
    assert (parsed.reasoning, parsed.content, parsed.calls) == (text, "", [])
    assert (parsed.repairs, parsed.displaced) == (["unclosed_reasoning"], ("call_in_reasoning",))


@pytest.mark.parametrize(
    ("text", "reasoning", "content"),
    [
        ("<think>Hm.</think>\nHi.", "Hm.", "Hi."),
        (HERMES_CALL, None, HERMES_CALL),
        (HERMES_CALL[:-20], None, HERMES_CALL[:-20]),
    ],
)
def test_a_turn_without_calls_is_prose(text: str, reasoning: str | None, content: str) -> None:
    parsed = TurnReader().read_prose(text, None)
    assert (parsed.reasoning, parsed.content) == (reasoning, content)
    assert not parsed.calls and not parsed.dropped and not parsed.repairs


@pytest.mark.parametrize(
    ("default", "writer"),
    [
        ("hunyuan_a13b", "apriel"),  # both write it, one of them with a line break as prose
        ("mimo", "qwen3_xml"),  # both write it, and the values differ
        ("mimo", "step3p5"),
    ],
)
def test_a_text_that_shows_its_dialect_reads_the_same_whatever_other_rows_show(default: str, writer: str) -> None:
    text = dialects.get(writer).render_turn("Hi.", None, [CALL])
    for reader in (TurnReader(), TurnReader(default=dialects.get(default))):
        parsed = reader.read(text)
        assert (parsed.content, parsed.calls, parsed.dialect) == ("Hi.", [CALL], writer)
        assert not parsed.repairs and not parsed.dropped and not parsed.assumed


def test_a_call_that_the_dialect_of_other_rows_cannot_read_is_dropped() -> None:
    text = '<think>Hm</think>\nget_weather(city="Oslo)'
    parsed = TurnReader(default=dialects.get("pythonic")).read(text)
    assert (parsed.reasoning, parsed.content, parsed.calls) == ("Hm", 'get_weather(city="Oslo)', [])
    assert len(parsed.dropped) == 1


@pytest.mark.whole
@pytest.mark.parametrize(
    "reader", [TurnReader(dialects.get("hermes")), TurnReader(default=dialects.get("hermes")), TurnReader()]
)
@pytest.mark.parametrize("is_declared", [True, False])
def test_a_tool_that_wraps_calls_is_none_unless_it_is_declared(reader: TurnReader, is_declared: bool) -> None:
    hermes, name = dialects.get("hermes"), "multi_tool_use.parallel"
    call = ToolCall(name, {"tool_uses": [{"recipient_name": "functions.f", "parameters": {"a": 1}}]})
    tools = ToolIndex([{"function": {"name": name if is_declared else "f", "parameters": {"type": "object"}}}])
    parsed = reader.read(hermes.render([call]), tools)
    assert parsed.calls == [call if is_declared else ToolCall("f", {"a": 1})]
    assert not parsed.content and not parsed.dropped
    assert hermes.certainly_round_trips("", None, [call], tools) == is_declared


def test_a_dialect_that_is_only_read_is_read_with_others() -> None:
    template = response_template(dialects.get("hermes"), "<|im_start|>assistant\n", ["<|im_end|>"])
    calls = template["fields"]["tool_calls"]
    calls["close_pattern"] = r"\s*" + calls.pop("close")  # which says how it is read, and not how it is written
    reader = TurnReader(from_template(template))
    assert reader.dialect.calls is None
    parsed = reader.read(f'Hi.\n{HERMES_CALL}\n[TOOL_CALLS]f[ARGS]{{"a": 1}}')
    assert (parsed.content, parsed.calls) == ("Hi.", [CALL, ToolCall("f", {"a": 1})])
    assert (parsed.repairs, parsed.dropped) == (["other_dialect"], [])
    parsed = reader.read(f"Hi.\n{HERMES_CALL}\n<tool_call>\n{{")
    assert (parsed.content, parsed.calls, parsed.repairs) == ("Hi.\n<tool_call>\n{", [CALL], [])
    assert len(parsed.dropped) == 1


def test_what_the_named_dialect_falls_back_on_is_read_with_others() -> None:
    first, second = ToolCall("ping", {"host": "a"}), ToolCall("ping", {"host": "b"})
    text = f"{dialects.get('longcat_tags').render([first])}{dialects.get('hunyuan_a13b').render([second])}"
    parsed = TurnReader(dialects.get("longcat")).read(text)
    assert ([(call.name, call.arguments) for call in parsed.calls], parsed.dropped) == (
        [("ping", {"host": "a"}), ("ping", {"host": "b"})],
        [],
    )


@pytest.mark.parametrize(
    ("text", "calls", "content", "repairs", "dropped"),
    [
        (
            "<ping>\n<host>a</host>\n</ping>",
            [ToolCall("ping", {"host": "a"})],
            "",
            ["missing_tags", "element_names"],
            0,
        ),
        (
            "<tool_call>ping host</arg_key><arg_value>a</arg_value></tool_call>",
            [],
            "<tool_call>ping host</arg_key><arg_value>a</arg_value></tool_call>",
            [],
            1,
        ),
    ],
)
def test_a_tool_that_declares_no_parameters(
    text: str, calls: list[ToolCall], content: str, repairs: list[str], dropped: int
) -> None:
    parsed = TurnReader().read(text, ToolIndex([{"type": "function", "function": {"name": "ping"}}]))
    assert (parsed.calls, parsed.content, parsed.repairs) == (calls, content, repairs)
    assert len(parsed.dropped) == dropped
