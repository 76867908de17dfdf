"""Each finding with the part of the row it is about, underlined."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import Final

from toolconv.core.terminal import column, escape, width_of
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.reporters.concise import Concise

BEFORE: Final = 36
WIDTH: Final = 96
"""How many columns of the row are shown, and how many of them before the value."""


class Full(Concise):
    """Findings with an excerpt of the row."""

    def finding(self, finding: Finding, row: LintRow | None) -> None:
        line = f"{self.line(finding)} [{finding.options}]\n" if finding.fixable else f"{self.line(finding)}\n"
        if row is None:
            self.write(line)
            return
        text, span = self.place_in(row, finding.pointer)
        start, end = (span.start, span.end) if span else (0, len(text.rstrip()))
        if not finding.pointer:
            end = start  # the whole row: nothing to underline
        shown, before, marked = excerpt(text, start, end)
        margin = " " * len(str(finding.line))
        bar = self.painted("|", "rule")
        marks = f"{margin} {bar} {' ' * before}{self.painted('^' * marked, finding.level)}\n" if marked else ""
        self.write(f"{line}{margin} {bar}\n{finding.line} {bar} {shown}\n{marks}\n")


def excerpt(text: str, start: int, end: int) -> tuple[str, int, int]:
    """A part of a line that shows ``text[start:end]``, or its beginning.

    Returns:
        The part, the columns before the value, and the columns that the value takes.
    """
    first = max(0, start - BEFORE)
    lead = escape(text[first:start])
    before = width_of(lead)
    if first:
        lead, before = "…" + lead, before + 1
    value = escape(text[start : min(end, start + WIDTH)])
    cut = _fitting(value, WIDTH - BEFORE)
    if end > start + WIDTH or cut < len(value):
        return f"{lead}{value[:cut]}…", before, width_of(value[:cut]) + 1
    marked = width_of(value)
    rest = escape(text[end : end + WIDTH])
    room = _fitting(rest, max(0, WIDTH - before - marked))
    more = room < len(rest) or end + WIDTH < len(text)
    return f"{lead}{value}{rest[:room]}{'…' if more else ''}", before, marked


def _fitting(text: str, width: int) -> int:
    """How many characters of ``text`` fit in ``width`` columns."""
    if text.isascii():
        return min(len(text), width)
    return bisect_right(list(accumulate(map(column, text))), width)


REPORTER = Full
