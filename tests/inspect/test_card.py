"""``stats --card``: the metadata is valid, the tables hold the counts of ``--json``, and no name breaks a table."""

from __future__ import annotations

import json
import re

from tests.conftest import FIXTURES, each, toolconv
from toolconv.inspect.stats.card import MOST_TOOLS, size_category

KIMI = FIXTURES / "kimi.jsonl"


def table(text: str, title: str) -> dict[str, list[str]]:
    """The rows of the table under a heading, by their first cell."""
    lines = text.partition(f"## {title}\n\n")[2].partition("\n\n")[0].splitlines()
    cells = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    assert {len(row) for row in cells} == {len(cells[0])}
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in cells[2:]}


def test_the_card_holds_the_counts() -> None:
    run = toolconv("stats", KIMI, "--from", "kimi_k2", "--card")
    head, text = run.out.removeprefix("---\n").split("\n---\n", 1)
    assert head.splitlines() == [
        "# license: to fill in, see https://huggingface.co/docs/hub/repositories-licenses",
        "# language: to fill in, such as en",
        "task_categories:",
        "- text-generation",
        "tags:",
        "- function-calling",
        "- tool-use",
        "size_categories:",
        "- n<1K",
    ]
    contents = table(text, "Contents")
    assert contents["rows"] == ["4"]
    assert contents["turns"] == ["assistant 6, user 4, tool 3"]
    assert contents["calls"] == ["3"]
    behaviour = table(text, "Behaviour")
    assert behaviour["assistant turns without calls"] == ["4", "66.7%"]
    assert behaviour["assistant turns with one call"] == ["1", "16.7%"]
    assert behaviour["assistant turns with several calls"] == ["1", "16.7%"]
    assert behaviour["rows without calls"] == ["2", "50.0%"]
    assert table(text, "Tools") == {"`get_weather`": ["3", "100.0%", "4"]}
    assert "- Licence: " in text
    assert run.status == 1  # a call of these rows can't be read


def test_names_stay_in_their_cells() -> None:
    names = ["a|b", "c`d", "e\nf", *(f"tool_{n}" for n in range(MOST_TOOLS))]
    calls = [{"type": "function", "function": {"name": name, "arguments": "{}"}} for name in names]
    row = {"messages": [{"role": "assistant", "content": None, "tool_calls": calls}]}
    text = toolconv("stats", "--card", stdin=json.dumps(row)).out
    assert list(table(text, "Tools"))[:3] == [r"`a\|b`", "`` c`d ``", r"`e\nf`"]
    assert "And 3 tools with fewer calls." in text


def test_an_empty_dataset_has_a_card() -> None:
    assert "| rows | 0 |" in toolconv("stats", "--card", stdin="").out


@each(
    "rows, category",
    [
        (0, "n<1K"),
        (999, "n<1K"),
        (1000, "1K<n<10K"),
        (99_999, "10K<n<100K"),
        (100_000, "100K<n<1M"),
        (10**12, "n>1T"),
    ],
)
def test_size_categories(rows: int, category: str) -> None:
    assert size_category(rows) == category


def test_one_form_at_a_time() -> None:
    run = toolconv("stats", "--card", "--json", stdin="")
    assert (run.status, run.out) == (2, "")
    assert "use either --card or --json" in run.err
