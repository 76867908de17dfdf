"""Rows that take a plan are written, and counted, exactly as the ordinary path does it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.conftest import each, exhaustive, nightly, toolconv
from tests.helpers.marked_rows import CALM
from tests.helpers.plan_rows import (
    ANSWER,
    ARGUMENTS,
    ORDER,
    PLAIN,
    SKY,
    USER,
    WEATHER,
    asked,
    call,
    changed,
    changed_lines,
    conversations,
    lines_of,
    random_row,
    result,
)
from toolconv import dialects, layouts, templates
from toolconv.cli.summary import report
from toolconv.convert.converter import BATCH_ROWS, Converter
from toolconv.convert.options import Options
from toolconv.convert.plans import planner as planners
from toolconv.convert.plans.plain_values import begins_as_prose, is_not_json, is_spaced, read_json, read_objects
from toolconv.convert.plans.plan import Plan
from toolconv.convert.plans.planner import Planner
from toolconv.convert.plans.turn_parts import TurnParts
from toolconv.convert.receipt import Place, Receipt
from toolconv.convert.result import Result
from toolconv.convert.windows import Window
from toolconv.core import jsontext
from toolconv.core.errors import ToolconvError
from toolconv.templates.output import TextOptions

HERMES = Options(target="hermes")
QWEN3 = Options(source=None, text=TextOptions(template="qwen3"))
TARGETS = {
    **{f"to {name}": Options(target=name) for name in dialects.names()},
    **{f"template {name}": Options(source=None, text=TextOptions(template=name)) for name in templates.names()},
}


def converter(options: Options) -> Converter:
    """A converter that takes plans from its first row on."""
    made = Converter(options, layouts.get("openai"), None)
    made._seen = BATCH_ROWS
    return made


def by_plan(options: Options) -> tuple[Converter, Planner] | None:
    """A converter whose plans are never checked; ``None`` if it makes none."""
    try:
        made = converter(options)
    except ToolconvError:  # a target that needs a source, or that nothing writes
        return None
    if made.planner is None:
        return None
    warm = [line for row in PLAIN.values() for line in list(lines_of(row))[:1] * 3]
    made.lines("f", 1, warm)
    return (made, made.planner) if any(made.planner._plans.values()) else None


def ordinary(options: Options) -> Converter:
    made = converter(options)
    made.planner = None
    return made


def account(result: Result) -> tuple[list[bytes], list[bytes], Receipt, bool]:
    return result.output, result.rejects, result.receipt, result.failed


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans are made, and used, without a look at what the ordinary path makes of any row."""
    monkeypatch.setattr(planners, "FIRST", 0)
    monkeypatch.setattr(planners, "OFTEN", 1 << 60)
    monkeypatch.setattr(planners, "PATIENCE", 1 << 60)


