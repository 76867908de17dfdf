"""Write ``.github/lint.svg``, the picture in the README: what ``toolconv lint`` prints on a terminal.

    python .github/picture.py

Run it after the output of the linter has changed; ``tests/project/test_readme.py`` compares.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
from itertools import groupby
from operator import itemgetter
from pathlib import Path

ROOT = Path(__file__).parents[1]
COMMAND = ("lint", "fixtures/glaive.jsonl", "--isolated", "--color", "always")
COLOURS = {"31": "#ff7b72", "33": "#e3b341", "36": "#79c0ff", "2": "#8b949e"}
WIDTH, LINE, CHAR = 118, 19, 8.05
"""The width in characters, and the height of a line and the width of a character in pixels."""


def picture(text: str, command: str) -> str:
    """An SVG of a terminal with a command and what it prints, in which escape sequences stand for colours."""
    lines = [f"$ {command}", *text.rstrip("\n").split("\n")]
    shown = [piece for line in lines for piece in wrapped(line)]
    rows = [f'<text x="16" y="{44 + LINE * at}" xml:space="preserve">{row}</text>' for at, row in enumerate(shown)]
    font = "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace"
    width, height = round(32 + WIDTH * CHAR), 60 + LINE * len(shown)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
            f"<title>{html.escape(command)}</title>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>',
            *(f'<circle cx="{20 + 18 * at}" cy="16" r="5" fill="#30363d"/>' for at in range(3)),
            f'<g fill="#e6edf3" font-family="{font}" font-size="13.4">',
            *rows,
            "</g>",
            "</svg>",
            "",
        ]
    )


def wrapped(line: str) -> list[str]:
    """A line as markup, in pieces that fit."""
    styled: list[tuple[str, str]] = []
    style = ""
    for escape, char in re.findall(r"\x1b\[([\d;]*)m|(.)", line):
        if char:
            styled.append((style, char))
        else:
            style = attributes(escape)
    return [markup(styled[start : start + WIDTH]) for start in range(0, len(styled), WIDTH)] or [""]


def markup(styled: list[tuple[str, str]]) -> str:
    """Characters with their styles: those of one style as one element."""
    runs = [(style, "".join(char for _, char in run)) for style, run in groupby(styled, key=itemgetter(0))]
    texts = [(style, html.escape(text)) for style, text in runs]
    return "".join(f"<tspan{style}>{text}</tspan>" if style else text for style, text in texts)


def attributes(escape: str) -> str:
    """The attributes for an escape sequence."""
    if escape == "1":
        return ' font-weight="600"'
    return f' fill="{COLOURS[escape]}"' if escape in COLOURS else ""


def printed() -> str:
    """What the command prints, on both streams, in colour."""
    command = [sys.executable, "-m", "toolconv", *COMMAND]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def main() -> None:
    """Write the picture."""
    shown = f"toolconv {' '.join(COMMAND[:2])}"
    (ROOT / ".github" / "lint.svg").write_text(picture(printed(), shown), encoding="utf-8")


if __name__ == "__main__":
    main()
