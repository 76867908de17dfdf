"""The plans of one conversion: which rows take one, and how that is checked."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Final

from toolconv import layouts
from toolconv.convert.options import Options
from toolconv.convert.plans.plain_rows import PlainRows, RowShape
from toolconv.convert.plans.plan import Plan
from toolconv.convert.plans.turn_parts import TurnParts
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt
from toolconv.convert.result import Result
from toolconv.dialects import registry

ALLOWED: Final = (
    "source", "target", "from_layout", "to_layout", "text", "on_error", "strict", "keep_prompt", "max_line", "untyped"
)  # fmt: skip
"""The options with which rows may take plans. With any other, something is done to rows that plans don't do."""
FIRST: Final = 2
"""How many rows of a shape take the ordinary path as well, to compare, after one without a plan."""
OFTEN: Final = 1_000
"""After those, one row in so many does."""
SHAPES: Final = 1_024
"""How many shapes are known at a time."""
FAULT: Final = "a plan writes this row otherwise than the ordinary path, and maybe others before it"
KEPT_TURNS: Final = 16
"""The most turns of a row whose plan is kept: longer ones rarely repeat."""
PATIENCE: Final = 1 << 16
"""How many bytes of rows without a plan, more than of those with one, are tried before only few rows are."""
MOST_BYTES: Final = 1 << 12
"""How many bytes of a row without a plan count."""
RARELY: Final = 64
"""One row in so many is tried then."""


class Planner:
    """Writes plain rows by plans.

    Args:
        rows: reads plain rows.
        convert: the ordinary path, for one line.
    """

    def __init__(self, rows: PlainRows, convert: Callable[[bytes], Result]) -> None:
        self._convert = convert
        self._rows = rows
        self._plans: dict[RowShape, Plan | None] = {}
        self._parts = TurnParts(rows, convert, FIRST, OFTEN)
        self._patience = PATIENCE
        self._skipped = 0
        self._built_in = True
        self._day: tuple[date, str | None] | None = None

    def begin(self) -> None:
        """Rows follow: templates may write another date than before, and there may be further dialects and layouts."""
        self._built_in = registry.are_built_in() and layouts.are_built_in()
        day = date.today(), os.environ.get("SOURCE_DATE_EPOCH")
        if day != self._day:
            self._plans.clear()
            self._parts.clear()
            self._day = day

    def line(self, file: str, number: int, line: bytes, receipt: Receipt) -> bytes | None:
        """The line that the ordinary path writes for a row, which is counted; ``None`` to let that write the row."""
        if not self._built_in:
            return None
        if self._patience <= 0:
            self._skipped += 1
            if self._skipped % RARELY:
                return None
        row = self._rows.read(line) if len(line) <= self._rows.longest else None
        plan = None if row is None else self._plan(row.shape)
        if row is None or plan is None:
            self._patience = max(self._patience - min(len(line), MOST_BYTES), 0)
            return None
        self._patience = min(self._patience + len(line), PATIENCE)
        plan.uses += 1
        if (plan.uses <= FIRST or plan.uses % OFTEN == 0) and not plan.agrees(row, self._convert(line)):
            self._parts.take_rows()
            self._plans.clear()
            self._plans[row.shape] = None
            if plan.uses > FIRST and len(receipt.fault_places) < MAX_PLACES:
                receipt.fault_places.append(Place(file, number, FAULT))
            return None
        output = plan.fill(row.values)
        plan.count(row, receipt)
        return output

    def _plan(self, shape: RowShape) -> Plan | None:
        """The plan for rows of a shape, put together of parts."""
        try:
            return self._plans[shape]
        except KeyError:
            pass
        if len(self._plans) >= SHAPES:
            self._plans.clear()
        plan = self._parts.plan(shape)
        if plan is not None and len(shape.turns) <= KEPT_TURNS:
            plan.join()
            self._plans[shape] = plan
        return plan


def may_plan(options: Options) -> bool:
    """Whether rows may take plans with some options."""
    given = {name: getattr(options, name) for name in ALLOWED}
    text = options.text
    return replace(Options(), **given) == options and (text is None or not (text.file is not None or text.spans))
