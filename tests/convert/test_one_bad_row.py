"""One bad row costs one row: whatever stands at any place of it, no rule fails, and every command goes on."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from tests.conftest import FIXTURES, exhaustive, nightly, toolconv
from tests.helpers.lint_rows import lines, row
from tests.lint.test_guards import LAYOUTS, in_dialect, in_layout, lint_row, rich
from toolconv import dialects, layouts, trainers
from toolconv.core.tools import ToolIndex
from toolconv.dialects.turn_reader import TurnReader
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.selection import Selection

VALUES: list[Any] = [
    None, True, False, 0, -1.5, 10**24, "", "x", "{", '{"a": 1}', [], [1], ["x"], [{}], [[]], [None], {}, {"a": 1},
    {"type": ["x", {}]},
]  # fmt: skip
"""Values of every JSON type."""

DIALECTS = ("hermes", "react", "inkling", "qwen3_xml", "pythonic")
TARGETS = ("qwen3", "mistral-7b-v0.3", "glm-4.6", "llama-3.1", "gpt-oss", "openai")


def base() -> dict[str, Any]:
    """A row with most of what a schema, a call and a message may have."""
    value = rich()
    parameters = value["tools"][0]["function"]["parameters"]
    parameters["properties"] |= {
        "o": {
            "type": "object",
            "required": ["x"],
            "properties": {"x": {"$ref": "#/$defs/y"}},
            "minProperties": 1,
            "dependentRequired": {"x": ["y"]},
        },
        "u": {
            "oneOf": [
                {"type": "string", "pattern": "a+", "format": "date", "maxLength": 3},
                {"type": "number", "multipleOf": 2, "exclusiveMaximum": 5},
            ],
            "default": 1,
            "examples": [1],
        },
    }
    parameters["$defs"] = {"y": {"type": "array", "items": {"const": 1}, "uniqueItems": True, "maxItems": 3}}
    value["messages"][2]["reasoning_content"] = "because"
    value["system"] = "You can call tools"
    return value


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value inside a value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield (*path, key)
        yield from places(member, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a value with another one at a path."""
    whole = inner = copy.deepcopy(value)
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = copy.deepcopy(new)
    return whole


def bad_rows(value: dict[str, Any], share: int) -> Iterator[dict[str, Any]]:
    """Every ``share``-th of the rows that have another value at one place; the same ones in each run."""
    pairs = [(path, new) for path in places(value) for new in VALUES]
    for path, new in Random(share).sample(pairs, len(pairs) // share):
        yield replaced(value, path, new)


def linters() -> list[Linter]:
    """A linter with all rules, and one more with all for each trainer and target."""
    found = [Linter(selections=[Selection(("ALL",))])]
    for at, name in enumerate(trainers.names()):
        target = TARGETS[at % len(TARGETS)]
        options: dict[str, Any] = {f"TC60{number}": {"trainer": name, "target": target} for number in range(1, 5)}
        options |= {code: {"target": target} for code in ("TC207", "TC311", "TC410")}
        found.append(Linter(selections=[Selection(("ALL",))], options=options))
    return found


ORIGINS = [*LAYOUTS, *(f"in {name}" for name in DIALECTS)]


@pytest.mark.sweep(every=16)
@pytest.mark.parametrize(
    ("origin", "share"),
    [
        *((origin, 400) for origin in ORIGINS),
        *(pytest.param(origin, 100, marks=exhaustive) for origin in ORIGINS),
        *(pytest.param(origin, 4, marks=nightly) for origin in ORIGINS),
    ],
)
def test_no_rule_fails_whatever_stands_anywhere(origin: str, share: int) -> None:
    dialect = origin[3:] if origin.startswith("in ") else None
    value = in_dialect(base(), dialect) if dialect else in_layout(base(), origin)
    if value is None:
        pytest.skip("the layout can't hold the row")
    checks = linters()
    for number, bad in enumerate(bad_rows(value, share)):
        known = layouts.detect(bad)
        checked = checks[number % len(checks)].check(lint_row(bad, known.name if known else None, dialect))
        failed = [finding.message for finding in checked.findings if finding.code == "TC011"]
        assert failed == [], json.dumps(bad)
    assert [finding.message for each in checks for finding in each.finish() if finding.code == "TC011"] == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "command",
    [
        ("stats",),
        ("select", "--where", "calls > 0"),
        ("schema",),
        ("detect",),
        ("parse",),
        ("lint", "--isolated", "--exit-zero", "--select", "ALL"),
        ("lint", "--isolated", "--exit-zero", "--trainer", "trl", "--target", "qwen3"),
        ("lint", "--isolated", "--exit-zero", "--jobs", "2"),
        ("lint", "--isolated", "--filter", "-q", "-o", "-"),
        ("lint", "--isolated", "--select", "ALL", "--fix", "--unsafe-fixes", "-q"),
        ("diff", "-", FIXTURES / "glaive.jsonl"),
    ],
)
def test_no_command_ends_at_a_bad_row(command: tuple[object, ...]) -> None:
    bad = [each for origin in ("openai", "anthropic", "gemini", "sharegpt") for each in _some(origin)]
    run = toolconv(*command, stdin=lines(row(), *bad, row()))
    assert run.status in (0, 1), run.err
    assert "internal error" not in run.err


def _some(origin: str) -> list[dict[str, Any]]:
    value = in_layout(base(), origin)
    return [] if value is None else list(bad_rows(value, 150))


def test_a_tool_without_a_name_is_looked_for_in_no_text() -> None:
    tools = ToolIndex([{"type": "function", "function": {"name": "", "parameters": {"properties": {"city": {}}}}}])
    for dialect in [None, *dialects.all_dialects()]:
        read = TurnReader(dialect).read("\n\nIt is sunny.\ncity\nRome\n", tools)
        assert (read.calls, read.dropped) == ([], []), dialect


FAILING = [
    row(),
    {**row(), "tools": [{"type": "function", "function": {"name": "f", "parameters": {"required": False}}}]},
    row(arguments='{"city": "Rome"'),
]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_rows_with_faults_do_not_keep_the_others_from_being_checked(jobs: str) -> None:
    run = toolconv("lint", "--isolated", "--trainer", "trl", "--target", "qwen3", "--output-format", "jsonl",
                   "--jobs", jobs, stdin=lines(*FAILING, row("get_wether")))  # fmt: skip
    assert run.status == 1
    codes = {(finding["line"], finding["code"]) for finding in run.rows}
    assert {(2, "TC401"), (3, "TC108"), (3, "TC602"), (4, "TC101")} <= codes
    assert "TC011" not in {code for _, code in codes}
