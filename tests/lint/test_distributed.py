"""A dataset that is checked block by block has the findings of the whole."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import FIXTURES, exhaustive, rows
from tests.helpers.lint_rows import row
from toolconv.convert.detect import Detector
from toolconv.dataset import lint_rows
from toolconv.io.workers import in_order
from toolconv.lint.engine.distributed import Merger, Outcome, check_rows
from toolconv.lint.engine.linter import linter_of
from toolconv.lint.engine.selection import all_rules
from toolconv.lint.model.finding import Finding, reported_with_row
from toolconv.lint.model.source import rows_of_values
from toolconv.lint.rule import DatasetRule, Firsts


def dataset_codes() -> list[str]:
    return [code for code, rule in all_rules().items() if issubclass(rule, DatasetRule)]


DETECTOR = Detector()


class Block(NamedTuple):
    rows: slice
    file: str = "<rows>"


def in_blocks(
    data: list[dict[str, Any]], cuts: list[int], detector: Detector = DETECTOR, **chosen: Any
) -> list[Finding]:
    """Check rows block by block; everything goes from one block to another as between processes."""

    def check(block: Block, firsts: Firsts) -> Outcome:
        rows = list(rows_of_values(data, detector, "<rows>"))[block.rows]
        outcome: Outcome = pickle.loads(pickle.dumps(check_rows(linter_of(**chosen), rows, {}, firsts)))
        return outcome

    merger = Merger(linter_of(**chosen), lambda block, firsts: partial(check, block, firsts))
    bounds = pairwise([0, *sorted(cuts), len(data)])
    outcomes = merger.outcomes((Block(slice(*bound)) for bound in bounds), partial(in_order, limit=3))
    found = [finding for _, outcome in outcomes for hit in outcome.hits for finding in hit.findings]
    return [*reported_with_row(found), *merger.finish()]


def pool() -> list[dict[str, Any]]:
    """Rows that differ in all that the rules for datasets look at."""
    tool = row()["tools"][0]
    other = {"type": "function", "function": {**tool["function"], "parameters": {"type": "object", "properties": {}}}}
    third = {
        "type": "function",
        "function": {**tool["function"], "parameters": {"type": "object", "properties": {"n": {}}}},
    }
    spelled = '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'
    mistral = '[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Rome"}}]'
    as_object = row(number=3)
    as_object["messages"][1]["tool_calls"][0]["function"]["arguments"] = {"city": "Rome"}
    return [
        row(),
        row(number=1),
        row(arguments={"city": "Paris"}),
        row(number=2, tools=json.dumps([tool])),
        row(number=4, tools=[other]),
        row(number=5, tools=[third]),
        as_object,
        *({"messages": [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": text}], "tools": [tool]}
          for text in ("Hello.", "<think>So.</think>Hello.", f"Well.\n{spelled}", mistral)),
        {"conversations": [{"from": "human", "value": "Weather?"}, {"from": "gpt", "value": spelled}]},
        {"nothing": 1},
    ]  # fmt: skip


POOL = pool()


@given(st.lists(st.sampled_from(POOL), max_size=12), st.data())
def test_any_blocks_have_the_findings_of_the_whole(data: list[dict[str, Any]], draw: st.DataObject) -> None:
    cuts = draw.draw(st.lists(st.integers(0, len(data)), max_size=4))
    codes = dataset_codes()
    assert in_blocks(data, cuts, select=codes) == list(lint_rows(data, select=codes))


@exhaustive
@pytest.mark.parametrize(
    "cuts", [[37, 38, 90], *(pytest.param(cuts, marks=exhaustive) for cuts in ([], [1], list(range(0, 130, 7))))]
)
def test_a_larger_dataset_in_blocks(cuts: list[int]) -> None:
    data = [*POOL * 5, *(row(number=number) for number in range(60)), *rows(FIXTURES / "teacher.jsonl")]
    found = in_blocks(data, cuts, select=["ALL"])
    assert found == list(lint_rows(data, select=["ALL"]))
    said = {finding.code for finding in found}
    assert {"TC009", "TC121", "TC309", "TC405", "TC411", "TC508", "TC509", "TC511"} <= said


def failing() -> Iterator[Any]:
    """The cases of every rule for datasets that has something to say."""
    for code in dataset_codes():
        for case in rows(FIXTURES / "lint" / f"{code}.jsonl"):
            if case["case"] == "fail" and "rows" in case:  # others are of the bytes of lines
                yield pytest.param(code, case, id=code)


@pytest.mark.sweep(every=16)
@pytest.mark.parametrize(("code", "case"), list(failing()))
def test_every_rule_for_datasets_finds_the_same_in_blocks(code: str, case: dict[str, Any]) -> None:
    times = case.get("times", [1] * len(case["rows"]))
    data = [each for each, count in zip(case["rows"], times, strict=True) for _ in range(count)]
    chosen = {"select": [code], "options": {code: case.get("options", {})}}
    reader = {key: case[key] for key in ("dialect", "layout") if key in case}
    detector = Detector(**reader)
    found = list(lint_rows(data, **chosen, **reader))
    assert found
    for cuts in ([1], [len(data) - 1], list(range(1, len(data)))):
        assert in_blocks(data, cuts, detector, **chosen) == found
