"""Compare the verdicts on two runs: the turns that only one of them has right, and whether that may be chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from toolconv.score.run import Scores
from toolconv.score.statistics import Interval, mcnemar, newcombe

WORSE: float = 0.05
"""A difference with a smaller p is more than chance."""


@dataclass(slots=True)
class RunComparison:
    """How two models do on the gold turns that both have outputs for. Of several samples, the majority counts.

    Attributes:
        both, first, second, neither: how many turns both have right, only the first, only the second, and neither.
        lost: the keys of the rows of which only the first has a turn right.
        won: those of which only the second has.
        lost_by, won_by: what the other run made of these turns: how many have each verdict.
        categories: the numbers of turns that only the first, and only the second, has right, by category.
    """

    both: int = 0
    first: int = 0
    second: int = 0
    neither: int = 0
    lost: list[str] = field(default_factory=list)
    won: list[str] = field(default_factory=list)
    lost_by: Counter[str] = field(default_factory=Counter)
    won_by: Counter[str] = field(default_factory=Counter)
    categories: dict[str, list[int]] = field(default_factory=dict)

    @classmethod
    def of(cls, one: Scores, other: Scores) -> RunComparison:
        """The comparison of two runs over the same gold rows."""
        found = cls()
        for place, samples in one.figures.samples.items():
            others = other.figures.samples.get(place)
            if others is None:
                continue
            key, line, row = one.gold.rows[place[0]]
            first, second = samples.majority, others.majority
            counts = found.categories.setdefault(row.category, [0, 0])
            if first != second:
                counts[second] += 1
            if first and second:
                found.both += 1
            elif first:
                found.first += 1
                found.lost.append(key or str(line))
                found.lost_by[others.verdict] += 1
            elif second:
                found.second += 1
                found.won.append(key or str(line))
                found.won_by[samples.verdict] += 1
            else:
                found.neither += 1
        return found

    @property
    def n(self) -> int:
        """How many turns both runs have."""
        return self.both + self.first + self.second + self.neither

    @property
    def difference(self) -> float | None:
        """The share of the second minus that of the first; ``None`` without turns."""
        return (self.second - self.first) / self.n if self.n else None

    @property
    def interval(self) -> Interval | None:
        """The 95 % interval of the difference."""
        return newcombe(self.both, self.first, self.second, self.neither)

    @property
    def p(self) -> float:
        """How probable a difference like this is by chance, if neither is better."""
        return mcnemar(self.first, self.second)

    @property
    def is_worse(self) -> bool:
        """Whether the second run is worse, and not by chance."""
        return self.second < self.first and self.p < WORSE

    def as_json(self) -> dict[str, Any]:
        """The comparison as plain data."""
        interval = self.interval
        return {
            "n": self.n, "both": self.both, "only_outputs": self.first, "only_other": self.second,
            "neither": self.neither, "difference": self.difference, "low": interval and interval.low,
            "high": interval and interval.high, "p": self.p, "won": self.won, "lost": self.lost,
            "won_by": dict(self.won_by.most_common()), "lost_by": dict(self.lost_by.most_common()),
            "by": {
                name: {"only_outputs": first, "only_other": second}
                for name, (first, second) in sorted(self.categories.items())
                if name
            },
        }  # fmt: skip
