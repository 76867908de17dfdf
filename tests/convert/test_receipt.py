"""What a receipt says of the rows that it counted; each number differs, so that none can stand for another."""

from __future__ import annotations

import json
from collections import Counter
from copy import deepcopy
from typing import Any

import pytest

from tests.conftest import each, toolconv
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt
from toolconv.core.conversation import Conversation
from toolconv.core.notes import Dropped, Reason, Unread

PLACES = {name: [Place(f"{name}.jsonl", 7, f"a {name} row")] for name in ("dropped", "reject", "unread", "refused")}
PING = '{"name":"ping"}'
COUNTED: dict[str, Any] = {
    "rows_in": 31, "rows_out": 29, "rejects": 2, "assistant_turns": 40, "turns_with_calls": 30, "turns_with_several": 8,
    "tool_calls": Counter(ping=50, add=3), "dialects": Counter(hermes=20, apertus=11), "assumed_turns": 4,
    "layouts": Counter(openai=28, chat=3), "repairs": Counter(trailing_comma=5, comment=6),
    "losses": Counter(call_ids=9, keys=1), "unread": Counter(calls=12, answer=10), "redacted": Counter(jwt=13, email=14),
    "changes": Counter(first=15, second=16), "windows": Counter(pieces=17, long=18), "unanswered": ["q1"],
    "untyped_values": 19, "rows_given_tools": 21, "turns_not_read_back": 22, "dropped_calls": 23, "refused": 24,
    "records_left_out": 27,
    "reasons": {"keys": {"why": {"count": 1, "places": []}}}, "tools": {PING: "a1", '{"name":"add"}': "b2", "[]": "c3"},
    "issues": Counter(TC101=25, TC001=26),
    **{f"{name}_places": places for name, places in PLACES.items()},
}  # fmt: skip


@pytest.mark.parametrize("arguments", [[1, 2], "[1, 2]", "oops"])
def test_a_call_whose_arguments_are_no_object_counts_once_as_a_dropped_one(arguments: Any) -> None:
    calls = [{"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}}]
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "tool_calls": calls}]}
    run = toolconv("parse", stdin=json.dumps(row))
    assert "0 calls; 1 call dropped" in run.err


def place(name: str) -> list[dict[str, Any]]:
    return [{"file": f"{name}.jsonl", "line": 7, "reason": f"a {name} row"}]


def test_all_that_was_counted_is_in_the_document() -> None:
    document = Receipt(**COUNTED).as_json("1.2", {"to": "hermes"}, {"a.jsonl": "f0"})
    account = document.pop("function_calling")
    assert document == {"toolconv": "1.2", "options": {"to": "hermes"}, "files": {"a.jsonl": "f0"}}
    assert len(account.pop("tool_schema_hash")) == 64
    assert account == {
        "template": "hermes", "n_tools_declared": 3, "tools": {"None": ["c3"], "add": ["b2"], "ping": ["a1"]},
        "rows_given_tools": 21, "n_tool_calls": 53, "n_tool_calls_by_tool": {"add": 3, "ping": 50},
        "n_tool_calls_by_source": {"structured": 22, "apertus": 11, "hermes": 20}, "assumed_turns": 4,
        "assistant_turns": 40, "turns_with_calls": 30, "turns_with_several": 8, "layouts": {"chat": 3, "openai": 28},
        "train_examples": 29, "no_call_ratio": 0.25, "parallel_ratio": 0.2, "validator_issues": 51,
        "validator_issues_by_rule": {"TC001": 26, "TC101": 25}, "untyped_values": 19,
        "repairs": {"comment": 6, "trailing_comma": 5}, "dropped_calls": {"count": 23, "places": place("dropped")},
        "losses": {"call_ids": 9, "keys": 1}, "losses_by_reason": {"keys": {"why": {"count": 1, "places": []}}},
        "unread": {"count": {"answer": 10, "calls": 12}, "places": place("unread")},
        "records_left_out": 27, "refused": {"count": 24, "places": place("refused")}, "changes": {"second": 16, "first": 15},
        "windows": {"long": 18, "pieces": 17}, "unanswered_requests": {"count": 1, "ids": ["q1"]},
        "turns_not_read_back": 22, "redacted": {"email": 14, "jwt": 13}, "rows_in": 31, "rows_out": 29,
        "rejects": {"count": 2, "places": place("reject")},
    }  # fmt: skip


@each(
    "options, name",
    [({"template": "qwen3", "to": "x"}, "qwen3"), ({"chat_template": "a.jinja", "to": "x"}, "a.jinja"), ({}, None)],
)
def test_the_target_of_a_run(options: dict[str, str], name: str | None) -> None:
    account = Receipt().as_json("1.2", options, {})["function_calling"]
    assert account["template"] == name
    assert account["no_call_ratio"] is account["parallel_ratio"] is account["validator_issues"] is None


def test_the_receipts_of_two_parts_are_added_up() -> None:
    whole, part = Receipt(**deepcopy({**COUNTED, "issues": None})), Receipt.from_state(Receipt(**COUNTED).state())
    whole.add(part)
    for name, value in COUNTED.items():
        if name in ("issues", "unanswered", "reasons", "tools"):
            continue
        twice = Counter({key: 2 * count for key, count in value.items()}) if isinstance(value, Counter) else 2 * value
        assert getattr(whole, name) == twice, name
    assert whole.reasons["keys"]["why"]["count"] == 2 and whole.tools == COUNTED["tools"]
    full = Receipt(dropped_places=PLACES["dropped"] * (MAX_PLACES - 1))
    full.add(Receipt(dropped_places=[*PLACES["reject"], *PLACES["unread"]]))
    assert full.dropped_places[-2:] == [*PLACES["dropped"], *PLACES["reject"]]


