"""What a run adds up to: every figure of one small run that has each verdict, counted by hand; and its table."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each
from tests.score.test_score import QUESTION, TOOLS, row, score
from toolconv.convert.options import Options
from toolconv.convert.pipeline import conversations
from toolconv.convert.receipt import Receipt
from toolconv.score.comparison import RunComparison
from toolconv.score.figures import Share, TurnSamples
from toolconv.score.html import MOST, PageRows, page
from toolconv.score.report import UnknownFigure, document, shortfalls
from toolconv.score.run import Gold, ScoreOptions, Scores
from toolconv.score.statistics import newcombe, pass_all, wilson
from toolconv.score.table import lines

TRIP = {"type": "function", "function": {"name": "trip.go", "parameters": {"type": "object", "properties": {}}}}
HERE, THERE = ("walk", {"to": "a"}), ("walk", {"to": "b"})
BROKEN = '<tool_call>{"name": "walk", "arguments": {"to": </tool_call>'
QUOTED = "<think>Now.</think><tool_call>{'name': 'rest', 'arguments': {}}</tool_call>"

RUN: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
    # a gold row, and its outputs
    (row(HERE, category="easy"), [row(HERE), row(THERE)]),
    (row(("walk", {"to": "02139", "km": 1.0}), category="easy"), [row(("walk", {"to": "0-2139", "km": 1}))]),
    (row(HERE, ("rest", {}), category="hard"), [row(THERE, ("rest", {}))]),
    (row(category="hard"), [row()]),
    (row(category="hard"), [row(("rest", {}))]),
    (row(HERE), [row()]),
    (row(), [{"completion": BROKEN}]),
    ({"messages": [QUESTION], "tools": TOOLS, "expect": "call"}, [{"completion": QUOTED}]),
    ({**row(("trip.go", {})), "tools": [TRIP]}, [{**row(("trip_go", {})), "tools": [TRIP]}]),
    (row(HERE), []),
    (row(("walk", {"to": "a", "km": 2})), [row(("walk", {"to": "a", "stops": 1, "more": 1}))]),
]
GOLD = [{**gold, "id": f"r{at}"} for at, (gold, _) in enumerate(RUN)]
OUTPUTS = [{**output, "id": f"r{at}"} for at, (_, outputs) in enumerate(RUN) for output in outputs]


def share(right: float, n: int, units: int | None = None) -> dict[str, Any]:
    """A share as it is printed; with the number of things that are independent."""
    interval = wilson(right / n * (units or n), units or n) if n else None
    low, high = interval or (None, None)
    return {"right": right, "n": n, "rate": right / n if n else None, "low": low, "high": high}


FIGURES: dict[str, Any] = {
    # 12 verdicts on 11 turns: the first has two samples, and the tenth no output
    "rows": {"exact": share(3, 12, 11), "ast": share(4, 12, 11), "lenient": share(5, 12, 11)},
    "macro": (2 / 3 + 1 / 3) / 2,
    "verdicts": {
        "right": 4, "no_output": 1, "unreadable": 1, "should_have_called": 1, "should_have_abstained": 1,
        "undeclared_tool": 1, "wrong_name": 0, "missing_call": 0, "extra_call": 0, "schema_break": 1,
        "wrong_arguments": 2,
    },
    "needed": {"number_form": 1, "punctuation": 1},
    "call_decision": {
        "called_rightly": 7, "called_wrongly": 1, "abstained_wrongly": 1, "abstained_rightly": 1,
        "precision": 7 / 8, "recall": 7 / 8,
    },
    "names": share(6, 9),
    "calls": {"right": 3, "gold": 9, "output": 8, "precision": 3 / 8, "recall": 3 / 9, "f1": 6 / 17},
    "arguments": {"equal": 4, "wrong": 2, "missing": 1, "extra": 2},
    "wrong_arguments": {"walk.to": 2, "walk.km": 1, "walk.stops": 1, "walk.more": 1},
    "parallel": share(0, 1),
    "abstain": share(1, 3),
    "abstain_as_bfcl": share(2, 3),
    "any_call": share(1, 1),
    "schema": share(7, 9),
    "whole": {"sequence": share(0, 0), "prefix": share(0, 0)},
    "format": {
        "rows": 11, "clean": 9, "repaired": 1, "dropped_call": 1, "unreadable": 0, "calls_in_reasoning": 0,
        "other_dialect": 0, "dialects": {"hermes": 1},
    },
    "samples": {
        "turns": 11, "majority": share(3, 11), "pass_at": {"1": 3.5 / 11, "2": None},
        "pass_all": {"1": 3.5 / 11, "2": None},
    },
}  # fmt: skip
TABLE = """\
4 of 12 right, 33.3% (13.3% to 62.0%) at the level ast; paired by id
  exact           3 of 12 right, 25.0% (8.9% to 53.2%)
  ast             4 of 12 right, 33.3% (13.8% to 60.9%)
  lenient         5 of 12 right, 41.7% (19.3% to 68.0%)
