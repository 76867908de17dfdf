"""What a dataset is made of: the turns of the assistant and the tools, for reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar, Final, Self

from toolconv.lint.model.finding import Finding, Level
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import DatasetRule

MAX_NAMES: Final = 10_000
"""How many tools are counted by name; the calls of all are counted."""

TURNS: Final = (
    "one call",
    "several calls",
    "answer after a response",
    "answer without a call, tools declared",
    "answer, no tools declared",
)
"""What an assistant turn may be, in the order of a report."""


class Summary(DatasetRule):
    """Counts all rows. It finds nothing.

    Attributes:
        rows: the readable rows.
        turns: assistant turns by what they are.
        declared: rows that declare a tool, by its name.
        called: calls, by the name of the tool.
        calls: all calls.
    """

    code: ClassVar[str] = ""
    name: ClassVar[str] = "summary"
    level: ClassVar[Level] = "info"

    def start(self) -> None:
        self.rows = self.calls = 0
        self.turns = Counter[str]()
        self.declared = Counter[str]()
        self.called = Counter[str]()

    def observe(self, row: LintRow) -> None:
        if not row.turns:
            return
        self.rows += 1
        names = set(row.index.functions)
        _add(self.declared, dict.fromkeys(names, 1))
        before = ""
        for turn in row.turns:
            if turn.role == "assistant":
                self.turns[_kind(len(turn.calls), before, has_tools=bool(names))] += 1
                self.calls += len(turn.calls)
                _add(self.called, Counter(call.name for call in turn.calls if isinstance(call.name, str)))
            before = turn.role

    def merge(self, later: Self) -> None:
        self.rows += later.rows
        self.calls += later.calls
        self.turns += later.turns
        _add(self.declared, later.declared)
        _add(self.called, later.called)

    def finish(self) -> Iterator[Finding]:
        return iter(())


def _kind(calls: int, before: str, *, has_tools: bool) -> str:
    if calls:
        return TURNS[calls > 1]
    return TURNS[2] if before == "tool" else TURNS[3] if has_tools else TURNS[4]


def _add(counts: Counter[str], more: dict[str, int]) -> None:
    """Add counts; names beyond :data:`MAX_NAMES` are left out."""
    for name, count in more.items():
        if name in counts or len(counts) < MAX_NAMES:
            counts[name] += count
