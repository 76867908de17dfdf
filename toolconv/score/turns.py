"""Which turn of an output stands for which turn of its gold row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, NamedTuple

from toolconv.score.calls import Judge, Mismatch
from toolconv.score.expected import ANY_CALL, NO_CALL, Call, ExpectedTurn, turn_of
from toolconv.score.gold import GoldRow
from toolconv.score.history import first_of_last_segment
from toolconv.score.levels import Levels
from toolconv.score.outputs import OutputRow, OutputTurn
from toolconv.score.pairing import PairedCall
from toolconv.score.verdicts import VERDICTS, CallDifference, Judged, judge_turn

Turns = Literal["auto", "each", "whole"]
"""What an output stands for: each of its turns for a gold turn, given the gold's history; or all of it for all of the
gold row; or whichever it looks like."""


class AlignedTurn(NamedTuple):
    """A gold turn and the output's turn that stands for it; ``own`` is ``None`` if there is none."""

    number: int
    expected: ExpectedTurn
    own: OutputTurn | None


def is_whole(gold: GoldRow, output: OutputRow, turns: Turns) -> bool:
    """Whether an output is a run of its own through all turns of the gold row."""
    return turns == "whole" or (
        turns == "auto" and len(output.turns) > 1 and len(gold.turns) > 1 and output.turn is None
    )


def aligned(gold: GoldRow, output: OutputRow, turns: Turns) -> list[AlignedTurn]:
    """The gold turns that an output stands for, unless it :func:`is_whole`."""
    if turns == "each" and output.turn is None and len(output.turns) == len(gold.turns):
        pairs = zip(gold.turns, output.turns, strict=True)
        return [AlignedTurn(turn.number, turn.expected, own) for turn, own in pairs]
    number = gold.next if output.turn is None or not 0 <= output.turn < len(gold.turns) else output.turn
    last = first_of_last_segment([turn.segment for turn in output.turns])
    if output.turn is None and len(gold.turns) > 1:
        following = {turn.history: turn.number for turn in gold.turns}
        for at in range(len(output.turns) - 1, -1, -1):
            if (found := following.get(output.histories.before(output.turns[at].at))) is not None:
                number, last = found, at
                break
    return [AlignedTurn(number, gold.turns[number].expected, output.turns[last] if output.turns else None)]


def judge_whole(gold: GoldRow, output: OutputRow, judge: Judge, level: Levels, *, ordered: bool) -> Judged:
    """Judge all turns of an output at once: the calls that follow each message of the user.

    A gold turn's calls may be spread over several turns of the output, and the other way round, as long as no call of a
    later gold turn comes before one of an earlier gold turn.
    """
    levels, found = Levels.ALL, []
    expected: list[ExpectedTurn] = []
    calls: list[Call] = []
    pairs: list[PairedCall] = []
    differences: list[CallDifference] = []
    needed: set[str] = set()
    count = 0
    merged = False
    last = max([*(turn.segment for turn in gold.turns), *(turn.segment for turn in output.turns)], default=0)
    for segment in range(last + 1):
        mine = [turn.expected for turn in gold.turns if turn.segment == segment]
        theirs = [turn.calls for turn in output.turns if turn.segment == segment]
        judged = judge_turn(_merged(mine), [call for own in theirs for call in own], judge, level, ordered=ordered)
        if judged.verdict == "right" and not _in_order(mine, theirs, judged.pairs):
            moved = CallDifference(None, Mismatch("order"))
            judged = replace(judged, verdict="wrong_arguments", levels=Levels.NONE, differences=(moved,))
        merged = merged or (judged.verdict == "right" and len(mine) != len(theirs))
        levels &= judged.levels
        found.append(judged.verdict)
        pairs += (_shifted(pair, count, len(calls)) for pair in judged.pairs)
        differences += (
            CallDifference(None if call is None else call + count, difference)
            for call, difference in judged.differences
        )
        expected.append(judged.expected)
        calls += judged.calls
        needed.update(judged.needed)
        count += len(judged.expected.calls)
    wrong = [verdict for verdict in VERDICTS[1:] if verdict in found]
    whole = _merged(expected)
    prefix = 0
    for one, other in zip(whole.calls, calls, strict=False):
        if level not in judge.match(one, other).levels:
            break
        prefix += 1
    return Judged(
        wrong[0] if wrong else "right",
        levels,
        whole,
        calls,
        tuple(pairs),
        tuple(differences),
        tuple(sorted(needed)),
        flags=("merged_turns",) if merged else (),
        prefix=prefix,
    )


def _merged(turns: Sequence[ExpectedTurn]) -> ExpectedTurn:
    """What is right for several turns together."""
    calls = [call for turn in turns for call in turn.calls]
    return turn_of(calls) if calls else ANY_CALL if ANY_CALL in turns else NO_CALL


def _in_order(gold: Sequence[ExpectedTurn], output: Sequence[Sequence[Call]], pairs: Sequence[PairedCall]) -> bool:
    """Whether the calls of each gold turn come no earlier than those of the turns before it."""
    turn_of_gold = [number for number, turn in enumerate(gold) for _ in turn.calls]
    turn_of_output = [number for number, calls in enumerate(output) for _ in calls]
    spans: dict[int, list[int]] = {}
    for pair in pairs:
        if pair.gold is not None and pair.output is not None:
            spans.setdefault(turn_of_gold[pair.gold], []).append(turn_of_output[pair.output])
    latest = _FIRST
    for turn in sorted(spans):
        if min(spans[turn]) < latest:
            return False
        latest = max(latest, *spans[turn])
    return True


_FIRST: Final = -1


def _shifted(pair: PairedCall, gold: int, output: int) -> PairedCall:
    return PairedCall(
        None if pair.gold is None else pair.gold + gold,
        None if pair.output is None else pair.output + output,
        pair.match,
    )
