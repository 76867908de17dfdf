"""The tests are the same ones everywhere: workers that collect others than their neighbours run none at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT, exhaustive, pytest_make_parametrize_id
from tests.helpers.command import TIMEOUT

LATER = """\
import sys, time
now, local = time.time, time.localtime
time.time = lambda: now() + float(sys.argv[1])
time.localtime = lambda *given: local(*(given or (time.time(),)))
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""
"""Runs pytest as if the clock were so many seconds fast."""


def collected(folder: Path, seconds: int, **env: str) -> list[str]:
    """The ids of all tests, in order, that a process collects with its clock so many seconds fast."""
    folder.mkdir()
    options = ["--collect-only", "-o", "addopts=", "-q", "-p", "no:cacheprovider", "--rootdir", ROOT, ROOT / "tests"]
    done = subprocess.run(
        [sys.executable, "-c", LATER, str(seconds), *map(str, options)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder), "TMPDIR": str(folder), **env},
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return [line for line in done.stdout.splitlines() if "::" in line]


@exhaustive
def test_every_process_collects_the_same_tests(tmp_path: Path) -> None:
    """Whatever the hash seed, the time, the home, the language and the installed programs.

    Their order, too: pytest-xdist compares what its workers, of other hash seeds, collect.
    """
    there = collected(tmp_path / "there", 400 * 24 * 3600 + 3, PYTHONHASHSEED="2", TZ="Asia/Tokyo", LC_ALL="C", PATH="")
    here = collected(tmp_path / "here", 0, PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C.UTF-8")
    assert len(here) > 5_000
    assert len(set(here)) == len(here)
    assert here == there


def test_bytes_are_no_part_of_an_id() -> None:
    """Compressed data, for example, holds the time."""
    assert pytest_make_parametrize_id(b"\x1f\x8b\x08", "data") == "data"
    assert pytest_make_parametrize_id("data", "text") is None
