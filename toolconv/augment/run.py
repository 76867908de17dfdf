"""Augment the rows of a dataset, as they are read."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final

from toolconv import layouts
from toolconv.augment.augmenter import Augmenter, AugmentOptions, restored
from toolconv.augment.kinds import name_of, tools_in
from toolconv.convert.result import Reading
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row, Tool
from toolconv.core.rows import AUGMENTED
from toolconv.dialects.prompts.lifting import lift_prompts
from toolconv.lint.engine.linter import Linter, linter_of

AHEAD: Final = 256
"""How many rows are read before the first one is written, so that the first rows have other tools to choose from."""
POOL: Final = 1000
"""How many tools are held as distractors: the first ones of the input without findings."""


class AugmentRun:
    """Augments rows.

    Args:
        distractors: the tools to add; ``None`` for those of the rows themselves.

    Attributes:
        augmenter: what it has made.
        rows_out: how many rows there are.
    """

    def __init__(self, options: AugmentOptions, distractors: Sequence[Tool] | None = None) -> None:
        self._pool: list[Tool] = list(distractors or ())
        self._own = distractors is None and bool(options.distractors or options.irrelevance)
        self._known: set[str] = set()
        self._linter: Linter | None = None
        self.augmenter = Augmenter(options, self._pool)
        self.rows_out = 0

    def rows(self, readings: Iterable[Reading]) -> Iterator[Row]:
        """The rows to write, in order: each row, and those made of it. Rows that can't be read are left out."""
        read = ((reading, canonical_row(reading.conversation)) for reading in readings if reading.conversation)
        waiting: deque[tuple[Reading, Row]] = deque()
        for pair in islice(read, AHEAD if self._own else 0):
            self._collect(pair[1])
            waiting.append(pair)
        while True:
            if (pair := next(read, None)) is not None:  # type: ignore[assignment]
                if self._own:
                    self._collect(pair[1])
                waiting.append(pair)
            if not waiting:
                return
            reading, row = waiting.popleft()
            if reading.conversation is not None and reading.conversation.notes.dropped:
                self.augmenter.unchanged["any", "unreadable call"] += 1
                made: Iterable[Row] = (row,)
            else:
                made = self.augmenter.rows(row, {"file": reading.file, "line": reading.line})
            for each in made:
                self.rows_out += 1
                yield each

    def _collect(self, row: Row) -> None:
        """Add the tools of a row to those that others may get, unless the linter finds something in them."""
        if len(self._pool) >= POOL:
            return
        for tool in tools_in(row):
            name = name_of(tool) or ""
            if name not in self._known:
                self._known.add(name)
                if self._is_clean(tool):
                    self._pool.append(tool)

    def _is_clean(self, tool: Tool) -> bool:
        from toolconv.convert.detect import Detector
        from toolconv.lint.model.source import rows_of_values

        if self._linter is None:
            self._linter = linter_of()
        row = {"messages": [{"role": "user", "content": "-"}], "tools": [tool]}
        (read,) = rows_of_values([row], Detector("openai", None), "-")
        return not any(finding.pointer.startswith("/tools") for finding in self._linter.check(read).findings)


class UndoRun:
    """Turns augmented rows back into their sources, each written once: the rows made of one follow it, or each other.

    Attributes:
        rows_out: how many rows there are.
        made_of_one: how many rows were of the source before them.
    """

    def __init__(self) -> None:
        self.rows_out = 0
        self.made_of_one = 0

    def rows(self, readings: Iterable[Reading]) -> Iterator[Row]:
        """The rows to write, in order: sources, and rows without a record as they are."""
        before: bytes | None = None
        place: Any = None
        for reading in readings:
            if reading.conversation is None:
                continue
            row = canonical_row(reading.conversation)
            now = restored(row)
            made_of = None if now is row else row[AUGMENTED]["from"]
            text = jsontext.dumps(now)
            if made_of is not None and text == before and place in (None, made_of):
                self.made_of_one += 1
                place = made_of
                continue
            before, place = text, made_of
            self.rows_out += 1
            yield now


def canonical_row(conversation: Conversation) -> Row:
    """A conversation whose calls were read, as a canonical row: its tools are declared in the column alone."""
    if conversation.answers is None:
        lift_prompts(conversation)
    return layouts.get("canonical").write(conversation)


def declines_in(text: str) -> list[str]:
    """The answers in a file that the user gives: one a line, as text or as a JSON string."""
    found = []
    for line in text.splitlines():
        if line.strip():
            found.append(str(jsontext.loads(line)) if line.lstrip().startswith('"') else line.strip())
    return found
