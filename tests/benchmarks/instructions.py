"""What every command costs in instructions, which other work on the machine doesn't change: counted by cachegrind.

``python -m tests.benchmarks.instructions`` writes ``instructions.json``: thousands of instructions a row, by command,
shape and size, beside those of the floor (``script_floor.py``) and of the scripts that a user would write with orjson;
and millions of instructions of the first row, start-up and all. A row's count is the difference between two numbers of
rows, divided by it. ``tests/test_instructions.py`` compares.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import orjson

from tests.benchmarks.commands import jobs

FILE: Final = Path(__file__).with_suffix(".json")
FEW, MANY = 300, 900
"""Rows of one exchange; of 14 exchanges, a fifth of them."""
SIZES: Final = {"1 KB": 1, "10 KB": 14}
"""How many exchanges a row has."""
SHAPES: Final = ("uniform", "varied", "own tools")
MEASURED: Final = (
    "parse --from hermes",
    "convert hermes to qwen3_xml",
    "convert openai to hermes",
    "render --template qwen3",
    "lint",
    "stats",
    "select --calls 1..",
)
"""The commands, of those of :mod:`tests.benchmarks.commands`; beside them the scripts and the floors."""
VALGRIND: Final = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
START: Final = "first row, millions"

Counts = dict[str, dict[str, float]]
"""By what was counted, as ``varied, 1 KB``, and by command."""


def interpreter() -> str:
    """What the counts depend on besides toolconv."""
    compiler, orjson_version = platform.python_compiler(), orjson.__version__
    return f"Python {platform.python_version()}, {compiler}, {platform.machine()}, orjson {orjson_version}"


def instructions(command: list[str]) -> int:
    """How many instructions a command takes."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""}
    done = subprocess.run(
        [*VALGRIND, *command],
        cwd=tempfile.gettempdir(),  # so that the toolconv which is installed runs
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode > 1:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    found = re.findall(r"I\s+refs:\s+([\d,]+)", done.stderr)
    return int(found[-1].replace(",", ""))


def counts_of(shape: str, size: str, folder: Path, only: str = "") -> Iterator[tuple[str, float]]:
    """The thousands of instructions that a row costs, by command; of all commands, or of one."""
    exchanges = SIZES[size]
    few, many = (FEW, MANY) if exchanges == 1 else (FEW // 5, MANY // 5)
    less, more = (_commands(folder, shape, rows, exchanges, only) for rows in (few, many))
    for name in less:
        yield name, round((instructions(more[name]) - instructions(less[name])) / (many - few) / 1e3, 1)


def start_counts(folder: Path, only: str = "") -> Iterator[tuple[str, float]]:
    """The millions of instructions that the first row costs, and what click costs by itself."""
    commands = _commands(folder, "varied", 1, 1, only)
    if not only:
        commands["--version"] = [sys.executable, "-m", "toolconv", "--version"]
        commands["click"] = [sys.executable, "-c", "import click"]
    for name, command in commands.items():
        instructions(command)  # compiles the modules
        yield name, round(instructions(command) / 1e6, 1)


def _commands(folder: Path, shape: str, rows: int, exchanges: int, only: str) -> dict[str, list[str]]:
    found = jobs(folder, shape, rows, exchanges)
    chosen = [name for name in found if name in MEASURED or name.startswith(("script ", "floor "))]
    return {name: [*found[name][0], str(found[name][1])] for name in chosen if only in ("", name)}


def table(counts: Counts) -> Iterator[str]:
    """The counts as lines: each beside the floor, and beside the script."""
    from tests.benchmarks.commands import INSTEAD, floor_of

    for what, found in counts.items():
        yield what
        for name, count in found.items():
            floor, script = found.get(floor_of(name)), found.get(f"script {INSTEAD.get(name)}")
            line = f"  {name:30} {count:9,.1f}"
            if what != START and floor and not name.startswith("floor"):
                line += f"  {count / floor:6.2f} × floor" + (f"  {count / script:6.2f} × script" if script else "")
            yield line


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.instructions", description=__doc__)
    parser.add_argument("--shape", choices=SHAPES, help="only rows of this shape")
    parser.add_argument("--size", choices=SIZES, help="only rows of this size")
    parser.add_argument("--start", action="store_true", help="only the first row")
    parser.add_argument("--only", default="", help="only this command")
    given = parser.parse_args()

    counts: Counts = {}
    with tempfile.TemporaryDirectory() as name:
        if given.start or not (given.shape or given.size):
            counts[START] = dict(start_counts(Path(name), given.only))
        for shape in SHAPES if not given.start else ():
            for size in SIZES:
                if given.shape in (None, shape) and given.size in (None, size):
                    counts[f"{shape}, {size}"] = dict(counts_of(shape, size, Path(name), given.only))
                    print(*table({f"{shape}, {size}": counts[f"{shape}, {size}"]}), sep="\n", flush=True)
    print(*table({key: found for key, found in counts.items() if key == START}), sep="\n")
    if len(sys.argv) == 1:
        FILE.write_text(json.dumps({"counted with": interpreter(), **counts}, indent=1) + "\n")


if __name__ == "__main__":
    main()
