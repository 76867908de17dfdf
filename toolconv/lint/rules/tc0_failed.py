"""TC011: a rule that failed. The engine reports it, see :mod:`toolconv.lint.engine.failures`."""

from __future__ import annotations

from collections.abc import Iterator

from toolconv.lint.model.finding import Finding
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import RowRule, rule


def _never(overview: Overview) -> bool:
    """A guard: the rule itself looks at no row."""
    return False


@rule("TC011", "rule-failed", "error", guards=(_never,))
class RuleFailed(RowRule):
    """A rule that fails on a row. It is a bug of the rule; the other rules and rows are checked all the same.

    Selecting any rule selects this one, too.

    Anti-pattern: trusting a check that did not take place.

    Why it hurts: what the rule would have found in the row is not known.

    Best practice: look at the row, which is usually odd in some way, and report it with the message as a bug of
    toolconv, or of the package that offers the rule. To accept the row for now, list ``TC011`` under
    ``_toolconv.ignore``.

    Bad: a row on which TC101 raises ``KeyError``

    Good: the same row after the bug is fixed

    Source: toolconv.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        return iter(())
