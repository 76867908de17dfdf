"""Rows whose conversation stands where the user says, and pairs of answers of ms-swift."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv import layouts
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
