"""Rows with calls in texts take plans, too, and are written, and counted, exactly as the ordinary path does it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each, exhaustive, nightly
from tests.convert.test_plans import FILLINGS, account, unchecked
from tests.helpers.marked_rows import STRUCTURED, changed_rows, in_column, in_text_column, in_turns, written_in
from tests.helpers.plan_rows import ANSWER, changed, lines_of
from toolconv import dialects, layouts
from toolconv.convert.converter import BATCH_ROWS, Converter
from toolconv.convert.options import Options
from toolconv.convert.plans import marked_rows
from toolconv.core import jsontext
from toolconv.core.errors import ToolconvError
from toolconv.dialects.responses import may_be_responses
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


def rows_in(dialect: str) -> list[dict[str, Any]]:
    return [row for each in STRUCTURED.values() if (row := written_in(dialect, each)) is not None]


FORMS: dict[str, tuple[str, str, Any, Any]] = {
    "turns": ("hermes", "hermes", None, in_turns),
    "turns of another layout": ("sharegpt", "hermes", None, in_turns),
    "messages under another key": (
        "sharegpt",
        "hermes",
        None,
        lambda line: line.replace(b'"messages":', b'"conversations":'),
    ),
    "column": ("openai", "hermes", in_column, None),
    "text column": ("openai", "hermes", in_text_column, None),
    "turns, text column": ("hermes", "hermes", in_text_column, in_turns),
}
"""By name: the layout, the dialect, and what makes the row, and its line, from one of the layout ``chat``."""


def converter(options: Options, layout: str = "chat", shown: str = "hermes") -> Converter:
    """The converter for inputs whose first rows show a dialect, unless that is named."""
    assert options.source is not None
    source = dialects.get(shown if options.source == "auto" else options.source)
    made = Converter(options, layouts.get(layout), source)
    made._seen = BATCH_ROWS
    return made


def ordinary(options: Options, layout: str = "chat", shown: str = "hermes") -> Converter:
    made = converter(options, layout, shown)
    made.planner = None
    return made


def disagreements(
    options: Options, lines: Iterable[bytes], layout: str = "chat", shown: str = "hermes"
) -> Iterator[bytes]:
    """The lines that a plan writes, or counts, otherwise than the ordinary path."""
    try:
        made = converter(options, layout, shown)
    except ToolconvError:  # a source that is only structure
        return
    if made.planner is None:
        return
    other = ordinary(options, layout, shown)
    for line in lines:
        if made.planner._rows.read(line) is None:
            continue  # it takes the ordinary path
        three = [line] * 3  # the second makes a plan
        if account(made.lines("f", 1, three)) != account(other.lines("f", 1, three)):
            yield line


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.usefixtures("unchecked")
def test_plans_agree_with_the_ordinary_path(name: str) -> None:
    options = ALL[name]
    step, start = (800, list(ALL).index(name)) if name in SOURCES else (120, list(ALL).index(name))
    assert list(disagreements(options, changed_rows(str(options.source), step, start))) == []


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize("name", dialects.names())
@pytest.mark.usefixtures("unchecked")
def test_plans_agree_where_the_first_rows_show_the_dialect(name: str) -> None:
    step, start = (120, 0) if name == "hermes" else (1200, dialects.names().index(name))
    assert list(disagreements(Options(), changed_rows(name, step, start), shown=name)) == []


@each("name", ["granite4", "hf"])
@each("form", [in_column, in_text_column])
@pytest.mark.usefixtures("unchecked")
def test_calls_are_counted_for_the_dialect_that_the_first_rows_show(name: str, form: Any) -> None:
    """Where it shares its markers with Hermes, and the tools, which are not in a prompt of its own, don't tell it."""
    rows = [row for each in STRUCTURED.values() if (row := written_in(name, each, form)) is not None]
    assert rows
    lines = [line for row in rows for line in lines_of(row)]
    made, other = (make(Options(), shown=name) for make in (converter, ordinary))
    for line in lines * 2:
        assert account(made.lines("f", 1, [line] * 3)) == account(other.lines("f", 1, [line] * 3))


