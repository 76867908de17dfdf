"""Laws of the layouts over made-up conversations: what is written is read back and written the same."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import any_text, exhaustive, few_examples, shared, toolconv
from tests.dialects.test_dialects import arguments, names
from tests.helpers.zephyr_pairs import ZephyrPairs
from toolconv import convert_rows, layouts
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt
from toolconv.core import jsontext
from toolconv.core.call_keys import ARGUMENT_KEYS
from toolconv.core.conversation import Conversation
from toolconv.core.marks import LOSS, MARK_KEYS, weight_of
from toolconv.layouts.base import Layout, LayoutError

WRITABLE = [name for name in layouts.names() if layouts.get(name).writable and not layouts.get(name).calls_in_text]

words = any_text(min_size=1, max_size=12).map(str.strip).filter(bool)


@st.composite
def conversations(draw: st.DrawFn) -> dict[str, Any]:
    """A canonical row: a question, a turn with calls and their responses, an answer; tools and a key of its own."""
    some = draw(st.lists(st.tuples(names, arguments), min_size=1, max_size=3, unique_by=lambda call: call[0]))
    calls = [
        {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": given_}}
        for at, (name, given_) in enumerate(some)
    ]
    results = [
        {"role": "tool", "tool_call_id": call["id"], "name": call["function"]["name"], "content": draw(words)}
        for call in calls
    ]
    tools = [
        {
            "type": "function",
            "function": {"name": name, "description": "A tool.", "parameters": {"type": "object", "properties": {}}},
        }
        for name, _ in some
    ]
    return {
        "id": draw(words),
        "tools": tools,
        "messages": [
            {"role": "user", "content": draw(words)},
            {"role": "assistant", "content": "", "tool_calls": calls},
            *results,
            {"role": "assistant", "content": draw(words)},
        ],
        "my_score": draw(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)),
    }


def held(layout: Layout, row: dict[str, Any]) -> dict[str, Any]:
    """The row, or the longest beginning of its conversation that a restricted layout holds, with one call if need be."""
    for calls in (3, 1):
        question, asked, *others = row["messages"]
        asked = {**asked, "tool_calls": asked["tool_calls"][:calls]}
        messages = [question, asked, *others[: len(asked["tool_calls"])], others[-1]]
        for end in range(len(messages), 1, -1):
            part = {**row, "messages": messages[:end]}
            if layout.refusal(Conversation(part)) is None:
                return part
    raise AssertionError("the layout refuses a question and a call, too")


@pytest.mark.parametrize("layout", [*map(layouts.get, WRITABLE), ZephyrPairs()], ids=lambda layout: layout.name)
@few_examples
@given(row=conversations())
def test_what_a_layout_writes_it_reads_and_writes_again(layout: Layout, row: dict[str, Any]) -> None:
    row = held(layout, row)
    written = layout.write(Conversation(copy.deepcopy(row)))
    came = jsontext.dumps(written)
    conversation = layout.read(jsontext.loads(came))
    assert jsontext.dumps(layout.write(conversation)) == came
    anew = layout.encode(Conversation(layout.decode(jsontext.loads(came)).row))
    assert jsontext.dumps(layout.encode(Conversation(layout.decode(anew).row))) == jsontext.dumps(anew)
    calls = [
        call["function"] for message in conversation.messages for call in message.get("tool_calls") or ()
    ]  # fmt: skip
    assert json.dumps(calls, sort_keys=True) == json.dumps(
        [call["function"] for call in row["messages"][1]["tool_calls"]], sort_keys=True
    )


def slips(value: Any) -> Iterator[Any]:
    """An object with arguments, with a slip in each place where one may be: another key, text for an object, quotes."""
    if type(value) is list:
        yield from ([*value[:at], each, *value[at + 1 :]] for at in range(len(value)) for each in slips(value[at]))
    elif type(value) is dict:
        yield from ({**value, key: each} for key, member in value.items() for each in slips(member))
        for key in ARGUMENT_KEYS:
            if value.get(key) in (ARGUMENTS, json.dumps(ARGUMENTS)):
                rest = {other: member for other, member in value.items() if other != key}
                yield from ({**rest, other: value[key]} for other in ARGUMENT_KEYS if other != key)
                yield from ({**rest, key: slip} for slip in (str(ARGUMENTS), f'{{"host": "{HOST}",}}', None))
    elif type(value) is str and value[:1] in ("[", "{") and HOST in value and "properties" not in value:
        yield from (value.replace('"', "'"), value.replace(f'"{HOST}"', f'"{HOST}",'))
        yield from map(json.dumps, slips(json.loads(value)))


HOST, ARGUMENTS = "h7.example.org", {"host": "h7.example.org"}


@pytest.mark.parametrize("layout", [*map(layouts.get, WRITABLE)], ids=lambda layout: layout.name)
def test_what_is_read_with_a_repair_is_written_without_the_slip(layout: Layout) -> None:
    calls = [{"id": "call_0", "type": "function", "function": {"name": "ping", "arguments": ARGUMENTS}}]
    row: dict[str, Any] = {
        "tools": [{"type": "function", "function": {"name": "ping", "parameters": {"type": "object"}}}],
        "messages": [
            {"role": "user", "content": "Is it up?"},
            {"role": "assistant", "content": "", "tool_calls": calls},
        ],
    }
    repaired = 0
    for slip in slips(jsontext.loads(jsontext.dumps(layout.write(Conversation(row))))):
        try:
            read = layout.read(slip)
        except LayoutError:
            continue
        if read.notes.repairs:
            repaired += 1
            again = layout.read(layout.write(read))
            assert (again.notes.repairs, again.messages) == ([], read.messages), slip
    assert repaired >= 3


@pytest.mark.parametrize("layout", [*map(layouts.get, WRITABLE), ZephyrPairs()], ids=lambda layout: layout.name)
@few_examples
@given(row=conversations())
def test_every_message_has_a_place_in_the_row(layout: Layout, row: dict[str, Any]) -> None:
    came = jsontext.loads(jsontext.dumps(layout.write(Conversation(held(layout, row)))))
    conversation = layout.read(came)
    pointers = layout.pointers(conversation)
    assert len(pointers) == len(conversation.messages)
    for pointer in pointers:
        value: Any = came
        for part in pointer.split("/")[1:]:
            value = jsontext.loads(value) if isinstance(value, str) else value
            value = value[int(part)] if isinstance(value, list) else value[part]
    for field in conversation.fields:
        if field.pieces is not None:
            at = sum(other.size for other in conversation.fields[: conversation.fields.index(field)])
            units = field.units(conversation.messages[at : at + field.size])
            assert [piece for unit in units for piece in unit.pieces] == field.pieces
            assert [message for unit in units for message in unit.messages] == conversation.messages[
                at : at + field.size
            ]


@pytest.mark.parametrize("layout", [*map(layouts.get, WRITABLE), ZephyrPairs()], ids=lambda layout: layout.name)
@few_examples
@given(row=conversations(), change=st.integers(0, 5))
def test_a_change_leaves_all_other_messages_as_they_are(layout: Layout, row: dict[str, Any], change: int) -> None:
    conversation = layout.read(jsontext.loads(jsontext.dumps(layout.write(Conversation(held(layout, row))))))
    plain = [at for at, message in enumerate(conversation.messages) if message["role"] == "user" or at > 2]
    at = plain[change % len(plain)]
    conversation.messages[at]["content"] = "CHANGED"
    read = layout.read(layout.write(conversation))
    assert [message["content"] for message in read.messages] == [
        message["content"] for message in conversation.messages
    ]
    assert read.messages[:at] == conversation.messages[:at]


MARKED = {
    "id": "r1",
    "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}],
    "messages": [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [
            {"id": "call_0", "type": "function", "function": {"name": "look", "arguments": {}}}]},
        {"role": "tool", "tool_call_id": "call_0", "name": "look", "content": "A cat."},
        {"role": "assistant", "content": "I see a cat."},
    ],
}  # fmt: skip
NOT_TRAINED = (
    ("weight", 0), ("train", False), ("train_on", False), ("training", False), ("trainable", False), ("loss", False),
    ("loss_weight", 0), ("loss_scale", 0), ("loss_mask", 0), ("step_loss_mask", 0), ("masked", True),
)  # fmt: skip


def objects_in(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a value."""
    if isinstance(value, dict):
        yield value
    for member in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(member)


