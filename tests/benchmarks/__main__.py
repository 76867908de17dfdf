"""``python -m tests.benchmarks``: what toolconv costs, each figure a ratio to a floor measured in the same run on one core."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from tests.benchmarks import commands, dialects, linting, rendering, rows, scale, startup
from tests.benchmarks.measure import Figure


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--scale", action="store_true", help="a million rows, 500 MB, two processes: some minutes")
    given = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if given.scale:
            figures = scale.figures(folder)
        else:
            figures = [
                *startup.figures(given.rounds),
                *commands.figures(folder, given.rounds),
                *rows.figures(folder, given.rounds),
                *dialects.figures(given.rounds),
                *linting.figures(folder, given.rounds),
                *linting.layout_figures(folder, given.rounds),
                *rendering.figures(given.rounds),
            ]
    if given.json:
        print(json.dumps(figures, indent=1))
    else:
        for figure in figures:
            print(_line(dict(figure)))


def _line(figure: Figure) -> str:
    what, size = figure.pop("what"), figure.pop("row bytes", None)
    numbers = "  ".join(f"{value:9,.2f} {'×' if unit == 'ratio' else unit}" for unit, value in figure.items())
    return f"{what:50} {f'{size:,} B' if size else '':>10} {numbers}"


if __name__ == "__main__":
    main()
