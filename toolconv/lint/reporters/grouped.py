"""Findings by cause: each with its number, its share of the rows and its first lines."""

from __future__ import annotations

from toolconv.core.terminal import escape
from toolconv.lint.engine.causes import Cause, by_rule
from toolconv.lint.reporters.base import ByCause
from toolconv.lint.reporters.concise import Concise


class Grouped(ByCause, Concise):
    """Causes, under their rules: errors first, then the most frequent."""

    def end(self) -> None:
        for (code, level), causes in by_rule(self.chosen()).items():
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
