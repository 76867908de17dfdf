"""What every command costs on the three shapes of :mod:`tests.benchmarks.shapes`, as ratios to reading and writing rows.

Commands and scripts run as whole processes, in turn; the time that a process takes for one row is subtracted.
``script`` is what a good user writes instead, :mod:`tests.benchmarks.script_convert` and :mod:`tests.benchmarks.script_lint`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.benchmarks import shapes
from tests.benchmarks.linting import least
from tests.benchmarks.measure import Figure

ROWS: Final = 6_000

TOOLCONV: Final = [sys.executable, "-m", "toolconv"]
HERMES: Final = ("--from", "hermes")
XML: Final = ("--to", "qwen3_xml")
COMMANDS: Final[dict[str, tuple[str, ...]]] = {
    "parse --from hermes": ("parse", *HERMES, "@hermes", "-o", "%"),
    "parse": ("parse", "@hermes", "-o", "%"),
    "convert hermes to qwen3_xml": ("convert", *HERMES, *XML, "@hermes", "-o", "%"),
    "convert openai to hermes": ("convert", "--to", "hermes", "@openai", "-o", "%"),
    "convert hermes to openai": ("convert", *HERMES, "--to-layout", "openai", "@hermes", "-o", "%"),
    "render --template qwen3": ("render", "--template", "qwen3", "@openai", "-o", "%"),
    "lint": ("lint", "--isolated", "--no-progress", "@openai"),
    "stats": ("stats", "@openai"),
    "diff": ("diff", "@openai", "@openai"),
    "schema": ("schema", "@openai"),
    "select --calls 1..": ("select", "--calls", "1..", "@openai", "-o", "%"),
}
"""The arguments of each: ``@NAME`` is the input in that form, ``%`` the output."""

INSTEAD: Final = {
    "parse --from hermes": "parse",
    "parse": "parse",
    "convert hermes to qwen3_xml": "xml",
    "convert openai to hermes": "chat",
    "lint": "lint",
}
"""Which part of the scripts does the same."""


def floor_of(name: str) -> str:
    """Which floor a command, or part of the scripts, is compared with."""
    hermes = name in ("script parse", "script xml") or "@hermes" in COMMANDS.get(name, ())
    return "floor hermes" if hermes else "floor openai"


def _write_hermes(source: Path, target: Path) -> None:
    from toolconv import dialects, layouts
    from toolconv.dialects.turns import render_turns

    with source.open("rb") as lines, target.open("w") as output:
        for number, line in enumerate(lines):
            conversation = layouts.get("openai").read(json.loads(line))
            conversation.origin = None
            render_turns(conversation, dialects.get("hermes"))
            for message in conversation.row["messages"]:
                message["content"] = message.get("content") or ""
            output.write(json.dumps(conversation.row, ensure_ascii=number % 2 == 0) + "\n")


def jobs(folder: Path, shape: str, rows: int, exchanges: int = 1) -> dict[str, tuple[list[str], Path]]:
    """By name the commands, scripts and floors on so many rows, each with its last argument apart."""
    openai, hermes, output = (
        folder / f"{name}-{shape}-{rows}-{exchanges}.jsonl" for name in ("openai", "hermes", "output")
    )
    shapes.write(openai, shape, rows, exchanges)
    _write_hermes(openai, hermes)
    scripts = Path(__file__).parent
    places = {"@openai": str(openai), "@hermes": str(hermes), "%": str(output)}
    made: dict[str, tuple[list[str], Path]] = {}
    for name, given in COMMANDS.items():
        *command, last = (places.get(each, each) for each in given)
        made[name] = [*TOOLCONV, *command], Path(last)
    for part, source in (("parse", hermes), ("xml", hermes), ("chat", openai)):
        made[f"script {part}"] = [sys.executable, str(scripts / "script_convert.py"), part, str(source)], output
    made["script lint"] = [sys.executable, str(scripts / "script_lint.py")], openai
    for name, source in (("floor hermes", hermes), ("floor openai", openai)):
        made[name] = [sys.executable, str(scripts / "script_floor.py"), str(source)], output
    return made


def figures(folder: Path, rounds: int) -> Iterator[Figure]:
    """By shape and command: microseconds of CPU a row, megabytes at most, ratios to the floor and to the script."""
    for shape in shapes.SHAPES:
        start = least(jobs(folder, shape, 1), rounds)
        found = least(jobs(folder, shape, ROWS), rounds)
        costs = {name: (found[name].cpu - start[name].cpu) / ROWS * 1e6 for name in found}
        for name, cost in costs.items():
            figure: Figure = {
                "what": f"{name}, {shape} rows",
                "µs a row": cost,
                "MB": found[name].peak,
                "ratio": cost / costs[floor_of(name)],
            }
            instead = INSTEAD.get(name)
            yield {**figure, "to the script": cost / costs[f"script {instead}"]} if instead else figure
