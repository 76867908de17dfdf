"""The plans of one conversion: which rows take one, and how that is checked."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Final, Generic, Protocol, TypeVar

from toolconv import layouts
from toolconv.convert.options import Options
from toolconv.convert.plans.plain_rows import PlainRows, RowReading, RowShape
from toolconv.convert.plans.plan import Plan
from toolconv.convert.plans.turn_parts import TurnParts
from toolconv.convert.receipt import MAX_PLACES, Place, Receipt
from toolconv.convert.result import Result
from toolconv.core.remembered import Remembered
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


class RowPlan(Protocol):
    """A plan for rows that are alike; ``uses`` says how many rows took it."""

    uses: int

    def agrees(self, row: RowReading, result: Result) -> bool:
        """Whether the ordinary path made of a row what the plan does."""


P = TypeVar("P", bound=RowPlan)
Made = TypeVar("Made")


class Plans(ABC, Generic[P, Made]):
    """Makes of plain rows what the ordinary path makes of them, and compares the first ones, and some later ones.

    Args:
        rows: reads plain rows.
        convert: the ordinary path, for one line.
    """

    fault: str
    """What is reported of a row of which the ordinary path makes something else."""

    def __init__(self, rows: PlainRows, convert: Callable[[bytes], Result]) -> None:
        self._convert = convert
        self._rows = rows
        self._patience = PATIENCE
        self._skipped = 0
        self._built_in = True

    def begin(self) -> None:
        """Rows follow: there may be further dialects and layouts than before."""
        self._built_in = registry.are_built_in() and layouts.are_built_in()

    def made(self, file: str, number: int, line: bytes, receipt: Receipt) -> Made | None:
        """What the ordinary path makes of a row; ``None`` to let it do that."""
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
            self._mistrust(row.shape)
            if plan.uses > FIRST and len(receipt.fault_places) < MAX_PLACES:
                receipt.fault_places.append(Place(file, number, self.fault))
            return None
        return self._fill(plan, row, receipt)

    @abstractmethod
    def _plan(self, shape: RowShape) -> P | None:
        """The plan for rows of a shape; ``None`` if there is none."""

    @abstractmethod
    def _mistrust(self, shape: RowShape) -> None:
        """Take no plan for rows of a shape any more: one did not agree."""

    @abstractmethod
    def _fill(self, plan: P, row: RowReading, receipt: Receipt) -> Made:
        """What a plan makes of a row."""


class Planner(Plans[Plan, bytes]):
    """Writes plain rows by plans, and counts them."""

    fault = FAULT

    def __init__(self, rows: PlainRows, convert: Callable[[bytes], Result]) -> None:
        super().__init__(rows, convert)
        self._plans: Remembered[RowShape, Plan] = Remembered(SHAPES)
        self._parts = TurnParts(rows, convert, FIRST, OFTEN)
        self._day: tuple[date, str | None] | None = None

    def begin(self) -> None:
        """Rows follow, for which templates may write another date, too."""
        super().begin()
        day = date.today(), os.environ.get("SOURCE_DATE_EPOCH")
        if day != self._day:
            self._plans.clear()
            self._parts.clear()
            self._day = day

    def _plan(self, shape: RowShape) -> Plan | None:
        """The plan for rows of a shape, put together of parts."""
        if len(shape.turns) > KEPT_TURNS:
            return self._parts.plan(shape)
        plan = self._plans.get(shape)
        if plan is None and (plan := self._parts.plan(shape)) is not None:
            plan.join()
            self._plans.add(shape, plan)
        return plan

    def _mistrust(self, shape: RowShape) -> None:
        self._parts.take_rows()
        self._parts.refuse(shape)
        self._plans.clear()

    def _fill(self, plan: Plan, row: RowReading, receipt: Receipt) -> bytes:
        output = plan.fill(row.values)
        plan.count(row, receipt)
        return output


def may_plan(options: Options) -> bool:
    """Whether rows may take plans with some options."""
    given = {name: getattr(options, name) for name in ALLOWED}
    text = options.text
    return replace(Options(), **given) == options and (text is None or not (text.file is not None or text.spans))
