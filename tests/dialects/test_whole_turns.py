"""What a whole turn loses: turns whose parts hold markup come back from the text, but for what is counted."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import any_text, each, exhaustive, few_examples
from tests.dialects.test_dialects import COMMON_MARKUP, PROSE, each_dialect, markup_of, tools_for
from tests.fuzz import laws
from tests.fuzz.laws import parts
from tests.helpers.command import toolconv
from toolconv import dialects, templates
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.base import Dialect
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.vocabulary import vocabulary
from toolconv.templates.output import TemplateOutput, TextOptions


@cache
def texts(dialect: Dialect) -> st.SearchStrategy[str]:
    """Texts that hold the dialect's markup and that of others."""
    others = [dialects.get(name) for name in ("hermes", "pythonic", "kimi_k2", "harmony", "mistral")]
    pieces = [*markup_of(dialect), *COMMON_MARKUP, *PROSE, *(one.sample for one in others), "f(a=1)", "\n\nf(a=1)\n"]
    return st.lists(st.sampled_from(pieces) | any_text(max_size=4), max_size=4).map("".join)


@cache
def turns(dialect: Dialect) -> st.SearchStrategy[Message]:
    """Assistant turns whose prose, reasoning and arguments hold markup."""
    calls = st.builds(
        ToolCall,
        st.sampled_from(["f", "get_weather"]),
        st.dictionaries(st.sampled_from("ab"), texts(dialect), max_size=2),
    )
    said = st.sampled_from(["", *PROSE]) | texts(dialect)
    return st.builds(
        lambda content, reasoning, some: {
            "role": "assistant",
            "content": content,
            **({"reasoning_content": reasoning} if reasoning else {}),
            **({"tool_calls": [call.to_canonical() for call in some]} if some else {}),
        },
        said,
        st.just("") | said,
        st.lists(calls, max_size=2),
    )


@pytest.mark.sweep
@each_dialect
@few_examples
@given(data=st.data())
def test_a_turn_comes_back_but_for_what_is_counted(dialect: Dialect, data: st.DataObject) -> None:
    turn = data.draw(turns(dialect))
    some = [ToolCall(name, arguments) for name, arguments in parts(turn)[2]]
    declared = tools_for(some).tools if data.draw(st.booleans()) and some else []
    laws.comes_back(dialect, turn, declared)


KEYS = ("<tool_call><", "<|end_of_tex", "='Tokyo'), p", '"a"', "  :<|eot_id|")


@each("name", ["pythonic", "gorilla", "chatglm3", "openai", "raven", "hermes"])
def test_a_key_in_quotes_keeps_what_looks_like_markup(name: str) -> None:
    for key in KEYS:
        call = ToolCall("f", {key: 1})
        laws.comes_back(
            dialects.get(name), {"role": "assistant", "content": "", "tool_calls": [call.to_canonical()]}, []
        )


OWN = {
    "qwen3_xml": "```<tool_call>\n\n<tool_call>\n<function=f>\n</function>\n</tool_call>",
    "xlam": '<think>\n<tool_call>\n</think>\n\nSo.\n\n```json\n[{"name": "f", "arguments": {"b": "[1]"}}]\n```',
    "llama3_json": 'Is it?\n{"name": "f", "parameters": {"b": "[TOOL_CALLS]g[ARGS]{}"}}',
    "chatglm3": "  <|assistant|>f\n```python\ntool_call(city='g(a=1)')\n```",
    "granite4": '```:</tool_call>\n<tool_call>\n{"name": "f", "arguments": {"b": 1}}\n</tool_call>',
}
"""Texts that a dialect writes for prose, reasoning or values that look like damage or like another dialect."""


@each("name, text", OWN.items())
def test_no_repair_is_named_where_the_dialect_writes_this_very_text(name: str, text: str) -> None:
    parsed = TurnReader(dialects.get(name)).read(text, NO_TOOLS)
    assert (len(parsed.calls), parsed.repairs, parsed.dropped, parsed.dialect) == (1, [], [], None)


def test_backticks_that_are_closed_on_their_line_open_no_code_block() -> None:
    call = dialects.get("hermes").render([ToolCall("f", {})])
    read = TurnReader().read(f"So: ```\\  ```\n{call}", NO_TOOLS)
    assert ([each.name for each in read.calls], read.content) == (["f"], "So: ```\\  ```")


