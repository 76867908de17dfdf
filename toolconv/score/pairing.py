"""Which call of an output stands for which call of the gold turn: a maximum matching, so that no order counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolconv.core import jsontext
from toolconv.score.calls import RIGHT, Judge, Match
from toolconv.score.expected import Call, ExpectedCall
from toolconv.score.levels import NAMES, Levels


class PairedCall(NamedTuple):
    """A gold call and the output's call that stands for it, by their indices; ``None`` for a side without one."""

    gold: int | None
    output: int | None
    match: Match | None


class PairedTurn(NamedTuple):
    """The calls of a turn, paired.

    Attributes:
        levels: the levels at which all calls are right, and none is missing or extra.
        calls: the pairs at the level asked for.
    """

    levels: Levels
    calls: tuple[PairedCall, ...]


def pair_calls(
    gold: Sequence[ExpectedCall], outputs: Sequence[Call], judge: Judge, level: Levels, *, ordered: bool
) -> PairedTurn:
    """Pair the calls of a turn.

    Args:
        level: the level at which as many pairs as possible are to be right.
        ordered: whether calls are compared place by place.
    """
    if len(gold) == len(outputs) == 1:
        match = judge.match(gold[0], outputs[0])
        return PairedTurn(match.levels, (PairedCall(0, 0, match),))
    if len(gold) == len(outputs) and all(map(judge.is_equal, gold, outputs)):
        return PairedTurn(Levels.ALL, tuple([PairedCall(at, at, RIGHT) for at in range(len(gold))]))
    if ordered:
        return _in_order(gold, outputs, judge)
    matches = _Matches(gold, outputs, judge)
    levels = Levels.NONE
    if len(gold) == len(outputs):
        for each in NAMES.values():
            if len(_matching(matches, each)) == len(gold):
                levels |= each
    chosen = _matching(matches, level)
    return PairedTurn(levels, tuple(_with_the_rest(matches, chosen)))


def _in_order(gold: Sequence[ExpectedCall], outputs: Sequence[Call], judge: Judge) -> PairedTurn:
    calls = [PairedCall(at, at, judge.match(*pair)) for at, pair in enumerate(zip(gold, outputs, strict=False))]
    levels = Levels.ALL if len(gold) == len(outputs) else Levels.NONE
    for call in calls:
        assert call.match is not None
        levels &= call.match.levels
    calls += [PairedCall(at, None, None) for at in range(len(calls), len(gold))]
    calls += [PairedCall(None, at, None) for at in range(len(calls), len(outputs))]
    return PairedTurn(levels, tuple(calls))


class _Matches:
    """How each gold call compares with each call of the output, found when it is asked for.

    Calls that are equal to gold calls with one accepted value each are paired at once: no other pairing is better, and
    a turn of a thousand right calls takes a thousand comparisons.
    """

    def __init__(self, gold: Sequence[ExpectedCall], outputs: Sequence[Call], judge: Judge) -> None:
        self.gold, self.outputs, self._judge = gold, outputs, judge
        self._found: dict[tuple[int, int], Match] = {}
        self.equal = dict(self._equal())
        taken = set(self.equal.values())
        self.open_gold = [at for at in range(len(gold)) if at not in self.equal]
        self.open_outputs = [at for at in range(len(outputs)) if at not in taken]

    def _equal(self) -> Iterator[tuple[int, int]]:
        places: dict[str, list[int]] = {}
        for at, call in reversed(list(enumerate(self.outputs))):
            places.setdefault(_text(call), []).append(at)
        for at, gold in enumerate(self.gold):
            same = None if gold.listed else places.get(_text(gold.first))
            if same and self._judge.is_equal(gold, self.outputs[same[-1]]):
                yield at, same.pop()

    def of(self, gold: int, output: int) -> Match:
        """The comparison of two calls."""
        if self.equal.get(gold) == output:
            return RIGHT
        found = self._found.get((gold, output))
        if found is None:
            found = self._found[gold, output] = self._judge.match(self.gold[gold], self.outputs[output])
        return found


def _text(call: Call) -> str:
    return jsontext.compact([call.name, call.arguments])


def _matching(matches: _Matches, level: Levels) -> dict[int, int]:
    """As many pairs as possible that are right at a level: the output's call of each gold call (Kuhn's algorithm)."""
    mates: dict[int, int] = {}  # the output's call of each gold call
    owners: dict[int, int] = {}  # the other way round

    def place(gold: int) -> None:
        """Find a call for a gold call; others may take another one instead, along a path of pairs."""
        came_from: dict[int, int] = {}
        waiting = [gold]
        for current in waiting:
            for output in matches.open_outputs:
                if output in came_from or level not in matches.of(current, output).levels:
                    continue
                came_from[output] = current
                if output in owners:
                    waiting.append(owners[output])
                    continue
                free: int | None = output
                while free is not None:
                    owner = came_from[free]
                    mates[owner], owners[free], free = free, owner, mates.get(owner)
                return

    for gold in matches.open_gold:
        place(gold)
    return matches.equal | mates


def _with_the_rest(matches: _Matches, chosen: dict[int, int]) -> Iterator[PairedCall]:
    """The pairs, and pairs of what is left: of one name, with the fewest differences; then of any; then alone."""
    left_gold = [at for at in matches.open_gold if at not in chosen]
    taken = set(chosen.values())
    left = [at for at in matches.open_outputs if at not in taken]
    for same_name in (True, False):
        for gold in list(left_gold):
            names = matches.gold[gold].name
            candidates = [at for at in left if not same_name or _is_named(matches, gold, at, names)]
            if candidates:
                best = min(candidates, key=lambda at: matches.of(gold, at).wrong_arguments)
                chosen[gold] = best
                left_gold.remove(gold)
                left.remove(best)
    for gold, output in sorted(chosen.items()):
        yield PairedCall(gold, output, matches.of(gold, output))
    yield from (PairedCall(gold, None, None) for gold in left_gold)
    yield from (PairedCall(None, output, None) for output in left)


def _is_named(matches: _Matches, gold: int, output: int, name: str) -> bool:
    return matches.outputs[output].name == name or not any(
        difference.kind == "name" and not difference.levels for difference in matches.of(gold, output).differences
    )