@cache
def many_lines(step: int, start: int) -> list[bytes]:
    random = Random(start)
    return changed_lines(step, start) + [
        random.choice(list(lines_of(random_row(random)))) for _ in range(3_000 // step)
    ]


def disagreements(options: Options, lines: list[bytes]) -> Iterator[bytes]:
    """The lines that a plan writes, or counts, otherwise than the ordinary path."""
    found = by_plan(options)
    if found is None:
        return
    made, planner = found
    other = ordinary(options)
    for line in lines:
        if planner._rows.read(line) is None:
            continue  # it takes the ordinary path
        three = [line] * 3  # the second makes a plan
        if account(made.lines("f", 1, three)) != account(other.lines("f", 1, three)):
            yield line


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.usefixtures("unchecked")
def test_plans_agree_with_the_ordinary_path(target: str) -> None:
    assert list(disagreements(TARGETS[target], many_lines(800, list(TARGETS).index(target)))) == []


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.usefixtures("unchecked")
def test_plans_of_known_turns_agree_with_the_ordinary_path(target: str) -> None:
    found = by_plan(TARGETS[target])
    if found is None:
        return
    made, other = found[0], ordinary(TARGETS[target])
    for seed in range(3):
        rows = islice(conversations(Random(f"{target} {seed}")), 30)
        lines = [list(lines_of(row))[at % 2] for at, row in enumerate(rows)]
        for line in lines:
            assert account(made.lines("f", 1, [line])) == account(other.lines("f", 1, [line])), line


@each("options", [HERMES, QWEN3])
@pytest.mark.usefixtures("unchecked")
def test_rows_of_known_turns_take_plans(options: Options) -> None:
    made = converter(options)
    assert made.planner is not None
    random = Random(0)
    shapes, taken = set(), 0
    for number in range(60):
        messages: list[dict[str, Any]] = []
        for first in range(0, 16, 2):
            messages.append(USER)
            if calls := [call(first + at, "get_weather", ARGUMENTS) for at in range(random.randrange(3))]:
                messages += [asked(*calls), *[result(first + at, SKY) for at in range(len(calls))]]
            messages.append(ANSWER)
        line = next(lines_of({"id": f"row-{number}", "tools": [CALM, ORDER], "messages": messages}))
        row = made.planner._rows.read(line)
        assert row is not None
        shapes.add(row.shape)
        taken += made.planner.made("f", 1, line.removesuffix(b"\n"), Receipt()) is not None
        assert account(made.lines("f", 1, [line])) == account(ordinary(options).lines("f", 1, [line]))
    assert len(shapes) > 50
    assert taken > 50


@nightly
@pytest.mark.parametrize("options", [HERMES, QWEN3, Options(target="kimi_k2"), Options(target="mistral")])
@pytest.mark.usefixtures("unchecked")
def test_plans_agree_on_all_changed_rows(options: Options) -> None:
    assert list(disagreements(options, many_lines(1, 0))) == []


@each("row", PLAIN.values())
@pytest.mark.usefixtures("unchecked")
def test_plain_rows_take_plans(row: dict[str, Any]) -> None:
    for options in (HERMES, QWEN3):
        made = converter(options)
        assert made.planner is not None
        for line in list(lines_of(row))[:3]:
            made.lines("f", 1, [line] * 2)
            (plan,) = made.planner._plans.values()
            assert plan is not None
        assert plan.uses == 5  # all but the first line of this shape


@pytest.mark.parametrize("options", [HERMES, QWEN3, Options(target="kimi_k2")])
@pytest.mark.usefixtures("unchecked")
def test_results_in_another_order_are_written_as_without_plans(options: Options) -> None:
    row = PLAIN["calls"]
    user, answer, first, second, *more = row["messages"]
    lines = [
        next(lines_of({**row, "messages": [user, answer, *results, *more]}))
        for results in ((second, first), (first, second))
    ]
    made = converter(options)
    for line in lines * 3:
        assert account(made.lines("f", 1, [line])) == account(ordinary(options).lines("f", 1, [line]))


def with_arguments(*arguments: dict[str, Any]) -> bytes:
    """The line of a row with two calls that have some arguments."""
    calls = [call(at, name, arguments[at]) for at, name in enumerate(("get_weather", "place_order"))]
    row = {"tools": [CALM, ORDER], "messages": [USER, asked(*calls), result(0, SKY), result(1, SKY), ANSWER]}
    return next(lines_of(row))


FILLINGS = [
    with_arguments(first, second)
    for first, second in ((ARGUMENTS, ARGUMENTS), ({}, {}), (ARGUMENTS, {}), ({}, ARGUMENTS))
]


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.usefixtures("unchecked")
def test_plans_agree_on_calls_with_and_without_arguments(target: str) -> None:
    for lines in (FILLINGS, FILLINGS[::-1]):
        found = by_plan(TARGETS[target])
        if found is not None:
            made, other = found[0], ordinary(TARGETS[target])
            assert account(made.lines("f", 1, lines * 3)) == account(other.lines("f", 1, lines * 3))


@pytest.mark.usefixtures("unchecked")
def test_calls_with_and_without_arguments_take_one_plan() -> None:
    for options in (HERMES, QWEN3):
        made = converter(options)
        assert made.planner is not None
        made.lines("f", 1, FILLINGS)
        (plan,) = made.planner._plans.values()
        assert plan is not None
        assert plan.uses == 3  # all but the first line


@exhaustive
def test_most_rows_of_the_benchmarks_take_plans(tmp_path: Path) -> None:
    from tests.benchmarks import shapes

    for shape in shapes.SHAPES:
        shapes.write(tmp_path / "rows", shape, 300)
        lines = (tmp_path / "rows").read_bytes().splitlines()
        made = converter(HERMES)
        assert made.planner is not None
        assert account(made.lines("f", 1, lines)) == account(ordinary(HERMES).lines("f", 1, lines))
        assert sum(plan.uses for plan in made.planner._plans.values() if plan is not None) > 250


# ── what no plan does ──

OTHER_OPTIONS = (
    {"redact": True}, {"account": True}, {"trainer": "trl"}, {"system": "x"}, {"declared": json.dumps([WEATHER])},
    {"only_read": True}, {"window": Window(10, len)}, {"reasoning": "qwen3"}, {"tools_for": "gemini"},
    {"text": TextOptions(template="qwen3", spans=True), "target": None},
)  # fmt: skip


@each("options", OTHER_OPTIONS)
def test_no_plans_with_other_options(options: dict[str, Any]) -> None:
    made = converter(Options(**{"target": "hermes", **options}))
    assert made.planner is None


def test_no_plans_for_other_layouts() -> None:
    assert Converter(HERMES, layouts.get("canonical"), None).planner is None
    assert Converter(HERMES, layouts.get("chat"), None).planner is None


def test_no_plan_for_a_row_whose_answer_stands_twice() -> None:
    made = converter(HERMES)
    assert made.planner is not None
    row = PLAIN["no call"]
    for text in ("Yes, it does.", row["messages"][-1]["content"]):
        line = next(lines_of({**row, "chosen": text, "rejected": "No idea."}))
        assert (made.planner._rows.read(line) is None) == (text == row["messages"][-1]["content"])


def test_no_plan_for_a_row_in_which_an_id_stands_twice() -> None:
    row = json.loads(json.dumps(PLAIN["call"]))
    turn = next(message for message in row["messages"] if message.get("tool_calls"))
    made = converter(HERMES)
    assert made.planner is not None
    for calls, is_plain in ((turn["tool_calls"], True), (turn["tool_calls"] * 2, False)):
        turn["tool_calls"] = calls
        (line, *_) = lines_of(row)
        assert (made.planner._rows.read(line) is not None) is is_plain


def test_long_lines_are_rejected_as_ever() -> None:
    (line, *_) = lines_of(PLAIN["call"])
    made = converter(Options(target="hermes", max_line=len(line)))
    assert made.lines("f", 1, [line] * 5).receipt.rejects == 0
    made = converter(Options(target="hermes", max_line=len(line) - 1))
    assert made.lines("f", 1, [line] * 5).receipt.rejects == 5


def test_spans_of_a_template_hold_no_places_of_other_rows() -> None:
    options = Options(source=None, text=TextOptions(template="qwen3", spans=True))
    rows = [changed(PLAIN["no call"], "messages", 0, "content", value="x" * n) for n in (5, 5, 5, 5, 6, 7)]
    lines = [line for row in rows for line in list(lines_of(row))[:1]]
    assert account(converter(options).lines("f", 1, lines)) == account(ordinary(options).lines("f", 1, lines))


def test_a_template_that_cuts_writes_the_same() -> None:
    options = Options(source=None, text=TextOptions(template="qwen3", cut=True, generate=True))
    lines = [line for row in PLAIN.values() for line in list(lines_of(row)) * 2]
    assert account(converter(options).lines("f", 1, lines)) == account(ordinary(options).lines("f", 1, lines))


@each(
    "options", [{"strict": True}, {"on_error": "fail"}, {"on_error": "reject"}, {"source": None}, {"keep_prompt": True}]
)
def test_the_account_is_the_same_with(options: dict[str, Any]) -> None:
    given = Options(**{"target": "hermes", **options})
    lines = [line for row in PLAIN.values() for line in list(lines_of(row)) * 2]
    lines[5:5] = lines[9:9] = [b"", b"  ", b"{", b'{"messages": [{"role": "user", "content": "x"}]}']
    assert account(converter(given).lines("f", 1, lines)) == account(ordinary(given).lines("f", 1, lines))


def test_another_day_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(source=None, text=TextOptions(template="midm-2.0"))
    made = converter(options)
    lines = list(lines_of(PLAIN["call"])) * 2
    for day in ("86400", "864000000"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", day)
        assert made.lines("f", 1, lines).output == ordinary(options).lines("f", 1, lines).output


# ── the check ──


class WrongPlan(Plan):
    """A plan that writes a line wrong."""

    __slots__ = ()

    def fill(self, values: list[Any]) -> bytes:
        return super().fill(values)[:-2] + b" \n"


def test_a_plan_that_disagrees_at_first_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = list(lines_of(PLAIN["call"])) * 3
    made = converter(HERMES)
    assert made.planner is not None
    right = TurnParts.plan
    monkeypatch.setattr(TurnParts, "plan", lambda *given: (plan := right(*given)) and wrong(plan))
    assert account(made.lines("f", 1, lines)) == account(ordinary(HERMES).lines("f", 1, lines))
    assert made.planner._plans == {} and len(made.planner._parts._never) == 1


def wrong(plan: Plan | None) -> WrongPlan:
    assert plan is not None
    made = WrongPlan.__new__(WrongPlan)
    for name in Plan.__slots__:
        setattr(made, name, getattr(plan, name))
    return made


def test_a_plan_that_disagrees_later_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planners, "OFTEN", 10)
    lines = list(lines_of(PLAIN["call"]))[:1] * 30
    made = converter(HERMES)
    assert made.planner is not None
    made.lines("f", 1, lines[:5])
    (shape,) = made.planner._plans
    made.planner._plans[shape] = wrong(made.planner._plans[shape])
    result = made.lines("f.jsonl", 101, lines)
    ((file, line, reason),) = result.receipt.fault_places
    assert (file, line, reason) == ("f.jsonl", 106, planners.FAULT)
    assert not result.receipt.clean
    assert result.output[5:] == ordinary(HERMES).lines("f", 1, lines).output[5:]


def test_the_summary_names_the_row_of_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    report(Receipt(rows_in=1, rows_out=1, fault_places=[Place("f.jsonl", 7, planners.FAULT)]))
    assert f"f.jsonl:7: internal error, please report: {planners.FAULT}" in capsys.readouterr().err


def test_a_fault_of_a_plan_costs_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plan, "fill", lambda self, values: 1 / 0)
    lines = list(lines_of(PLAIN["call"]))
    assert account(converter(HERMES).lines("f", 1, lines)) == account(ordinary(HERMES).lines("f", 1, lines))


