"""No rule fails on any row, whatever was done to it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import tables
from tests.lint.test_guards import mutated
from toolconv.dataset import lint_rows


def _rows() -> list[dict[str, Any]]:
    """Rows of all layouts and dialects, and those that the rules' cases are made of."""
    texts = [{"text": case["text"]} for table in tables("dialects").values() for case in table[:3]]
    of_layouts = [case["row"] for table in tables("layouts").values() for case in table]
    of_rules = [row for table in tables("lint").values() for case in table for row in case.get("rows", [])]
    return [*texts, *of_layouts, *(row for row in of_rules if isinstance(row, dict))]


ROWS = _rows()


@pytest.mark.exhaustive
@given(st.sampled_from(ROWS), st.randoms(use_true_random=False), st.sampled_from(["auto", "hermes", None]))
@settings(max_examples=150, deadline=None)
def test_no_rule_fails(value: dict[str, Any], random: Random, dialect: str | None) -> None:
    rows = [value, mutated(value, random)], [mutated(value, random)]
    found = [finding for each in rows for finding in lint_rows(each, select=["ALL"], dialect=dialect)]
    assert [finding.message for finding in found if finding.code == "TC011"] == []
