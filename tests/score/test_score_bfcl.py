"""The level ``ast`` gives the verdicts of BFCL's own checker.

It is compared on rows of our own, with the verdicts that ``tests/helpers/bfcl_checker.py`` recorded, and where ``bfcl-eval`` is
installed, on all its questions. The page ``toolconv help score`` says where the verdicts differ, and why.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import nightly
from tests.helpers.bfcl_checker import ROWS, VERDICTS, checker, is_valid, outputs
from toolconv.layouts.formats.bfcl import LAYOUT
from toolconv.score.calls import Judge
from toolconv.score.expected import Call
from toolconv.score.gold import GoldRow, gold_row
from toolconv.score.levels import NAMES, Levels
from toolconv.score.verdicts import judge_turn

CATEGORIES = (
    "simple_python", "multiple", "parallel", "parallel_multiple", "live_simple", "live_multiple", "live_parallel",
    "live_parallel_multiple",
)  # fmt: skip

OWN = [json.loads(line) for line in ROWS.read_text(encoding="utf-8").splitlines()]
RECORDED = {found["id"]: found for found in map(json.loads, VERDICTS.read_text(encoding="utf-8").splitlines())}


def levels(row: dict[str, Any], calls: list[Call]) -> Levels:
    """The levels at which an output is right."""
    gold = gold_row(LAYOUT.decode(copy.deepcopy(row)))
    return levels_of(gold, Judge(gold.tools), calls)


def levels_of(gold: GoldRow, judge: Judge, calls: list[Call]) -> Levels:
    (turn,) = gold.turns
    return judge_turn(turn.expected, calls, judge, NAMES["ast"]).levels


@pytest.mark.parametrize("row", OWN, ids=lambda row: row["id"])
def test_recorded_verdicts(row: dict[str, Any]) -> None:
    record = RECORDED[row["id"]]["verdicts"]
    for calls, verdict in zip(outputs(row), record, strict=True):
        if verdict != "-":
            assert (Levels.AST in levels(row, calls)) == (verdict == "r"), [call.as_json() for call in calls]


def test_the_record_has_both_verdicts() -> None:
    assert {"r", "w"} <= {*"".join(record["verdicts"] for record in RECORDED.values())}
    assert sum(len(record["verdicts"]) for record in RECORDED.values()) > 300


@nightly
def test_all_questions_of_bfcl() -> None:
    bfcl_eval = pytest.importorskip("bfcl_eval")
    module = checker()
    data = Path(next(iter(bfcl_eval.__path__))) / "data"
    pairs = differing = 0
    for category in CATEGORIES:
        name = f"BFCL_v4_{category}.json"
        answers = {row["id"]: row["ground_truth"] for row in _rows(data / "possible_answer" / name)}
        for question in _rows(data / name):
            row = {**question, "ground_truth": answers[question["id"]]}
            gold = gold_row(LAYOUT.decode(copy.deepcopy(row)))
            judge = Judge(gold.tools)
            for calls in outputs(row):
                verdict = is_valid(module, row, calls)
                if verdict is not None:
                    pairs += 1
                    differing += verdict != (Levels.AST in levels_of(gold, judge, calls))
    print(f"{pairs:,} pairs, {differing:,} differ")
    assert pairs > 130_000
    assert differing < pairs / 1000, (differing, pairs)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
