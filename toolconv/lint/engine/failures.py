"""Rules that fail: the rule is given up for that row, which gets a finding, and the run goes on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from toolconv.core.errors import shortened
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import Rule
from toolconv.lint.rules.tc0_failed import RuleFailed

MAX_CODES: Final = 8
"""How many rules a message names."""


class Failures:
    """The rules that failed on a row, or at the end of a dataset; those with the same error are one finding."""

    def __init__(self) -> None:
        self._rules: dict[str, list[str]] = defaultdict(list)

    def add(self, rule: Rule, error: Exception) -> None:
        """Add a rule that raised."""
        text = " ".join(f"{type(error).__name__}: {error}".split())
        codes = self._rules[text]
        if rule.code not in codes:
            codes.append(rule.code)

    def update(self, later: Failures) -> None:
        """Add those of another part of the dataset."""
        for text, codes in later._rules.items():
            mine = self._rules[text]
            mine += [code for code in codes if code not in mine]

    def in_row(self, row: LintRow) -> Iterator[Finding]:
        """A finding for each error."""
        for message in self._messages("the row was not checked by"):
            yield Finding(row.file, row.line, row.id, "", RuleFailed.code, RuleFailed.name, RuleFailed.level, message)

    def in_file(self, file: str) -> Iterator[Finding]:
        """A finding for each error, at a whole file."""
        for message in self._messages("the dataset was not checked by"):
            yield Finding(file, 0, None, "", RuleFailed.code, RuleFailed.name, RuleFailed.level, message)

    def _messages(self, what: str) -> Iterator[str]:
        for error, codes in self._rules.items():
            rest = f" and {len(codes) - MAX_CODES:,} more rules" if len(codes) > MAX_CODES else ""
            yield shortened(f"{what} {', '.join(codes[:MAX_CODES])}{rest}: {error}")
