"""CONTRIBUTING is true: its files are written into a copy of the project, and its commands are run there.

A block after a line that ends with a file's name and ``:`` goes to that file: a ``diff`` changes it, any other is the
whole file, or is added at its end.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.conftest import ROOT, exhaustive, nightly
from tests.helpers.command import TIMEOUT
from tests.helpers.console_blocks import add_programs, commands, printed

PAGE = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")


class Block(NamedTuple):
    """What the page shows of a file."""

    before: str
    path: str
    language: str
    text: str


BLOCKS = [Block(*parts) for parts in re.findall(r"(?ms)^([^\n]*)`([\w./-]+)`:\n\n```(\w+)\n(.*?)^```$", PAGE)]


def put(block: Block, path: Path) -> None:
    """Write what a block shows."""
    if block.language == "diff":
        lines = block.text.splitlines(keepends=True)
        before, after = ("".join(line[1:] for line in lines if line[0] in kept) for kept in (" -", " +"))
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, path
        path.write_text(text.replace(before, after), encoding="utf-8")
    elif block.before.startswith("At the end of"):
        path.write_text(f"{path.read_text(encoding='utf-8')}\n\n{block.text}", encoding="utf-8")
    else:
        assert not path.exists(), f"{path} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands run, one after the other: a copy that follows the page, with no ``../shared`` beside it."""
    copy = tmp_path_factory.mktemp("contributing") / "project"
    for name in ("toolconv", "tests", "fixtures", "man", "completions"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", ".pre-commit-hooks.yaml", "README.md"):
        shutil.copy(ROOT / name, copy)
    for block in BLOCKS:
        put(block, copy / block.path)
    add_programs(copy, copy)
    return copy


@exhaustive
def test_every_command_prints_what_the_page_says(copy: Path) -> None:
    without = 0
    for command, output in commands(PAGE):
        if "jq " in command and not shutil.which("jq"):
            without += 1
            continue
        actual = printed(command, copy, copy, HYPOTHESIS_PROFILE="quick")
        assert actual == output, f"update .github/CONTRIBUTING.md, or mend what it shows: {command}"
    if without:
        pytest.skip(f"{without} commands need jq, which is not installed; all others were run")


@nightly
@pytest.mark.parametrize(
    "tests", ["-n auto", "-m 'not nightly' -k 'at_calls or acme or TC390'"], ids=["all", "of each"]
)
def test_what_it_adds_passes_all_tests(tests: str, copy: Path) -> None:
    command = f"python -m toolconv.manual && python -m pytest {tests} tests --ignore tests/project"
    actual = printed(f"{command} && echo passed", copy, copy, timeout=6 * TIMEOUT, CI="true")
    assert actual.endswith("\npassed\n"), actual


@pytest.mark.parametrize("check", ["ruff check", "ruff format --check", pytest.param("mypy", marks=exhaustive)])
def test_what_the_page_shows_passes_the_checks(check: str, copy: Path) -> None:
    if importlib.util.find_spec(check.split()[0]) is None:
        pytest.skip(f"{check} is not installed")
    files = [block.path for block in BLOCKS if re.fullmatch(r"toolconv/.*\.py", block.path)]
    actual = printed(f"python -m {check} {' '.join(files)} && echo passed", copy, copy)
    assert actual.endswith("\npassed\n"), f"mend the code in .github/CONTRIBUTING.md: {actual}"


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("toolconv/dialects/formats/at_calls.py", 30),
        ("toolconv/layouts/formats/acme_log.py", 50),
        ("toolconv/lint/rules/tc3_text.py", 25),
        ("toolconv/templates/acme.py", 10),
        ("toolconv/trainers/acme_tune.py", 15),
    ],
)
def test_an_addition_is_short(path: str, limit: int) -> None:
    (text,) = (block.text for block in BLOCKS if block.path == path)
    if path.startswith("toolconv/templates/"):  # what imports and the page's docstring leave
        text = text[text.index("TEMPLATE = ") :]
    assert len(text.splitlines()) <= limit


def test_every_file_that_the_page_names_is_there(copy: Path) -> None:
    named = re.findall(r"(?<![\w./])(?:toolconv|tests|fixtures|\.ci)/[\w./-]*\w", PAGE)
    absent = [name for name in named if not (copy / name).exists() and not (ROOT / name).exists()]
    absent = [name for name in absent if "NAME" not in name]
    assert not absent, "update these paths in .github/CONTRIBUTING.md"