def test_rows_without_plans_are_tried_less_and_less(monkeypatch: pytest.MonkeyPatch) -> None:
    row = changed(PLAIN["call"], "messages", 0, "content", value="a <b> c")
    made = converter(HERMES)
    assert made.planner is not None
    tried: list[bytes] = []
    read = made.planner._rows.read
    monkeypatch.setattr(made.planner._rows, "read", lambda line: tried.append(line) or read(line))
    (line, *_) = lines_of(row)
    first = -(-planners.PATIENCE // len(line))
    made.lines("f", 1, [line] * (first + 10 * planners.RARELY))
    assert len(tried) == first + 10
    (plain, *_) = lines_of(PLAIN["call"])
    made.lines("f", 1, [plain] * (6 * planners.RARELY))
    (plan,) = made.planner._plans.values()
    assert plan is not None
    assert plan.uses > 2 * planners.RARELY  # it found that rows are plain again


def test_few_shapes_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planners, "SHAPES", 4)
    made = converter(HERMES)
    assert made.planner is not None
    for turns in range(1, 20):
        row = {**PLAIN["no call"], "messages": [USER, ANSWER] * turns}
        (line, *_) = lines_of(row)
        assert len(made.lines("f", 1, [line] * 4).output) == 4
        assert len(made.planner._plans) <= 4


