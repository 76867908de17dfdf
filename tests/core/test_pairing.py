"""Which call a response answers, where a text has no ids and the order of responses tells."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv.core.notes import Notes
from toolconv.core.pairing import without_ids

A, B, C = (
    {"id": call_id, "type": "function", "function": {"name": name, "arguments": {}}}
    for call_id, name in (("a", "ping"), ("b", "ping"), ("c", "search"))
)
ASKED = {"role": "user", "content": "Is it up?"}
SAID = {"role": "assistant", "content": "Yes."}


def calls(*given: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": "", "tool_calls": list(given)}


def result(call_id: str | None, **more: str) -> dict[str, Any]:
    return {
        "role": "tool",
        **({} if call_id is None else {"tool_call_id": call_id}),
        "content": f"of {call_id}",
        **more,
    }


@each(
    "messages, named, order, losses",
    [
        ([calls(A, B), result("a"), result("b"), SAID], False, None, []),
        ([ASKED, calls(A, B), result("b"), result("a"), SAID], False, [0, 1, 3, 2, 4], ["response_order"]),
        ([calls(A, B), result("b"), result("a")], True, [0, 2, 1], ["response_order"]),  # both have the same name
        ([calls(A, C), result("c"), result("a")], True, None, []),
        ([calls(A, C), result("c"), result("a")], False, [0, 2, 1], ["response_order"]),
        ([calls(A, B), result("b"), SAID], False, None, ["response_pairing"]),  # it would follow the call a
        ([calls(A, B), result("a"), SAID], False, None, []),
        ([calls(A, C), result("c"), SAID], True, None, []),
        ([calls(A), calls(B), result("b"), result("a")], False, [0, 1, 3, 2], ["response_order"]),  # one turn
        ([calls(A), ASKED, calls(B), result("b")], False, None, []),
        ([calls(A, B), result("b"), result("a"), calls(C), result("c")], False, [0, 2, 1, 3, 4], ["response_order"]),
        ([calls(A), result("a"), result("a")], False, None, ["response_pairing"]),
        ([calls(A, B), result(None), result(None)], False, None, []),
        ([ASKED, result("z", name="ping"), SAID], False, None, ["response_keys", "response_keys"]),
        ([ASKED, result("z", name="ping"), SAID], True, None, ["response_keys"]),
        ([ASKED, result(None), SAID], False, None, []),
        ([calls(A), result("a", name="search")], False, None, ["response_keys"]),
        ([calls(A), result("a", name="ping")], False, None, []),
    ],
)
def test_responses_follow_their_calls(
    messages: list[dict[str, Any]], named: bool, order: list[int] | None, losses: list[str]
) -> None:
    notes = Notes()
    assert without_ids(messages, notes, named=named) == [messages[at] for at in order or range(len(messages))]
    assert notes.losses == losses
