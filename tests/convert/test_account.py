"""The account of rows that are rejected, at whatever step: rejects, and nothing else of them; of a call, one drop."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolconv import convert_rows, dialects, layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt
from toolconv.core import jsontext

CALL = '<tool_call>\n{"name": "ping", "arguments": {"host": "a"}}\n</tool_call>'
SLIP = CALL.replace("}}", "},}")
BROKEN = CALL.replace('"a"}}', "1/6}}")
TOOLS = '[{"type": "function", "function": {"name": "ping"}}]'
ROW = {"completion": json.dumps(CALL), "tools": TOOLS}


def line(fields: dict[str, str]) -> bytes:
    return ("{" + ", ".join(f'"{key}": {value}' for key, value in fields.items()) + "}").encode()


def account(lines: list[bytes], **options: Any) -> Receipt:
    """The account of completion rows of Hermes, with what rejects leave in it taken out."""
    converter = Converter(Options(account=True, **options), layouts.get("completion"), dialects.get("hermes"))
    receipt = converter.lines("f", 1, lines).receipt
    assert receipt.rows_in == receipt.rows_out + receipt.rejects == len(lines)
    assert receipt.rejects == len(receipt.reject_places)
    receipt.rows_in, receipt.rejects, receipt.reject_places = 0, 0, []
    return receipt


GOOD = line(ROW)
WAYS: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "a call as the template writes it": (ROW, {}),
    "the same to a text": (ROW, {"target": "kimi_k2"}),
    "reasoning": ({**ROW, "completion": json.dumps(f"<think>Hm.</think>{CALL}")}, {}),
    "repairs": ({**ROW, "completion": json.dumps(SLIP)}, {"target": "kimi_k2"}),
    "losses": ({**ROW, "completion": json.dumps(CALL.replace('"a"', '"1"'))}, {"target": "qwen3_xml"}),
    "a key twice": ({**ROW, "meta": '{"a": 1, "a": 2}'}, {}),
    "a broken call": ({**ROW, "completion": json.dumps(BROKEN)}, {}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_row_that_cannot_be_written_is_a_reject_and_no_more(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fields, options = WAYS[way]
    want = account([GOOD, GOOD], **options)
    dumps_line = jsontext.dumps_line

    def fails(row: dict[str, Any]) -> bytes:
        if "fails" in row:
            raise jsontext.BeyondLimit("too much of something")
        return dumps_line(row)

    monkeypatch.setattr(jsontext, "dumps_line", fails)
    assert account([GOOD, line({**fields, "fails": "1"}), GOOD], **options) == want


@pytest.mark.parametrize(
    ("fields", "options"),
    [
        ({"completion": '{"a": 1, "a": 2}'}, {}),  # a key twice, and then no layout
        ({**ROW, "completion": json.dumps(BROKEN), "tools": "[]"}, {"on_error": "reject"}),
        ({**ROW, "completion": json.dumps(CALL.replace('"a"', '"1"'))}, {"target": "qwen3_xml", "strict": True}),
    ],
    ids=["no row", "unreadable", "losses"],
)
def test_a_row_that_is_not_wanted_is_a_reject_and_no_more(fields: dict[str, str], options: dict[str, Any]) -> None:
    want = account([GOOD, GOOD], **options)
    assert account([GOOD, line(fields), GOOD], **options) == want


@pytest.mark.parametrize(
    ("value", "calls", "dropped"),
    [
        ('{"name": "ping", "arguments": {"host": "a', 0, 1),
        ('{"name": "ping", "arguments": "{\\"host\\": "}', 0, 1),
        ('{"name": "ping", "arguments": ["a"]}', 0, 1),
        (BROKEN, 0, 1),
        ("stock of A please", 0, 1),
        (CALL, 1, 0),  # which the layout can't read, but its text says
        ('{"name": "ping", "arguments": {}}', 1, 0),
    ],
)
def test_a_turn_of_a_call_is_one_call_or_one_dropped_call(value: str, calls: int, dropped: int) -> None:
    turns = [{"from": "human", "value": "Up?"}, {"from": "function_call", "value": value}]
    receipt = Receipt()
    list(convert_rows([{"conversations": turns}], receipt=receipt))
    assert (receipt.tool_calls.total(), receipt.dropped_calls, receipt.unread.total()) == (calls, dropped, 0)