# ── JSON ──


@each(
    "value",
    [
        {}, {"a": 1}, {"a": [1, 2]}, {"a": ["b", "c"], "d": {"e": "f"}}, {"a": "b,c", "d": "e, f"}, {"a": "b,"}, {"a,": "b"},
        {"a": "b: c"}, {"a:": ":"}, [1, "a", {"b": []}], {"a": "\u00e4"}, {"a": 'b"c'}, {"a": "b\\u00fc"}, {"a": "\n"}, "a, b", 1.5,
        {"a": 1e15, "b": "e9"},
        {"a": 0.0001},
        {"a": ",{"}, {"a": ", {"}, {"a": '["x", {"y": 1}]'}, {"a": [[], {}]}, {"a": [True, None]}, {"\u6771": "\U0001f44d"},
    ]
)  # fmt: skip
def test_json_is_read_with_how_it_is_written(value: Any) -> None:
    spaced = jsontext.spaced(value).encode()
    compact = jsontext.compact(value).encode()
    for text in (spaced, compact, json.dumps(value).encode()):
        read = read_json(text)
        assert (read.value, read.spaced, read.compact) == (value, spaced, compact)
    if spaced != compact:
        assert not is_spaced(compact, compact)


@each(
    "text",
    [
        '{"a": 1, "a": 2}', '{"a": 123456789012345678901234}', '{"a": 1e-400}', '{"a": "\\ud800"}', "{", "",
        '{"a": {"b": 1, "b": 1}}', "[" * 300 + "]" * 300, '{"\\u0061": 1, "a": 2}',
    ]
)  # fmt: skip
def test_json_that_would_not_be_written_back_is_not_read(text: str) -> None:
    with pytest.raises(ValueError):
        read_json(text.encode())


