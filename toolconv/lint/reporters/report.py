"""The findings of a run: counted, and written in the chosen format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from toolconv.core.plural import plural
from toolconv.lint import reporters
from toolconv.lint.engine.selection import all_rules
from toolconv.lint.engine.tally import FindingCounts
from toolconv.lint.model.finding import reported_with_row

if TYPE_CHECKING:
    from toolconv.lint.engine.checked import Checked
    from toolconv.lint.engine.rewrite import Buffer
    from toolconv.lint.engine.summary import Summary
    from toolconv.lint.model.finding import Finding
    from toolconv.lint.model.row import LintRow
    from toolconv.lint.reporters.base import Reporter
    from toolconv.lint.rule import Rule

MANY: Final = 100
"""With more findings than this, a terminal shows them by cause."""


def _reporter(
    write: Callable[[str], object], rules: Sequence[Rule], colour: bool, limit: int | None, output_format: str
) -> Reporter:
    reporter = reporters.get(output_format)(write, rules, colour=colour)
    reporter.limit = limit
    return reporter


class FindingsReport:
    """Counts findings and writes them.

    Args:
        buffer: takes the text.
        rules: the enabled rules.
        output_format: name of the reporter; ``None`` for ``full``, or ``grouped`` if there are many findings.
        colour: use terminal colours.
        limit: how many findings to write; all are counted.
        statistics: write counts by rule instead of findings.
        silent: write nothing.
        copies: further reports of the same findings, in other formats.
        list_fixes: keep what was fixed where, for :meth:`fixes`.

    Attributes:
        tally: the counts.
        buffer: takes the text.
        removed: a line for each row that was removed, until they are written.
        write: writes other text between the findings.
    """

    def __init__(
        self,
        buffer: Buffer,
        rules: Sequence[Rule],
        output_format: str | None = "concise",
        *,
        colour: bool = False,
        limit: int | None = None,
        statistics: bool = False,
        silent: bool = False,
        copies: Sequence[FindingsReport] = (),
        list_fixes: bool = False,
    ) -> None:
        self.copies = copies
        self._fixed: dict[tuple[str, str], list[int]] | None = {} if list_fixes else None
        self.tally = FindingCounts()
        self.buffer = buffer
        self.removed: list[str] = []
        self.write = buffer.text
        self._new_reporter = partial(_reporter, buffer.text, rules, colour, limit)
        self._held: list[tuple[Finding, LintRow | None]] | None = [] if output_format is None else None
        self._reporter = self._new_reporter(output_format or "full")
        self._limit = limit
        self._statistics = statistics
        self._silent = silent or statistics
        self._written = 0
        self._counted = 0  # including the findings that each written one stands for

    def begin(self) -> None:
        """Write the beginning of the report."""
        for copy in self.copies:
            copy.begin()
        if not self._silent:
            self._reporter.begin()

    def flush(self) -> None:
        """Pass on buffered text."""
        self.buffer.flush()
        for copy in self.copies:
            copy.flush()

    def add(self, findings: Sequence[Finding], row: LintRow | None) -> None:
        """Report findings in a row or about the dataset; those reported once for a file come with the latter."""
        findings = reported_with_row(findings)
        if not findings:
            return
        for copy in self.copies:
            copy.add(findings, row)
        self.tally.add(findings, in_row=row is not None)
        for finding in () if self._silent else findings:
            if self._held is None:
                self._write(finding, row)
                continue
            self._held.append((finding, row))
            if len(self._held) > MANY:
                self._reporter = self._new_reporter("grouped")
                self._reporter.begin()
                self._release()

    def add_removed(self, finding: Finding) -> None:
        """Note that a row was removed, and why."""
        self.removed.append(f"{finding.file}:{finding.line}: removed: {finding.code} {finding.name}: {finding.message}")

    def add_fixed(self, checked: Checked) -> None:
        """Note what was fixed in a row."""
        if self._fixed is not None:
            for code in checked.fixed:
                self._fixed.setdefault((checked.row.file, code), []).append(checked.row.line)

    def fixes(self) -> Iterator[str]:
        """A line for each file and rule: ``train.jsonl: TC106 string-typed-value in 2 rows: 4, 17``."""
        rules = all_rules()
        for (file, code), rows in sorted((self._fixed or {}).items()):
            lines = ", ".join(map(str, rows))
            yield f"{file}: {code} {rules[code].name} in {plural(len(rows), 'row')}: {lines}"

    def _release(self) -> None:
        """Write the findings that were held until their number was known."""
        held, self._held = self._held or (), None
        for finding, row in held:
            self._write(finding, row)

    def _write(self, finding: Finding, row: LintRow | None) -> None:
        if self._reporter.by_cause:
            self._reporter.finding(finding, row)
        elif self._limit is None or self._written < self._limit:
            self._written += 1
            self._counted += finding.count
            self._reporter.finding(finding, row)

    def end(self, inputs: Sequence[str] = (), summary: Summary | None = None) -> None:
        """Write the end of the report.

        Args:
            inputs: the names of the inputs.
            summary: what the dataset is made of.
        """
        for copy in self.copies:
            copy.tally.rows = self.tally.rows
            copy.end(inputs, summary)
        if self._statistics:
            self.write(self._by_rule())
        elif not self._silent:
            self._release()
            self._reporter.rows, self._reporter.summary = self.tally.rows, summary
            self._reporter.inputs = inputs
            self._reporter.end()
            self._counted += self._reporter.shown

    @property
    def hidden(self) -> int:
        """How many findings were counted but not written."""
        return 0 if self._silent else self.tally.findings - self._counted

    def _by_rule(self) -> str:
        """Findings and rows by rule, highest first, with the level; ``*`` marks rules with fixable findings."""
        rules = all_rules()
        lines = []
        for code, count in sorted(self.tally.codes.items(), key=lambda each: (-each[1], each[0])):
            mark = "*" if self.tally.fixable[code] else " "
            name = rules[code].name if code in rules else ""
            level, found_in = self.tally.level_of[code], self.tally.rows_with[code]
            lines.append(f"{count:>9,} {found_in:>9,} rows  {level:<7}  {code} {mark} {name}\n")
        return "".join(lines)
