"""What a dataset is made of: what the assistant does in its turns, and the tools; for reports."""

from __future__ import annotations

from collections import Counter
from typing import ClassVar, Final, Self

from toolconv.lint.model.finding import Level
from toolconv.lint.model.markup import no_call_names
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import DatasetRule
from toolconv.lint.texts.behaviour import Behaviour, Said, behaviours

MAX_NAMES: Final = 10_000
"""How many tools are counted by name; the calls of all are counted."""


class Summary(DatasetRule):
    """Counts all rows. It finds nothing.

    Attributes:
        rows: the readable rows.
        behaviours: the turns of the assistant, by what it does.
        declared: rows that declare a tool, by its name.
        called: calls, by the name of the tool.
        calls: all calls.
        known: how many findings the baseline knows, which are not reported, and how many of them are gone; ``None``
            without a baseline.
    """

    code: ClassVar[str] = ""
    name: ClassVar[str] = "summary"
    each_answer: ClassVar[bool] = False
    level: ClassVar[Level] = "info"

    known: tuple[int, int] | None = None

    def start(self) -> None:
        self.rows = self.calls = 0
        self.behaviours = Counter[Behaviour]()
        self.declared = Counter[str]()
        self.called = Counter[str]()

    def observe(self, row: LintRow) -> None:
        if not row.turns:
            return
        self.rows += 1
        _add(self.declared, dict.fromkeys(row.index.functions, 1))
        turns = [
            Said(turn.role, turn.text, tuple(call.name for call in turn.calls if isinstance(call.name, str)))
            for turn in row.turns
        ]
        found = behaviours(turns, has_tools=bool(row.index), no_call=no_call_names())
        self.behaviours.update(behaviour for behaviour, _ in found)
        self.calls += sum(len(turn.calls) for turn in row.turns)
        _add(self.called, Counter(name for turn in turns for name in turn.calls))

    def merge(self, later: Self) -> None:
        self.rows += later.rows
        self.calls += later.calls
        self.behaviours += later.behaviours
        _add(self.declared, later.declared)
        _add(self.called, later.called)


def _add(counts: Counter[str], more: dict[str, int]) -> None:
    """Add counts; names beyond :data:`MAX_NAMES` are left out."""
    for name, count in more.items():
        if name in counts or len(counts) < MAX_NAMES:
            counts[name] += count