@exhaustive
@each("name", ["ernie45", "lfm2", "minicpm5", "olmo3"])
@each("opening", ["```", "```\n", "a ` b\n```\n", "`` a ` b `", "Use `f`:\n```json\n"])
@each("closing", ["```", "\n```", "x`"])
def test_code_that_a_call_closes_hides_nothing_uncounted(name: str, opening: str, closing: str) -> None:
    for arguments in ({"a": closing}, {closing: 1}):
        call = ToolCall("f", arguments).to_canonical()
        for texts in ({"content": opening}, {"content": "", "reasoning_content": opening}):
            laws.comes_back(dialects.get(name), {"role": "assistant", **texts, "tool_calls": [call]}, [])


def run(command: str, *messages: Message) -> tuple[list[Message], str]:
    """The messages that a command writes of a row, and what it says of losses."""
    result = toolconv(*command.split(), stdin=json.dumps({"messages": list(messages)}) + "\n")
    assert result.status == 0, result.err
    written: list[Message] = json.loads(result.out).get("messages", [])
    return written, result.err


def calling(content: str, **keys: Any) -> Message:
    """An assistant turn with a call."""
    call = {
        "id": "call_0",
        "type": "function",
        "function": {"name": "f", "arguments": json.dumps(keys.pop("given", {}))},
    }
    return {"role": "assistant", "content": content, **keys, "tool_calls": [call]}


@pytest.mark.parametrize("name", ["hermes", "kimi_k2", "pythonic", "glm45", "minimax", "qwen3_xml", "step5"])
def test_a_call_whose_value_seems_to_end_reasoning_is_kept_and_the_prose_counted(name: str) -> None:
    (spoken,), said = run(f"render --to {name}", calling("<think>", given={"a": "</think>"}))
    assert "2 losses (call_id 1, prose 1)" in said or "1 loss (prose 1)" in said
    (read,), said = run(f"parse --from {name}", spoken)
    assert parts(read) == ("", "", [["f", {"a": "</think>"}]])
    assert "1 repair (unclosed_reasoning 1)" in said


@pytest.mark.parametrize("name", ["hermes", "kimi_k2", "pythonic", "qwen3_xml"])
def test_a_call_within_reasoning_is_reasoning_whether_or_not_the_dialect_is_named(name: str) -> None:
    call = dialects.get(name).render([ToolCall("f", {"a": 1}, "functions.f:0")])
    turn = {"role": "assistant", "content": f"<think>\n{call}\n</think>\n\nDone."}
    for command in ("parse", f"parse --from {name}"):
        (read,), said = run(command, turn)
        assert parts(read) == ("Done.", call, [])
        assert "0 calls" in said and "repair" not in said


def test_a_call_made_of_prose_is_counted() -> None:
    _, said = run("render --to pythonic", calling("Call f(a=1) so:\n\nf(a=1)"))
    assert "call 1" in said and "prose 1" in said


@pytest.mark.parametrize("name", ["cohere_command3", "cohere_command4", "xlam", "minicpm3"])
def test_reasoning_that_becomes_prose_is_counted(name: str) -> None:
    _, said = run(f"render --to {name}", calling("", reasoning_content="Hm."))
    assert "reasoning_becomes_content 1" in said


def test_a_template_counts_what_its_dialect_would_not_read_back() -> None:
    asked = {"role": "user", "content": "Go."}
    _, said = run("render --template kimi-k2", asked, calling("<think>", given={"a": "</think>"}))
    assert "prose 1" in said
    _, said = run("render --template qwen3", asked, calling("Is 5 < 3?", given={"a": "x"}))
    assert "loss" not in said.replace("call_id 1", "").replace("1 loss ()", "")


def test_message_keys_that_a_text_cannot_hold_are_counted() -> None:
    turn = {"role": "assistant", "content": "Hi.", "refusal": "no", "audio": None, "weight": 1}
    _, said = run("render --template qwen3", {"role": "user", "name": "Ann", "content": "Hi?"}, turn)
    assert "2 losses (message_keys 2)" in said


@pytest.mark.parametrize("key", ["thinking", "reasoning", "tool_plan"])
def test_reasoning_under_another_key_is_read_and_written_back(key: str) -> None:
    turn = {"role": "assistant", "content": "Hi.", key: "Hm."}
    (read,), _ = run("parse", turn)
    assert read == {"role": "assistant", "content": "Hi.", "reasoning_content": "Hm."}
    (spoken,), _ = run("render --to hermes", turn)
    assert spoken["content"] == "<think>\nHm.\n</think>\n\nHi."
    broken = {
        "role": "assistant",
        "content": None,
        key: "Hm.",
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": "{'a': 1}"}}],
    }
    (written,), _ = run("convert --from-layout openai --to-layout openai", broken)
    assert written[key] == "Hm." and "reasoning_content" not in written
    assert json.loads(written["tool_calls"][0]["function"]["arguments"]) == {"a": 1}


