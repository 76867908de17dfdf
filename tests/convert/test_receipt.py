"""What a receipt says of the rows that it counted; each number differs, so that none can stand for another."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from typing import Any

import pytest

from tests.conftest import each
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt

PLACES = {name: [Place(f"{name}.jsonl", 7, f"a {name} row")] for name in ("dropped", "reject", "unread", "refused")}
PING = '{"name":"ping"}'
COUNTED: dict[str, Any] = {
    "rows_in": 31, "rows_out": 29, "rejects": 2, "assistant_turns": 40, "turns_with_calls": 30, "turns_with_several": 8,
    "tool_calls": Counter(ping=50, add=3), "dialects": Counter(hermes=20, apertus=11), "assumed_turns": 4,
    "layouts": Counter(openai=28, chat=3), "repairs": Counter(trailing_comma=5, comment=6),
    "losses": Counter(call_ids=9, keys=1), "unread": Counter(calls=12, answer=10), "redacted": Counter(jwt=13, email=14),
    "changes": Counter(first=15, second=16), "windows": Counter(pieces=17, long=18), "unanswered": ["q1"],
    "untyped_values": 19, "rows_given_tools": 21, "turns_not_read_back": 22, "dropped_calls": 23, "refused": 24,
    "reasons": {"keys": {"why": {"count": 1, "places": []}}}, "tools": {PING: "a1", '{"name":"add"}': "b2", "[]": "c3"},
    "issues": Counter(TC101=25, TC001=26),
    **{f"{name}_places": places for name, places in PLACES.items()},
}  # fmt: skip


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
        "refused": {"count": 24, "places": place("refused")}, "changes": {"second": 16, "first": 15},
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
