"""Rows with calls in texts take plans, too, and are written, and counted, exactly as the ordinary path does it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each, exhaustive, nightly
from tests.convert.test_plans import account, unchecked
from tests.helpers.marked_rows import STRUCTURED, changed_rows, written_in
from tests.helpers.plan_rows import changed, lines_of
from toolconv import dialects, layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.plans import marked_rows
from toolconv.core.errors import ToolconvError
from toolconv.templates.output import TextOptions

__all__ = ["unchecked"]

HERMES = Options(source="hermes")
SOURCES = {f"from {name}": Options(source=name) for name in dialects.names()}
OTHERS = {
    "hermes to hermes": Options(source="hermes", target="hermes"),
    "hermes to openai": Options(source="hermes", to_layout="openai"),
    "hermes to mistral": Options(source="hermes", target="mistral"),
    "hermes to qwen3_xml": Options(source="hermes", target="qwen3_xml"),
    "hermes to glm45": Options(source="hermes", target="glm45"),
    "hermes to minimax_m2": Options(source="hermes", target="minimax_m2"),
    "hermes to deepseek_v32": Options(source="hermes", target="deepseek_v32"),
    "hermes, prompts kept": Options(source="hermes", keep_prompt=True),
    "hermes, strict": Options(source="hermes", strict=True),
    "hermes in qwen3": Options(source="hermes", text=TextOptions(template="qwen3")),
    "hermes in qwen3_coder": Options(source="hermes", text=TextOptions(template="qwen3-coder")),
}
ALL = {**SOURCES, **OTHERS}


def converter(options: Options) -> Converter:
    assert options.source is not None
    return Converter(options, layouts.get("chat"), dialects.get(options.source))


def ordinary(options: Options) -> Converter:
    made = converter(options)
    made.planner = None
    return made


def rows_in(dialect: str) -> list[dict[str, Any]]:
    return [row for each in STRUCTURED.values() if (row := written_in(dialect, each)) is not None]


def disagreements(options: Options, lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that a plan writes, or counts, otherwise than the ordinary path."""
    try:
        made = converter(options)
    except ToolconvError:  # a source that is only structure
        return
    if made.planner is None:
        return
    other = ordinary(options)
    for line in lines:
        if made.planner._rows.read(line) is None:
            continue  # it takes the ordinary path
        three = [line] * 3  # the second makes a plan
        if account(made.lines("f", 1, three)) != account(other.lines("f", 1, three)):
            yield line


@pytest.mark.sweep
@pytest.mark.parametrize("name", ALL)
@pytest.mark.usefixtures("unchecked")
def test_plans_agree_with_the_ordinary_path(name: str) -> None:
    options = ALL[name]
    step, start = (400, list(ALL).index(name)) if name in SOURCES else (60, 0)
    assert list(disagreements(options, changed_rows(str(options.source), step, start))) == []


@nightly
@pytest.mark.parametrize("name", ["from hermes", "hermes to hermes", "hermes in qwen3"])
@pytest.mark.usefixtures("unchecked")
def test_plans_agree_on_all_changed_rows(name: str) -> None:
    assert list(disagreements(ALL[name], changed_rows("hermes", 1, 0))) == []


@each("row", rows_in("hermes"))
@pytest.mark.usefixtures("unchecked")
def test_plain_rows_take_plans(row: dict[str, Any]) -> None:
    for options in (HERMES, OTHERS["hermes to openai"], OTHERS["hermes in qwen3"]):
        made = converter(options)
        assert made.planner is not None
        for line in list(lines_of(row))[:2]:  # with and without escapes
            made.lines("f", 1, [line] * 2)
        (plan,) = made.planner._plans.values()
        assert plan is not None
        assert plan.uses == 3  # all but the first line of this shape


@exhaustive
def test_most_rows_of_the_benchmarks_take_plans(tmp_path: Path) -> None:
    from tests.benchmarks.commands import jobs

    for shape in ("uniform", "varied", "own tools"):
        jobs(tmp_path, shape, 300)
        lines = (tmp_path / f"hermes-{shape}-300-1.jsonl").read_bytes().splitlines()
        made = converter(HERMES)
        assert made.planner is not None
        assert account(made.lines("f", 1, lines)) == account(ordinary(HERMES).lines("f", 1, lines))
        assert sum(plan.uses for plan in made.planner._plans.values() if plan is not None) > 200


