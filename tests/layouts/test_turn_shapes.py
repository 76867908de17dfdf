"""Lists of turns in other shapes: what is not one, and where each message is. The shapes are cases of ``any-keys``."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import toolconv
from toolconv import layouts
from toolconv.layouts.base import LayoutError
from toolconv.layouts.formats.any_keys import AnyKeys
from toolconv.layouts.turn_shapes import turns_of, unfolded

USER = {"role": "user", "content": "Is it up?"}
BOT = {"role": "assistant", "content": "It is."}


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("row", "pointers"),
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
