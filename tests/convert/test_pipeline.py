"""The account of a run: whatever a row looks like, it is written or rejected for a reason, and nothing crashes."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest

from tests.conftest import tables
from toolconv import dialects, layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options, UsageError
from toolconv.convert.result import Result

ODD = (None, 1, 1.5, "x", "{}", '{"name":1}', [], {}, [None], True, {"a": 1}, [[]])
ROWS = [case["row"] for table in tables("layouts").values() for case in table]
TARGETS = (None, "hermes", "kimi_k2", "openai", "qwen3_xml", "harmony", "gemma4")


def bent(value: Any, chance: random.Random) -> Any:
    """A copy of a JSON value with some members gone, shuffled or replaced by something else."""
    if chance.random() < 0.03:
        return copy.deepcopy(chance.choice(ODD))
    if isinstance(value, dict):
        return {key: bent(member, chance) for key, member in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        items = [bent(item, chance) for item in value]
        if chance.random() < 0.03:
            chance.shuffle(items)
        return items
    return value


@pytest.mark.sweep(every=32)
@pytest.mark.parametrize("seed", range(64))
def test_rows_of_any_shape_are_accounted_for(seed: int) -> None:
    chance = random.Random(seed)
    written = [name for name in layouts.names() if layouts.get(name).writable and name != "raw"]
    for _ in range(20):
        row = bent(chance.choice(ROWS), chance)
        if not isinstance(row, dict):
            continue
        layout = layouts.detect(row) or layouts.get("completion")
        to_layout = chance.choice([*written, *[None] * 8])
        options = Options(
            source=chance.choice(["hermes", "pythonic", "auto"]),
            target=None if to_layout else chance.choice(TARGETS),
            to_layout=to_layout,
            account=True,
        )
        try:
            converter = Converter(options, layout, dialects.get("hermes"))
        except UsageError:
            continue
        result = Result()
        converter.one("row", 1, json.dumps(row).encode(), result)
        receipt = result.receipt
        assert receipt.rows_in == receipt.rows_out + receipt.rejects == 1
        assert len(result.output) == receipt.rows_out
        assert len(result.rejects) == receipt.rejects
        assert not [place for place in receipt.reject_places if "internal error" in place.reason], row


def test_a_fault_of_ours_costs_no_other_row(monkeypatch: pytest.MonkeyPatch) -> None:
    converter = Converter(Options(source="hermes"), layouts.get("completion"), dialects.get("hermes"))
    good = b'{"text": "fine"}'
    result = converter.lines("f", 1, [good])
    monkeypatch.setattr("toolconv.convert.converter.jsontext.dumps_line", lambda _: 1 / 0)
    broken = converter.lines("f", 1, [good])
    assert result.receipt.rows_out == 1
    assert broken.rejects == [good + b"\n"]
    assert "internal error, please report (ZeroDivisionError" in broken.receipt.reject_places[0].reason


def test_rows_are_rejected_in_their_order() -> None:
    good, broken, wrong = b'{"text": "hi"}', b'{"text": ', b'{"text": 1}'
    lines = [broken, good, wrong, b"", good, broken, *[good] * 40, wrong, good, broken]
    converter = Converter(Options(source="hermes"), layouts.get("completion"), dialects.get("hermes"))
    result = converter.lines("rows", 1, lines)
    places = [number for number, line in enumerate(lines, 1) if line not in (good, b"")]
    assert [place.line for place in result.receipt.reject_places] == places
    assert result.rejects == [lines[number - 1] + b"\n" for number in places]
    assert len(result.output) == result.receipt.rows_out == lines.count(good)
