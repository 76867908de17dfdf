"""Findings by cause: what counts as one cause, and how the formats write it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each, exhaustive, toolconv
from tests.helpers.lint_rows import WRONG_NAME, lines, row
from toolconv.lint.engine.causes import MAX_CAUSES, MAX_PLACES, Causes
from toolconv.lint.model.finding import Finding, Level


def finding(line: int, message: str, level: Level = "error", cause: str | None = None, count: int = 1) -> Finding:
    return Finding("a.jsonl", line, None, "/x", "TC101", "undeclared-tool", level, message, count=count, cause=cause)


def causes(*found: Finding) -> list[tuple[int, int, list[int]]]:
    collected = Causes()
    for finding in found:
        collected.add(finding)
    return [(cause.count, cause.rows, [line for _, line in cause.places]) for cause in collected.by_weight()]


@each("found, expected", [
        ([finding(1, "'a' is 3"), finding(1, "'b' is 4"), finding(2, "'c' is 5")], [(3, 2, [1, 2])]),
        ([finding(1, "'a' is 3"), finding(2, "'b' was 4")], [(1, 1, [1]), (1, 1, [2])]),
        ([finding(1, "'a'", cause="a"), finding(2, "'b'", cause="b"), finding(3, "'a'", cause="a")],
         [(2, 2, [1, 3]), (1, 1, [2])]),
        ([finding(1, "m", "warning"), finding(2, "m", "warning"), finding(3, "m")], [(1, 1, [3]), (2, 2, [1, 2])]),
        ([finding(1, "m", count=40)], [(40, 1, [1])]),
        ([finding(0, "m")], [(1, 0, [0])]),
    ])  # fmt: skip
def test_what_one_cause_is(found: list[Finding], expected: list[tuple[int, int, list[int]]]) -> None:
    assert causes(*found) == expected


def test_a_fault_of_many_declarations_is_one_cause(tmp_path: Path) -> None:
    rows = [json.loads(json.dumps(row())) for _ in range(6)]
    for number, made in enumerate(rows):
        made["tools"][0]["function"]["name"] = made["messages"][1]["tool_calls"][0]["function"]["name"] = f"f{number}"
        made["tools"][0]["function"]["parameters"]["type"] = "dict"
    path = tmp_path / "a.jsonl"
    path.write_text(lines(*rows))
    out = toolconv("lint", str(path), "--select", "TC403", "--output-format", "grouped").out
    message = "for example: 'f0' has types that are not JSON Schema's: 'dict' (object)"
    assert f"  {message}; 6 tools: 'f0', 'f1', 'f2', 'f3', 'f4', … [--fix]\n" in out
    assert out.count("for example") == 1


@exhaustive
def test_memory_is_bounded() -> None:
    collected = Causes()
    for number in range(MAX_CAUSES + 50):
        collected.add(finding(number + 1, "m", cause=str(number)))
    assert len(list(collected)) == MAX_CAUSES + 1
    rest = next(cause for cause in collected if cause.is_rest)
    assert (rest.count, len(rest.places)) == (50, MAX_PLACES)


def many(count: int) -> str:
    tools = json.loads(json.dumps(row()))
    tools["tools"][0]["function"]["description"] = ""
    return lines(*[tools] * count, WRONG_NAME)


def test_grouped() -> None:
    run = toolconv("lint", "--select", "TC101,TC406", "--output-format", "grouped", stdin=many(20))
    assert run.status == 1
    assert run.out.splitlines() == [
        "TC101 undeclared-tool (error)",
        "  'get_wether' is not declared; did you mean 'get_weather'?",
        "    1 of 21 rows (4.8 %): <stdin>:21 at /messages/1/tool_calls/0",
        "",
        "TC406 vague-description (warning)",
        "  'get_weather' has no description",
        "    20 of 21 rows (95.2 %): <stdin>:1, 2, 3, 4, 5, … at /tools/0/function/description",
        "",
    ]
    limited = toolconv(
        "lint", "--select", "TC101,TC406", "--output-format", "grouped", "--max-findings", 1, stdin=many(20)
    )
    assert "TC406" not in limited.out
    assert limited.err.startswith("… and 20 more\n")


def test_github_has_one_annotation_for_a_cause() -> None:
    run = toolconv("lint", "--select", "TC101,TC406", "--output-format", "github", stdin=many(20))
    first, second = run.out.splitlines()
    assert first.startswith("::error ") and "did you mean" in first
    assert second.endswith("'get_weather' has no description (20 of 21 rows (95.2 %25): <stdin>:1, 2, 3, 4, 5, …)")


def test_causes_of_all_rules_come_before_further_ones_of_a_rule() -> None:
    collected = Causes()
    for line in range(9):
        collected.add(finding(line, "x", cause=str(line % 3)))
    collected.add(replace(finding(10, "y"), code="TC102"))
    assert [cause.first.code for cause in collected.chosen(2)] == ["TC101", "TC102"]
    assert len(collected.chosen(None)) == 4


def test_a_cause_with_different_messages_gives_an_example() -> None:
    collected = Causes()
    cause = collected.add(finding(1, "the tool 'f'"))
    assert collected.add(finding(2, "the tool 'f'")).message == "the tool 'f'"
    assert collected.add(finding(3, "the tool 'g'")) is cause
    assert cause.message == "for example: the tool 'f'"


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
@pytest.mark.parametrize(("count", "is_grouped"), [(20, False), (150, True)])
def test_a_terminal_shows_many_findings_by_cause(tmp_path: Path, count: int, is_grouped: bool) -> None:
    (tmp_path / "a.jsonl").write_text(many(count), encoding="utf-8")
    leader, follower = pty.openpty()
    command: list[Any] = [sys.executable, "-m", "toolconv", "lint", "--select", "TC406", "--isolated", "a.jsonl"]
    environment = {**os.environ, "NO_COLOR": "1"}
    with subprocess.Popen(
        command, stdout=follower, stderr=subprocess.DEVNULL, cwd=tmp_path, env=environment
    ) as process:
        os.close(follower)
        text = b""
        while True:
            try:
                piece = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            text += piece
    os.close(leader)
    assert process.returncode == 1
    assert (b"TC406 vague-description (warning)" in text) == is_grouped
    assert text.count(b"has no description") == (1 if is_grouped else count)
