"""The findings of a run, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from toolconv.core.plural import plural
from toolconv.lint.engine.marking import NOTHING
from toolconv.lint.model.finding import Finding, Level


class FindingCounts:
    """Counts over findings.

    Attributes:
        rows: rows checked.
        levels, codes: findings by level and code.
        safe, unsafe: findings with a safe or an unsafe fix.
        removable: findings whose fix drops the row, by the options that do so.
        fixed: findings that were fixed, by code.
        marked: turns that were marked as not trained on.
        ignored, ignoring: findings that their rows now ignore themselves, and how many rows do.
        fixable: codes of findings that can be fixed.
        rows_with: rows with findings, by code.
        level_of: the highest level of the findings, by code.
    """

    def __init__(self) -> None:
        self.rows = 0
        self.levels = Counter[str]()
        self.codes = Counter[str]()
        self.safe = 0
        self.unsafe = 0
        self.removable = Counter[str]()
        self.fixed = Counter[str]()
        self.marked = NOTHING
        self.ignored = self.ignoring = 0
        self.fixable = Counter[str]()
        self.rows_with = Counter[str]()
        self.level_of: dict[str, Level] = {}

    def add(self, findings: Sequence[Finding], *, in_row: bool = True) -> None:
        """Count the findings in a row, or those about the dataset."""
        if in_row:
            self.rows_with.update({finding.code for finding in findings})
        for finding in findings:
            if finding.level == "error" or self.level_of.get(finding.code) in (None, "info"):
                self.level_of[finding.code] = finding.level
            count = finding.count
            self.levels[finding.level] += count
            self.codes[finding.code] += count
            if finding.fixable:
                self.fixable[finding.code] += count
                if finding.drop_row:
                    self.removable[finding.options] += count
                elif finding.safety == "unsafe":
                    self.unsafe += count
                else:
                    self.safe += count

    @property
    def findings(self) -> int:
        """The total number of findings."""
        return self.codes.total()

    def summary(self, *, would: bool = False) -> str:
        """The summary line: ``Found 12 errors, 3 warnings in 4,096 rows (9 fixable with --fix).``

        Args:
            would: fixes were only shown, not applied.
        """
        rows = f"{self.rows:,} row{'' if self.rows == 1 else 's'}"
        names = (("error", "error"), ("warning", "warning"), ("info", "note"))
        found = [
            f"{self.levels[level]:,} {name}{'' if self.levels[level] == 1 else 's'}"
            for level, name in names
            if self.levels[level]
        ]
        fixed = self.fixed.total()
        start = f"{'Would fix' if would else 'Fixed'} {fixed:,}. " if fixed else ""
        if marked := self.marked.turns:
            in_rows = plural(self.marked.rows, "row")
            start += f"{'Would mark' if would else 'Marked'} {plural(marked, 'turn')} in {in_rows}. "
        if self.ignored:
            start += f"{plural(self.ignoring, 'row')} now ignore{'s' * (self.ignoring == 1)} "
            start += f"{plural(self.ignored, 'finding')}. "
        if not found:
            return f"{start}Nothing found in {rows}."
        hints = []
        if self.safe:
            hints.append(f"{self.safe:,} fixable with --fix")
        if self.unsafe:
            hints.append(f"{self.unsafe:,} {'more ' if self.safe else 'fixable '}with --fix --unsafe-fixes")
        for options, count in sorted(self.removable.items()):
            hints.append(f"{plural(count, 'row')} removable with {options}")
        hint = f" ({', '.join(hints)})" if hints else ""
        return f"{start}Found {', '.join(found)} in {rows}{hint}."
