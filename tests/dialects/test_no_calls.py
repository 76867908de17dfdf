"""Texts that hold no call: sentences, code, logs, documents. Nothing is made up of them, and hardly anything dropped."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from tests.conftest import FIXTURES, exhaustive
from toolconv import Options, Receipt, convert_rows, dialects
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.turn_reader import TurnReader

CASES: Final = [json.loads(line) for line in (FIXTURES / "reading" / "no_calls.jsonl").read_text("utf-8").splitlines()]
PARAMETERS: Final[dict[str, dict[str, str]]] = {
    "get_weather": {"city": "string", "days": "integer"},
    "search": {"query": "string", "limit": "integer"},
    "book_hotel": {"city": "string", "nights": "integer"},
    "send_email": {"to": "string", "subject": "string"},
    "read_file": {"path": "string"},
    "create_ticket": {"title": "string", "priority": "integer"},
    "resize_image": {"path": "string", "width": "integer", "height": "integer"},
    "track_parcel": {"number": "string"},
    "run_query": {"sql": "string", "limit": "integer"},
    "convert_currency": {"amount": "number", "source": "string", "target": "string"},
    "list_branches": {"repo": "string"},
    "schedule": {"task": "string", "at": "string"},
    "play": {"song": "string"},
    "move_file": {"src": "string", "dst": "string"},
    "get_stock_price": {"symbol": "string"},
    "notify": {"user": "string", "text": "string"},
}
DECLARED: Final[list[dict[str, Any]]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in properties.items()}},
        },
    }
    for name, properties in PARAMETERS.items()
]
NAMES: Final = (
    None,
    "hermes",
    "qwen3_xml",
    "mistral",
    "llama3_json",
    "kimi_k2",
    "glm45",
    "react",
    "openai",
    "pythonic",
)
MOST_DROPPED: Final = 0.01
"""How many of the texts may count as calls that can't be read, where tools are declared; code that names one and its
parameters looks like damaged markup."""


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 300
    assert len({case["text"] for case in CASES}) == len(CASES)
    languages = {case["case"].split(", ")[1][:2] for case in CASES if case["case"].startswith("a sentence")}
    assert len(languages) >= 10


@pytest.mark.sweep(every=20)
@pytest.mark.parametrize("name", NAMES, ids=str)
@pytest.mark.parametrize("tools", [NO_TOOLS, ToolIndex(DECLARED)], ids=["", "tools"])
def test_no_call_is_made_up(name: str | None, tools: ToolIndex) -> None:
    reader = TurnReader(None if name is None else dialects.get(name))
    cases = [
        case
        for case in CASES
        if not (name is not None and case.get("unnamed")) and not (tools and case.get("undeclared"))
    ]
    read = {case["case"]: (case["text"], reader.read(case["text"], tools)) for case in cases}
    assert {case: parsed.calls for case, (_, parsed) in read.items() if parsed.calls} == {}
    changed = {case: parsed.content for case, (text, parsed) in read.items() if parsed.content != text}
    assert changed == {}
    dropped = [case for case, (_, parsed) in read.items() if parsed.dropped]
    assert len(dropped) <= MOST_DROPPED * len(cases), dropped


@pytest.mark.parametrize("step", [8, pytest.param(2, marks=exhaustive)])
def test_rows_with_structured_calls_keep_their_texts(step: int) -> None:
    """Only marked calls count there, so the texts that have no marker come out as they are."""
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    rows = [
        {
            "messages": [
                {"role": "user", "content": "Look."},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "c", "content": "3 hits"},
                {"role": "assistant", "content": case["text"]},
            ],
            "tools": DECLARED,
        }
        for case in CASES[::step]
    ]
    receipt = Receipt()
    converted = list(convert_rows(rows, Options(), receipt=receipt))
    assert [row["messages"][3] for row in converted] == [
        {"role": "assistant", "content": case["text"]} for case in CASES[::step]
    ]
    assert len(receipt.dropped_places) <= MOST_DROPPED * len(CASES)


MARKED: Final = '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>'


def test_a_marked_call_in_a_row_with_structured_calls_is_counted_and_stays_text() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    answered = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "3 hits"},
    ]
    texts = [MARKED, f"I look again. {MARKED}", f"<think>Again?</think>\n{MARKED}"]
    rows = [{"messages": [*answered, {"role": "assistant", "content": text}], "tools": DECLARED} for text in texts]
    receipt = Receipt()
    turns = [row["messages"][3] for row in convert_rows(rows, Options(), receipt=receipt)]
    assert [turn["content"] for turn in turns] == texts
    assert not any("tool_calls" in turn for turn in turns)
    assert [place.reason for place in receipt.dropped_places] == [
        "a call in a text of a row whose calls are structure"
    ] * 3


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        (MARKED, 0),  # what the turn does as structure, too
        (MARKED.replace('"x"', '"y"'), 1),
        (f"{MARKED}\n{MARKED.replace('search', 'send_email')}", 1),
        ('[search(query="y"), search(query="z")]', 2),
        ('{"name": "search", "arguments": {"query": "y"}}', 0),  # data
        ("I look (again).", 0),
    ],
)
def test_calls_in_the_text_of_a_turn_with_structured_calls_are_counted(text: str, dropped: int) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": '{"query": "x"}'}}
    turn = {"role": "assistant", "content": text, "tool_calls": [call]}
    row = {"messages": [{"role": "user", "content": "Look."}, turn], "tools": DECLARED}
    receipt = Receipt()
    (read,) = convert_rows([row], Options(), receipt=receipt)
    assert (read["messages"][1]["content"], len(read["messages"][1]["tool_calls"])) == (text, 1)
    assert len(receipt.dropped_places) == dropped


@pytest.mark.whole
@pytest.mark.parametrize(
    "text",
    [
        MARKED,
        f"Sure.\n{MARKED}",
        '[TOOL_CALLS] [{"name": "search", "arguments": {"query": "x"}}]',
        "<tool_call>\n<function=search>\n<parameter=query>\nx\n</parameter>\n</function>\n</tool_call>",
    ],
)
@pytest.mark.parametrize("tools", [NO_TOOLS, ToolIndex(DECLARED)], ids=["", "tools"])
def test_markup_of_other_dialects_stays_text_where_calls_are_structure(text: str, tools: ToolIndex) -> None:
    parsed = TurnReader(dialects.get("openai")).read(text, tools)
    assert (parsed.content, parsed.calls, len(parsed.dropped)) == (text, [], 1)
