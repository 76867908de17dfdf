"""``toolconv score``: outputs compared with gold calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import FIXTURES, Run, toolconv
from toolconv.score.statistics import mcnemar, newcombe, pass_all, pass_at, wilson

SCORE = FIXTURES / "score"
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "walk",
            "parameters": {
                "type": "object",
                "properties": {
                    "to": {"type": "string"},
                    "km": {"type": "number"},
                    "stops": {"type": "integer"},
                    "dogs": {"type": "array", "items": {"type": "string"}},
                    "mode": {"type": "string", "default": "slow"},
                    "plan": {"type": "object"},
                },
                "required": ["to"],
            },
        },
    },
    {"type": "function", "function": {"name": "rest", "parameters": {"type": "object", "properties": {}}}},
]
QUESTION = {"role": "user", "content": "Go."}


def answer(*calls: tuple[str, Any]) -> dict[str, Any]:
    """A turn of the assistant."""
    items = [{"type": "function", "function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    return {"role": "assistant", "content": "", "tool_calls": items} if items else {"role": "assistant", "content": "."}


def row(*calls: tuple[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": [QUESTION, answer(*calls)], "tools": TOOLS, **more}


def score(folder: Path, gold: list[Any], outputs: list[Any], *options: str, other: list[Any] | None = None) -> Run:
    """Score rows; a text is a line as it is."""
    names = []
    for name, rows in (("gold", gold), ("outputs", outputs), ("other", other)):
        if rows is not None:
            lines = (each if isinstance(each, str) else json.dumps(each) for each in rows)
            (folder / f"{name}.jsonl").write_text("".join(f"{line}\n" for line in lines))
            names.append(f"{name}.jsonl")
    return toolconv("score", "-q", *names, *options, cwd=folder)


def verdicts(folder: Path, gold: list[Any], outputs: list[Any], *options: str) -> list[dict[str, Any]]:
    score(folder, gold, outputs, "-o", "verdicts.jsonl", *options)
    return [json.loads(line) for line in (folder / "verdicts.jsonl").read_text().splitlines()]


CASES = [json.loads(line) for line in (SCORE / "pitfalls.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["case"])
def test_pitfalls(case: dict[str, Any], tmp_path: Path) -> None:
    if "truth" in case:
        gold = {"messages": [QUESTION], "tools": TOOLS, "ground_truth": case["truth"]}
    else:
        gold = row(*map(tuple, case["gold"]))
    (found,) = verdicts(tmp_path, [gold], [row(*map(tuple, case["output"]))])
    assert (found["level"], found["verdict"]) == (case["level"], case["verdict"])
    assert case.get("needed") in (None, found["needed"])


def test_samples_count_once_in_intervals_and_give_pass_at_k(tmp_path: Path) -> None:
    right, wrong = ("walk", {"to": "a"}), ("walk", {"to": "b"})
    gold = [row(right, id="1"), row(right, id="2")]
    outputs = [row(right, id="1"), row(wrong, id="1"), row(wrong, id="2"), row(wrong, id="2")]
    figures = json.loads(score(tmp_path, gold, outputs, "--json", "--k", "1,2,3").out)["figures"]
    assert figures["rows"]["ast"]["n"] == 4
    assert figures["samples"] == {
        "turns": 2,
        "pass_at": {"1": 0.25, "2": 0.5, "3": None},
        "pass_all": {"1": 0.25, "2": 0.0, "3": None},
    }
    interval = wilson(0.5, 2)
    assert interval is not None
    assert (figures["rows"]["ast"]["low"], figures["rows"]["ast"]["high"]) == pytest.approx(interval)


def test_rows_without_partner(tmp_path: Path) -> None:
    right = ("walk", {"to": "a"})
    gold = [row(right, id="1"), row(right, id="2"), row(right, id="2")]
    run = score(tmp_path, gold, [row(right, id="3"), row(right, id="1")], "--json")
    found = json.loads(run.out)
    assert run.status == 1
    assert (found["repeated"], found["unpaired"]) == (["2"], [{"line": 1, "id": "3"}])
    assert found["figures"]["verdicts"]["no_output"] == 1  # of the second row; the third is no row of its own
    skipped = json.loads(score(tmp_path, gold, [row(right, id="1")], "--json", "--missing", "skip").out)
    assert skipped["figures"]["rows"]["ast"]["n"] == 1


def test_positions_need_the_same_number_of_rows(tmp_path: Path) -> None:
    right = ("walk", {"to": "a"})
    run = score(tmp_path, [row(right), row(right)], [row(right)])
    assert run.status == 2
    assert "2 gold rows and 1 outputs" in run.err


def test_a_gold_row_that_says_nothing_is_listed(tmp_path: Path) -> None:
    gold = [{"id": "1", "messages": [QUESTION], "tools": TOOLS}, row(("rest", {}), id="2")]
    run = score(tmp_path, gold, [row(("rest", {}), id="1"), row(("rest", {}), id="2")], "--json")
    assert run.status == 1
    found = json.loads(run.out)
    assert [each["line"] for each in found["unscorable"]] == [1]
    assert found["figures"]["rows"]["exact"]["n"] == 1


def test_an_unreadable_output_is_no_abstention(tmp_path: Path) -> None:
    gold = [row(id="1"), row(id="2"), row(id="3")]
    broken = '<tool_call>{"name": "walk", "arguments": {"to": </tool_call>'
    outputs = [{"id": "1", "completion": "No."}, {"id": "2", "completion": broken}, '{"id": "3", "completion": 5}']
    found = verdicts(tmp_path, gold, outputs, "--to", "hermes")
    assert [each["verdict"] for each in found] == ["right", "unreadable", "unreadable"]


def test_next_turn_by_history_and_whole_runs(tmp_path: Path) -> None:
    first, second = answer(("walk", {"to": "a"})), answer(("rest", {}))
    result = {"role": "tool", "tool_call_id": "call_0", "content": "there"}
    gold = {"id": "1", "messages": [QUESTION, first, result, second], "tools": TOOLS}
    merged = row(("walk", {"to": "a"}), ("rest", {}), id="1")
    swapped = {**gold, "messages": [QUESTION, second, result, first]}
    assert [each["verdict"] for each in verdicts(tmp_path, [gold], [row(("walk", {"to": "a"}), id="1")])] == ["right"]
    assert [each["verdict"] for each in verdicts(tmp_path, [gold], [gold])] == ["right"]
    assert [each["verdict"] for each in verdicts(tmp_path, [gold], [merged], "--turns", "whole")] == ["right"]
    (found,) = verdicts(tmp_path, [gold], [swapped])
    assert (found["verdict"], found["differences"][0]["kind"]) == ("wrong_arguments", "order")
    each = verdicts(tmp_path, [gold], [{**row(("rest", {}), id="1"), "turn": 1}], "--turns", "each")
    assert [(one["turn"], one["verdict"]) for one in each] == [(1, "right"), (0, "no_output")]


def test_two_runs(tmp_path: Path) -> None:
    gold = [row(("walk", {"to": "a"}), id=str(at)) for at in range(6)]
    wrong = [row(("walk", {"to": "b"}), id=str(at)) for at in range(6)]
    run = score(tmp_path, gold, gold, "--json", "--fail-if-worse", other=wrong)
    found = json.loads(run.out)["comparison"]
    assert run.status == 1
    assert (found["only_outputs"], found["difference"], found["p"]) == (6, -1.0, 2 / 64)
    mirrored = json.loads(score(tmp_path, gold, wrong, "--json", other=gold).out)["comparison"]
    assert (mirrored["won"], mirrored["difference"], mirrored["p"]) == (found["lost"], 1.0, found["p"])
    few = score(tmp_path, gold[:5], gold[:5], "--fail-if-worse", other=wrong[:5])
    assert few.status == 0
    assert "p = 0.0625: not distinguishable on these 5 turns" in few.out


@pytest.mark.parametrize(
    ("limit", "status"),
    [("rows.ast.rate=1", 0), ("rows.ast.low=0.9", 1), ("abstain.rate=0", 2), ("rows.best=1", 2), ("rows.ast.rate", 2)],
)
def test_limits(limit: str, status: int, tmp_path: Path) -> None:
    gold = [row(("rest", {}))]
    assert score(tmp_path, gold, gold, "--fail-under", limit).status == status


def test_the_table_is_short_and_a_total_abstainer_shows(tmp_path: Path) -> None:
    gold = [row(("rest", {}), id="1"), row(id="2")]
    run = score(tmp_path, gold, [row(id="1"), row(id="2")])
    assert "calls if it should  0 of 1 right" in run.out
    assert "abstain         1 of 1 right" in run.out
    assert len(run.out.splitlines()) <= 25


# Tables: Newcombe (1998), Statistics in Medicine 17, p. 857 ff. (81 of 263, 0 of 20, 1 of 29); binomial tails.
@pytest.mark.parametrize(
    ("right", "n", "low", "high"), [(81, 263, 0.2553, 0.3662), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)]
)
def test_wilson(right: int, n: int, low: float, high: float) -> None:
    assert wilson(right, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("one", "other", "p"), [(5, 0, 0.0625), (0, 0, 1.0), (6, 0, 0.03125), (3, 3, 1.0)])
def test_mcnemar(one: int, other: int, p: float) -> None:
    assert mcnemar(one, other) == mcnemar(other, one) == p


def test_newcombe_mirrors() -> None:
    one, other = newcombe(5, 3, 1, 2), newcombe(5, 1, 3, 2)
    assert one is not None and other is not None
    assert one == pytest.approx((-other.high, -other.low))


def test_estimates() -> None:
    assert pass_at(2, 4, 2) == pytest.approx(1 - 1 / 6)
    assert pass_all(2, 4, 2) == pytest.approx(1 / 6)
    assert pass_at(5, 4, 2) is None
