"""How long rows are: characters, tokens, turns, calls and tools, each as a distribution that takes little memory.

The facts ``characters`` and ``tokens`` of ``toolconv select`` are the same numbers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

QUANTILES: Final = {"median": 0.5, "90%": 0.9, "99%": 0.99}
"""The quantiles that are shown, by their headings; the shortest and the longest are shown, too."""

DIGITS: Final = 3
"""Numbers are counted with this many digits, so that a distribution takes a few thousand numbers at most."""

EXACT: Final = 10**DIGITS
"""Numbers below this one are not rounded."""

WAITING: Final = 4096
"""How many numbers wait to be counted."""

MEASURES: Final = ("characters", "tokens", "turns", "calls", "tools declared", "tools called")
"""What is measured of each row, in the order in which it is shown."""


class Distribution:
    """How often each number occurs. Numbers of more than :data:`DIGITS` digits are rounded; the two ends are exact."""

    def __init__(self) -> None:
        self._settled: Counter[int] = Counter()
        self._waiting: list[int] = []
        self._least = self._most = 0

    def add(self, number: int) -> None:
        """Count a number, 0 or greater."""
        self._waiting.append(number)
        if len(self._waiting) >= WAITING:
            self._settle()

    def merge(self, other: Distribution) -> None:
        """Add the counts of another one."""
        self._add(other._counts, other.least, other.most)

    @property
    def least(self) -> int:
        """The smallest number; 0 without numbers."""
        self._settle()
        return self._least

    @property
    def most(self) -> int:
        """The greatest number; 0 without numbers."""
        self._settle()
        return self._most

    @property
    def _counts(self) -> Counter[int]:
        self._settle()
        return self._settled

    def _settle(self) -> None:
        """Count the numbers that were added: many at once, since most of them repeat."""
        if self._waiting:
            numbers, self._waiting = self._waiting, []
            counts: Counter[int] = Counter()
            for number, count in Counter(numbers).items():
                counts[number if number < EXACT else _rounded(number)] += count
            self._add(counts, min(numbers), max(numbers))

    def _add(self, counts: Counter[int], least: int, most: int) -> None:
        if counts:
            known = bool(self._settled)
            self._least = min(self._least, least) if known else least
            self._most = max(self._most, most) if known else most
            self._settled.update(counts)

    @property
    def total(self) -> int:
        """How many numbers were counted."""
        return self._counts.total()

    def at(self, share: float) -> int:
        """The smallest number that is not exceeded by this share of the numbers, which must not be none."""
        counts = self._counts
        wanted, seen = share * counts.total(), 0
        for number in sorted(counts):
            seen += counts[number]
            if seen >= wanted:
                return max(self.least, min(number, self.most))
        return self.most

    @property
    def numbers(self) -> dict[str, int]:
        """The shortest, the quantiles and the longest, by their headings."""
        return {"min": self.least, **{name: self.at(share) for name, share in QUANTILES.items()}, "max": self.most}

    def within(self, number: int) -> int:
        """How many of the numbers, as they are rounded, are at most this one."""
        return sum(count for each, count in self._counts.items() if each <= number)

    def as_json(self) -> dict[str, int]:
        """The quantiles as JSON data."""
        names = ("min", *(f"p{round(share * 100)}" for share in QUANTILES.values()), "max")
        return dict(zip(names, self.numbers.values(), strict=True))


def _rounded(number: int) -> int:
    scale: int = 10 ** max(0, len(str(number)) - DIGITS)
    return (number + scale // 2) // scale * scale


class Lengths:
    """The distributions of some rows, by measure."""

    def __init__(self) -> None:
        self.by_measure: defaultdict[str, Distribution] = defaultdict(Distribution)

    def add(self, numbers: Mapping[str, int]) -> None:
        """Count a row, of which ``numbers`` says how much it has of each measure."""
        for measure, number in numbers.items():
            self.by_measure[measure].add(number)

    def merge(self, other: Lengths) -> None:
        """Add the counts of other rows."""
        for measure, distribution in other.by_measure.items():
            self.by_measure[measure].merge(distribution)

    def shown(self) -> Mapping[str, Distribution]:
        """The distributions in the order in which they are shown."""
        return {measure: self.by_measure[measure] for measure in MEASURES if measure in self.by_measure}

    def as_json(self) -> dict[str, Any]:
        """The quantiles by measure, as JSON data."""
        return {measure.replace(" ", "_"): each.as_json() for measure, each in self.shown().items()}


def short_names(names: Sequence[str]) -> list[str]:
    """Names of files without the folder that they share."""
    folders = [Path(name).parts[:-1] for name in names]
    shared = 0
    while min(map(len, folders), default=0) > shared and len({folder[shared] for folder in folders}) == 1:
        shared += 1
    return [str(Path(*Path(name).parts[shared:])) for name in names]


class FileCounts:
    """The counts of one file, to compare it with others."""

    def __init__(self) -> None:
        self.rows = self.rejects = self.with_calls = self.calls = 0
        self.characters = Distribution()

    @property
    def median(self) -> int:
        """The median of the characters of its rows; 0 without rows."""
        return self.characters.at(0.5) if self.characters.total else 0

    def merge(self, other: FileCounts) -> None:
        """Add the counts of later rows."""
        self.rows += other.rows
        self.rejects += other.rejects
        self.with_calls += other.with_calls
        self.calls += other.calls
        self.characters.merge(other.characters)

    def as_json(self) -> dict[str, Any]:
        """The counts as JSON data."""
        return {
            "rows_in": self.rows,
            "rejects": self.rejects,
            "rows_with_calls": self.with_calls,
            "n_tool_calls": self.calls,
            "characters": self.characters.as_json() if self.characters.total else None,
        }
