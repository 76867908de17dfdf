"""Findings of rules, and the edits that fix them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

Level = Literal["error", "warning", "info"]
Safety = Literal["safe", "unsafe"]


Habit = Literal[
    "answers",
    "starts with a request",
    "calls as structure",
    "calls as its dialect has them",
    "calls that a dialect reads",
]
"""What the first row of a file may do; then all others should do it, too."""

Once = Literal["", "its kind", Habit]
"""Why a finding is reported once a file: all rows do so by what they are, or by the file's habit."""


class KnownHabits(Protocol):
    """What is known of the habits of files."""

    def does(self, file: str, habit: Habit) -> bool | None:
        """Whether the first row of a file that could do so did; ``None`` before such a row."""


class Edit(NamedTuple):
    """A change to a row: the value at a JSON pointer is replaced, or removed together with its key or list item.

    The pointer may lead on into JSON text, which is written again only where the edit is applied.

    ``/-`` at the end of a pointer to a list, or a new key of an object, inserts a value.
    """

    pointer: str
    value: Any = None
    remove: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem found by a rule.

    Attributes:
        file, line, id: where: the input, the line from 1, the row's own id if it has one. Line 0 is the whole file.
        pointer: JSON pointer into the row of the file; ``""`` is the whole row.
        code, name, level: the rule's.
        message: what was found, what was expected, the nearest declared name.
        edits: what ``--fix`` would do; ``None`` if there is no fix for this finding.
        safety: whether those edits keep the meaning.
        drop_row: the fix is to drop the row.
        count: how many findings it represents.
        cause: what it has in common with other findings of its rule; ``None`` if the message says that.
        deep: the pointer, continued inside JSON text; ``""`` if it leads no deeper.
        once: what the rows of the file do alike, so that it is reported once, for the first of them.
        tool: the name of the tool whose declaration it is about; such findings are one cause for all tools.
    """

    file: str
    line: int
    id: str | None
    pointer: str
    code: str
    name: str
    level: Level
    message: str
    edits: tuple[Edit, ...] | None = None
    safety: Safety | None = None
    drop_row: bool = False
    count: int = 1
    cause: str | None = None
    deep: str = ""
    once: Once = ""
    tool: str | None = None

    @property
    def fixable(self) -> bool:
        """Whether there is a fix, safe or not."""
        return self.edits is not None or self.drop_row

    @property
    def options(self) -> str:
        """The options that apply the fix; empty without one. Rows are dropped only for rules that are asked for."""
        if not self.fixable:
            return ""
        options = "--fix --unsafe-fixes" if self.safety == "unsafe" else "--fix"
        return f"{options} --fixable {self.code}" if self.drop_row else options


def reported_with_row(findings: Iterable[Finding]) -> list[Finding]:
    """Those of a row's findings that are reported with it; what is reported once comes with those of the dataset."""
    return [finding for finding in findings if not finding.once]
