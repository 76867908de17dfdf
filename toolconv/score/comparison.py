"""Compare the verdicts on two runs: the turns that only one of them has right, and whether that may be chance."""

from __future__ import annotations

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
    """

    both: int = 0
    first: int = 0
    second: int = 0
    neither: int = 0
    lost: list[str] = field(default_factory=list)
    won: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, one: Scores, other: Scores) -> RunComparison:
        """The comparison of two runs over the same gold rows."""
        found = cls()
        for place, samples in one.figures.samples.items():
            others = other.figures.samples.get(place)
            if others is None:
                continue
            key, line, _ = one.gold.rows[place[0]]
            first, second = 2 * samples.right > samples.n, 2 * others.right > others.n
            if first and second:
                found.both += 1
            elif first:
                found.first += 1
                found.lost.append(key or str(line))
            elif second:
                found.second += 1
                found.won.append(key or str(line))
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
        }  # fmt: skip
