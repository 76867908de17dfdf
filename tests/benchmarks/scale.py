"""What size costs: time and memory of the real command on ten thousand to a million rows; what two processes gain.

Takes some minutes and 1.5 GB of disk: ``python -m tests.benchmarks --scale``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks import rows, shapes

MANY = (10_000, 100_000, 1_000_000)
LARGE = 500_000
"""Rows of the files that two processes share: 500 MB."""


class Spent(NamedTuple):
    """What a command took: seconds by the clock, seconds of CPU, and its peak memory in megabytes."""

    wall: float
    cpu: float
    peak: float


def _write_texts(path: Path, count: int) -> None:
    rows.write(path, rows.text_row(1_000), count)


def _write_chats(path: Path, count: int) -> None:
    rows.write(path, rows.chat_row(1_000), count)


def _write_uniform(path: Path, count: int) -> None:
    shapes.write(path, "uniform", count)


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
    source, target = str(folder / "in.jsonl"), str(folder / "out.jsonl")
    written = "-q", source, "-o", target
    commands: dict[str, tuple[Callable[[Path, int], None], list[str]]] = {
        "parse": (_write_texts, ["parse", "--from", "hermes", *written]),
        "lint": (_write_uniform, ["lint", "--isolated", source]),
        "convert": (_write_texts, ["convert", "--from", "hermes", "--to", "qwen3_xml", *written]),
        "render": (_write_chats, ["render", "--template", "qwen3", *written]),
    }
    for name in ("parse", "lint"):
        write, command = commands[name]
        for count in MANY:
            write(Path(source), count)
            cost = spent(*command)
            found.append({"what": f"{name}, {count:,} rows", "µs a row": cost.cpu / count * 1e6, "MB": cost.peak})
    for name, (write, command) in commands.items():
        write(Path(source), LARGE)
        size = Path(source).stat().st_size >> 20
        one, two = (spent(*command, "--jobs", jobs).wall for jobs in ("1", "2"))
        found.append({"what": f"{name} --jobs 2, {size} MB", "times as fast": round(one / two, 2)})
    return found
