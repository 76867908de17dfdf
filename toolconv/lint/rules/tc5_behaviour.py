"""TC5xx: the mix of what the assistant does: calls, answers, questions, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from toolconv.lint.counting import MIN_ROWS, CountingRule, SummingRule
from toolconv.lint.model.finding import Level
from toolconv.lint.model.overview import RowSignature
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import SignatureRule


class LowNoCallRatio(SignatureRule, SummingRule):
    """Almost every assistant turn contains a call.

    Anti-pattern: a dataset that contains only calls.

    Why it hurts: the model learns to call a tool for every message, even small talk.

    Best practice: include plain answers with tools declared (option ``min-no-call-ratio``, 0.05).

    Bad: 1,000 assistant turns, all with calls

    Good: 1,000 assistant turns, 200 of them without a call

    Source: xLAM and Hammer papers on irrelevance detection.
    """

    code: ClassVar[str] = "TC501"
    name: ClassVar[str] = "low-no-call-ratio"
    level: ClassVar[Level] = "warning"
    options: ClassVar[dict[str, Any]] = {"min-no-call-ratio": 0.05}

    def start(self) -> None:
        self.turns = self.plain = 0

    def count_rows(self, signature: RowSignature, line: int, rows: int) -> None:
        self.file = self.file or signature.file
        counts = signature.counts
        self.turns += rows * (counts.plain + counts.single + counts.several)
        self.plain += rows * counts.plain

    def messages(self) -> Iterator[str]:
        least = float(self.option("min-no-call-ratio"))
        if self.turns >= MIN_ROWS and self.plain < self.turns and self.plain / self.turns < least:
            share = f"{self.plain:,} of {self.turns:,} assistant turns ({self.plain / self.turns:.1%})"
            yield f"{share} answer without a call, expected {least:.0%} at least"


class NoIrrelevantRequest(CountingRule):
    """Every row that declares tools calls one of them.

    Anti-pattern: every request fits a declared tool.

    Why it hurts: the model calls the nearest tool when none fits.

    Best practice: include requests that no declared tool can serve, answered without a call.

    Bad: every row with tools has a call

    Good: some rows with tools end without one

    Source: BFCL's irrelevance category; Hammer.
    """

    code: ClassVar[str] = "TC504"
    name: ClassVar[str] = "no-irrelevant-request"
    level: ClassVar[Level] = "info"
    default: ClassVar[bool] = False

    def start(self) -> None:
        self.rows = self.unused = 0

    def count(self, row: LintRow) -> None:
        if row.index:
            self.rows += 1
            self.unused += not row.calls

    def messages(self) -> Iterator[str]:
        if not self.unused and self.rows >= MIN_ROWS:
            yield f"each of {self.rows:,} rows with tools uses one"