@each(
    "texts",
    [
        ['{"a": [{"b": 1}', '{"c": 2}]}', '{"d": 3}, {"e": 4}'], ['{"a": 1}, {"b": 2}'], ['{"a": "|"}'], ['{"a": null}'],
        ['{"a": 1, "a": 2}', '{"b": 3}'], ['{"a":  1}'], ['{"a": 1e16}'], ['{"a": 1e-7}'], ['{"a": 0.00001}'], ["[1]"],
        ['{"content": "a"}'], ['{"a": 1', '{"b": 2}'], [""],
    ]
)  # fmt: skip
def test_objects_that_would_not_be_written_back_are_not_read(texts: list[str]) -> None:
    assert read_objects(texts) is None


def test_objects_are_read_each_with_its_spelling() -> None:
    texts = ['{"a": [1, 2], "b": "c,d"}', '{"a":"b, c"}', "{}"]
    assert read_objects(texts) == (
        [{"a": [1, 2], "b": "c,d"}, {"a": "b, c"}, {}],
        [b'{"a":[1,2],"b":"c,d"}', b'{"a":"b, c"}', b"{}"],
        [True, False, True],
    )


# ── through the command ──


@exhaustive
def test_the_command_writes_the_same_with_any_number_of_jobs(tmp_path: Path) -> None:
    from tests.benchmarks import shapes

    rows = tmp_path / "rows.jsonl"
    shapes.write(rows, "varied", 700)
    outputs = []
    for number, options in enumerate((("--jobs", "1"), ("--jobs", "2"), ("--jobs", "1", "--receipt", "r.json"))):
        name = str(tmp_path / f"{number}.jsonl")
        run = toolconv("convert", "--to", "hermes", *options, str(rows), "-o", name, cwd=tmp_path)
        outputs.append((run.status, run.err, Path(name).read_bytes()))
    assert outputs[0] == outputs[1]
    assert outputs[0][2] == outputs[2][2]  # with a receipt, all rows take the ordinary path


@each("text, plain", [
    *((text, False) for text in ("true", "false", "null", "NaN", "Infinity", "3", "3 days", "-1", "{", '"a"')),
    *((text, True) for text in ("True", "truer", "nulls", "N", "Rome", "é")),
])  # fmt: skip
def test_a_text_that_spells_no_json_value(text: str, plain: bool) -> None:
    assert is_not_json(text) is plain


@each(
    "text, prose",
    [
        ("Up?", True),
        ("3 days", True),
        ("é", True),
        (" Up?", False),
        ("Up? ", False),
        ("Up?\n", False),
        ("<a>", False),
        (3, False),
    ],
)
def test_a_text_that_begins_as_prose(text: Any, prose: bool) -> None:
    assert begins_as_prose(text) is prose
