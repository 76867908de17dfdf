"""Ordinary prose with the signs of markup in it, and what 10 KB of it may cost beside plain sentences."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

from tests.benchmarks.instructions import instructions

SIZE: Final = 10_000
FEW, MANY = 105, 125
"""Rows: the first hundred decide the dialect."""
PLAIN: Final = "The ferry leaves at nine and comes back in the evening, when the light is low over the water. "
KINDS: Final = {
    "table": ("| Tier | Price | Notes |\n|---|---|---|\n| Basic | $5 | one seat |\n\n", 2.0),
    "records": ('{"id": 12, "title": "Ferry", "tags": ["sea", "boat"], "price": 12.5}\n', 4.9),
    "html": ('<div class="card"><p>Ferry times</p><ul><li>9:00</li><li>12:00</li></ul></div>\n', 4.2),
    "markdown": ("## Ferry\n\n- **Bergen** to [Oslo](https://example.com/a)\n- `code` and *stress*\n\n1. one\n\n", 5.0),
    "mail": ("On Monday Ana <ana@example.com> wrote:\n> At nine?\n>> See <https://example.com/t>.\nYes :)\n\n", 3.0),
    "query": ("SELECT id, COUNT(*) AS n FROM boats WHERE (price < 30 OR seats >= 12) GROUP BY id;\n", 3.2),
    "formulas": ("For x in [0, 1) and y > 0: |f(x) - f(y)| <= L*|x - y|, so f(x)=x^2 (mod 7), {a, b}.\n", 5.6),
}
"""Texts without a call, each with how many times as much as plain sentences it may cost; the goal is 3."""


def cost_of(text: str, folder: Path) -> float:
    """How many instructions a row of :data:`SIZE` characters costs in ``toolconv parse``."""
    counts = []
    for number in (FEW, MANY):
        path = folder / f"{number}.jsonl"
        whole = (text * (SIZE // len(text) + 1))[:SIZE]
        turns = (
            [{"role": "user", "content": f"q{n}"}, {"role": "assistant", "content": f"{n} {whole}"}]
            for n in range(number)
        )
        path.write_text("".join(json.dumps({"messages": turn}) + "\n" for turn in turns))
        counts.append(instructions([sys.executable, "-m", "toolconv", "parse", "-q", str(path)]))
    return (counts[1] - counts[0]) / (MANY - FEW)
