"""``--window``: long conversations in pieces that fit, of which each turn is trained on in one, as in the whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import FIXTURES, each, exhaustive, toolconv
from toolconv.convert.options import Options
from toolconv.convert.receipt import Receipt
from toolconv.convert.windows import Window
from toolconv.core.messages import calls_of
from toolconv.dataset import convert_rows, lint_rows, render

TOOL = {"type": "function", "function": {"name": "look", "description": "Looks something up.", "parameters": {
    "type": "object", "properties": {"at": {"type": "string", "description": "Where."}}}}}  # fmt: skip
SESSIONS = [json.loads(line) for line in (FIXTURES / "loop" / "sessions.jsonl").read_text().splitlines()]


@st.composite
def conversations(draw: st.DrawFn) -> dict[str, Any]:
    """A conversation of rounds: requests, calls with responses, answers."""
    messages: list[dict[str, Any]] = []
    if draw(st.booleans()):
        messages.append({"role": "system", "content": "Be brief."})
    count = 0
    for _ in range(draw(st.integers(1, 4))):
        messages.append({"role": "user", "content": "Where? " * draw(st.integers(1, 30))})
        for _ in range(draw(st.integers(0, 4))):
            calls = [
                {"id": f"call_{count + at}", "type": "function",
                 "function": {"name": "look", "arguments": {"at": "x" * draw(st.integers(0, 60))}}}
                for at in range(draw(st.integers(1, 3)))
            ]  # fmt: skip
            count += len(calls)
            messages.append({"role": "assistant", "content": "", "tool_calls": calls})
            for call in draw(st.permutations(calls)):
                result = {"tool_call_id": call["id"], "name": "look", "content": "y" * draw(st.integers(0, 99))}
                messages.append({"role": "tool", **result})
        answer = {"role": "assistant", "content": f"There {len(messages)}."}
        messages.append({**answer, "weight": 0} if draw(st.integers(0, 4)) == 0 else answer)
    return {"id": "c", "messages": messages, "tools": [TOOL]}


def trained(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in row["messages"] if each["role"] == "assistant" and each.get("weight", 1)]


def check(row: dict[str, Any], size: int) -> list[dict[str, Any]]:
    """The pieces of a row, after a look at the laws."""
    receipt = Receipt()
    found = list(convert_rows([row], Options(window=Window(size)), receipt=receipt))
    assert (
        sum(len(json.dumps(each, separators=(",", ":"), ensure_ascii=False)) > size for each in found)
        == (receipt.windows["too_long"])
    )
    assert [each for piece in found for each in trained(piece)] == trained(row)
    if len(found) == 1 and "window" not in found[0]:
        return found
    places = [piece["window"]["messages"] for piece in found]
    assert [place[0] for place in places] == [0, *(place[1] for place in places[:-1])]
    assert places[-1][1] == len(row["messages"])
    for piece in found:
        ids = {call["id"] for message in piece["messages"] for call in calls_of(message)}
        responses = [each["tool_call_id"] for each in piece["messages"] if each["role"] == "tool"]
        assert sorted(ids) == sorted(responses)
        assert piece["tools"] == row["tools"]
        assert [each for each in piece["messages"] if each["role"] == "system"] == [
            each for each in row["messages"] if each["role"] == "system"
        ]
    return found


@exhaustive
@settings(max_examples=20, deadline=None)
@given(conversations(), st.integers(400, 4000))
def test_each_turn_is_trained_on_once(row: dict[str, Any], size: int) -> None:
    pieces = check(row, size)
    known = {finding.code for finding in lint_rows([row]) if not finding.code.startswith("TC5")}
    for piece in pieces:
        found = {finding.code for finding in lint_rows([piece]) if not finding.code.startswith("TC5")}
        assert found <= known


@pytest.mark.parametrize("template", ["qwen2.5", "llama-3.1", "granite-4"])
@pytest.mark.parametrize("row", SESSIONS, ids=lambda row: row["id"])
def test_trained_spans_are_those_of_the_whole(row: dict[str, Any], template: str) -> None:
    def texts(each: dict[str, Any]) -> list[str]:
        found = render(each, template)
        return [found.text[span["start"] : span["end"]] for span in found.spans if span["train"]]

    pieces = list(convert_rows([row], Options(window=Window(2000))))
    assert len(pieces) > 1 or row["id"] != "s01"
    assert [text for piece in pieces for text in texts(piece)] == texts(row)


def test_a_piece_begins_with_the_request_that_it_works_on() -> None:
    calls: list[list[dict[str, Any]]] = [[{"id": f"call_{at}", "type": "function", "function": {"name": "look", "arguments": {"at": "x" * 200}}}]
             for at in range(6)]  # fmt: skip
    steps = [
        message
        for at, own in enumerate(calls)
        for message in (
            {"role": "assistant", "content": "", "tool_calls": own},
            {"role": "tool", "tool_call_id": f"call_{at}", "name": "look", "content": "z" * 100},
        )
    ]
    row = {"messages": [{"role": "user", "content": "Look everywhere."}, *steps], "tools": [TOOL]}
    pieces = check(row, 1600)
    assert len(pieces) > 2
    assert all(piece["messages"][0] == row["messages"][0] for piece in pieces)
    roles = [[(each["role"], each.get("weight")) for each in piece["messages"]] for piece in pieces]
    assert roles[1][:4] == [("user", None), ("assistant", 0), ("tool", None), ("assistant", None)]


def test_no_piece_begins_between_results() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": {"at": "x" * 200}}}
    rounds = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "name": "look", "content": "y" * 200},
        {"role": "tool", "tool_call_id": "b", "name": "look", "content": "z" * 200},  # of no call
    ]
    row = {"messages": [{"role": "user", "content": "Look."}, *rounds * 4], "tools": [TOOL]}
    pieces = list(convert_rows([row], Options(window=Window(1500))))
    assert len(pieces) > 1
    for piece in pieces:
        roles = [each["role"] for each in piece["messages"]]
        assert roles[:2] == ["user", "assistant"] and roles[-2:] == ["tool", "tool"]


@pytest.mark.parametrize(("size", "counts"), [(900, {}), (500, {"cut": 1, "pieces": 2, "too_long": 0})])
def test_a_conversation_in_two_pieces_is_cut(size: int, counts: dict[str, int]) -> None:
    turns = [{"role": role, "content": "x" * 150} for role in ("user", "assistant") * 2]
    receipt = Receipt()
    pieces = list(convert_rows([{"messages": turns}], Options(window=Window(size)), receipt=receipt))
    assert (len(pieces), dict(receipt.windows)) == (counts.get("pieces", 1), counts)


TURNS = [{"role": role, "content": "x" * 150} for role in ("user", "assistant") * 3]


@each(
    "row",
    [
        {"chosen": TURNS, "rejected": [*TURNS[:-1], {"role": "assistant", "content": "y" * 150}]},
        {"messages": TURNS[:-1], "completions": [TURNS[-1], {"role": "assistant", "content": "y" * 150}]},
        {"prompt": "Say it. " * 40, "completion": "It. " * 40},
        {"messages": TURNS[:-1], "completion": "y" * 150},
    ],
)
def test_a_row_with_several_answers_or_a_text_is_not_cut(row: dict[str, Any]) -> None:
    receipt = Receipt()
    assert len(list(convert_rows([row], Options(window=Window(300)), receipt=receipt))) == 1
    assert dict(receipt.windows) == {"cut": 0, "pieces": 1, "too_long": 1}


def test_a_window_on_the_command_line(tmp_path: Path) -> None:
    path = FIXTURES / "loop" / "sessions.jsonl"
    run = toolconv(
        "convert", str(path), "--template", "qwen2.5", "--window", "2200", "--receipt", "r.json", cwd=tmp_path
    )
    rows = [json.loads(line) for line in run.out.splitlines()]
    assert all(len(row["text"]) <= 2200 for row in rows) and len(rows) > 2
    account = json.loads((tmp_path / "r.json").read_text())["function_calling"]
    assert account["windows"] == {"cut": 1, "pieces": len(rows) - 1, "too_long": 0}
    assert "window (" in run.err
    assert toolconv("convert", str(path), "--window", "900", "--strict").status == 1
    assert toolconv("convert", str(path), "--tokenizer", "t.json").status == 2


def test_a_trainer_that_reads_no_marks_trains_on_earlier_turns_again() -> None:
    receipt = Receipt()
    row = SESSIONS[0]
    rows = list(convert_rows([row], Options(trainer="trl", to_layout="trl", window=Window(2600)), receipt=receipt))
    again = sum(len(piece["messages"]) for piece in rows) - len(row["messages"])
    assert again and receipt.losses["training_mark"] == sum(
        message["role"] == "assistant" for piece in rows for message in piece["messages"]
    ) - sum(message["role"] == "assistant" for message in row["messages"])


def test_tokens_are_those_of_a_tokenizer(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"?": 0}, unk_token="?"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    found = list(convert_rows([SESSIONS[0]], Options(window=Window(450, str(path)))))
    assert len(found) > 1
    counts = [len(tokenizer.encode(json.dumps(each, separators=(",", ":"))).ids) for each in found]
    assert all(count <= 450 for count in counts) and max(counts) > 225