@pytest.mark.parametrize("name", WRITABLE)
def test_a_mark_is_spelled_as_in_the_target_or_is_a_loss(name: str) -> None:
    layout = layouts.get(name)
    row = held(layout, MARKED)
    *others, last = row["messages"]
    for key, value in NOT_TRAINED:
        receipt = Receipt()
        marked = {**row, "messages": [*others, {**last, key: value}]}
        written = list(convert_rows([marked], Options(to_layout=name), receipt=receipt))
        found = [each for each in objects_in(written) if not MARK_KEYS.isdisjoint(each)]
        assert MARK_KEYS.intersection(*found or [()]) <= set(layout.mark_style.keys), key
        assert [weight_of(each) for each in found] == [0] * (layout.mark_style.key is not None), key
        assert receipt.losses[LOSS] == (layout.mark_style.key is None), key


def test_a_mark_of_a_message_holds_for_all_turns_in_it() -> None:
    parts = [
        {"type": "step-start"},
        {"type": "tool-look", "toolCallId": "c1", "state": "output-available", "input": {}, "output": "A cat."},
        {"type": "step-start"},
        {"type": "text", "text": "I see a cat."},
    ]
    asked = {"id": "m1", "role": "user", "parts": [{"type": "text", "text": "Look."}]}
    row = {"messages": [asked, {"id": "m2", "role": "assistant", "loss": False, "parts": parts}, asked]}
    (written,) = convert_rows([row], Options(to_layout="openai"))
    assert [message.get("weight") for message in written["messages"]] == [None, 0, None, 0, None]


