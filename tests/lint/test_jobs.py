"""Several processes find what one finds, in the same order, byte for byte."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.conftest import FIXTURES
from tests.helpers.lint_rows import TOOL, row
from tests.lint.test_distributed import POOL
from toolconv.cli.group import cli
from toolconv.io import inputs as files_module
from toolconv.lint.model import source


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "BATCH_ROWS", 7)
    monkeypatch.setattr(files_module, "BLOCK_BYTES", 4_000)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two files with duplicates in and across them, mixed layouts and tools that differ."""
    monkeypatch.chdir(tmp_path)
    chosen = random.Random(8)
    rows: list[Any] = [*POOL * 4, *(row(number=number) for number in range(40))]
    names = ["a.jsonl", "b.jsonl"]
    for name in names:
        chosen.shuffle(rows)
        text = "".join(f"{json.dumps(each)}\n" for each in rows)
        Path(name).write_text(f"{text}\n{{not JSON\n[1]\n" if name == "a.jsonl" else text)
    return names


def lint(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["lint", "--isolated", *arguments])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "more", [[], ["--select", "ALL"], ["--output-format", "jsonl"], ["--statistics"], ["--filter"]]
)
def test_findings_are_the_same(files: list[str], more: list[str]) -> None:
    one, several = (lint(*files, *more, "--jobs", count) for count in "13")
    assert one.stdout
    assert (several.exit_code, several.stdout, several.stderr) == (one.exit_code, one.stdout, one.stderr)


@pytest.mark.exhaustive
def test_files_are_fixed_the_same(files: list[str]) -> None:
    before = [Path(name).read_bytes() for name in files]
    shown = [lint(*files, "--diff", "--unsafe-fixes", "--select", "ALL", "--jobs", count).output for count in "12"]
    assert shown[0] == shown[1] != ""
    fixed = []
    for count in "12":
        for name, text in zip(files, before, strict=True):
            Path(name).write_bytes(text)
        lint(*files, "--fix", "--unsafe-fixes", "--select", "ALL", "--jobs", count)
        fixed.append([Path(name).read_bytes() for name in files])
    assert fixed[0] == fixed[1] != before


@pytest.mark.parametrize("name", ["teacher.jsonl", "glaive.jsonl", "conversations.jsonl", "cut.jsonl"])
def test_fixtures(name: str) -> None:
    one, several = (lint(str(FIXTURES / name), "--select", "ALL", "--jobs", count) for count in "12")
    assert (several.stdout, several.stderr) == (one.stdout, one.stderr)


def test_an_array_of_rows(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([row(number=number % 20, tools=[TOOL]) for number in range(50)], indent=1))
    one, several = (lint(str(path), "--jobs", count) for count in "12")
    assert "exact-duplicate-row" in one.stdout
    assert several.stdout == one.stdout


def test_near_duplicates_are_found_across_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text(json.dumps(row(number=1)) + "\n")
    Path("b.jsonl").write_text(json.dumps(row(number=2)) + "\n")
    for count in "12":
        found = lint("a.jsonl", "b.jsonl", "--select", "TC509", "--output-format", "concise", "--jobs", count).stdout
        assert found.startswith("b.jsonl:1")
        assert "as a.jsonl:1" in found