@pytest.mark.sweep(every=24)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [HERMES, Options(), OTHERS["hermes to openai"], OTHERS["hermes in qwen3"]])
@pytest.mark.usefixtures("unchecked")
def test_plans_agree_in_other_forms(form: str, options: Options) -> None:
    layout, dialect, of_row, of_line = FORMS[form]
    rows = changed_rows(dialect, 200, list(FORMS).index(form), *([of_row] if of_row else []))
    lines = [line for each in rows if (line := of_line(each) if of_line else each) is not None]
    assert list(disagreements(options, lines, layout, dialect)) == []


@each("name", dialects.names())
def test_no_dialect_reads_prose_of_the_user_as_a_result(name: str) -> None:
    """Plans don't ask the dialect about it: markup with words is asked for once, for all dialects."""
    chat = dialects.get(name).chat
    beginning = chat.results_begin.strip()
    assert not beginning[:1].isalnum() or may_be_responses(beginning)
    assert chat.read_responses("user", "Is it so: 1 of 2?") is None


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


@pytest.mark.usefixtures("unchecked")
def test_calls_with_and_without_arguments_take_one_plan() -> None:
    lines = [with_texts(line) for line in FILLINGS]
    for options in (HERMES, OTHERS["hermes to openai"], OTHERS["hermes in qwen3"], OTHERS["hermes to qwen3_xml"]):
        made = converter(options)
        assert made.planner is not None
        assert account(made.lines("f", 1, lines)) == account(ordinary(options).lines("f", 1, lines))
        (plan,) = made.planner._plans.values()
        assert plan is not None
        assert plan.uses == 3  # all but the first line


def with_texts(line: bytes) -> bytes:
    """A row whose calls are structure, with these in texts."""
    row = written_in("hermes", json.loads(line))
    assert row is not None
    return jsontext.dumps(row)


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
    "a list of arguments": (
        '{"city": "Köln", "days": 3, "share": 0.5, "tags": ["a", "b"], "more": {"deep": true}}',
        "[1]",
        2,
    ),
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


@each("new,is_plain", [('"days": 3', True), ('"days": "3"', False), ('"days": "three"', False)])
def test_calls_that_the_target_may_not_carry_take_no_plan(new: str, is_plain: bool) -> None:
    """Between tags, a number that its schema asks for is a number again, but a text there isn't a text."""
    first, line = with_arguments('{"city": "Köln", "days": 3}'), with_arguments(f'{{"city": "Köln", {new}}}')
    for name, expected in (("hermes to openai", True), ("hermes to qwen3_xml", is_plain)):
        made = converter(OTHERS[name])
        assert made.planner is not None
        for _ in range(2):
            assert (made.planner._rows.read(line) is not None) == expected
            assert made.planner._rows.read(first) is not None  # from now on the tool knows such arguments


def with_arguments(arguments: str) -> bytes:
    """The line of a row with a call, which has other arguments."""
    first, call, *rest = CALL["messages"][2]["content"].split("\n")
    before = call[: call.index('"arguments": ')]
    text = "\n".join((first, f'{before}"arguments": {arguments}}}', *rest))
    return next(lines_of(changed(CALL, "messages", 2, "content", value=text)))


def test_an_argument_that_may_wrap_all_others_takes_a_plan_only_beside_several() -> None:
    made = converter(HERMES)
    assert made.planner is not None
    for given, is_plain in (('{"a": 1, "b": 2, "input": {"city": "x"}}', True), ('{"input": {"city": "x"}}', False)):
        assert (made.planner._rows.read(with_arguments(given)) is not None) == is_plain


@each(
    "dialect,text",
    [("react", "Observation: dry"), ("glaive", "FUNCTION RESPONSE: dry"), ("minimax", "tool result: dry")],
)
def test_a_question_that_is_a_result_takes_no_plan(dialect: str, text: str) -> None:
    made = converter(Options(source=dialect))
    assert made.planner is not None
    for question, is_plain in ((text, False), ("It is dry", True)):
        line = next(lines_of({"messages": [{"role": "user", "content": question}, ANSWER]}))
        assert (made.planner._rows.read(line) is not None) == is_plain


def test_few_kinds_of_tags_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    line = next(lines_of(CALL))
    for most in (3, 4):  # calls and results have two each
        monkeypatch.setattr(marked_rows, "MOST_TAGS", most)
        made = converter(HERMES)
        assert made.planner is not None
        assert (made.planner._rows.read(line) is not None) == (most == 4)