def test_a_field_whose_messages_did_not_change_stays_as_it_came() -> None:
    layout = ZephyrPairs()
    came = {"ask": "Is it up?", "call": {"id": "c7", "name": "ping", "arguments": {"host": "a"}}, "by": "me"}
    conversation = layout.read(came)
    conversation.messages[0]["content"] = "Is it down?"
    assert layout.write(conversation) == {**came, "ask": "Is it down?"}


def test_what_a_restricted_layout_can_not_hold_is_an_error_that_says_so() -> None:
    question = {"role": "user", "content": "Is it up?"}
    row = {"messages": [question, {"role": "assistant", "content": "Yes."}]}
    with pytest.raises(LayoutError, match="a question and one call: divide the conversation first"):
        ZephyrPairs().write(Conversation(row))


@exhaustive
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_dataset_through_four_providers_and_back(language: str, tmp_path: Path) -> None:
    def meaning(path: Path) -> Any:
        run = toolconv("parse", "-q", path)
        return [
            [
                (message["role"], [call["function"] for call in message.get("tool_calls", [])], message.get("content"))
                for message in row["messages"]
            ]
            for row in run.rows
        ]

    path = shared("real", "datasets", f"glaive-toolcall-{language}.jsonl")
    before = meaning(path)
    for layout in ("openai", "anthropic", "gemini", "responses", "llamafactory"):
        target = tmp_path / f"{layout}.jsonl"
        assert toolconv("convert", "-q", "--to-layout", layout, "-o", target, path).status == 0
        path = target
    assert meaning(path) == before


def test_nested_fields_are_spelled_as_asked() -> None:
    call = {"id": "call_0", "type": "function", "function": {"name": "f", "arguments": {"a": 1}}}
    row = {"tools": [], "messages": [{"role": "assistant", "content": "", "tool_calls": [call]}]}
    options = ["--to-layout", "canonical", "--arguments", "string", "--tools", "string", "--empty-content", "null"]
    text = json.dumps(row) + "\n"
    spelled = toolconv("convert", "-q", *options, stdin=text).rows[0]
    assert spelled["tools"] == "[]"
    assert spelled["messages"][0]["content"] is None
    assert spelled["messages"][0]["tool_calls"][0]["function"]["arguments"] == '{"a": 1}'
    back = toolconv(
        "convert", "-q", "--to-layout", "openai", "--arguments", "object", "--tools", "list", "--empty-content", "omit",
        stdin=json.dumps(spelled) + "\n",
    )  # fmt: skip
    assert back.rows[0]["tools"] == []
    assert "content" not in back.rows[0]["messages"][0]
    assert back.rows[0]["messages"][0]["tool_calls"][0]["function"]["arguments"] == {"a": 1}


def test_a_layout_that_is_only_read_can_not_be_written() -> None:
    run = toolconv("convert", "--to-layout", "bfcl", stdin='{"messages":[{"role":"user","content":"x"}]}\n')
    assert run.status == 2
    assert "'bfcl' can't be written" in run.err
