"""What templates look at: where it is more than a turn's neighbours, all turns of a row are one part of its plan."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

import pytest

from tests.conftest import each
from tests.convert.test_plans import account, converter, ordinary, unchecked
from tests.helpers.marked_rows import CALM
from tests.helpers.plan_rows import ANSWER, ARGUMENTS, PLAIN, SKY, SYSTEM, USER, asked, call, lines_of, result
from toolconv import templates
from toolconv.convert.options import Options
from toolconv.convert.plans.plain_rows import RowShape
from toolconv.convert.plans.plan import by_example
from toolconv.convert.plans.turn_parts import TurnParts
from toolconv.templates.output import TextOptions

__all__ = ["unchecked"]

FURTHER: Final = {
    "kimi-k2": "the number of a call in its row",
    "kimi-k2-thinking": "the number of a call in its row",
    "kimi-k2.5": "the number of a call in its row",
    "kimi-k2.7-code": "the number of a call in its row",
}
"""The templates that look further than plans of turns do, and at what."""
DATED: Final = frozenset({"midm-2.0", "solar-open-100b"})
"""Those, of the templates with plans, that write a date."""
TURNS: Final = ((), (2,), (1, 1))
"""How many calls each turn between a question and its answer has."""


def options(template: str) -> Options:
    return Options(source=None, text=TextOptions(template=template))


def conversations() -> Iterator[tuple[tuple[int, ...], ...]]:
    """All of up to three questions, and some of many."""
    for length in (1, 2, 3):
        yield from product(TURNS, repeat=length)
    yield ((1,),) * 12
    yield ((2, 2, 2),) * 4
    yield ((), *[(1, 1)] * 5, ())


def row(turns: tuple[tuple[int, ...], ...], *, system: bool, own_ids: bool, spoken: bool) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [SYSTEM] * system
    count = 0
    for counts in turns:
        messages.append(USER)
        for calls in counts:
            made: list[int | str] = [f"call_aB3dE5fG7h{at:03}" if own_ids else at for at in range(count, count + calls)]
            count += calls
            messages.append(asked(*[call(each, "get_weather", ARGUMENTS) for each in made], content="So." * spoken))
            messages += [result(each, SKY) for each in made]
        messages.append(ANSWER)
    return {"tools": [CALM], "messages": messages}


FORMS: Final = [
    {"system": system, "own_ids": own_ids, "spoken": spoken}
    for system, own_ids, spoken in ((False, False, False), (True, True, True))
]


@pytest.mark.sweep(every=8)
@pytest.mark.parametrize("template", templates.names())
def test_a_turn_is_written_by_its_neighbours_alone(template: str) -> None:
    """In all short conversations, parts that are known by the same key are the same, but for some templates."""
    made = converter(options(template))
    if made.planner is None:
        return
    differ = False
    for form in FORMS:
        rows = made.planner._rows
        parts = TurnParts(rows, made._converted, 2, 1_000)
        for turns in conversations():
            read = rows.read(next(lines_of(row(turns, **form))))
            if read is None:  # the template's dialect has no plain calls
                continue
            example = by_example(RowShape(*read.shape), rows, made._converted)
            differ = differ or (example is not None and not parts._take(read.shape, *example))
    assert differ == (template in FURTHER)


@each("template", FURTHER)
@pytest.mark.usefixtures("unchecked")
def test_rows_of_templates_that_look_further_take_plans_of_whole_rows(template: str) -> None:
    made = converter(options(template))
    assert made.planner is not None
    lines = [next(lines_of(row(turns, **FORMS[0]))) for turns in (((1,), (1,)), ((1,), (1,), (2,)))] * 4
    assert account(made.lines("f", 1, lines)) == account(ordinary(options(template)).lines("f", 1, lines))
    assert not made.planner._parts.by_turns
    assert len(made.planner._plans) == 2


@pytest.mark.sweep(every=8)
@pytest.mark.parametrize("template", templates.names())
@pytest.mark.usefixtures("unchecked")
def test_plans_are_of_the_day(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = converter(options(template))
    if made.planner is None:
        return
    lines = list(lines_of(PLAIN["call"]))[:1] * 3
    written: list[bytes] = []
    for day in ("86400", "864000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", day)
        result = made.lines("f", 1, lines)
        assert account(result) == account(ordinary(options(template)).lines("f", 1, lines))
        written.append(result.output[-1])
    if made.planner._plans:
        assert (json.loads(written[0]) != json.loads(written[1])) == (template in DATED)


@each("template", ["qwen3", "qwen2.5"])
@pytest.mark.usefixtures("unchecked")
def test_a_part_takes_values_from_behind_the_messages(template: str) -> None:
    made = converter(options(template))
    assert made.planner is not None
    behind = {"messages": row(((1,), (2,)), **FORMS[1])["messages"], "id": "a", "tools": [CALM]}
    lines = [next(lines_of(behind))] * 4
    assert account(made.lines("f", 1, lines)) == account(ordinary(options(template)).lines("f", 1, lines))
    assert made.planner._parts.by_turns
    assert len(made.planner._plans) == 1
