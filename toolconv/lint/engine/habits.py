"""What all rows of a file do alike, reported once a file.

A dataset may write its calls in the content, under other keys than its dialect, or hold nothing but prompts. A row that
does so is at fault where the others don't; where they do, that is the file's habit. The first row that shows a habit
decides, so that no row has to wait for the end of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Final, Self

from toolconv.core.messages import SYSTEM_ROLES
from toolconv.core.plural import plural
from toolconv.dialects.choice.accounting import UNREAD
from toolconv.lint.engine.causes import cause_of
from toolconv.lint.engine.selection import get
from toolconv.lint.model.finding import Finding, Habit, Level
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import ComparingRule

READ: Final[Habit] = "calls that a dialect reads"
"""The habit that a file lacks whose calls are in a notation of its own, from the first call on."""

OWN_WAYS: Final = frozenset({"alternative_key", "call_id_form", "fence_language", "several_objects"})
"""Repairs that lose nothing, in a file with ``parameters``, several calls in a block, or fences of its own."""

OTHER_MARKUP: Final = frozenset({"other_dialect", "openai_envelope", "missing_tags"})
"""Repairs that lose nothing, in a file of whole texts that has calls in other markup than the template's family."""


def is_own_way(repairs: Iterable[str]) -> bool:
    """Whether repairs tell of a notation that differs from its dialect's in the keys, and perhaps in the markup.

    So does ReAct's ``Action:`` with an object of ``name`` and ``arguments``, as agents of tau-bench write it.
    """
    return "alternative_key" in repairs and (OWN_WAYS | OTHER_MARKUP).issuperset(repairs)


def is_unread(row: LintRow) -> bool:
    """Whether a row has calls that no dialect reads, and no others."""
    if row.counts.calls:
        return False
    return any(dropped.reason == UNREAD for _, parsed in row.parsed_texts for dropped in parsed.dropped)


def _key(finding: Finding) -> tuple[str, str, Level, str]:
    """What the findings have in common that are reported once a file."""
    return finding.file, finding.code, finding.level, cause_of(finding)


class Habits(ComparingRule):
    """The habits of each file, and the findings that are reported once for it.

    It is no rule of its own: the findings are those of the rules, marked ``once``.

    Attributes:
        settled: the files whose habits are known; their rows are not asked any more.
        waiting: the files of which only rows with calls are asked.
    """

    code: ClassVar[str] = ""
    name: ClassVar[str] = "habits"
    level: ClassVar[Level] = "info"

    def start(self) -> None:
        self.settled: set[str] = set()
        self.waiting: set[str] = set()
        self.once: dict[tuple[str, str, Level, str], tuple[Finding, int]] = {}

    def is_alike(self, first: Any, later: Any) -> bool:
        return bool(first == later)

    def note(self, row: LintRow) -> None:
        """Note the habits that a row is the first of its file to show, and those that it does not share."""
        file, counts = row.file, row.counts
        if not counts.turns:
            return
        answers = counts.plain + counts.calls > 0
        proper = self._note(file, "answers", answers)
        if answers and (file, "starts with a request") not in self.firsts:
            spoken = (message.get("role") for message in row.messages if message.get("role") not in SYSTEM_ROLES)
            proper = self._note(file, "starts with a request", next(spoken, "") != "assistant") and proper
        if proper:
            self.waiting.add(file)
        if counts.calls or is_unread(row):
            proper = self._note(file, READ, bool(counts.calls)) and proper
        if counts.calls:
            texts = [parsed for _, parsed in row.parsed_texts if parsed.calls]
            proper = self._note(file, "calls as structure", row.has_structured_calls or row.calls_in_text) and proper
            own: bool | None = None
            if row.read_as is not None and row.read_as.in_one_text and row.conversation is not None:
                own = not (OTHER_MARKUP - {"missing_tags"}).isdisjoint(row.conversation.notes.repairs)
            elif texts:
                own = any("alternative_key" in parsed.repairs for parsed in texts)
            if own is not None:
                proper = self._note(file, "calls as its dialect has them", not own) and proper
            if proper:
                self.settled.add(file)

    def _note(self, file: str, habit: Habit, does: bool) -> bool:
        """Note a habit; whether the file has it from its first row on."""
        first: bool = self.firsts.setdefault((file, habit), does)
        if first != does:
            self.firsts.setdefault((file, habit, "differs"), True)
        return first

    def does(self, file: str, habit: Habit) -> bool | None:
        """Whether the first row of a file that could do so did; ``None`` before such a row."""
        found: bool | None = self.firsts.get((file, habit))
        return found

    def kept(self, found: list[Finding]) -> list[Finding]:
        """The findings that stay with a row; those to be reported once are counted, and stay only as errors."""
        counted: set[tuple[str, str, Level, str]] = set()
        for finding in found:
            if finding.once and (key := _key(finding)) not in counted:
                counted.add(key)
                self._count(finding, 1)
        return [finding for finding in found if not finding.once or finding.level == "error"]

    def _count(self, finding: Finding, rows: int) -> None:
        key = _key(finding)
        first, count = self.once.get(key, (finding, 0))
        self.once[key] = first, count + rows

    def merge(self, later: Self) -> None:
        for finding, rows in later.once.values():
            self._count(finding, rows)

    def finish(self) -> Iterator[Finding]:
        for finding, rows in self.once.values():
            message = f"{finding.message} ({plural(rows, 'row')} of this file)" if rows > 1 else finding.message
            level = finding.level
            if (finding.file, finding.once, "differs") in self.firsts:
                message, level = f"{message}, unlike other rows", get(finding.code).level
            elif finding.once == READ and rows == 1:
                level = get(finding.code).level  # one row has no habit
            yield replace(finding, message=message, level=level, id=None, once="")
