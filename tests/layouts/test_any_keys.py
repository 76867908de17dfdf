"""Rows whose conversation stands where the user says, and pairs of answers of ms-swift."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each
from toolconv import Options, Receipt, convert_rows, layouts
from toolconv.layouts.formats.any_keys import AnyKeys
from toolconv.layouts.found_answers import is_answer, is_plain_call

TURNS = [{"from": "human", "value": "Up?"}, {"from": "gpt", "value": "Yes."}]


@each(
    "told, options",
    [
        (False, {}),
        (True, {"messages_key": "a"}),
        (True, {"tools_key": "a"}),
        (True, {"text_key": "a"}),
        (True, {"roles": {"a": "user"}}),
        (False, {"roles": {}}),
    ],
)
def test_whether_the_user_says_where_anything_is(told: bool, options: dict[str, Any]) -> None:
    assert AnyKeys(**options).is_told is told


@each(
    "key",
    [
        "messages",
        "conversations",
        "contents",
        "dialogue",
        "steps",
        "history",
        "trajectory",
        "input",
        "lines",
        "question",
        "chunks",
    ],
)
def test_turns_in_an_object_may_be_under_each_usual_key(key: str) -> None:
    read = AnyKeys(messages_key=f"data.{key}").read({"id": 1, "data": {key: TURNS, "n": 2}})
    assert [message["content"] for message in read.messages] == ["Up?", "Yes."]
    assert read.fields[0].pointer == f"/data/{key}"
    assert read.row["data"] == {"n": 2}


def test_an_answer_apart_has_a_field_of_its_own() -> None:
    row = {"data": {"talk": TURNS[:1], "said": "Yes."}}
    read = AnyKeys(messages_key="data.talk", text_key="data.said").read(row)
    assert [message["content"] for message in read.messages] == ["Up?", "Yes."]
    assert [(field.pointer, field.size) for field in read.fields] == [("/data/talk", 1), ("/data/said", 1)]


ASKED = {"role": "user", "content": "Up?"}
GOOD = {"role": "assistant", "content": "Yes."}
BAD = {"role": "assistant", "content": "No."}


@each("rejected", ["No.", [BAD], [{**BAD, "weight": 0}], [BAD, {"role": "tool", "content": "1"}, BAD]])
def test_a_rejected_response_is_written_in_the_form_that_it_had(rejected: Any) -> None:
    row = {"messages": [ASKED, GOOD], "rejected_response": rejected}
    layout = layouts.get("ms-swift")
    assert layout.matches(row)
    found = layout.apart(row)
    assert found is not None
    form, apart = found
    assert form.together(apart.rows, "messages", apart.asked, apart.ranked, row) == row


@each(
    "answers",
    [
        [[ASKED, GOOD], [{**ASKED, "content": "Down?"}, BAD]],  # to another question
        [[ASKED, GOOD], [ASKED]],  # no answer
        [[ASKED, GOOD], [ASKED, BAD, ASKED, BAD]],  # and another question
    ],
)
def test_other_answers_are_written_whole(answers: list[Any]) -> None:
    row = {"messages": [ASKED, GOOD], "rejected_response": "No."}
    layout = layouts.get("ms-swift")
    found = layout.apart(row)
    assert found is not None
    rows = [{"messages": messages} for messages in answers]
    wanted = {"messages": answers[0], "rejected_messages": answers[1]}
    assert found[0].together(rows, "messages", 1, True, row) == wanted
    assert found[0].together(rows, "messages", 1, False, row) is None
    assert found[0].together(rows[:1], "messages", 1, True, row) is None


COMPLETIONS = [{"prompt": "Up?", "completion": "Yes."}, {"prompt": "And now?", "completion": "No."}]
QUESTIONS = [{"question": "Up?", "answer": "Yes."}, {"question": "And now?", "answer": "No."}]


@each(
    "document, rows",
    [
        ({"data": COMPLETIONS}, COMPLETIONS),
        ({"version": "1.0", "examples": QUESTIONS}, QUESTIONS),
        ({"rows": COMPLETIONS[:1]}, COMPLETIONS[:1]),
        ({"id": "7", "data": QUESTIONS}, None),  # the exchanges of one conversation
        ({"conversation": QUESTIONS}, None),
        ({"data": TURNS}, None),
        ({"data": [{"messages": TURNS}, {"messages": TURNS}]}, [{"messages": TURNS}, {"messages": TURNS}]),
        ({"data": COMPLETIONS, "more": COMPLETIONS}, None),
    ],
)
def test_rows_of_an_object_are_no_conversation(document: dict[str, Any], rows: list[dict[str, Any]] | None) -> None:
    found = layouts.get("any-keys").split(document)
    assert (found if found is None else list(found)) == rows


TALK = [{"role": "user", "content": "Up?"}, {"role": "assistant", "content": "Yes."}]
PING, DIG = ({"type": "function", "function": {"name": name}} for name in ("ping", "dig"))


@pytest.mark.parametrize(
    ("row", "keys", "lost"),
    [
        ({"messages": TALK}, {}, 0),
        ({"messages": TALK, "tools": [DIG]}, {}, 1),
        ({"messages": TALK, "tools": "[]"}, {}, 0),
        ({"messages": TALK, "tools": [{"name": "ping"}]}, {}, 0),  # the same
        ({"talk": {"messages": TALK, "tools": [DIG]}}, {"messages_key": "talk.messages"}, 1),
        ({"prompt": "Up?", "completion": "Yes."}, {"text_key": "completion"}, 0),
        ({"prompt": "Up?", "completion": "Yes.", "tools": [DIG]}, {"text_key": "completion"}, 1),
        ({"q": "Up?", "completion": "Yes."}, {"prompt_key": "q"}, 0),
        ({"messages": TALK[:1], "response": "Yes."}, {"text_key": "response"}, 0),
    ],
)
def test_the_tools_that_the_user_names_are_declared(row: dict[str, Any], keys: dict[str, Any], lost: int) -> None:
    for beside in ({"meta": {"tools": [PING], "k": 1}}, {"meta.tools": [PING], "meta": {"k": 1}}):
        receipt = Receipt()
        (read,) = convert_rows([{**row, **beside}], Options(tools_key="meta.tools", **keys), receipt=receipt)
        assert (read["tools"], read["messages"], read["meta"]) == ([PING], TALK, {"k": 1})
        assert dict(receipt.losses) == ({"tools_declared_twice": 1} if lost else {})
        assert receipt.unread.keys() <= ({"tools"} if lost else set())


@pytest.mark.parametrize("keys", [("speaker", "text"), ("sender", "message"), ("from", "value"), ("role", "content")])
def test_the_speakers_that_the_user_names_are_read(keys: tuple[str, str]) -> None:
    turns = [dict(zip(keys, turn, strict=True)) for turn in (("Kunde", "Up?"), ("Clippy", "It is up today."))]
    receipt = Receipt()
    roles = (("Kunde", "user"), ("Clippy", "assistant"))
    (read,) = convert_rows([{"talk": turns}], Options(roles=roles), receipt=receipt)
    assert [message["role"] for message in read["messages"]] == ["user", "assistant"]
    assert not receipt.unread and not receipt.losses


OUTPUT = [
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]},
    {"type": "function_call", "call_id": "c1", "name": "ping", "arguments": "{}"},
]


@pytest.mark.parametrize(
    "row",
    [
        {"request": {"model": "m", "input": "Up?"}, "response": {"id": "r", "output": OUTPUT}},
        {"request": {"model": "m", "input": TALK[:1]}, "response": {"text": {"format": {}}, "output": OUTPUT}},
        {"body": {"input": TALK[:1]}, "response": {"status_code": 200, "body": {"output": OUTPUT}}},
        {"input": TALK[:1], "output": OUTPUT},
    ],
)
def test_a_request_of_responses_is_read_with_its_answer(row: dict[str, Any]) -> None:
    receipt = Receipt()
    (read,) = convert_rows([row], receipt=receipt)
    call = {"id": "c1", "type": "function", "function": {"name": "ping", "arguments": {}}}
    assert read["messages"] == [TALK[0], {**TALK[1], "tool_calls": [call]}]
    assert not receipt.unread


@each(
    "value, is_plain",
    [
        ({"name": "f", "arguments": {}}, True),
        ({"name": "f", "arguments": "{}"}, True),
        ({"type": "function", "function": {"name": "f", "arguments": "{}"}}, True),
        ({"name": "f", "arguments": "x"}, False),
        ({"name": "f", "arguments": []}, False),
        ({"function": {"name": "f", "arguments": [1]}}, False),
        ({"name": "f"}, False),
        ("f", False),
    ],
)
def test_a_call_in_a_list_of_calls_has_an_object_of_arguments(value: Any, is_plain: bool) -> None:
    assert is_plain_call(value) is is_plain


@each(
    "value, is_one",
    [
        ({"role": "assistant", "content": "Yes."}, True),
        ({"role": "model", "parts": []}, True),
        ({"role": "assistant"}, False),
        ({"role": "user", "content": "Up?"}, False),
        ({"choices": [{}]}, True),
        ({"choices": []}, False),
        ({"tool_calls": "x"}, False),
        ("x", False),
    ],
)
def test_an_answer_of_an_api(value: Any, is_one: bool) -> None:
    assert is_answer(value) is is_one
