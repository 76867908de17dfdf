"""What is found once for a row, whoever asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from toolconv.lint.model.row import LintRow

Found = TypeVar("Found")


def once_per_row(find: Callable[[LintRow], Found]) -> Callable[[LintRow], Found]:
    """A function whose result is kept with the row, for all rules that ask for it."""

    def found(row: LintRow) -> Found:
        if find not in row.memo:
            row.memo[find] = find(row)
        result: Found = row.memo[find]
        return result

    return found
