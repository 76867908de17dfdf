"""Figures as a table of at most 25 lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from toolconv.core.plural import plural
from toolconv.score.comparison import RunComparison
from toolconv.score.figures import Figures, Share
from toolconv.score.levels import NAMES
from toolconv.score.run import Scores

HINTS = 6
"""How many hints are shown, so that the table keeps to its lines."""
WORST = 3
"""How many of the worst tools and arguments are shown."""


def lines(scores: Scores, comparison: RunComparison | None, ks: Iterable[int] = ()) -> Iterator[str]:
    """The table of a run, and of its comparison with another one; ``ks``: the numbers of samples for pass@k."""
    figures, level = scores.figures, scores.options.level
    rows = figures.rows[level]
    paired = {"key": scores.options.key}.get(scores.pairing, scores.pairing)
    yield f"{_share(rows, len(figures.samples))} at the level {level}; paired by {paired}"
    for name in NAMES:
        yield f"  {name:16}{_share(figures.rows[name])}"
    for k in ks:
        yield f"  {f'pass@{k}, pass^{k}':16}{_passed(figures.pass_at(k), figures.pass_all(k))}"
    wrong = [(name, count) for name, count in figures.verdicts.most_common() if name != "right"]
    if wrong:
        yield "wrong: " + _counts(wrong)
    if figures.needed:
        yield "right with: " + _counts(figures.needed.most_common())
    yield from _decisions(figures)
    for title, share in (
        ("parallel", figures.parallel),
        ("abstain", figures.abstain),
        ("any call", figures.any_call),
        ("whole, in order", figures.sequence),
        ("up to a slip", figures.prefix),
        ("fit the schema", figures.valid),
    ):
        if share.n:
            yield f"  {title:16}{_share(share)}"
    formats = [
        (name, figures.formats[name])
        for name in ("clean", "repaired", "dropped_call", "unreadable", "calls_in_reasoning")
    ]
    if any(count for _, count in formats):
        yield "format: " + _counts([(name, count) for name, count in formats if count])
    tools = sorted(
        (share.right / share.n, -share.n, name) for name, share in figures.tools.items() if share.right < share.n
    )
    if tools:
        yield "worst tools: " + ", ".join(f"{name} {rate:.1%} of {-n:,}" for rate, n, name in tools[:WORST])
    if figures.wrong_arguments:
        yield "worst arguments: " + _counts(figures.wrong_arguments.most_common(WORST))
    yield from islice(_hints(scores), HINTS)
    if comparison is not None:
        yield from _compared(comparison)


def _decisions(figures: Figures) -> Iterator[str]:
    table = figures.decisions
    called, missed = table[True, True], table[True, False]
    if called + missed:
        share = Share(called, called + missed)
        yield f"  {'calls if it should':20}{_share(share)}"


def _hints(scores: Scores) -> Iterator[str]:
    figures, notable = scores.figures, scores.notable
    blurred = figures.blurred if scores.options.level != "exact" else 0
    for count, one, more, hint in (
        (notable["equal"], "output is", "outputs are", "the gold row, word for word: is OUTPUTS the right file?"),
        (notable["truth"], "output has", "outputs have", "a ground_truth: are GOLD and OUTPUTS swapped?"),
        (notable["tools"], "output declares", "outputs declare", "other tools than the gold row, whose tools count"),
        (len(scores.gold.invalid), "gold row breaks its", "gold rows break their",
         "own tools' schemas: gold_invalid in --json"),
        (notable["own_tools"], "gold row declares", "gold rows declare", "no tools: those of the outputs count"),
        (notable["language"], "row has", "rows have", "literals of Java or JavaScript, which are compared as text"),
        (figures.dotted, "wrong name differs", "wrong names differ", "only in '.' and '_': --names api"),
        (blurred, "right row has", "right rows have", "a number, path or code that differs slightly: see 'exact'"),
    ):  # fmt: skip
        if count:
            yield f"hint: {plural(count, one, more)} {hint}"
    if figures.needed["bfcl_rule"]:
        yield "hint: bfcl_rule counts what only BFCL forgives: see 'toolconv help score'"


def _compared(comparison: RunComparison) -> Iterator[str]:
    interval = comparison.interval
    if comparison.difference is None or interval is None:
        yield "no turn has an output in both runs"
        return
    doubt = "" if comparison.p < 0.05 else f": not distinguishable on these {comparison.n:,} turns"
    yield (
        f"OTHER - OUTPUTS: {comparison.difference:+.1%} ({interval.low:+.1%} to {interval.high:+.1%}), "
        f"p = {comparison.p:.3g}{doubt}"
    )
    yield (
        f"  both right {comparison.both:,}, only OUTPUTS {comparison.first:,}, only OTHER {comparison.second:,}, "
        f"neither {comparison.neither:,}"
    )


def _share(share: Share, units: int | None = None) -> str:
    found = share.as_json(units)
    if found["rate"] is None:
        return "0 of 0"
    return f"{share.right:,} of {share.n:,} right, {found['rate']:.1%} ({found['low']:.1%} to {found['high']:.1%})"


def _passed(one: float | None, every: float | None) -> str:
    if one is None or every is None:
        return "a turn has fewer samples"
    return f"{one:.1%}, {every:.1%}"


def _counts(counts: list[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts)
