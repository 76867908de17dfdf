"""TC5xx: how a dataset uses its tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from toolconv.lint.datasets.counting import MIN_ROWS, CountingRule, at_least
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import rule


@rule("TC506", "tool-frequency-skew", "info", default=False, options={"max-share": 0.5})
class ToolSkew(CountingRule):
    """One tool receives most calls.

    Anti-pattern: a search tool in every row.

    Why it hurts: the model learns to call that tool instead of choosing.

    Best practice: spread calls over the tools (option ``max-share``, 0.5; with two tools, 0.75).

    Bad: 900 of 1,000 calls are to ``search``

    Good: no tool has more than half of the calls

    Source: class imbalance is a general machine learning problem.
    """

    def start(self) -> None:
        self.calls = Counter[str]()
        self.declared: set[str] = set()

    def count(self, row: LintRow) -> None:
        self.calls.update(call.name for call in row.calls if isinstance(call.name, str))
        if len(self.declared) < 3:
            self.declared.update(row.index.functions)

    def messages(self) -> Iterator[str]:
        total = self.calls.total()
        tools = max(len(self.declared), len(self.calls))
        if total >= MIN_ROWS and tools > 1:
            name, count = self.calls.most_common(1)[0]
            most = float(self.option("max-share"))
            if at_least(count, total) > (most if tools > 2 else (1 + most) / 2):
                yield f"{shown(name)} takes {count:,} of {total:,} calls ({count / total:.0%})"


@rule("TC507", "never-called-tool", "warning", default=False)
class NeverCalled(CountingRule):
    """A tool that is declared but never called.

    Anti-pattern: one fixed list of tools in every row, few of which are used.

    Why it hurts: the model learns never to call these tools.

    Best practice: include rows that call the tool, or remove it.

    Bad: ``delete_file`` is declared in all rows and called in none

    Good: every declared tool is called somewhere

    Source: class imbalance is a general machine learning problem.
    """

    def start(self) -> None:
        self.declared = Counter[str]()
        self.called: set[str] = set()

    def count(self, row: LintRow) -> None:
        self.declared.update(list(row.index.functions))
        self.called.update(call.name for call in row.calls if isinstance(call.name, str))

    def messages(self) -> Iterator[str]:
        never = {name: count for name, count in self.declared.items() if name not in self.called}
        if never and self.called:
            names = sorted(never, key=lambda name: (-never[name], name))
            yield f"{len(never):,} of {len(self.declared):,} declared tools are never called: {listed(names)}"


@rule("TC512", "first-tool-bias", "warning", default=False, options={"max-share": 0.9})
class FirstToolBias(CountingRule):
    """The called tool is nearly always the first one declared.

    Anti-pattern: the right tool first and distractors after it.

    Why it hurts: the model learns to call the first tool.

    Best practice: shuffle the declarations (option ``max-share``, 0.9).

    Bad: 980 of 1,000 calls are to the first tool

    Good: with five tools, about one call in five is to the first

    Source: position bias in Hammer and ToolACE.
    """

    each_answer: ClassVar[bool] = False

    def start(self) -> None:
        self.first = self.total = 0

    def count(self, row: LintRow) -> None:
        names = list(row.index.functions) if row.calls else []
        first = row.calls[0].name if row.calls else None
        if len(names) > 1 and isinstance(first, str) and first in row.index:
            self.total += 1
            self.first += first == names[0]

    def messages(self) -> Iterator[str]:
        if self.total >= MIN_ROWS and at_least(self.first, self.total) > float(self.option("max-share")):
            yield f"the first call is of the first tool in {self.first:,} of {self.total:,} rows that declare 2 or more"


@rule("TC513", "single-tool-rows", "info", default=False, options={"max-share": 0.5})
class SingleTool(CountingRule):
    """Most rows declare only one tool.

    Anti-pattern: each row declares only the tool that it calls.

    Why it hurts: the model doesn't learn to choose.

    Best practice: declare distractors (option ``max-share``, 0.5).

    Bad: ``tools`` has one tool in 900 of 1,000 rows

    Good: three to ten tools per row

    Source: BFCL's multiple category.
    """

    each_answer: ClassVar[bool] = False

    def start(self) -> None:
        self.rows = self.single = 0

    def count(self, row: LintRow) -> None:
        if row.index:
            self.rows += 1
            self.single += len(row.index.functions) == 1

    def messages(self) -> Iterator[str]:
        if self.rows >= MIN_ROWS and self.single / self.rows > float(self.option("max-share")):
            yield f"{self.single:,} of {self.rows:,} rows with tools declare one only: nothing to choose from"
