"""What size costs: time and memory of the real command on ten thousand to a million rows, and with two processes.

Takes some minutes and 1.5 GB of disk: ``python -m tests.benchmarks --scale``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks import linting, rows

MANY = (10_000, 100_000, 1_000_000)
LARGE = 500_000
"""Rows of the file that two processes share: 500 MB."""


class Spent(NamedTuple):
    """What a command took: seconds by the clock, seconds of CPU, and its peak memory in megabytes."""

    wall: float
    cpu: float
    peak: float


def _write_texts(path: Path, count: int) -> None:
    rows.write(path, rows.text_row(1_000), count)


def spent(*arguments: str) -> Spent:
    """Run ``toolconv`` in a process of its own."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "toolconv", *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:
        raise RuntimeError(f"toolconv {' '.join(arguments)} ended with {process.returncode}")
    return Spent(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def figures(folder: Path) -> list[dict[str, Any]]:
    """Microseconds of CPU a row and peak memory by the number of rows; ``--jobs 2`` to ``--jobs 1``."""
    found: list[dict[str, Any]] = []
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    commands = {
        "parse": (_write_texts, ["parse", "--from", "hermes", "-q", str(source), "-o", str(target)]),
        "lint": (linting.write_calls, ["lint", "--isolated", str(source)]),
    }
    for name, (write, command) in commands.items():
        for count in MANY:
            write(source, count)
            cost = spent(*command)
            found.append({"what": f"{name}, {count:,} rows", "µs a row": cost.cpu / count * 1e6, "MB": cost.peak})
    rows.write(source, rows.text_row(1_000), LARGE)
    command = ["convert", "--from", "hermes", "--to", "qwen3_xml", "-q", str(source), "-o", str(target)]
    one, two = (spent(*command, "--jobs", jobs).wall for jobs in ("1", "2"))
    found.append({"what": f"--jobs 2, {source.stat().st_size >> 20} MB", "times as fast": round(one / two, 2)})
    return found
