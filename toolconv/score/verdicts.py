"""Judge an output's turn: right or wrong, at which level, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from toolconv.core.messages import Row
from toolconv.core.tools import ToolIndex
from toolconv.score.calls import ABSENT, Judge, Mismatch
from toolconv.score.expected import Call, ExpectedTurn
from toolconv.score.levels import Levels, strictest
from toolconv.score.pairing import PairedCall, PairedTurn, pair_calls

Verdict = Literal[
    "right", "no_output", "unreadable", "should_have_called", "should_have_abstained", "undeclared_tool", "wrong_name",
    "missing_call", "extra_call", "schema_break", "wrong_arguments",
]  # fmt: skip

VERDICTS: Final[tuple[Verdict, ...]] = Verdict.__args__  # type: ignore[attr-defined]
"""All verdicts; of those that apply to a turn, it has the first."""

_SCHEMA: Final = ("required", "undeclared", "type")
"""The kinds of differences that break the tool's schema."""


class CallDifference(NamedTuple):
    """A difference, and the gold call that it is of, by its index; ``None`` for a call that no gold call stands for."""

    call: int | None
    difference: Mismatch


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged turn.

    Attributes:
        verdict: why it is wrong at the level asked for, or ``right``.
        levels: the levels at which it is right.
        expected: what is right.
        calls: what the output calls.
        pairs: the pairs of calls.
        differences: all differences, also those that are forgiven.
        needed: what is forgiven at the strictest level at which the turn is right.
        flags: what else is notable.
        prefix: of a whole run, how many calls are the gold calls, in their order, up to the first other one.
    """

    verdict: Verdict
    levels: Levels
    expected: ExpectedTurn
    calls: Sequence[Call] = ()
    pairs: tuple[PairedCall, ...] = ()
    differences: tuple[CallDifference, ...] = ()
    needed: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    prefix: int | None = None

    def as_json(self) -> Row:
        """The keys of the turn in a row of ``-o``."""
        return {
            "right": self.verdict == "right",
            "level": strictest(self.levels),
            "verdict": self.verdict,
            "differences": [_difference_json(each) for each in self.differences],
            "needed": list(self.needed),
            "expect": self.expected.kind,
            "gold": [call.first.as_json() for call in self.expected.calls],
            "output": [call.as_json() for call in self.calls],
        }


def _difference_json(each: CallDifference) -> dict[str, Any]:
    found: dict[str, Any] = {"call": each.call, "path": each.difference.path, "kind": each.difference.kind}
    for side, value in (("gold", each.difference.gold), ("output", each.difference.output)):
        if value is not ABSENT:
            found[side] = value
    return found


def judge_turn(
    expected: ExpectedTurn, calls: Sequence[Call], judge: Judge, level: Levels, *, ordered: bool = False
) -> Judged:
    """Judge the calls of a turn.

    Args:
        level: the level that decides what the verdict is.
        ordered: whether the order of calls counts.
    """
    if expected.kind != "calls":
        wants = expected.kind == "any"
        if wants == bool(calls):
            return Judged("right", Levels.ALL, expected, calls)
        return Judged("should_have_called" if wants else "should_have_abstained", Levels.NONE, expected, calls)
    if not calls:
        return Judged("should_have_called", Levels.NONE, expected)
    paired = pair_calls(expected.calls, calls, judge, level, ordered=ordered)
    return _judged(expected, calls, paired, judge.tools, level)


def _judged(
    expected: ExpectedTurn, calls: Sequence[Call], paired: PairedTurn, tools: ToolIndex, level: Levels
) -> Judged:
    differences = [
        CallDifference(pair.gold, difference)
        for pair in paired.calls
        if pair.match is not None
        for difference in pair.match.differences
    ]
    verdict: Verdict = "right"
    if not differences and paired.levels == Levels.ALL:
        return Judged(verdict, paired.levels, expected, calls, paired.calls)
    if level not in paired.levels:
        found = set(_faults(calls, paired.calls, tools, level))
        verdict = next((each for each in VERDICTS if each in found), "wrong_arguments")
    needed: set[str] = set()
    if paired.levels and paired.levels != Levels.ALL:
        for pair in paired.calls:
            needed |= pair.match.needed if pair.match is not None else set()
    return Judged(verdict, paired.levels, expected, calls, paired.calls, tuple(differences), tuple(sorted(needed)))


def _faults(calls: Sequence[Call], pairs: Sequence[PairedCall], tools: ToolIndex, level: Levels) -> Iterator[Verdict]:
    for pair in pairs:
        if pair.output is None:
            yield "missing_call"
        elif pair.gold is None:
            name = calls[pair.output].name
            yield "undeclared_tool" if tools and name not in tools else "extra_call"
        elif pair.match is not None:
            for difference in pair.match.differences:
                if level in difference.levels:
                    continue
                if difference.kind == "name":
                    yield "undeclared_tool" if tools and difference.output not in tools else "wrong_name"
                else:
                    yield "schema_break" if difference.kind in _SCHEMA else "wrong_arguments"