@pytest.mark.usefixtures("unchecked")
def test_equal_calls_take_a_plan() -> None:
    text = CALL["messages"][2]["content"]
    lines = [next(lines_of(changed(CALL, "messages", 2, "content", value=f"{text}\n{text}")))] * 3
    for options in (HERMES, OTHERS["hermes to openai"]):
        made = converter(options)
        assert made.planner is not None
        assert account(made.lines("f", 1, lines)) == account(ordinary(options).lines("f", 1, lines))
        (plan,) = made.planner._plans.values()
        assert plan is not None
        assert plan.uses == 2  # all but the first line


@each(
    "turns,is_plain",
    [
        ([CALL["messages"][2]], True),
        ([CALL["messages"][2], CALL["messages"][3]], True),
        ([CALL["messages"][2], CALL["messages"][3], CALL["messages"][3]], True),
        ([CALL["messages"][2], CALL["messages"][2], CALL["messages"][3]], False),
        ([ANSWER, CALL["messages"][3]], False),
        ([CALL["messages"][2], ANSWER, CALL["messages"][3]], False),
    ],
)
@pytest.mark.usefixtures("unchecked")
def test_results_take_a_plan_only_right_after_their_calls(turns: list[Any], is_plain: bool) -> None:
    """Which call a result answers is seen in its part of the row."""
    rows = [{**CALL, "messages": [*CALL["messages"], CALL["messages"][1], *turns, ANSWER]}, CALL]
    lines = [next(lines_of(row)) for row in rows] * 3
    made = converter(HERMES)
    assert made.planner is not None
    assert (made.planner._rows.read(lines[0]) is not None) == is_plain
    assert account(made.lines("f", 1, lines)) == account(ordinary(HERMES).lines("f", 1, lines))


@each("form", FORMS)
@each("options", [HERMES, Options()])
@pytest.mark.usefixtures("unchecked")
def test_plain_rows_of_other_forms_take_plans(form: str, options: Options) -> None:
    layout, dialect, of_row, of_line = FORMS[form]
    made = converter(options, layout, dialect)
    assert made.planner is not None
    row = written_in("hermes", STRUCTURED["call"], *([of_row] if of_row else []))
    assert row is not None
    for line in list(lines_of(row))[:2]:  # with and without escapes
        made.lines("f", 1, [of_line(line) if of_line else line] * 3)
    assert made.planner._plans
    assert all(plan is not None and plan.uses >= 4 for plan in made.planner._plans.values())


@each("text,is_plain", [("It is dry.", True), ("It is dry (so far).", False), ("It is dry: rain() says so.", False)])
def test_prose_that_another_dialect_may_read_takes_no_plan(text: str, is_plain: bool) -> None:
    """Where no dialect is named, and the row has none but in its other turns."""
    made = converter(Options())
    assert made.planner is not None
    line = next(lines_of(changed(CALL, "messages", 4, "content", value=text)))
    assert (made.planner._rows.read(line) is not None) == is_plain


@each("shown,is_planned", [("hermes", True), ("qwen3_xml", False), (None, False)])
def test_turns_take_plans_if_all_their_rows_are_in_one_dialect(shown: str | None, is_planned: bool) -> None:
    """Turns with ``<tool_call>`` are rows of the layout ``hermes``, whose texts are Hermes' own, whatever others show."""
    source = None if shown is None else dialects.get(shown)
    for layout in ("sharegpt", "hermes"):
        assert (Converter(Options(), layouts.get(layout), source).planner is not None) == is_planned


@each("line,is_planned", [("<tool_call>", True), ("<function_call>", False)])
@pytest.mark.usefixtures("unchecked")
def test_rows_that_the_dialect_does_not_read_exactly_take_no_plan(line: str, is_planned: bool) -> None:
    made = converter(HERMES)
    assert made.planner is not None
    row = json.loads(json.dumps(CALL).replace("tool_call>", f"{line[1:]}"))
    made.lines("f", 1, list(lines_of(row))[:1] * 2)
    assert len(made.planner._plans) == is_planned
