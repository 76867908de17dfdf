"""Mistral's generations: ids of nine characters, and what the templates make of turns that the golden rows do not have.

The expected texts are what the original templates wrote.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from toolconv import dialects, templates
from toolconv.core.conversation import Conversation
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import RenderError, parse_turns, render_turns
from toolconv.templates.base import ChatView, TextWriter


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def said(content: str, *ids: str, **keys: str) -> dict[str, Any]:
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": {}}} for one in ids]
    return {"role": "assistant", "content": content, **keys, **({"tool_calls": calls} if calls else {})}


def text_of(name: str, *messages: dict[str, Any], tools: list[dict[str, Any]] | None = None) -> tuple[str, list[str]]:
    """The text that a template writes, and what is lost."""
    row = {"messages": [*messages], **({"tools": tools} if tools else {})}
    conversation, template, page = Conversation(row), templates.get(name), TextWriter()
    template.write(ChatView(conversation, template.dialect), page)
    return page.text, conversation.notes.losses


# ── ids ──


@pytest.mark.parametrize(
    ("given", "nine"),
    [
        ("a1B2c3D4e", "a1B2c3D4e"),
        ("functions.get_weather:0", "tweather0"),
        ("call_7", "0000call7"),
        (None, "000000003"),
    ],
)
def test_an_id_is_its_last_nine_letters_and_digits(given: str | None, nine: str) -> None:
    for name in ("mistral_v3", "mistral_v3_tekken", "mistral_v11"):
        assert dialects.get(name).call_id(ToolCall("f", {}, given), 3) == nine


@pytest.mark.parametrize(
    ("name", "call", "result"),
    [
        ("mistral", "[TOOL_CALLS]f[ARGS]{}", "[TOOL_RESULTS]sunny[/TOOL_RESULTS]"),
        (
            "mistral_v11",
            "[TOOL_CALLS]f[CALL_ID]tweather0[ARGS]{}",
            "[TOOL_RESULTS]tweather0[TOOL_CONTENT]sunny[/TOOL_RESULTS]",
        ),
        (
            "mistral_v3",
            '[TOOL_CALLS] [{"name": "f", "arguments": {}, "id": "tweather0"}]',
            '[TOOL_RESULTS] {"content": sunny, "call_id": "tweather0"}[/TOOL_RESULTS]',
        ),
        (
            "mistral_v3_tekken",
            '[TOOL_CALLS][{"name": "f", "arguments": {}, "id": "tweather0"}]',
            '[TOOL_RESULTS]{"content": sunny, "call_id": "tweather0"}[/TOOL_RESULTS]',
        ),
    ],
)
def test_a_response_names_its_call_by_the_id_in_the_text(name: str, call: str, result: str) -> None:
    given = "functions.get_weather:0"
    messages = [user("x"), said("", given), {"role": "tool", "tool_call_id": given, "content": "sunny"}]
    conversation, dialect = Conversation({"messages": messages}), dialects.get(name)
    render_turns(conversation, dialect)
    assert [message["content"] for message in conversation.messages] == ["x", call, result]
    assert conversation.notes.losses == ["call_id"]
    parse_turns(conversation, TurnReader(dialect))
    _, asked, answer = conversation.messages
    call_id = asked["tool_calls"][0]["id"]
    assert (answer["tool_call_id"], answer["content"]) == (call_id, "sunny")
    assert call_id == ("tweather0" if dialect.carries_ids else "call_0")


def test_tools_of_v3_are_not_escaped_and_what_that_loses_is_said() -> None:
    tool = {"type": "function", "function": {"name": "f", "description": 'Says "hi"', "return": {"type": "string"}}}
    form = dialects.get("mistral_v3").chat
    written = '[AVAILABLE_TOOLS] [{"type": "function", "function": {"name": "f", "description": "Says "hi""}}]'
    assert form.block([tool]) == f"{written}[/AVAILABLE_TOOLS]"
    assert not form.keeps([tool])
    assert dialects.get("mistral").chat.keeps([tool])


# ── turns ──


SYSTEM = {"role": "system", "content": "S"}


@pytest.mark.parametrize(
    ("messages", "text", "losses"),
    [
        ((user("a"), user("b"), said("c")), "[INST]a\n\nb[/INST]c</s>", []),
        (
            (user([{"type": "text", "text": one} for one in "ab"]), said("c")),
            "[INST]a\n\nb[/INST]c</s>",
            ["content_parts"],
        ),
        (
            (user("x"), said("c"), said("d", "call_0")),
            "[INST]x[/INST]c\n\nd[TOOL_CALLS]f[ARGS]{}</s>",
            ["turns_merged"],
        ),
        (
            (user("x"), said("c", reasoning_content="r"), said("d", reasoning_content="q"), said("e")),
            "[INST]x[/INST][THINK]r[/THINK]c[THINK]q[/THINK]d\n\ne</s>",
            ["turns_merged"] * 2,
        ),
    ],
)
def test_turns_of_one_role_are_one_turn(messages: tuple[dict[str, Any], ...], text: str, losses: list[str]) -> None:
    assert text_of("mistral-large-3", SYSTEM, *messages) == (f"<s>[SYSTEM_PROMPT]S[/SYSTEM_PROMPT]{text}", losses)


def test_the_system_text_of_v3_stands_in_the_last_question() -> None:
    ask, answer = user("x"), said("y")
    assert text_of("mistral-nemo", SYSTEM, ask, answer, ask) == ("<s>[INST]x[/INST]y</s>[INST]S\n\nx[/INST]", [])
    assert text_of("mistral-nemo", SYSTEM, ask, answer) == ("<s>[INST]x[/INST]y</s>", ["system"])
    with pytest.raises(RenderError):
        text_of("mistral-nemo", ask, answer, SYSTEM, ask)


def test_a_question_that_is_repeated_has_the_tools_each_time() -> None:
    tools = [{"type": "function", "function": {"name": "f"}}]
    messages = [user("yes"), said("c"), user("no"), said("d"), user("yes"), said("e")]
    text, _ = text_of("mistral-7b-v0.3", *copy.deepcopy(messages), tools=tools)
    block = '[AVAILABLE_TOOLS] [{"type": "function", "function": {"name": "f"}}][/AVAILABLE_TOOLS]'
    assert text == f"<s>{block}[INST] yes[/INST] c</s>[INST] no[/INST] d</s>{block}[INST] yes[/INST] e</s>"


def test_tools_of_v3_stand_before_the_last_question_and_are_lost_without_one() -> None:
    tools = [
        {
            "type": "function",
            "function": {"name": "f", "description": "It.", "parameters": {"type": "object", "properties": {}}},
        }
    ]
    assert "tools" not in text_of("mistral-7b-v0.3", user("Hi."), said("Ho."), tools=tools)[1]
    assert "tools" in text_of("mistral-7b-v0.3", said("Ho."), tools=tools)[1]
