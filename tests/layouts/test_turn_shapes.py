"""Lists of turns in other shapes: what is not one, and where each message is. The shapes are cases of ``any-keys``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import each, toolconv
from toolconv import layouts
from toolconv.layouts.agent_steps import steps_in
from toolconv.layouts.base import LayoutError
from toolconv.layouts.formats.any_keys import AnyKeys
from toolconv.layouts.turn_shapes import as_row, turns_of, unfolded

USER = {"role": "user", "content": "Is it up?"}
BOT = {"role": "assistant", "content": "It is."}


@each(
    "value",
    [
        [USER, BOT],  # the usual shape
        {"0": USER, "2": BOT},  # a gap between the numbers
        {"2": USER, "3": BOT},  # they begin neither with 0 nor with 1
        {"0": USER, "1": "It is."},
        {"role": ["user", "assistant"], "content": ["Is it up?"]},  # a cell is missing
        {"role": ["user", "assistant"], "content": ["Is it up?", "It is."], "n": 2},  # something would be left over
        {"role": ["x", "y"], "content": ["Is it up?", "It is."]},
        [["Is it up?", "It is."]],  # under no key of turns
        [["user", "Is it up?", "It is."]],
        [["user", "Is it up?"], ["assistant", None]],
        [["user", "assistant"]],  # two speakers, or a question and its answer?
        [{"question": "Is it up?", "answer": "It is."}],  # rows, under no key of turns
        [{"user": "Is it up?"}],  # nobody answers
        [{"user": "Is it up?", "role": "x"}, {"assistant": "It is."}],  # the key of the turn is taken
        [{"at": 0, "message": USER}, {"role": 1, "message": BOT}],  # the same key twice
        [{"uuid": "a", "message": USER}, {"uuid": "b", "message": BOT}],  # records of a session
        ["Is it up?", "It is."],
        ['{"role": "user"}', "It is."],
        {"user_0": "Is it up?", "assistant_0": 1},
        {},
        [],
    ],
)
def test_no_turns(value: Any) -> None:
    assert turns_of(value, "log") is None


@each(
    "row, pointers",
    [
        ({"lines": [json.dumps({"messages": [USER, BOT]})]}, ["/lines", "/lines"]),  # both in one text
        ({"log": {"0": USER, "1": BOT}}, ["/log/0", "/log/1"]),
        ({"role": ["user", "assistant"], "content": ["Is it up?", "It is."], "n": 1}, ["/content/0", "/content/1"]),
        ({"a": {"log": [["user", "Is it up?"], ["assistant", "It is."]]}}, ["/a/log/0/1", "/a/log/1/1"]),
        ({"turns": [["Is it up?", "It is."]]}, ["/turns/0/0", "/turns/0/1"]),
        ({"log": [{"at": 0, "message": USER}, {"at": 1, "message": BOT}]}, ["/log/0/message", "/log/1/message"]),
        ({"log": [{"user": "Is it up?"}, {"assistant": "It is."}]}, ["/log/0/user", "/log/1/assistant"]),
        ({"log": json.dumps(json.dumps([USER, BOT]))}, ["/log", "/log"]),
    ],
)
def test_each_message_has_its_place_in_the_row(row: dict[str, Any], pointers: list[str]) -> None:
    layout = layouts.detect(row)
    assert layout is not None and layout.name == "any-keys"
    read = layout.read(row)
    assert [(message["role"], message["content"]) for message in read.messages] == [
        ("user", "Is it up?"),
        ("assistant", "It is."),
    ]
    assert layout.pointers(read) == pointers


def test_rows_of_questions_and_answers_are_no_turns_of_one_conversation() -> None:
    assert unfolded({"data": [{"question": "Is it up?", "answer": "It is."}]}) is None


def test_only_the_turns_that_the_user_names_are_unfolded() -> None:
    row = {"prompt": [["user", "Is it up?"], ["assistant", "It is."]], "target": {"n": 1}}
    with pytest.raises(LayoutError):
        AnyKeys("target").read(row)
    assert [message["content"] for message in AnyKeys("prompt").read(row).messages] == ["Is it up?", "It is."]


def test_turns_that_the_user_does_not_want_stay_and_are_named(tmp_path: Any) -> None:
    row = {
        "context": [{"from": "human", "value": "Is it up?"}, {"from": "gpt", "value": "It is."}],
        "conversations": [{"from": "human", "value": "Is it on?"}, {"from": "gpt", "value": "It was."}],
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row))
    done = toolconv("parse", str(path), "--messages-key", "context")
    written = json.loads(done.out)
    assert [message["content"] for message in written["messages"]] == ["Is it up?", "It is."]
    assert written["conversations"] == row["conversations"]
    assert "/conversations holds 2 messages; --messages-key conversations reads it" in done.err


CALLS = [{"name": "ping", "arguments": {}}]
# A value, the key that it is under, the turns that it means, and where each is.
SHAPES: list[tuple[Any, str, list[Any], list[str | None]]] = [
    ({"0": USER, "1": BOT}, "log", [USER, BOT], ["0", "1"]),
    ({"1": USER, "2": BOT}, "log", [USER, BOT], ["1", "2"]),
    ({"0": json.dumps(USER), "1": json.dumps(BOT)}, "log", [USER, BOT], ["0", "1"]),
    *(
        ({f"user{mark}0": "Is it up?", f"assistant{mark}0": "It is."}, "log", [USER, BOT], [f"user{mark}0", f"assistant{mark}0"])
        for mark in ("_", "-", ".", " ", "")
    ),
    ({"q1": "Is it up?", "a1": "It is."}, "log", [USER, BOT], ["q1", "a1"]),
    (
        {"role": ["user", "assistant"], "content": ["Is it up?", "It is."]}, "log", [USER, BOT], ["content/0", "content/1"],
    ),
    (
        {"from": ["user", "assistant"], "value": ["Is it up?", None], "tool_calls": [None, CALLS]}, "log",
        [{"from": "user", "value": "Is it up?"}, {"from": "assistant", "value": None, "tool_calls": CALLS}], ["value/0", "value/1"],
    ),
    ([json.dumps(USER), json.dumps(BOT)], "log", [USER, BOT], ["0", "1"]),
    ([{"at": 0, "message": USER}], "log", [{**USER, "at": 0}], ["0/message"]),
    ([{"author": {"role": "user"}, "content": "Up?"}], "log", [{"role": "user", "content": "Up?"}], ["0"]),
    ([{"author": {"role": "user", "id": 1}, "content": "Up?"}], "log", [{"role": "user", "content": "Up?", "id": 1}], ["0"]),
    ([{"by": ["user"], "content": "Up?"}], "log", [{"role": "user", "content": "Up?"}], ["0"]),
    (
        [{"author": {"role": "user", "content_id": 1}, "content": "Up?", "content_id": 2}], "log",
        [{"role": "user", "content": "Up?", "content_id": 2, "author": {"content_id": 1}}], ["0"],
    ),
    ([["user", "Is it up?"], ["assistant", "It is."]], "log", [USER, BOT], ["0/1", "1/1"]),
    (
        [["user", "Is it up?"], ["assistant", None, CALLS]], "log",
        [USER, {"role": "assistant", "content": "", "tool_calls": CALLS}], ["0/1", "1/1"],
    ),
    ([[USER], [BOT]], "log", [USER, BOT], ["0/0", "1/0"]),
    ([[USER]], "messages", [USER], ["0/0"]),
    ([{"ROLE": "user", "CONTENT": "Is it up?"}, {"ROLE": "assistant", "CONTENT": "It is."}], "log", [USER, BOT], ["0", "1"]),
    (["user: Is it up?", "assistant: It is."], "log", [USER, BOT], ["0", "1"]),
    ([{"user": "Is it up?"}, {"assistant": "It is."}], "log", [USER, BOT], ["0/user", "1/assistant"]),
    ([{"user": "Is it up?", "n": 1}, {"assistant": "It is."}], "log", [{**USER, "n": 1}, BOT], ["0/user", "1/assistant"]),
    (
        [{"user": "Up?"}, {"assistant": None, "tool_calls": CALLS}], "log",
        [{"role": "user", "content": "Up?"}, {"role": "assistant", "content": None, "tool_calls": CALLS}], ["0/user", "1/assistant"],
    ),
    ([{"user": "Is it up?"}], "messages", [USER], ["0/user"]),
    *(
        ([{one: "Is it up?", other: "It is."}], key, [USER, BOT], [f"0/{one}", f"0/{other}"])
        for key in ("messages", "conversations", "conversation", "turns", "dialog", "dialogue", "contents", "Turns")
        for one, other in (("q", "a"), ("input", "output"), ("prompt", "completion"), ("query", "completion"), ("request", "a"))
    ),
    ([["Is it up?", "It is."]], "turns", [USER, BOT], ["0/0", "0/1"]),
    ([["Is it up?", "It is."], ["Now?", "No."]], "dialog", [USER, BOT, {**USER, "content": "Now?"}, {**BOT, "content": "No."}],
     ["0/0", "0/1", "1/0", "1/1"]),
]  # fmt: skip


@each("value, key, turns, places", SHAPES)
def test_what_a_shape_means(value: Any, key: str, turns: list[Any], places: list[str | None]) -> None:
    found = turns_of(value, key)
    assert found is not None
    assert [(turn.item, turn.place) for turn in found] == list(zip(turns, places, strict=True))


NO_SHAPES: list[tuple[Any, str]] = [
    ([["Is it up?", "It is."]], "log"), ([["Is it up?", "It is.", "x"]], "turns"), ([["Is it up?", 3]], "turns"),
    ([["user"], ["Is it up?"]], "turns"), ([["user", "Up?", CALLS, CALLS]], "log"), ([["user", "Up?", "x"]], "log"),
    ([["user", "Up?", []]], "log"), ([{"user": "Up?"}], "log"), ([{"q": "Up?", "a": "Yes."}], "log"),
    ([{"q": "Up?", "a": "Yes.", "n": 1}], "turns"), ([{"user": "Up?"}, {"zz": "Yes."}], "log"),
    (["user: Up?", "Yes."], "log"), (["user: Up?", "user: Now?"], "log"), ([3], "log"), ([USER, "x"], "log"),
    ({"user_0": "Up?"}, "log"), ({"user_0": "Up?", "zz_0": "Yes."}, "log"), ({"0": "Up?"}, "log"), ({"00": USER}, "log"),
    ([{"by": ["user", "assistant"], "content": "Up?"}], "log"), ([{"by": {"a": "user", "b": "bot"}, "content": "Up?"}], "log"),
    ([{"at": BOT, "message": USER}], "log"), ([{"message": USER}, {"message": 3}], "log"), ([{"message": {"n": 1}}], "log"),
    ("USER: Up?", "log"), (None, "log"),
]  # fmt: skip


@each("value, key", NO_SHAPES)
def test_other_values_are_no_turns(value: Any, key: str) -> None:
    assert turns_of(value, key) is None


@each(
    "key",
    ["messages", "conversations", "conversation", "turns", "dialog", "dialogue", "contents", "chat", "transcript"],
)
def test_a_text_of_turns_is_under_a_key_of_turns(key: str) -> None:
    found = unfolded({"id": 1, key: "USER: Is it up?\nAGENT: It is."})
    assert found is not None and (found.row, found.repairs) == ({"id": 1, key: [USER, BOT]}, ("worded_turns",))
    assert unfolded({"id": 1, f"{key}x": "USER: Is it up?\nAGENT: It is."}) is None


@each(
    "value, row",
    [
        ([USER, BOT], {"messages": [USER, BOT]}),
        ([{"from": "human", "value": "Up?"}], {"conversations": [{"from": "human", "value": "Up?"}]}),
        ([{"role": "user", "parts": [{"text": "Up?"}]}], {"contents": [{"role": "user", "parts": [{"text": "Up?"}]}]}),
        (
            [{"role": "user", "parts": [{"type": "text", "text": "Up?"}]}],
            {"messages": [{"role": "user", "parts": [{"type": "text", "text": "Up?"}]}]},
        ),
        ([["user", "Up?"], ["assistant", "Yes."]], {"messages": [["user", "Up?"], ["assistant", "Yes."]]}),
        ([], []),
        ([3], [3]),
        ("Up?", "Up?"),
        ([{"zz": 1}], [{"zz": 1}]),
    ],
)
def test_a_list_of_turns_as_a_row(value: Any, row: Any) -> None:
    assert as_row(value) == row


def test_several_answers_are_no_turns() -> None:
    assert unfolded({"samples": [{"message": BOT}, {"message": {**BOT, "content": "No."}}]}) is None
    found = unfolded({"samples": [{"message": USER}, {"message": BOT}]})
    assert found is not None and found.row == {"samples": [USER, BOT]}


def test_a_call_beside_a_list_of_steps_is_no_step() -> None:
    call = {"tool": "ping", "tool_input": {"host": "a"}}
    steps = [{"action": "ping", "action_input": {"host": host}, "observation": "up"} for host in "bc"]
    for row, used in (({**call, "trace": steps}, {"question", "trace"}), (call, {"question", "tool", "tool_input"})):
        found = steps_in({"question": "Is it up?", **row})
        assert found is not None and found[1] == used


def test_what_the_user_does_is_no_step_of_an_agent() -> None:
    steps = [
        {"source": "user", "action": "message", "args": {"content": "Go."}, "observation": "null"},
        {"source": "agent", "action": "run", "args": {"command": "ls"}, "observation": "a.txt"},
    ]
    assert steps_in({"steps": steps}) is None
    assert steps_in({"steps": steps[1:]}) is not None
