"""Bases of rules that count over a whole dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import sqrt
from typing import Self

from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import DatasetRule

MIN_TURNS = 50
"""With fewer assistant turns or calls, nothing can be concluded about a dataset."""


MIN_ROWS = 20


def at_least(count: int, total: int) -> float:
    """The share of ``count`` in ``total`` of which the rows give evidence: Wilson's lower bound, 95 % one-sided."""
    share, z = count / total, 1.645
    spread = z * sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    return (share + z * z / (2 * total) - spread) / (1 + z * z / total)


class SummingRule(DatasetRule):
    """A rule that counts over the whole dataset and reports at the first file."""

    file: str = ""

    def merge(self, later: Self) -> None:
        self.file = self.file or later.file
        for name, theirs in vars(later).items():
            mine = getattr(self, name)
            if isinstance(mine, Counter | set):
                mine.update(theirs)
            elif isinstance(mine, int):
                setattr(self, name, mine + theirs)

    def finish(self) -> Iterator[Finding]:
        for message in self.messages():
            yield self.finding_in(self.file, message)

    def messages(self) -> Iterator[str]:
        """The problems, if there are any."""
        raise NotImplementedError


class CountingRule(SummingRule):
    """A rule that counts in each row."""

    def observe(self, row: LintRow) -> None:
        if not self.file:
            self.file = row.file
        if row.counts.turns:
            self.count(row)

    def count(self, row: LintRow) -> None:
        """Count a readable row."""
        raise NotImplementedError