CALL = {"type": "function", "function": {"name": "ping", "arguments": {}}}


@pytest.mark.parametrize("calls", [0, 1, 2])
def test_turns_with_calls_and_with_several(calls: int) -> None:
    receipt = Receipt()
    receipt.count({"messages": [{"role": "assistant", "content": "", "tool_calls": [CALL] * calls}]})
    assert receipt.tool_calls.total() == calls
    assert (receipt.assistant_turns, receipt.turns_with_calls, receipt.turns_with_several) == (1, calls > 0, calls > 1)


@each("fault, clean", [({}, True), ({"rejects": 1}, False), ({"refused": 1}, False), ({"dropped_calls": 1}, False),
                       ({"unread": Counter(calls=1)}, False), ({"unread": Counter(answer=1)}, True),
                       ({"fault_places": PLACES["reject"]}, False), ({"losses": Counter(keys=1)}, True)])  # fmt: skip
def test_a_run_is_clean(fault: dict[str, Any], clean: bool) -> None:
    assert Receipt(**fault).clean == clean


def noted(**more: Any) -> Conversation:
    conversation = Conversation({"messages": [{"role": "assistant", "content": ""}]}, origin=("chat", {}))
    for name, value in more.items():
        setattr(conversation.notes, name, value)
    return conversation


def test_what_the_notes_of_a_row_add() -> None:
    receipt = Receipt(full=True)
    row = {"messages": [{"role": "assistant", "tool_calls": [CALL]}], "tools": [{"function": {"name": "f"}}, {"x": 1}]}
    conversation = noted(
        repairs=["a", "a"], losses=["b"], reasons=[Reason("b", "Why.")], redacted={"jwt": 2}, text_dialects=["hermes"],
        assumed=1, untyped=2, dropped=[Dropped("cut", "")] * 2, unread=[Unread("/x", "calls", "a call")],
        changes={"added x": 3}, refused=["no", "never"], windows={"cut": 1}, given_tools=True, not_read_back=4,
    )  # fmt: skip
    receipt.count_written(row, conversation, "f", 3)
    receipt.count_written(row, noted(assumed=9, untyped=9), "f", 4)  # of no call in a text
    assert (receipt.repairs, receipt.losses, receipt.redacted) == ({"a": 2}, {"b": 1}, {"jwt": 2})
    assert receipt.reasons == {"b": {"Why.": {"count": 1, "places": [{"file": "f", "line": 3}]}}}
    assert (receipt.dialects, receipt.assumed_turns, receipt.untyped_values) == ({"hermes": 1}, 1, 2)
    assert (receipt.dropped_calls, receipt.dropped_places) == (2, [Place("f", 3, "cut")] * 2)
    assert (receipt.unread, receipt.unread_places) == ({"calls": 1}, [Place("f", 3, "/x holds a call")])
    assert (receipt.refused, receipt.refused_places) == (1, [Place("f", 3, "no")])
    assert (receipt.changes, receipt.windows) == ({"added x": 3}, {"cut": 1})
    assert (receipt.rows_given_tools, receipt.turns_not_read_back, receipt.layouts) == (1, 4, {"chat": 2})
    assert receipt.tool_calls == {"ping": 2} and list(receipt.tools) == ['{"name":"f"}', '{"x":1}']


@each("text_key, tools, declares", [(None, [{}], True), (None, [], False), ("text", [{}], False)])
def test_a_conversation_declares_tools_and_a_text_does_not(
    text_key: str | None, tools: list[Any], declares: bool
) -> None:
    receipt = Receipt()
    conversation = Conversation({"messages": []}, text_key=text_key)
    receipt.count_written({"messages": [], "tools": tools}, conversation, "f", 1)
    assert receipt.declares_tools is declares and receipt.tools == {}
    for first, second in ((receipt, Receipt()), (Receipt(), receipt)):
        first.add(second)
        assert first.declares_tools is declares


def test_so_many_places_are_listed() -> None:
    receipt = Receipt()
    for line in range(MAX_PLACES + 1):
        found = noted(dropped=[Dropped("cut", "")], unread=[Unread("/x", "text", "x")], refused=["no"])
        receipt.count_written({"messages": []}, found, "f", line)
    assert receipt.dropped_calls == receipt.refused == receipt.unread["text"] == MAX_PLACES + 1 == 101
    places = receipt.dropped_places, receipt.unread_places, receipt.refused_places
    assert [(len(each), each[-1].line) for each in places] == [(100, 99)] * 3


def test_what_columns_hold_and_lines_do_not() -> None:
    receipt = Receipt()
    receipt.add_changes({"null_padding": 2, "not_finite": 1, "column_type": 0})
    assert (receipt.repairs, receipt.losses) == ({"null_padding": 2}, {"not_finite": 1})


def test_a_receipt_in_a_notebook() -> None:
    receipt = Receipt(rows_in=1200, rows_out=3, losses=Counter({"<a>": 2, "b": 1}), dropped_calls=4)
    assert receipt._repr_html_() == (
        "<table><tr><th>rows in</th><td>1,200</td><td></td></tr><tr><th>rows out</th><td>3</td><td></td></tr>"
        "<tr><th>dropped calls</th><td>4</td><td></td></tr>"
        "<tr><th>losses</th><td>3</td><td>&lt;a&gt; 2, b 1</td></tr></table>"
    )
