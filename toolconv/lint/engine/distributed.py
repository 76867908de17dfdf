"""Checks a dataset block by block in other processes, with the same findings in the same order as in one process.

Each block is checked as if it were the whole dataset. That suffices unless a rule compares rows with the first of their
kind (:class:`~toolconv.lint.rule.ComparingRule`) and an earlier block has another first. Such a block, for example one
with a duplicate of an earlier row, is checked again with the earlier firsts given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from toolconv.core.errors import FileError
from toolconv.io.workers import Task
from toolconv.lint.engine.checked import Checked
from toolconv.lint.engine.failures import Failures
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.marking import Marked
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import DatasetRule, Firsts

NO_FIRSTS: Final[Firsts] = {}


class Hit(NamedTuple):
    """A row of a block that has findings or was fixed.

    Attributes:
        place: the row's place in the block.
        line, raw, cut: the row, fixed if it was: as in :class:`~toolconv.lint.model.row.LintRow`.
        findings, fixed, dropped, marked, ignored: as in :class:`~toolconv.lint.engine.checked.Checked`.
    """

    place: int
    line: int
    raw: bytes
    cut: bool
    findings: list[Finding]
    fixed: Counter[str]
    dropped: Finding | None
    marked: Marked | None
    ignored: int

    def checked(self, like: LintRow) -> Checked:
        """The result as from a linter in this process; ``like`` is a row of the same block."""
        row = LintRow(like.file, self.line, self.raw, like.layout, like.reader, self.cut, like.fixed)
        return Checked(row, self.findings, self.fixed, self.dropped, self.marked, self.ignored)


class Outcome(NamedTuple):
    """The outcome of checking a block.

    Attributes:
        rows: how many rows it has.
        hits: rows with findings or fixes.
        rules: the rules for the dataset, with their counts.
        firsts: the first row of each kind.
        compared: codes of the rules for the dataset that reported findings in rows.
        failures: the rules for the dataset that failed, other than on a row.
        met: the findings of the baseline that were met: see :class:`~toolconv.lint.engine.baseline.Baseline`.
        failure: why the rest of the block can't be read; ``None`` if it can.
    """

    rows: int
    hits: list[Hit]
    rules: list[DatasetRule]
    firsts: Firsts
    compared: frozenset[str]
    failures: Failures
    met: frozenset[tuple[str, str]]
    failure: FileError | None = None


def check_rows(linter: Linter, rows: Iterable[LintRow], files: Mapping[str, int], firsts: Firsts) -> Outcome:
    """Check a block of rows, in any process.

    Args:
        linter: any linter of the run.
        rows: the rows.
        files: numbers of the inputs up to this one.
        firsts: the firsts of earlier blocks that make a difference.
    """
    linter.start(files, firsts)
    hits: list[Hit] = []
    count = 0
    failure: FileError | None = None
    try:
        for checked in linter.check_all(rows):
            if checked.findings or checked.fixed or checked.dropped or checked.ignored:
                now = checked.row
                what = checked.findings, checked.fixed, checked.dropped, checked.marked, checked.ignored
                hits.append(Hit(count, now.line, now.raw, now.cut, *what))
            count += 1
    except FileError as error:
        failure = error
    linter.dataset.count_repeated()
    found = {rule.code: rule.firsts for rule in linter.dataset.comparing}
    for rule in linter.dataset.comparing:
        rule.firsts = {}
    compared = frozenset(linter.dataset.reported)
    met = frozenset(linter.baseline.met) if linter.baseline is not None else frozenset()
    return Outcome(count, hits, linter.dataset.all, found, compared, linter.dataset.failures, met, failure)


class HasFile(Protocol):
    """A block of rows of one input."""

    @property
    def file(self) -> str:
        """The input's name."""


B = TypeVar("B", bound=HasFile)


class Merger(Generic[B]):
    """Merges the outcomes of blocks into those of one dataset.

    Args:
        linter: adds up what its rules counted in the blocks.
        start: starts :func:`check_rows` for a block with some firsts; returns what waits for the outcome.
    """

    def __init__(self, linter: Linter, start: Callable[[B, Firsts], Callable[[], Outcome]]) -> None:
        self._linter = linter
        self._start = start
        self._firsts = {rule.code: rule.store() for rule in linter.dataset.comparing}

    def outcomes(
        self,
        blocks: Iterable[B],
        in_order: Callable[[Iterable[Task[B, Outcome]]], Iterator[tuple[B, Outcome]]],
    ) -> Iterator[tuple[B, Outcome]]:
        """The blocks with their outcomes, in order.

        Args:
            blocks: the next blocks of the dataset, in order.
            in_order: waits for tasks: see :func:`toolconv.io.workers.in_order`.
        """
        first = in_order(Task(block, self._start(block, NO_FIRSTS)) for block in blocks)
        for block, outcome in in_order(self._again(block, outcome) for block, outcome in first):
            self._linter.add_counts(block.file, outcome.rules, outcome.failures)
            if self._linter.baseline is not None:
                self._linter.baseline.met |= outcome.met
            yield block, outcome

    def finish(self, cut: bool = False) -> list[Finding]:
        """Findings about the dataset, once all blocks are merged, or where it was cut."""
        for rule in self._linter.dataset.comparing:
            rule.firsts, rule.files = self._firsts[rule.code], self._linter.files
        return self._linter.finish(cut)

    def _again(self, block: B, outcome: Outcome) -> Task[B, Outcome]:
        """A block, to be checked again if earlier firsts make a difference; its own firsts are noted."""
        known = self._known(outcome)
        for code, found in outcome.firsts.items():
            whole = self._firsts[code]
            for kind, first in found.items():
                whole.setdefault(kind, first)
        return Task(block, self._start(block, known) if known else lambda: outcome)

    def _known(self, outcome: Outcome) -> Firsts:
        """The earlier firsts of the kinds in a block; none if they make no difference."""
        differs = False
        known: dict[str, dict[Any, Any]] = {}
        for rule in self._linter.dataset.comparing:
            whole, found = self._firsts[rule.code], outcome.firsts[rule.code]
            shared = known[rule.code] = {kind: whole[kind] for kind in found if kind in whole}
            if shared and not differs:
                differs = rule.code in outcome.compared or not all(
                    rule.is_alike(first, found[kind]) for kind, first in shared.items()
                )
        return known if differs else NO_FIRSTS
