"""What of a conversation original templates treat otherwise: each question, with conversations of both answers."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv.core.conversation import Conversation
from toolconv.templates import shapes

CALL = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": {}}}
TEXT = [{"type": "text", "text": "x"}]
TOOL = {"name": "ping", "description": "Pings.", "parameters": {"type": "object", "properties": {}}}


def turn(letter: str) -> dict[str, Any]:
    """A turn: s, d, u, a, t by role; c, b, r, q have a call, two, prose beside one, and reasoning too."""
    roles = {"s": "system", "d": "developer", "u": "user", "t": "tool"}
    message: dict[str, Any] = {
        "role": roles.get(letter.lower(), "assistant"),
        "content": "" if letter in "cbk" else "x",
    }
    if letter in "cbrqk":
        message["tool_calls"] = [CALL] * (1 if letter in "crq" else 2 if letter == "b" else 3)
    if letter in "qh":
        message["reasoning_content"] = "So."
    if letter in "SDUATR":  # content parts
        message["content"] = TEXT
    if letter == "R":
        message["tool_calls"] = [CALL]
    if letter in "et":
        message["content"] = "" if letter == "e" else "1"
    return message


def conversation(turns: str, *tools: Any) -> Conversation:
    return Conversation({"messages": [turn(letter) for letter in turns], "tools": list(tools)})


# A question, conversations for which the answer is yes, and ones for which it is no.
TURNS = {
    "several_calls": ("ub ubt uk", "uc ur ua u"),
    "prose_with_calls": ("ur uq", "uc ua ub"),
    "prose_and_reasoning_with_calls": ("uq uqt", "ur uc uh"),
    "parts_in_result": ("ucT", "uct U A"),
    "user_after_result": ("uctu", "uctau uct ua"),
    "calls_without_tools": ("uc ur", "ua u"),
    "result_before_calls": ("ut t utc", "uct ua"),
    "no_user_turn": ("a sa", "ua u"),
    "parts": ("U uA S uR", "ucT ua"),
    "single_call": ("uc ur ubtc", "ub uk ua"),
    "three_calls": ("uk", "ub uc"),
    "rounds": ("uctct ucc", "uct ubtta ua"),
    "developer": ("du ud", "su ua"),
    "late_system": ("us usa ssu sdu", "su ua"),
    "two_systems": ("ssu sdu", "su us s usd"),
    "system_after_answer": ("uas ucts", "usa su uad"),
    "neighbours": ("uu uaa suu", "ua uca uctua ubc uss"),
    "assistant_first": ("a sa dsa", "ua s sua"),
    "any_calls": ("uc ub", "ua u"),
    "answer_after_unanswered_call": ("uca ucc", "ucta uct uac"),
    "assistant_before_user": ("au sau", "a ua sa"),
    "late_developer": ("ud sdu", "du us"),
    "reasoning": ("uh uq", "ua uc"),
    "empty_answer": ("ue", "uc ua"),
    "calls_last": ("uc uac", "uct ua"),
    "answers_last": ("ua uc", "u uct"),
    "user_parts": ("U aU", "uA S"),
    "system_parts": ("Su Du", "U A"),
    "answer_parts": ("uA", "uR U ucT"),
    "prose_parts": ("uR", "uA ur"),
}


@each("question, yes, no", [(name, *both) for name, both in TURNS.items()])
def test_what_the_turns_of_a_conversation_have(question: str, yes: str, no: str) -> None:
    asked = getattr(shapes, question)
    for turns in yes.split():
        assert asked(conversation(turns)), turns
    for turns in no.split():
        assert not asked(conversation(turns)), turns


def with_parameter(**schema: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"a": schema}}
    return {"type": "function", "function": {**TOOL, "parameters": parameters}}


GOOD = {"type": "function", "function": TOOL}
TOOLS: dict[str, tuple[list[Any], list[Any]]] = {
    "tool_without_parameters": ([{"type": "function", "function": {"name": "f"}}], [GOOD]),
    "other_tool": ([TOOL, "f", {"type": "function", "function": "f"}], [GOOD]),
    "tool_without_description": (
        [{"type": "function", "function": {"name": "f"}}, {"type": "function", "function": {**TOOL, "description": ""}}],
        [GOOD],
    ),
    "default_beside_choices": (
        [with_parameter(enum=[1], default=1), with_parameter(oneOf=[{}], default=False)],
        [with_parameter(enum=["a"], default="a"), with_parameter(default=1), with_parameter(enum=[1]), GOOD,
         with_parameter(enum=[], default=1)],
    ),
    "strict_tool": ([{"type": "function", "function": {**TOOL, "strict": False}}], [GOOD]),
    "other_type": (
        [with_parameter(type="null"), with_parameter(type=["string", "null"]), with_parameter(type="str")],
        [*(with_parameter(type=kind) for kind in ("string", "number", "integer", "boolean", "array", "object")),
         with_parameter(type=["string", "integer"]), with_parameter(), GOOD],
    ),
    "escaped_in_description": (
        [{"type": "function", "function": {**TOOL, "description": f"a{char}b"}} for char in '"\\\n\t'],
        [GOOD, {"type": "function", "function": {**TOOL, "description": "a'b/é"}}],
    ),
}  # fmt: skip


@each("question, yes, no", [(name, *both) for name, both in TOOLS.items()])
def test_what_the_tools_of_a_conversation_have(question: str, yes: list[Any], no: list[Any]) -> None:
    asked = getattr(shapes, question)
    for tool in yes:
        assert asked(conversation("u", tool)) and asked(conversation("u", GOOD, tool)), tool
    for tool in no:
        assert not asked(conversation("u", tool)), tool
    assert not asked(conversation("u"))


def test_declared_tools() -> None:
    assert shapes.no_tools(conversation("uc")) and not shapes.no_tools(conversation("uc", GOOD))
    assert not shapes.calls_without_tools(conversation("uc", GOOD))


# A question, contents of a last turn for which the answer is yes, and ones for which it is no.
TEXTS: dict[str, tuple[list[Any], list[Any]]] = {
    "empty_result": (["", [], None], ["0", TEXT]),
    "blanks_around_prose": ([" x", "x ", "\tx", "\n x"], ["x", "\nx\n", "", TEXT]),
    "call_closes_thinking": (["a</think>b"], ["<think>", "x"]),
    "blanks_around": ([" x", "x\n"], ["x", "", TEXT]),
    "several_parts": ([TEXT * 2], [TEXT, [], "x"]),
    "closes_thinking": (["a</think>b"], ["x", TEXT]),
    "answer_closes_thinking": (["a</think>b"], ["x"]),
}
LAST = {"empty_result": "t", "blanks_around_prose": "c", "call_closes_thinking": "c"}


@each("question, yes, no", [(name, *both) for name, both in TEXTS.items()])
def test_what_the_text_of_a_turn_has(question: str, yes: list[Any], no: list[Any]) -> None:
    asked = getattr(shapes, question)
    own = LAST.get(question, "a")
    for found, contents in ((True, yes), (False, no)):
        for content in contents:
            made = conversation(f"u{own}")
            made.messages[-1]["content"] = content
            assert asked(made) is found, content
            if found:
                made.messages[-1]["role"] = "user" if own != "t" else "assistant"
                made.messages[-1].pop("tool_calls", None)
                assert not asked(made) or question == "several_parts"
    reasoned = conversation("uh")
    reasoned.messages[-1]["content"] = "a</think>b"
    assert not shapes.closes_thinking(reasoned)
    called = conversation("uc")
    called.messages[-1]["content"] = "a</think>b "
    assert not shapes.answer_closes_thinking(called) and not shapes.blanks_around(called)
    assert not shapes.earlier_turn_closes_thinking(called)
    assert shapes.earlier_turn_closes_thinking(Conversation({"messages": [*called.messages, turn("u")]}))