wrong: wrong_arguments 2, should_have_abstained 1, should_have_called 1, unreadable 1, undeclared_tool 1, schema_break 1, \
no_output 1
right with: number_form 1, punctuation 1
  calls if it should  7 of 8 right, 87.5% (52.9% to 97.8%)
  parallel        0 of 1 right, 0.0% (0.0% to 79.3%)
  abstain         1 of 3 right, 33.3% (6.1% to 79.2%)
  any call        1 of 1 right, 100.0% (20.7% to 100.0%)
  fit the schema  7 of 9 right, 77.8% (45.3% to 93.7%)
format: clean 9, repaired 1, dropped_call 1
worst tools: trip.go 0.0% of 1, walk 28.6% of 7
worst arguments: walk.to 2, walk.km 1, walk.stops 1
hint: 2 outputs are the gold row, word for word: is OUTPUTS the right file?
hint: 1 wrong name differs only in '.' and '_': --names api
hint: 1 right row has a number, path or code that differs slightly: see 'exact'
"""


def scores_of(folder: Path, gold: list[Any], *runs: list[Any], skip_missing: bool = False) -> list[Scores]:
    """Score runs as the command does, in this process."""
    options = ScoreOptions(skip_missing=skip_missing)
    names = []
    for at, rows in enumerate((gold, *runs)):
        names.append(str(folder / f"{at}.jsonl"))
        Path(names[-1]).write_text("".join(f"{json.dumps(each)}\n" for each in rows))
    known = Gold.read(conversations(names[:1], Options(), Receipt()), options)
    found = []
    for name in names[1:]:
        found.append(Scores(known, options))
        tools_of = partial(known.tools_of, key=options.key)
        for _ in found[-1].score(conversations([name], Options(tools_of=tools_of), Receipt())):
            pass
    return found


def test_all_figures_of_a_run(tmp_path: Path) -> None:
    (scores,) = scores_of(tmp_path, GOLD, OUTPUTS)
    found = document([scores], None, ["gold", "-"], {"<stdin>": "abc"}, [1, 2])
    assert found["figures"].keys() == FIGURES.keys()
    for level, expected in FIGURES["rows"].items():
        assert found["figures"]["rows"][level] == pytest.approx(expected), level
    for name, expected in FIGURES.items():
        assert name == "rows" or found["figures"][name] == expected, name
    assert found["by"] == {"easy": share(2, 3), "hard": share(1, 3)}
    assert found["tools"] == {"rest": share(1, 1), "trip.go": share(0, 1), "walk": share(2, 7)}
    assert found["inputs"] == {
        "gold": {"name": "gold", "sha256": None, "rows": 11},
        "outputs": {"name": "<stdin>", "sha256": "abc", "rows": 11},
        "other": None,
    }
    assert found["options"] == {
        "level": "ast", "turns": "auto", "key": "id", "pairing": "key", "by": "category", "names": "exact",
        "ordered": False, "ignore": [], "missing": "wrong",
    }  # fmt: skip
    assert found["notable"] == {"equal": 2, "truth": 0, "tools": 0, "own_tools": 0, "language": 0}
    rest = ("outputs", "comparison", "gold_invalid", "unscorable", "repeated", "unpaired")
    assert {name: found[name] for name in rest} == dict.fromkeys(rest[:2]) | {name: [] for name in rest[2:]}
    assert list(lines(scores, None)) == TABLE.splitlines()


def test_what_could_not_be_scored(tmp_path: Path) -> None:
    gold = [row(HERE, id="1"), row(HERE, id="1"), {"id": "2", "messages": [QUESTION]}, row(("fly", {}), id="3")]
    (scores,) = scores_of(tmp_path, gold, [row(HERE, id="1"), row(HERE, id="9"), {"completion": "."}])
    found = document([scores], None, ["-", "-"], {}, [])
    assert [(each["line"], each["id"]) for each in found["unpaired"]] == [(2, "9"), (3, "no key")]
    assert found["repeated"] == ["1"]
    assert found["gold_invalid"] == [{"id": "3", "tools": "fly"}]
    (unscorable,) = found["unscorable"]
    assert (unscorable["line"], unscorable["reason"]) == (3, "no answer, and no truth that says what is right")
    assert found["figures"]["verdicts"]["no_output"] == 1  # of the last row
    assert found["figures"]["samples"]["pass_at"] == {}


def test_the_command_prints_both(tmp_path: Path) -> None:
    assert score(tmp_path, GOLD, OUTPUTS).out == TABLE
    found = json.loads(score(tmp_path, GOLD, OUTPUTS, "--json", "--k", "1,2").out)["figures"]
    assert {name: found[name] for name in FIGURES if name != "rows"} == {
        name: expected for name, expected in FIGURES.items() if name != "rows"
    }


def test_a_comparison_of_two_runs(tmp_path: Path) -> None:
    rights = {"a": "both", "b": "first", "c": "second", "d": "neither", "e": "first"}
    categories = {"a": "x", "b": "x", "c": "y", "d": "y", "e": ""}
    gold = [row(HERE, id=key, category=categories[key]) for key in rights]
    one = [row(HERE if which in ("both", "first") else THERE, id=key) for key, which in rights.items()]
    two = [row(*([HERE] if which in ("both", "second") else []), id=key) for key, which in rights.items()]
    runs = scores_of(tmp_path, gold, one, two)
    comparison = RunComparison.of(*runs)
    low, high = newcombe(1, 2, 1, 1) or (None, None)
    assert comparison.as_json() == {
        "n": 5, "both": 1, "only_outputs": 2, "only_other": 1, "neither": 1, "difference": -0.2, "low": low,
        "high": high, "p": 1.0, "won": ["c"], "lost": ["b", "e"], "won_by": {"wrong_arguments": 1},
        "lost_by": {"should_have_called": 2},
        "by": {"x": {"only_outputs": 1, "only_other": 0}, "y": {"only_outputs": 0, "only_other": 1}},
    }  # fmt: skip
    last = list(lines(runs[1], comparison))[-2:]
    assert last[0].endswith(", p = 1: not distinguishable on these 5 turns")
    assert last[1] == "  both right 1, only OUTPUTS 2, only OTHER 1, neither 1"
    apart = scores_of(tmp_path, gold, one[:2], two[2:], skip_missing=True)
    nothing = RunComparison.of(*apart)
    assert (nothing.n, nothing.difference, nothing.interval, nothing.p) == (0, None, None, 1.0)
    assert list(lines(apart[1], nothing))[-1] == "no turn has an output in both runs"


@each(
    "first, second, worse",
    [(6, 0, True), (5, 0, False), (0, 6, False), (6, 6, False), (12, 3, True), (11, 3, False)],  # p = 0.035, 0.057
)
def test_worse_is_more_than_chance(first: int, second: int, worse: bool) -> None:
    assert RunComparison(both=3, first=first, second=second).is_worse is worse


# The first is an example of Newcombe (1998), Statistics in Medicine 17, 2635-2650, method 10; the others by hand.
@each(
    "counts, low, high",
    [
        ((36, 12, 2, 0), 0.0569, 0.3404),
        ((53, 0, 0, 1), -0.0730, 0.0730),
        ((0, 5, 5, 0), -0.5268, 0.5268),  # no pair agrees
        ((5, 0, 0, 0), -0.4345, 0.4345),
    ],
)
def test_newcombe(counts: tuple[int, int, int, int], low: float, high: float) -> None:
    assert newcombe(*counts) == pytest.approx((-high, -low), abs=2e-4)


def test_intervals_of_nothing() -> None:
    assert wilson(0, 0) is newcombe(0, 0, 0, 0) is None
    assert Share().as_json() == share(0, 0)
    assert Share(1, 4).as_json(8) == share(1, 4)  # of four things, no more than four are independent
    assert pass_all(5, 4, 4) is None


@each(
    "votes, right",
    [("R", True), ("w", False), ("RRw", True), ("wwR", False), ("Rw", False), ("RwRw", False), ("Rwv", False)],
)
def test_the_majority_of_samples(votes: str, right: bool) -> None:
    samples = TurnSamples()
    for vote in votes:
        samples.add(vote == "R")
        count, _ = samples.votes.get(ord(vote), (0, False))
        samples.votes[ord(vote)] = (count + 1, vote == "R")
    assert samples.majority is right


@each(
    "path, least, short",
    [
        ("a.rate", 0.5, []),
        ("a.rate", 0.51, ["a.rate is 0.5, less than 0.51"]),
        ("n", 3, []),
        ("n", 4, ["n is 3, less than 4"]),
        ("b", 1, "no figure 'b': --json prints them all"),
        ("n.rate", 1, "no figure 'n.rate'"),
        ("a", 1, "a is no number"),
        ("a.low", 1, "a.low is a share of no rows"),
    ],
)
def test_figures_below_a_limit(path: str, least: float, short: list[str] | str) -> None:
    figures = {"a": {"rate": 0.5, "low": None}, "n": 3}
    if isinstance(short, list):
        assert list(shortfalls(figures, [(path, least)])) == short
        return
    with pytest.raises(UnknownFigure, match=short):
        list(shortfalls(figures, [(path, least)]))


# ── the page ──


def verdict(right: bool, **more: Any) -> dict[str, Any]:
    """A row of ``-o``."""
    return {
        "id": "1", "turn": None, "sample": 0, "right": right, "verdict": "right" if right else "wrong_arguments",
        "differences": [], "expect": "calls", "gold": [], "output": [], "flags": [], "category": "", **more,
    }  # fmt: skip


def test_a_page_has_room_for_so_many_rows_and_prefers_wrong_ones() -> None:
    rows = PageRows()
    for right in (True, False, True):
        for _ in range(MOST // 2):
            rows.add(verdict(right))
    assert (len(rows.shown), rows.left_out) == (MOST, MOST // 2)
    assert [each["right"] for each in rows.shown] == [False] * (MOST // 2) + [True] * (MOST // 2)
    assert f"<p>{MOST // 2:,} more rows are left out." in page(rows, [], "")


def test_a_section_of_a_page() -> None:
    rows = PageRows()
    calls = {
        "gold": [{"name": "<go>", "arguments": {"to": "a", "km": 1}}],
        "output": [{"name": "go", "arguments": "x"}],
    }
    differences = [{"kind": "value", "path": "to"}, {"kind": "name", "path": ""}]
    rows.add(
        verdict(False, id="7", turn=2, sample=1, differences=differences, flags=["early"], category="<x>", **calls)
    )
    rows.add(verdict(True, id="8", expect="none"))
    rows.add(verdict(True, id="9", expect="any"))
    found = page(rows, ["a table", "<of two lines>"], "gold & outputs")
    assert "<title>gold &amp; outputs</title>" in found and "<pre>a table\n&lt;of two lines&gt;</pre>" in found
    assert "left out" not in found
    options = '<option value="">all</option><option>{}</option>'
    assert options.format("&lt;go&gt;</option><option>go") in found and options.format("&lt;x&gt;") in found
    wrong, right = found.split("</script>")[1].split("<h2>right: 2</h2>")
    assert wrong == (
        "<h2>wrong_arguments: 1</h2>"
        '<section data-tools="[&quot;&lt;go&gt;&quot;,&quot;go&quot;]" data-category="&lt;x&gt;"><b>7</b>, turn 2, sample 1 '
        '<span class="why">value to, name, early</span><table><tr><th>gold<th>output<tr>'
        "<td><pre><mark>&lt;go&gt;</mark>\n<mark>  to = &quot;a&quot;</mark>\n  km = 1</pre>"
        "<td><pre><mark>go</mark>\n<mark>   = &quot;x&quot;</mark></pre></table></section>"
    )
    assert "<b>8</b> <span" in right
    assert "<td><pre>no call</pre><td><pre>no call</pre>" in right and "<td><pre>any call</pre><td>" in right
