"""A text may take so many steps, on any machine: one that takes more is a dropped call with its reason."""

from __future__ import annotations

import pytest

import toolconv
from toolconv import Options, Receipt, dialects
from toolconv.core import work
from toolconv.core.tools import NO_TOOLS
from toolconv.core.work import TOO_MUCH_WORK, TooMuchWork, Work, spend
from toolconv.dialects import detection
from toolconv.dialects.turn_reader import TurnReader

HERMES = TurnReader(dialects.get("hermes"))
DAMAGED = '<tool_call>\n{"name": "f", "arguments": {"a": 1,}\n</tool_call'


def limit(monkeypatch: pytest.MonkeyPatch, steps: int) -> None:
    monkeypatch.setattr(work, "STEPS_A_CHARACTER", 0)
    monkeypatch.setattr(work, "STEPS_OF_ANY", steps)


def steps_of_reading(text: str) -> int:
    with Work(text) as counted:
        before = counted.left
        HERMES.read(text)
        return before - counted.left


def test_a_text_may_take_what_its_length_allows() -> None:
    with Work("four") as counted:
        spend(4 * work.STEPS_A_CHARACTER + work.STEPS_OF_ANY)
        assert counted.left == 0
        with pytest.raises(TooMuchWork):
            spend(1)


def test_what_is_read_within_a_text_counts_for_it() -> None:
    with Work("") as outer:
        with Work("a part of it"):
            spend(5)
        spend(7)
        assert outer.left == work.STEPS_OF_ANY - 12
    spend(10 * work.STEPS_OF_ANY)  # nothing is bounded out here


def test_a_turn_over_the_limit_is_a_dropped_call(monkeypatch: pytest.MonkeyPatch) -> None:
    needed = steps_of_reading(DAMAGED)
    assert steps_of_reading(DAMAGED) == needed > len(DAMAGED)
    limit(monkeypatch, needed)
    assert [call.name for call in HERMES.read(DAMAGED).calls] == ["f"]
    limit(monkeypatch, needed - 1)
    parsed = HERMES.read(DAMAGED)
    assert (parsed.content, parsed.calls) == (DAMAGED, [])
    assert [(each.reason, each.text) for each in parsed.dropped] == [(TOO_MUCH_WORK, DAMAGED)]


def test_what_a_dialect_writes_takes_no_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    limit(monkeypatch, 100)
    assert all(TurnReader(dialect).read(dialect.sample).calls for dialect in map(dialects.get, ("hermes", "mistral")))


def test_detection_leaves_out_a_text_over_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [(dialects.get("mistral").sample, NO_TOOLS)]
    assert detection.detect_all(texts).name == "mistral"
    limit(monkeypatch, 0)
    assert detection.detect_all(texts).name is None


def test_a_row_over_the_limit_costs_that_row_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = dialects.get("hermes").sample
    rows = [{"messages": [{"role": "assistant", "content": text}]} for text in (whole, DAMAGED, whole)]
    limit(monkeypatch, 500)
    receipt = Receipt()
    assert len(list(toolconv.convert_rows(rows, Options(source="hermes"), receipt=receipt))) == 2
    assert [place.reason for place in receipt.reject_places] == [TOO_MUCH_WORK]
    found = [finding for finding in toolconv.lint_rows(rows, dialect="hermes") if TOO_MUCH_WORK in finding.message]
    assert [(finding.line, finding.code) for finding in found] == [(2, "TC122")]
