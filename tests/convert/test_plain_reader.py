"""Rows that are read as they stand are the conversations that the ordinary path reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.conftest import each, exhaustive
from tests.helpers.plan_rows import PLAIN, changed, changed_lines, lines_of, random_row
from toolconv import layouts
from toolconv.convert.converter import BATCH_ROWS, Converter
from toolconv.convert.options import Options
from toolconv.convert.plans import plain_reader
from toolconv.convert.plans import planner as planners
from toolconv.convert.plans.plain_reader import PlainReader, as_facts
from toolconv.convert.receipt import Receipt
from toolconv.core.conversation import Conversation

READ = Options(only_read=True, shared_tools=True)


def converter(options: Options = READ) -> tuple[Converter, PlainReader]:
    made = Converter(options, layouts.get("openai"), None)
    assert made.plain_reader is not None
    made._seen = BATCH_ROWS
    return made, made.plain_reader


def ordinary() -> Converter:
    made, _ = converter()
    made.plain_reader = None
    return made


def read(made: Converter, lines: list[bytes]) -> tuple[list[object], Receipt]:
    result = made.lines("f", 1, lines)
    facts = [each.conversation and as_facts(each.conversation) for each in result.readings]
    return [*facts, *[(each.reason, each.text) for each in result.readings]], result.receipt


def disagreements(lines: list[bytes]) -> tuple[list[bytes], int]:
    """The lines that are read otherwise, the third time, than on the ordinary path; and how many are plain."""
    (made, reader), other = converter(), ordinary()
    plain = [line for line in lines if reader._rows.read(line) is not None]
    return [line for line in plain if read(made, [line] * 3) != read(other, [line] * 3)], len(plain)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planners, "PATIENCE", 1 << 60)


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize("start", range(24))
@pytest.mark.usefixtures("patient")
def test_plain_rows_are_read_as_on_the_ordinary_path(start: int) -> None:
    random = Random(start)
    lines = [random.choice(list(lines_of(random_row(random)))) for _ in range(6)]
    found, plain = disagreements(changed_lines(400, start) + lines)
    assert found == []
    assert plain > 0


@exhaustive
@pytest.mark.usefixtures("patient")
def test_all_changed_rows_are_read_as_on_the_ordinary_path() -> None:
    found, plain = disagreements(changed_lines())
    assert found == []
    assert plain > 5_000


@each("row", PLAIN.values())
def test_rows_of_a_known_kind_are_not_read_on_the_ordinary_path(
    row: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, reader = converter()
    line = next(lines_of(row))
    assert [reader.made("f", 1, line, Receipt()) is not None for _ in range(2)] == [True] * 2
    monkeypatch.setattr(reader, "_convert", None)
    assert isinstance(reader.made("f", 1, line, Receipt()), Conversation)
    assert made.lines("f", 1, [line]).readings[0].conversation is not None


def test_a_kind_that_is_read_otherwise_takes_the_ordinary_path(monkeypatch: pytest.MonkeyPatch) -> None:
    line = next(lines_of(PLAIN["calls"]))
    (made, _), facts = converter(), read(ordinary(), [line] * 3)
    monkeypatch.setattr(plain_reader, "number_calls", lambda messages: messages.pop())
    assert read(made, [line] * 3) == facts
    monkeypatch.undo()

    made, _ = converter()
    monkeypatch.setattr(planners, "OFTEN", 4)
    assert made.lines("f", 1, [line] * 3).receipt.clean
    monkeypatch.setattr(plain_reader, "number_calls", lambda messages: messages.pop())
    receipt = made.lines("f", 4, [line] * 3).receipt
    assert [(each.line, each.reason) for each in receipt.fault_places] == [(4, plain_reader.FAULT)]


def test_a_text_that_a_row_carries_along_may_be_no_turn_of_it() -> None:
    said = [changed(PLAIN["calls"], "split", value=text) for text in ("x", "You have access to the following tools: x")]
    found, plain = disagreements([next(lines_of(row)) for row in said])
    assert found == []
    assert plain == len(said)


def test_few_rows_are_tried_where_each_declares_tools_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_reader, "SELDOM", 32)
    made, reader = converter()
    lines = [
        next(lines_of(changed(PLAIN["calls"], "tools", 0, "function", "description", value=f"Tool {at}.")))
        for at in range(96)
    ]
    reader._trust = 32
    assert read(made, lines) == read(ordinary(), lines)
    assert reader._trust == 0
    assert reader._rows.tools.read < 40
    known = lines[:1] * 48
    assert read(made, known) == read(ordinary(), known)
    assert reader._trust > 0


@each("options", [Options(source=None, target="hermes"), READ])
def test_the_first_rows_of_an_input_are_converted_step_by_step(options: Options) -> None:
    made = Converter(options, layouts.get("openai"), None)
    line = next(lines_of(PLAIN["calls"]))
    made.lines("f", 1, [line] * BATCH_ROWS)
    assert not {"planner", "plain_reader"} & vars(made).keys()
    made.lines("f", 1, [line])
    assert ("plain_reader" if options.only_read else "planner") in vars(made)


OTHERWISE = [{"only_read": False}, {"shared_tools": False}, {"account": True}, {"source": None}, {"source": "hermes"}]


@each("changes", OTHERWISE)
def test_other_conversations_are_read_step_by_step(changes: dict[str, Any]) -> None:
    made = Converter(replace(READ, **changes), layouts.get("openai"), None)
    assert made.plain_reader is None


def test_stats_and_select_read_rows_as_they_stand(tmp_path: Path) -> None:
    from toolconv.inspect.stats.run import count_rows
    from toolconv.select.run import SelectRun

    file = tmp_path / "rows.jsonl"
    row = next(lines_of(PLAIN["calls"])) + b"\n"
    file.write_bytes(row * 40)
    counts = count_rows([str(file)], Options())
    assert (counts.receipt.rows_in, counts.calls) == (40, 120)
    written: list[bytes] = []
    SelectRun(options=Options()).run([str(file)], lambda _, line: written.append(line))
    assert written == [row] * 40
