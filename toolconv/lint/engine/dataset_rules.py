"""The rules for a dataset as a whole: they observe each row, and report in rows or at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolconv.lint.engine.failures import Failures
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.overview import RowSignature
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import ComparingRule, DatasetRule, Firsts, SignatureRule

MAX_SIGNATURES: Final = 256
"""For how many signatures rows are counted before the rules get the numbers."""


class DatasetRules:
    """The rules for one dataset, or for a part of one. A rule that fails is given up for that row, and reported.

    Args:
        rules: instances that have seen no row.
        uncalled: one more, whose ``observe`` is not called.
        files: numbers of the files, starting at 0 in a whole dataset.
        firsts: the first rows from before the part, of the kinds in it; ``None`` for a whole dataset.

    Attributes:
        all: the rules, ``uncalled`` among them.
        comparing: those that compare rows.
        reported: codes of those that reported findings in rows.
        failures: those that failed, other than on a row.
    """

    def __init__(
        self, rules: Sequence[DatasetRule], uncalled: DatasetRule, files: Mapping[str, int], firsts: Firsts | None
    ) -> None:
        self.all = [*rules, uncalled]
        self.comparing = [rule for rule in self.all if isinstance(rule, ComparingRule)]
        self.reported: set[str] = set()
        self.failures = Failures()
        self._of_answers = [rule for rule in self.all if rule.each_answer]
        self._of_signatures = [rule for rule in self.all if isinstance(rule, SignatureRule)]
        self._repeated: dict[tuple[Any, ...], int] = {}  # rows that rules still have to count, by the row's signature
        self._observers = [
            rule for rule in rules if not isinstance(rule, SignatureRule) or type(rule).find is not DatasetRule.find
        ]
        for rule in self.comparing:
            rule.files = dict(files)
            rule.firsts = rule.store() if firsts is None else dict(firsts.get(rule.code, {}))

    def merge(self, rules: Sequence[DatasetRule], failures: Failures) -> None:
        """Add the counts of equivalent rules for the next rows of a file, and their failures to count."""
        self.failures.update(failures)
        for mine, theirs in zip(self.all, rules, strict=True):
            try:
                mine.merge(theirs)
            except Exception as error:
                self.failures.add(mine, error)

    def observe(self, row: LintRow) -> list[Finding]:
        """Let the rules observe a row, fixed if it was; the findings that they report for it."""
        found: list[Finding] = []
        failures: Failures | None = None
        if self._of_signatures:
            failures = self._count(row)
        for rule in self._observers:
            try:
                found.extend(rule.find(row))
            except Exception as error:
                failures = failures or Failures()
                failures.add(rule, error)
        for other in row.other_answers():
            for rule in self._of_answers:
                try:
                    rule.observe(other)
                except Exception as error:
                    failures = failures or Failures()
                    failures.add(rule, error)
        if found:
            self.reported.update(finding.code for finding in found)
        if failures is not None:
            found += failures.in_row(row)
        return found

    def _count(self, row: LintRow) -> Failures | None:
        """Count the signature of a row; the rules that failed, if any did."""
        overview = row.overview
        parts = (row.file, overview.layout, bool(overview.toolset.names), overview.counts) if overview else ()
        repeated = self._repeated.get(parts)
        if repeated is not None:
            self._repeated[parts] = repeated + 1
            return None
        failures: Failures | None = None
        for rule in self._of_signatures:
            try:
                rule.count_rows(row.signature, row.line, 1)
            except Exception as error:
                failures = failures or Failures()
                failures.add(rule, error)
        if len(self._repeated) >= MAX_SIGNATURES:
            self.count_repeated()
        if parts and failures is None:
            self._repeated[parts] = 0
        return failures

    def count_repeated(self) -> None:
        """Pass the numbers of rows with known signatures to the rules, before their counts are used."""
        for parts, rows in self._repeated.items():
            signature = RowSignature(*parts)
            for rule in self._of_signatures if rows else ():
                try:
                    rule.count_rows(signature, 0, rows)
                except Exception as error:
                    self.failures.add(rule, error)
        self._repeated.clear()

    def finish(self, cut: bool = False) -> list[Finding]:
        """The findings about the dataset, after all rows; of one that was cut, only what its rows do alike."""
        self.count_repeated()
        found: list[Finding] = []
        for rule in self.all[-1:] if cut else self.all:
            try:
                found.extend(rule.finish())
            except Exception as error:
                self.failures.add(rule, error)
        return found
