"""Each finding with the part of the row it is about, underlined."""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate
from typing import Final

from toolconv.core.terminal import escape
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
    before = columns(lead)
    if first:
        lead, before = "…" + lead, before + 1
    value = escape(text[start : min(end, start + WIDTH)])
    cut = _fitting(value, WIDTH - BEFORE)
    if end > start + WIDTH or cut < len(value):
        return f"{lead}{value[:cut]}…", before, columns(value[:cut]) + 1
    marked = columns(value)
    rest = escape(text[end : end + WIDTH])
    room = _fitting(rest, max(0, WIDTH - before - marked))
    more = room < len(rest) or end + WIDTH < len(text)
    return f"{lead}{value}{rest[:room]}{'…' if more else ''}", before, marked


def columns(text: str) -> int:
    """How many columns of a terminal ``text`` takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(map(_column, text))


@lru_cache(maxsize=4096)
def _column(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _fitting(text: str, width: int) -> int:
    """How many characters of ``text`` fit in ``width`` columns."""
    if text.isascii():
        return min(len(text), width)
    return bisect_right(list(accumulate(map(_column, text))), width)


REPORTER = Full
