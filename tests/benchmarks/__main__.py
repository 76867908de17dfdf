"""``python -m tests.benchmarks``: what toolconv costs, as a ratio to a floor measured in the same run on one core.

The floor of a file is reading its lines, ``orjson.loads`` and ``orjson.dumps`` of each, and writing them. Each figure is
the best of several rounds of CPU time, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from tests.benchmarks import linting, rendering
from toolconv.converter import Options
from toolconv.files import Output
from toolconv.pipeline import run

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Current weather for a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "City name"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    }
]
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3, "at": "12:30"}}\n</tool_call>'


def write_rows(path: Path, rows: int, size: int) -> None:
    """Completion rows of about ``size`` bytes: an id, one declared tool, prose and a Hermes call."""
    row: dict[str, Any] = {"id": "", "tools": TOOLS, "text": CALL}
    room = size - len(json.dumps(row)) - 12
    prose = "I will look up the weather for you; one moment, please.\n"
    row["text"] = (prose * (room // len(prose) + 1))[: max(room, 0)] + "\n" + CALL
    with path.open("w") as file:
        for number in range(rows):
            row["id"] = f"row-{number}"
            file.write(json.dumps(row) + "\n")


def floor(source: Path, target: Path) -> None:
    """What any program must do that reads rows and writes rows."""
    with source.open("rb") as lines, target.open("wb") as output:
        for line in lines:
            output.write(orjson.dumps(orjson.loads(line)) + b"\n")


def convert(source: Path, target: Path, options: Options) -> None:
    output = Output(str(target))
    run([str(source)], options, output)
    output.finish()


def best(work: Callable[[], None], rounds: int) -> float:
    """The least CPU time of several rounds, in seconds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def peak_memory(source: Path, *command: str) -> float:
    """Peak memory of a command on a file in a process of its own, in megabytes."""
    code = (
        "import resource, sys; from toolconv.cli import cli;"
        "cli.main(sys.argv[1:], standalone_mode=False);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command, str(source)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=True,
    )
    return int(done.stderr.split()[-1]) / 1024


BARE = """
import click

@click.group()
def cli():
    "A program."

@cli.command()
@click.option("--from", "source")
def convert(source):
    "A command."

cli()
"""


def startup(rounds: int) -> float:
    """``toolconv --help`` as a ratio to the same of the least program with click: CPU time of processes, in turn."""
    programs = (BARE, "from toolconv.cli import main; main()")
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for program, taken in zip(programs, times, strict=True):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([sys.executable, "-c", program, "--help"], stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    least, taken_by_toolconv = map(min, times)
    return taken_by_toolconv / least


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--rows", type=int, default=50_000, help="rows of 1 KB (default 50,000)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    given = parser.parse_args()

    jobs = {
        "parse --from hermes": Options(source="hermes"),
        "convert hermes → hermes": Options(source="hermes", target="hermes"),
        "convert hermes → qwen3_xml": Options(source="hermes", target="qwen3_xml"),
    }
    figures: list[dict[str, Any]] = [{"what": "--help, to bare click", "ratio": round(startup(10 * given.rounds), 2)}]
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        for size in (1_000, 10_000, 100_000):
            write_rows(source, given.rows * 1000 // size, size)
            least = best(partial(floor, source, target), given.rounds)
            for name, options in jobs.items():
                cost = best(partial(convert, source, target, options), given.rounds)
                figures.append({"what": name, "row bytes": size, "ratio": round(cost / least, 2)})
        for rows in (given.rows // 5, given.rows):
            write_rows(source, rows, 1_000)
            memory = peak_memory(source, "parse", "--from", "hermes", "-q")
            figures.append({"what": f"parse, peak memory, {rows:,} rows", "row bytes": 1_000, "MB": round(memory, 1)})
            linting.write_calls(source, rows)
            memory = peak_memory(source, "lint", "--isolated")
            figures.append({"what": f"lint, peak memory, {rows:,} rows", "row bytes": 1_000, "MB": round(memory, 1)})
        figures.extend(linting.figures(source, given.rows, given.rounds))
    figures.extend(rendering.figures(given.rounds))
    if given.json:
        print(json.dumps(figures, indent=1))
        return
    for figure in figures:
        value = f"{figure['ratio']:6.2f} × floor" if "ratio" in figure else f"{figure['MB']:6.1f} MB"
        size = f"{figure['row bytes']:,} B" if "row bytes" in figure else ""
        print(f"{figure['what']:42} {size:>10}   {value}")


if __name__ == "__main__":
    main()
