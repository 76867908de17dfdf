"""The top level of the repository holds what it is known to hold, and nothing that a commit took along."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.conftest import ROOT
from tests.helpers.command import TIMEOUT

FOLDERS = {"completions", "fixtures", "man", "tests", "toolconv"}
FILES = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml"}
MAY_BE_THERE = {"CONTRIBUTING.md"}  # or in .github


def unlisted(tracked: list[str]) -> set[str]:
    """The names at the top of tracked files that don't belong there; those of dot-files do."""
    folders = {name.partition("/")[0] for name in tracked if "/" in name}
    files = {name for name in tracked if "/" not in name}
    return {name for name in (folders - FOLDERS) | (files - FILES - MAY_BE_THERE) if not name.startswith(".")}


def test_the_top_level_has_its_layout() -> None:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    done = subprocess.run(
        [git, "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT, check=False
    )
    tracked = done.stdout.rstrip("\0").split("\0")
    if done.returncode or tracked == [""]:
        pytest.skip("not a git repository")
    assert unlisted(tracked) == set()
    assert {name.partition("/")[0] for name in tracked} >= FOLDERS | FILES


@pytest.mark.parametrize(
    ("name", "fits"),
    [("README.md", True), (".gitignore", True), (".ci/run", True), ("toolconv/cli/lint.py", True), ("counts.txt", False),
     ("notes/a.md", False), ("man", False), ("README.md/a", False)],
)  # fmt: skip
def test_other_names_are_told(name: str, fits: bool) -> None:
    assert unlisted([name]) == (set() if fits else {name.partition("/")[0]})
