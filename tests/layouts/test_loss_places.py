"""Each place that counts a loss or drops a call in ``toolconv/layouts/`` is reached by a case of ``fixtures/``.

What is lost is never lost silently only if the counting is tested: a place that no case reaches could stop unseen. The
cases are those of all layouts, and the tables in ``fixtures/losses``, for conversations that a layout can't hold.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar, SupportsIndex

import pytest

from tests.conftest import cases, each
from tests.layouts.test_layouts import meaning
from tests.layouts.test_traces import lines_of
from toolconv import layouts
from toolconv.core import jsontext, notes
from toolconv.core.rows import MISSHAPEN
from toolconv.layouts.base import LayoutError
from toolconv.layouts.speakers import count_unknown

FOLDER = Path(layouts.__file__).parent
KEPT = ("losses", "dropped")
GROWING = ("append", "extend")

Place = tuple[str, int, int]
"""A file, and the first and the last line of a statement in it."""


class Recorded(list[Any]):
    """A list that remembers from where it grew."""

    places: ClassVar[set[tuple[str, int]]] = set()

    def append(self, item: Any) -> None:
        self._record()
        super().append(item)

    def extend(self, items: Iterable[Any]) -> None:
        found = list(items)
        if found:
            self._record()
        super().extend(found)

    def __iadd__(self, items: Iterable[Any]) -> Recorded:  # type: ignore[override,misc]
        found = list(items)
        if found:
            self._record()
        super().extend(found)
        return self

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return list, (list(self),)

    def _record(self) -> None:
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_name in ("<genexpr>", "<listcomp>"):
            frame = frame.f_back
        self.places.add((frame.f_code.co_filename, frame.f_lineno))


def counting_places() -> Iterator[Place]:
    """The statements that count a loss or drop a call: ``….losses.append(…)``, ``….losses += …`` and the like."""
    for path in sorted(FOLDER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            grown: ast.AST | None = None
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                called = node.value.func
                if isinstance(called, ast.Attribute) and called.attr in GROWING:
                    grown = called.value
            elif isinstance(node, ast.AugAssign):
                grown = node.target
            if isinstance(grown, ast.Attribute) and grown.attr in KEPT:
                yield str(path), node.lineno, node.end_lineno or node.lineno


@pytest.fixture(scope="module")
def reached() -> set[tuple[str, int]]:
    """The places from where lists of losses grew while all cases were read and written."""
    original = notes.Notes.__init__

    def recording(self: notes.Notes, *given: Any, **named: Any) -> None:
        original(self, *given, **named)
        self.losses, self.dropped = Recorded(self.losses), Recorded(self.dropped)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(notes.Notes, "__init__", recording)
        patch.setattr(Recorded, "places", set())
        for case in cases("layouts"):
            read_and_write(*case.values)
        for case in cases("losses"):
            counted(*case.values)
        for case in cases("gathered"):
            name, given = case.values
            for line in layouts.get(name).gather(lines_of(given)):
                try:
                    layouts.get(name).read(jsontext.loads(line.text))
                except (LayoutError, ValueError, *MISSHAPEN):
                    continue
        return Recorded.places


def read_and_write(name: str, case: dict[str, Any]) -> None:
    """What the tests of a layout's cases do with one."""
    layout = layouts.get(name)
    layout.write(layout.read(copy.deepcopy(case["row"])))
    if layout.writable and case.get("encodes", True):
        layout.write(meaning(copy.deepcopy(case["canonical"])))


def counted(name: str, case: dict[str, Any]) -> tuple[list[str], int, Any]:
    """The losses of a case and how many calls were dropped, in reading its row or in writing its conversation."""
    layout = layouts.get(name)
    if "from" in case:
        read = layouts.get(case["from"]).read(copy.deepcopy(case["row"]))
    elif "canonical" not in case:
        read = layout.read(copy.deepcopy(case["row"]))
        count_unknown(read.messages, read.notes)
        return sorted(read.notes.losses), len(read.notes.dropped), None
    elif "row" in case:
        read = layout.read(copy.deepcopy(case["row"]))
        read.row = {**read.row, **copy.deepcopy(case["canonical"])}
    else:
        read = meaning(copy.deepcopy(case["canonical"]))
    written = layout.write(read)
    return sorted(read.notes.losses), len(read.notes.dropped), written


@each("name, case", (found.values for found in cases("losses")))
def test_what_is_lost_is_counted(name: str, case: dict[str, Any]) -> None:
    losses, dropped, written = counted(name, case)
    assert (losses, dropped) == (case["losses"], case.get("dropped", 0)), case["case"]
    assert written == case["writes"] if "writes" in case else True


def test_each_place_that_counts_a_loss_is_reached_by_a_case(reached: set[tuple[str, int]]) -> None:
    lines: dict[str, set[int]] = {}
    for name, line in reached:
        lines.setdefault(name, set()).add(line)
    places = list(counting_places())
    unseen = [
        f"{Path(name).relative_to(FOLDER)}:{first}"
        for name, first, last in places
        if lines.get(name, set()).isdisjoint(range(first, last + 1))
    ]
    assert places and not unseen, f"{len(unseen)} of {len(places)} places are reached by no case: {', '.join(unseen)}"