@pytest.mark.parametrize(("own", "read"), [("Hm.", "Hm."), ("So.", "So.\n\nHm."), ("", "Hm.")])
def test_reasoning_in_the_text_that_stands_beside_it_too_is_read_once(own: str, read: str) -> None:
    turn = {"role": "assistant", "content": "<think>Hm.</think>Hi.", "reasoning_content": own}
    (message,), _ = run("parse --from hermes", turn)
    assert message == {"role": "assistant", "content": "Hi.", "reasoning_content": read}


def test_calls_as_json_text_and_beside_the_message_are_read() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    wanted = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}]
    for keys in (
        {"tool_calls": [json.dumps(call)]},
        {"tool_calls": json.dumps([call])},
        {"tool_calls": [{"id": "c", "name": "f", "arguments": {"a": 1}}]},
        {"additional_kwargs": {"tool_calls": [call]}},
    ):
        (read,), _ = run("parse", {"role": "assistant", "content": "", **keys})
        assert read == {"role": "assistant", "content": "", "tool_calls": wanted}
    result = toolconv(
        "parse", stdin=json.dumps({"messages": [{"role": "assistant", "content": "", "tool_calls": ["f"]}]})
    )
    assert "1 call dropped" in result.err


PARTS = [{"type": "text", "text": "Be "}, {"type": "text", "text": "brief."}]
IMAGE = {"type": "image_url", "image_url": {"url": "data:,"}}


@pytest.mark.parametrize("name", templates.names())
def test_text_parts_are_joined_and_joints_and_other_parts_counted(name: str) -> None:
    for parts_, lost in ((PARTS[:1], []), (PARTS, ["content_parts"]), ([*PARTS, IMAGE], ["content_parts"] * 2)):
        row = {"messages": [{"role": "user", "content": parts_}, {"role": "assistant", "content": "Yes."}]}
        conversation = Conversation(row)
        options = TextOptions(template=name)
        text = TemplateOutput(options, options.load()).row(conversation)["text"]
        assert "Be" in text and ("brief." in text) == (len(parts_) > 1) and "'text'" not in text
        assert conversation.notes.losses == lost


@pytest.mark.parametrize("layout", ["sharegpt", "llamafactory"])
def test_a_turns_value_is_text(layout: str) -> None:
    row = {"messages": [{"role": "user", "content": PARTS}, {"role": "assistant", "content": [*PARTS, IMAGE]}]}
    result = toolconv("convert", "--to-layout", layout, stdin=json.dumps(row))
    assert [turn["value"] for turn in json.loads(result.out)["conversations"]] == ["Be brief.", "Be brief."]
    assert "content_parts 3" in result.err  # a joint in each turn, and the image


@each("name", ["anthropic_xml", "deepseek_v32", "dots", "glm45", "seed_oss", "solar_open2", "step3", "toolace", "xlam"])
def test_a_turn_token_in_a_value_stays_where_the_dialect_is_not_named(name: str) -> None:
    for value in ("end </s>", "a <|im_end|> b"):
        call = ToolCall("edit_file", {"path": "a.c", "code": value})
        parsed = TurnReader().read(dialects.get(name).render([call]), tools_for([call]))
        assert [(each.name, each.arguments) for each in parsed.calls] == [("edit_file", call.arguments)]
        assert parsed.repairs == ["markup_in_value"]


@each("value", ["a<b", "<b>x</b>", "if a < b:\n    print(a)"])
def test_line_breaks_of_the_markup_are_no_part_of_values(value: str) -> None:
    """Qwen's text with JSON's ``false`` is just what MiMo writes for values that begin and end with line breaks."""
    text = (
        f"<tool_call>\n<function=f>\n<parameter=code>\n{value}\n</parameter>\n"
        "<parameter=run>\nfalse\n</parameter>\n</function>\n</tool_call>"
    )
    (call,) = TurnReader().read(text, NO_TOOLS).calls
    assert call.arguments == {"code": value, "run": False}


@each("token", sorted(token for token in vocabulary().turn_tokens if "✿" not in token))
def test_what_any_family_writes_after_its_turns_is_cut(token: str) -> None:
    call = dialects.get("kimi_k2").render([ToolCall("f", {})])
    for text in (f"{call}{token}", f"{call}\n{token}\n"):
        read = TurnReader().read(text, NO_TOOLS)
        assert (read.content, read.repairs, read.dropped, read.displaced) == ("", ["leaked_token"], [], ())
        assert [each.name for each in read.calls] == ["f"]
    assert TurnReader().read(f"It is done.{token}", NO_TOOLS).content == "It is done."
