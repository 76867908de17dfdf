"""What ``lint`` costs beside a good user's script: read the rows, hold the calls against jsonschema-rs, once per schema.

Both run as whole processes, in turn, on the three shapes of :mod:`tests.benchmarks.shapes`; the time that a process takes
for one row is subtracted from both. Other layouts than OpenAI's are compared with that one, on varied rows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks import shapes
from tests.benchmarks.measure import Figure

ROWS = {"uniform": 20_000, "varied": 10_000, "own tools": 5_000}
LAYOUT_ROWS = 3_000

DIALECTS = ("hermes", "qwen3_xml")
SCRIPT = [sys.executable, str(Path(__file__).with_name("script_lint.py"))]
LINT = [sys.executable, "-m", "toolconv", "lint", "--isolated", "--no-progress"]
COMMANDS = {"script": SCRIPT, "lint": LINT}


class Spent(NamedTuple):
    """What a process took: seconds of CPU, and its peak memory in megabytes."""

    cpu: float
    peak: float


def spent(command: list[str], source: Path) -> Spent:
    """Run a command on a file."""
    process = subprocess.Popen([*command, str(source)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def least(jobs: dict[str, tuple[list[str], Path]], rounds: int) -> dict[str, Spent]:
    """The least of each job; they take turns, so that they share what the machine does besides."""
    taken: dict[str, list[Spent]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, (command, source) in jobs.items():
            taken[name].append(spent(command, source))
    return {name: min(each) for name, each in taken.items()}


def figures(folder: Path, rounds: int) -> Iterator[Figure]:
    """Microseconds of CPU a row, peak memory, and the ratio to the script, by shape."""
    one = folder / "one.jsonl"
    shapes.write(one, "uniform", 1)
    start = least({name: (command, one) for name, command in COMMANDS.items()}, 3 * rounds)
    for shape, rows in ROWS.items():
        source = folder / "rows.jsonl"
        shapes.write(source, shape, rows)
        found = least({name: (command, source) for name, command in COMMANDS.items()}, rounds)
        costs = {name: (each.cpu - start[name].cpu) / rows * 1e6 for name, each in found.items()}
        for name, cost in costs.items():
            figure: Figure = {"what": f"{name}, {shape} rows", "µs a row": cost, "MB": found[name].peak}
            yield figure if name == "script" else {**figure, "ratio": cost / costs["script"]}


def in_layouts(folder: Path, rows: int) -> dict[str, Path]:
    """Varied rows in all layouts that can hold them, and as chat rows with the calls spelled in dialects; by name."""
    from toolconv import dialects, layouts
    from toolconv.dialects.base import RenderError
    from toolconv.dialects.turns import render_turns
    from toolconv.layouts.base import LayoutError

    names = [name for name in layouts.names() if name != "openai"]
    files: dict[str, Path] = {}
    for name in ("openai", *names, *DIALECTS):
        written: list[dict[str, Any]] = []
        try:
            for row in shapes.varied(rows):
                conversation = layouts.get("openai").read(row)
                conversation.origin = None
                if name in DIALECTS:
                    render_turns(conversation, dialects.get(name))
                    written.append(conversation.row)
                else:
                    written.append(layouts.get(name).write(conversation))
        except (LayoutError, RenderError):
            continue  # it is only read, or can't hold these rows
        files[name] = folder / f"{name}.jsonl"
        files[name].write_text("".join(json.dumps(each) + "\n" for each in written))
    return files


def layout_figures(folder: Path, rounds: int) -> Iterator[Figure]:
    """The ratio of rows in other layouts to OpenAI rows."""
    files = in_layouts(folder, LAYOUT_ROWS)
    found = least({name: (LINT, file) for name, file in files.items()}, rounds)
    for name, each in found.items():
        if name != "openai":
            ratio = each.cpu / found["openai"].cpu
            yield {"what": f"lint of varied rows as {name}, to openai", "ratio": ratio}
