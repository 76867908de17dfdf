"""The README is true: every console block is run and its output compared, the library example too."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[tuple[str, str]]:
    """The commands of the console blocks, each with what it prints."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", README, re.S):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the commands run, one after the other: a folder with ``fixtures`` in it and ``toolconv`` on the path."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "fixtures").symlink_to(ROOT / "fixtures")
    script = folder / "bin" / "toolconv"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} -m toolconv "$@"\n')
    script.chmod(0o755)
    return folder


@pytest.mark.parametrize(("command", "output"), commands(), ids=[command[:60] for command, _ in commands()])
def test_command(command: str, output: str, folder: Path) -> None:
    if "jq " in command and not shutil.which("jq"):
        pytest.skip("jq is not installed")
    done = subprocess.run(
        ["bash", "-c", command + " 2>&1"],
        cwd=folder,
        env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.decode() == output


def test_library_example() -> None:
    failures, tests = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tests >= 3
    assert failures == 0
