"""The outcome of checking a row."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow

if TYPE_CHECKING:
    from toolconv.lint.engine.marking import Marked

_NOTHING: Final = Counter[str]()


class Checked:
    """The outcome of checking a row.

    Attributes:
        row: the row, fixed if it was.
        findings: the remaining findings.
        fixed: the findings that were fixed, by code.
        dropped: the finding for which the row was dropped; ``None`` for a row that stays.
        marked: the turns that were marked as not trained on; ``None`` if none of the findings asks for it.
        ignored: how many findings the row now ignores itself.
    """

    __slots__ = ("dropped", "findings", "fixed", "ignored", "marked", "row")

    def __init__(
        self,
        row: LintRow,
        findings: list[Finding],
        fixed: Counter[str] = _NOTHING,
        dropped: Finding | None = None,
        marked: Marked | None = None,
        ignored: int = 0,
    ) -> None:
        self.row = row
        self.findings = findings
        self.fixed = fixed
        self.dropped = dropped
        self.marked = marked
        self.ignored = ignored

    @property
    def is_changed(self) -> bool:
        """Whether the row differs from what was read, or was dropped."""
        return bool(self.fixed or self.ignored) or (self.marked is not None and self.marked.turns > 0)

    @property
    def has_error(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.level == "error" for finding in self.findings)
