"""What every command costs in instructions, which other work on the machine doesn't change: counted by cachegrind.

``python -m tests.benchmarks.instructions --keep`` writes ``instructions.json``: thousands of instructions a row, by
command and kind of row, beside those of the floor (``script_floor.py``) and of the scripts with orjson that a user
would write; and millions of instructions of the first row, start-up and all. A row's count is the difference between two
numbers of rows, divided by it. ``tests/project/test_instructions.py`` compares.
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
FEW, MANY = 1_000, 1_500
"""Rows of one exchange; of 14 exchanges, a fifth of them. By the first thousand, the plans of most shapes are made."""
ROWS: Final = {
    "uniform, 1 KB": ("uniform", 1),
    "varied, 1 KB": ("varied", 1),
    "own tools, 1 KB": ("own tools", 1),
    "varied, 10 KB": ("varied", 14),
}
"""The rows, by name: their shape, and how many exchanges each has."""
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
    found = re.findall(r"I\s+refs:\s+([\d,]+)", _run([*VALGRIND, *command]))
    return int(found[-1].replace(",", ""))


def _compile_modules(command: list[str]) -> None:
    """Run a command for the first time, so that no count holds what Python does only once."""
    _run(command)


def _run(command: list[str]) -> str:
    """What a command writes to standard error."""
    done = subprocess.run(
        command,
        cwd=tempfile.gettempdir(),  # so that the toolconv which is installed runs
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": ""},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    if done.returncode > 1 or "Traceback" in done.stderr:  # findings end with 1, too
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}")
    return done.stderr


def counts_of(rows: str, folder: Path, only: str = "") -> Iterator[tuple[str, float]]:
    """The thousands of instructions that a row costs, by command; of all commands, or of one."""
    shape, exchanges = ROWS[rows]
    few, many = (FEW, MANY) if exchanges == 1 else (FEW // 5, MANY // 5)
    less, more = (_commands(folder, shape, rows, exchanges, only) for rows in (few, many))
    for name in less:
        _compile_modules(less[name])
        yield name, round((instructions(more[name]) - instructions(less[name])) / (many - few) / 1e3, 1)


def start_counts(folder: Path, only: str = "") -> Iterator[tuple[str, float]]:
    """The millions of instructions that the first row costs, and what click costs by itself."""
    commands = _commands(folder, "varied", 1, 1, only)
    if not only:
        commands["--version"] = [sys.executable, "-m", "toolconv", "--version"]
        commands["click"] = [sys.executable, "-c", "import click"]
    for name, command in commands.items():
        _compile_modules(command)
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
    parser.add_argument("--rows", action="append", choices=(START, *ROWS), help="only these; by default, all")
    parser.add_argument("--only", default="", help="only this command")
    parser.add_argument("--keep", action="store_true", help="write the counts to the file of figures")
    given = parser.parse_args()

    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    for what in given.rows or (START, *ROWS):
        with tempfile.TemporaryDirectory() as name:
            found = start_counts(Path(name), given.only) if what == START else counts_of(what, Path(name), given.only)
            counts = {what: dict(found)}
        print(*table(counts), sep="\n", flush=True)
        if given.keep:
            known = {"counted with": interpreter(), **{key: known.get(key, {}) for key in (START, *ROWS)}}
            known[what] = {**known[what], **counts[what]}
            FILE.write_text(json.dumps(known, indent=1) + "\n")


if __name__ == "__main__":
    main()
