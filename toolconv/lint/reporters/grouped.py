"""Findings by cause: each with its number, its share of the rows and its first lines."""

from __future__ import annotations

from toolconv.core.terminal import escape
from toolconv.lint.engine.causes import Cause, Causes
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.reporters.concise import Concise


class Grouped(Concise):
    """Causes, under their rules: errors first, then the most frequent."""

    by_cause = True

    def begin(self) -> None:
        self._causes = Causes()

    def finding(self, finding: Finding, row: LintRow | None) -> None:
        self._causes.add(finding)

    def end(self) -> None:
        groups: dict[tuple[str, str], list[Cause]] = {}
        for cause in self._causes.chosen(self.limit):
            groups.setdefault((cause.first.code, cause.first.level), []).append(cause)
            self.shown += cause.count
        for (code, level), causes in groups.items():
            self.write(f"{self.painted(code, level)} {causes[0].first.name} ({level})\n")
            for cause in causes:
                self._cause(cause)
            self.write("\n")

    def _cause(self, cause: Cause) -> None:
        first = cause.first
        fix = f" [{first.options}]" if first.fixable else ""
        where = self.painted(escape(cause.lines()), "place")
        pointer = f" at {escape(first.pointer)}" if first.pointer else ""
        often = f"{cause.count:,} times in " if cause.count > cause.rows > 0 else ""
        self.write(f"  {escape(cause.message)}{fix}\n")
        self.write(f"    {often}{cause.share(self.rows)}: {where}{self.painted(pointer, 'rule')}\n")


REPORTER = Grouped