# ── rows that take none ──

CALL = rows_in("hermes")[1]
NOT_PLAIN = {
    "a call of a tool that is not declared": ("get_weather", "get_weathers", 2),
    "a decorated name": ("get_weather", "get_weather_1", 2),
    "markup in a value": ("Köln", "<b>", 2),
    "a tag with an attribute": ("<tool_call>", '<tool_call id="1">', 2),
    "a number that is written otherwise": ("0.5", "0.50", 2),
    "a null": ("0.5", "null", 2),
    "a key twice": ('"days": 3', '"days": 3, "days": 4', 2),
    "a key that is no name": ('"days"', '"the days"', 2),
    "arguments like a declaration": ('"days": 3', '"properties": {"days": {}}', 2),
    "arguments like calls": ('"days": 3', '"tool_uses": []', 2),
    "markup in a description": ("Current weather", "<b>Current</b> weather", 0),
    "the end of the tools in a description": ("Current weather", "</tools> weather", 0),
    "a declaration that is spelled otherwise": ('"required": ["city"]', '"required":["city"]', 0),
    "two tools of a name": ('"place_order"', '"get_weather"', 0),
    "a tag with the name of a tool": ("tool_response>", "get_weather>", 3),
    "a result that names a call": ('"sky"', '"name"', 3),
    "an object in prose": ("rain", "{rain}", 1),
    "a call in the last answer": ("dry", "dry: get_weather", 4),
}


@each("old,new,at", NOT_PLAIN.values())
@pytest.mark.usefixtures("unchecked")
def test_no_plan_for(old: str, new: str, at: int) -> None:
    made = converter(HERMES)
    assert made.planner is not None
    rows = made.planner._rows
    text = CALL["messages"][at]["content"]
    assert old in text
    row = changed(CALL, "messages", at, "content", value=text.replace(old, new))
    plain, line = next(lines_of(CALL)), next(lines_of(row))
    assert rows.read(plain) is not None
    assert rows.read(line) is None
    lines = [plain, plain, line, plain]
    assert account(made.lines("f", 1, lines)) == account(ordinary(HERMES).lines("f", 1, lines))


@each(
    "row",
    [
        changed(CALL, "messages", 0, value={**CALL["messages"][0], "name": "x"}),
        changed(CALL, "messages", 0, "content", value="a system text 7071067811"),
        {**CALL, "messages": [CALL["messages"][0], *CALL["messages"]]},
        {**CALL, "messages": CALL["messages"][:-1]},
        {**CALL, "messages": []},
    ],
)
@pytest.mark.usefixtures("unchecked")
def test_no_plan_for_other_messages(row: dict[str, Any]) -> None:
    made = converter(HERMES)
    lines = [next(lines_of(CALL)), *[next(lines_of(row))] * 3]
    assert account(made.lines("f", 1, lines)) == account(ordinary(HERMES).lines("f", 1, lines))
    assert made.planner is not None
    assert all(plan is None for plan in made.planner._plans.values())


def test_few_kinds_of_tags_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    line = next(lines_of(CALL))
    for most in (3, 4):  # calls and results have two each
        monkeypatch.setattr(marked_rows, "MOST_TAGS", most)
        made = converter(HERMES)
        assert made.planner is not None
        assert (made.planner._rows.read(line) is not None) == (most == 4)


def test_equal_calls_take_no_plan() -> None:
    made = converter(HERMES)
    assert made.planner is not None
    text = CALL["messages"][2]["content"]
    row = changed(CALL, "messages", 2, "content", value=f"{text}\n{text}")
    assert made.planner._rows.read(next(lines_of(row))) is None


def test_no_plans_where_the_dialect_is_not_named() -> None:
    assert Converter(Options(), layouts.get("chat"), dialects.get("hermes")).planner is None
