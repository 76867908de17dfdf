"""Ordinary prose with the signs of markup in it, and what 10 KB of it may cost beside plain sentences."""

from __future__ import annotations

import json
import sys
import tempfile
from functools import cache
from typing import Final

from tests.benchmarks.instructions import instructions

SIZE: Final = 10_000
FEW, MANY = 105, 305
"""Rows: the first hundred decide the dialect. Counts of the same rows differ by up to three million instructions."""
PLAIN: Final = "The ferry leaves at nine and comes back in the evening, when the light is low over the water. "
KINDS: Final = {
    "table": ("| Tier | Price | Notes |\n|---|---|---|\n| Basic | $5 | one seat |\n\n", 1.45),
    "records": ('{"id": 12, "title": "Ferry", "tags": ["sea", "boat"], "price": 12.5}\n', 3.0),
    "html": ('<div class="card"><p>Ferry times</p><ul><li>9:00</li><li>12:00</li></ul></div>\n', 2.7),
    "markdown": ("## Ferry\n\n- **Bergen** to [Oslo](https://example.com/a)\n- `code` and *stress*\n\n1. one\n\n", 2.1),
    "mail": ("On Monday Ana <ana@example.com> wrote:\n> At nine?\n>> See <https://example.com/t>.\nYes :)\n\n", 1.7),
    "query": ("SELECT id, COUNT(*) AS n FROM boats WHERE (price < 30 OR seats >= 12) GROUP BY id;\n", 1.7),
    "python": (
        'def total(rows: list[dict]) -> int:\n    """Sum."""\n    return sum(r["n"] for r in rows if r["n"] > 3)\n\n',
        1.9,
    ),
    "c": (
        'static int add(int a, int *b) {\n  if (a < b[0] && a > 3) { return p->x; }\n  printf("%d\\n", a);\n}\n\n',
        2.6,
    ),
    "rust": (
        "impl<T: Clone> Stack<T> {\n    pub fn pop(&mut self) -> Option<T> { self.items.pop() }\n}\n#[derive(Debug)]\n",
        3.0,
    ),
    "script": (
        "const load = async ({ id }) => {\n  const res = await get(`/api/${id}`);\n  return res.items[0] < 3;\n};\n\n",
        2.7,
    ),
    "session": (">>> total([1, 2, 3])\n6\n>>> {'a': 1}['a']\n1\n>>> total(x=3)\n", 2.7),
    "settings": (
        "- name: ferry\n  image: app:1.2\n  ports:\n    - port: 80\n  env:\n    - name: MODE\n      value: prod\n",
        1.4,
    ),
    "log": ("2026-03-02T10:01:11.123Z INFO [main-1] app.server(42): GET /a?b=1 200 {took=12ms} <none>\n", 3.0),
    "diff": ("--- a/x.py\n+++ b/x.py\n@@ -1,3 +1,3 @@\n def f(a):\n-    return a[0]\n+    return a[1]\n", 1.95),
    "tex": ("Let $f_{1}(x) = \\frac{1}{2}\\sum_{i=1}^{n} x_i^{2}$. Then \\(\\|f\\| \\le C\\).\\end{theorem}\n", 2.6),
    "patterns": ("^(?:[A-Z]\\w{1,3}|\\d+(?=[.,]))\\s*[\"'](?P<q>[^\"'\\n]{0,40})$ matches {x}, (y) and [z]*\n", 3.7),
    "entities": (
        "Use &lt;p class=&quot;a&quot;&gt; &amp; &lt;/p&gt; here; if a &lt; b &amp;&amp; b &gt; c, stop.\n",
        2.5,
    ),
    "chat": (
        "[10:01] Ana: are you there?\n[10:02] Bo: yes :) see https://example.com/a <3\n[10:03] Ana: great!\n",
        1.85,
    ),
    "headings": (
        "## Cabin classes\n\nThe function calculates a fare | a tool call fails.\n\n## Cancel\n\n- It *may* not.\n\n",
        1.2,
    ),
    "formulas": ("For x in [0, 1) and y > 0: |f(x) - f(y)| <= L*|x - y|, so f(x)=x^2 (mod 7), {a, b}.\n", 3.0),
}
"""Texts without a call, each with how many times as much as plain sentences it may cost; the goal is 3. Plain sentences
cost 838 thousand instructions.
"""


@cache
def cost_of(text: str) -> float:
    """How many instructions a row of :data:`SIZE` characters costs in ``toolconv parse``."""
    counts = []
    whole = (text * (SIZE // len(text) + 1))[:SIZE]
    for number in (FEW, MANY):
        turns = (
            [{"role": "user", "content": f"q{n}"}, {"role": "assistant", "content": f"{n} {whole}"}]
            for n in range(number)
        )
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
            file.writelines(json.dumps({"messages": turn}) + "\n" for turn in turns)
            file.flush()
            counts.append(instructions([sys.executable, "-m", "toolconv", "parse", "-q", file.name]))
    return (counts[1] - counts[0]) / (MANY - FEW)
