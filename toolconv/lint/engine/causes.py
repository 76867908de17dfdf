"""The causes of findings: one declaration, one argument or one message may be wrong in thousands of rows.

Findings of one rule have the same cause if the rule says so (:attr:`Finding.cause`), or if their messages differ only
in what they quote and count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.finding import Finding

MAX_CAUSES: Final = 20_000
"""How many causes are distinguished; those after them are one cause for each rule."""

MAX_TOOLS: Final = 1_000
"""How many tools are counted for a cause."""

MAX_PLACES: Final = 5
"""How many places are kept for a cause."""

LEVELS: Final = ("error", "warning", "info")

_DETAIL: Final = lazy_re(r"'[^']*'|\"[^\"]*\"|[0-9][0-9,.]*")


@dataclass(slots=True, repr=False, eq=False)
class Cause:
    """Findings with one cause.

    Attributes:
        first: the first finding.
        count: the number of findings.
        rows: the number of rows with such a finding; 0 if they are about whole files.
        places: the files and lines of the first of these rows.
        is_rest: it stands for all causes that are not distinguished.
        differ: the messages of the findings differ in what they quote or count.
        tools: the first tools whose declarations it is about, and their number.
    """

    first: Finding
    count: int = 0
    rows: int = 0
    places: list[tuple[str, int]] = field(default_factory=list)
    is_rest: bool = False
    differ: bool = False
    tools: dict[str, None] = field(default_factory=dict)

    @property
    def message(self) -> str:
        """The message of the findings, or the first one if they differ."""
        if self.is_rest:
            return "other messages of this rule"
        message = f"for example: {self.first.message}" if self.differ else self.first.message
        if len(self.tools) < 2:
            return message
        count = f"{len(self.tools):,}" if len(self.tools) < MAX_TOOLS else f"{MAX_TOOLS:,} or more"
        names = ", ".join(repr(name[:40]) for name in islice(self.tools, MAX_PLACES))
        return f"{message}; {count} tools: {names}{', …' if len(self.tools) > MAX_PLACES else ''}"

    def share(self, rows: int) -> str:
        """The rows of the cause among all ``rows``: ``12 of 4,096 rows (0.3 %)``."""
        if not self.rows:
            return "the whole file"
        if rows == 1:
            return "1 row"
        return f"{self.rows:,} of {rows:,} rows ({100 * self.rows / max(rows, 1):.1f} %)"

    def lines(self) -> str:
        """The first places: ``a.jsonl:1, 2, 7, …``."""
        words: list[str] = []
        before = None
        for file, line in self.places:
            number = str(line) if line else ""
            words.append(number if file == before else f"{file}:{number}" if number else file)
            before = file
        return ", ".join(words) + (", …" if self.rows > len(self.places) else "")


class Causes:
    """Findings by cause, in bounded memory. They must be added in the order of their rows."""

    def __init__(self) -> None:
        self._causes: dict[tuple[str, str, str | None], Cause] = {}
        self._last: dict[int, tuple[str, int]] = {}

    def add(self, finding: Finding) -> Cause:
        """Add a finding; its cause."""
        key: tuple[str, str, str | None] = (finding.code, finding.level, cause_of(finding))
        cause = self._causes.get(key)
        if cause is None:
            is_rest = len(self._causes) >= MAX_CAUSES
            key = (finding.code, finding.level, None) if is_rest else key
            cause = self._causes.setdefault(key, Cause(finding, is_rest=is_rest))
        cause.count += finding.count
        if finding.tool is not None and len(cause.tools) < MAX_TOOLS:
            cause.tools.setdefault(finding.tool)
        cause.differ = cause.differ or finding.message != cause.first.message
        place = finding.file, finding.line
        if self._last.get(id(cause)) != place:
            self._last[id(cause)] = place
            cause.rows += finding.line > 0
            if len(cause.places) < MAX_PLACES:
                cause.places.append(place)
        return cause

    def __iter__(self) -> Iterator[Cause]:
        """The causes, in the order of their first findings."""
        return iter(self._causes.values())

    def chosen(self, most: int | None) -> list[Cause]:
        """At most so many causes, by weight; if not all, the heaviest ones of all rules before others."""
        ranks: Counter[tuple[str, str]] = Counter()
        ranked = []
        for cause in self.by_weight():
            rule = cause.first.code, cause.first.level
            ranks[rule] += 1
            ranked.append((ranks[rule], cause))
        kept = {id(cause) for _, cause in sorted(ranked, key=lambda each: each[0])[:most]}
        return [cause for _, cause in ranked if id(cause) in kept]

    def by_weight(self) -> list[Cause]:
        """The causes: errors first, and those with more findings before others."""
        return sorted(self, key=lambda cause: (LEVELS.index(cause.first.level), -cause.count, cause.first.code))


def by_rule(causes: Iterable[Cause]) -> dict[tuple[str, str], list[Cause]]:
    """Causes by the code of their rule and their level."""
    groups: dict[tuple[str, str], list[Cause]] = {}
    for cause in causes:
        groups.setdefault((cause.first.code, cause.first.level), []).append(cause)
    return groups


def cause_of(finding: Finding) -> str:
    """What findings with the same cause have in common, in addition to code and level."""
    return finding.cause if finding.cause is not None else _DETAIL.sub("…", finding.message)
