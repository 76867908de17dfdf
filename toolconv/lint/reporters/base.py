"""The base of all reporters."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from toolconv.core.terminal import escape
from toolconv.lint.engine.causes import Cause, Causes
from toolconv.lint.engine.summary import Summary
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.spans import Span, SpanFinder
from toolconv.lint.rule import Rule


class Reporter(ABC):
    """Writes findings in one format, one by one.

    Args:
        write: takes the text.
        rules: the enabled rules.
        colour: use terminal colours.

    Attributes:
        by_cause: it gets all findings and writes causes at the end.
        limit: how many causes it writes then; ``None`` for all.
        rows, summary: the number of rows checked, and what they are made of, known at the end.
        inputs: the names of the inputs.
        shown: the number of findings that the written causes stand for.
    """

    by_cause = False

    def __init__(self, write: Callable[[str], object], rules: Sequence[Rule] = (), *, colour: bool = False) -> None:
        self.write = write
        self.rules = rules
        self.colour = colour
        self.limit: int | None = None
        self.rows = 0
        self.summary: Summary | None = None
        self.inputs: Sequence[str] = ()
        self.shown = 0
        self._seen: Counter[str] = Counter()
        self._row: tuple[LintRow, SpanFinder, dict[str, Span | None]] | None = None
        self._content: tuple[LintRow, hashlib._Hash] | None = None

    def begin(self) -> None:  # noqa: B027 - optional
        """Write the beginning of the report."""

    @abstractmethod
    def finding(self, finding: Finding, row: LintRow | None) -> None:
        """Write a finding; ``row`` is its row, ``None`` for a finding about the whole file."""

    def end(self) -> None:  # noqa: B027 - optional
        """Write the end of the report."""

    def place_in(self, row: LintRow, pointer: str) -> tuple[str, Span | None]:
        """The text of a row, and the span of the value at a pointer; ``None`` if the text is not JSON."""
        if self._row is None or self._row[0] is not row:
            self._row = row, SpanFinder(row.raw.decode("utf-8", "replace"), row.row), {}
        _, places, known = self._row
        text = places.text
        if not pointer:  # the whole row, even if it is not JSON
            start = len(text) - len(text.lstrip())
            return text, Span(start, len(text.rstrip()), start)
        if pointer not in known:
            known[pointer] = places.nearest(pointer)
        return text, known[pointer]

    def fingerprint(self, finding: Finding, row: LintRow | None) -> str:
        """Identifies a finding, even if its row moves, by rule, row content and place; unique in a report."""
        if row is None:
            digest = hashlib.sha256(finding.file.encode("utf-8", "surrogateescape"))
        else:
            if self._content is None or self._content[0] is not row:
                self._content = row, hashlib.sha256(row.raw.strip())
            digest = self._content[1].copy()
        detail = finding.message if row is None else finding.pointer
        digest.update(f"\0{finding.code}\0{detail}".encode("utf-8", "surrogatepass"))
        key = digest.hexdigest()
        self._seen[key] += 1
        return key if self._seen[key] == 1 else hashlib.sha256(f"{key}:{self._seen[key]}".encode()).hexdigest()


class ByCause(Reporter):
    """A report of causes, written at the end."""

    by_cause = True

    def begin(self) -> None:
        self._causes = Causes()

    def finding(self, finding: Finding, row: LintRow | None) -> None:
        self._causes.add(finding)

    def chosen(self) -> list[Cause]:
        """The causes to write; the findings that they stand for are counted."""
        chosen = self._causes.chosen(self.limit)
        self.shown += sum(cause.count for cause in chosen)
        return chosen


class Items(Reporter):
    """A JSON list of findings, written one by one."""

    opening = "["
    closing = "]\n"

    def begin(self) -> None:
        self.write(self.opening)
        self._first = True

    def item(self, text: str) -> None:
        """Write one item of the list."""
        self.write(("\n" if self._first else ",\n") + text)
        self._first = False

    def end(self) -> None:
        self.write(("" if self._first else "\n") + self.closing)


def as_json(finding: Finding) -> dict[str, Any]:
    """A finding's keys in ``json`` and ``jsonl``."""
    return {
        "file": finding.file,
        "line": finding.line,
        "id": finding.id,
        "pointer": finding.pointer,
        "code": finding.code,
        "name": finding.name,
        "level": finding.level,
        "message": finding.message,
        "fixable": finding.fixable,
    }


def place(finding: Finding) -> str:
    """Where a finding is: ``file:line:pointer``."""
    line = f":{finding.line}" if finding.line else ""
    pointer = f":{finding.pointer}" if finding.pointer else ""
    return escape(f"{finding.file}{line}{pointer}")


def relative(file: str) -> str:
    """A file's path relative to the current folder, with slashes; unchanged if the file is not below it."""
    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return Path(os.path.normpath(path)).as_posix()


def wants_colour(stream: Any, when: str = "auto") -> bool:
    """Whether to write a stream in colour.

    Args:
        stream: what is written.
        when: ``always``, ``never``, or ``auto``: on a terminal, unless ``NO_COLOR`` is set (no-color.org), and
            elsewhere if ``FORCE_COLOR`` is set (force-color.org).
    """
    if when != "auto":
        return when == "always"
    if os.environ.get("FORCE_COLOR") and not os.environ.get("NO_COLOR"):
        return True
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and bool(stream.isatty())
