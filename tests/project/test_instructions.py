"""What commands cost in instructions, against ``benchmarks/instructions.json``: no more than three percent above it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

from tests.benchmarks import instructions, prose
from tests.conftest import nightly

FIGURES: Final = json.loads(instructions.FILE.read_text())
MOST: Final = 1.03
"""How much more than before a command may cost; the same commit differs by a tenth of a percent between two counts."""


def counted() -> None:
    if shutil.which("valgrind") is None:
        pytest.skip("valgrind is not installed, which counts instructions")
    if (here := instructions.interpreter()) != FIGURES["counted with"]:
        pytest.skip(f"the instructions were counted with another interpreter: not with {here}")


@nightly
@pytest.mark.parametrize("name", instructions.MEASURED)
@pytest.mark.parametrize("rows", instructions.ROWS)
def test_a_row_costs_no_more_than_before(rows: str, name: str, tmp_path: Path) -> None:
    counted()
    ((_, count),) = instructions.counts_of(rows, tmp_path, name)
    assert count <= FIGURES[rows][name] * MOST, "if it must be: python -m tests.benchmarks.instructions --keep"


@nightly
@pytest.mark.parametrize("name", instructions.MEASURED)
def test_the_first_row_costs_no_more_than_before(name: str, tmp_path: Path) -> None:
    counted()
    ((_, count),) = instructions.start_counts(tmp_path, name)
    assert count <= FIGURES[instructions.START][name] * MOST, (
        "if it must be: python -m tests.benchmarks.instructions --keep"
    )


@nightly
@pytest.mark.parametrize("kind", prose.KINDS)
def test_prose_with_signs_of_markup_costs_a_few_times_plain_prose(kind: str) -> None:
    counted()
    text, most = prose.KINDS[kind]
    assert prose.cost_of(text) <= most * prose.cost_of(prose.PLAIN)


def test_every_measured_command_has_a_figure_for_all_rows() -> None:
    for rows in (instructions.START, *instructions.ROWS):
        assert set(instructions.MEASURED) <= FIGURES[rows].keys()
