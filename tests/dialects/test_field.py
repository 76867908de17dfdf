"""Shapes that models really wrote, from public threads: all are read right where tools are declared."""

from __future__ import annotations

import json
from typing import Any, Final

from tests.conftest import FIXTURES, each
from toolconv.core.tools import ToolIndex
from toolconv.dialects.turn_reader import TurnReader

CASES: Final = {
    case["case"]: case
    for case in map(json.loads, (FIXTURES / "reading" / "field.jsonl").read_text("utf-8").splitlines())
}
PARAMETERS: Final[dict[str, dict[str, str]]] = {
    "book_room": {"city": "string", "nights": "integer"},
    "run": {"command": "string"},
    "lookup": {"query": "string", "limit": "integer"},
    "open_file": {"path": "string"},
    "mark": {"labels": "array", "where": "object"},
    "ping": {},
}
TOOLS: Final = ToolIndex(
    [
        {
            "type": "function",
            "function": {
                "name": name,
                "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in keys.items()}},
            },
        }
        for name, keys in PARAMETERS.items()
    ]
)


def read(case: dict[str, Any]) -> Any:
    return TurnReader().read(case["text"], TOOLS)


def calls_of(parsed: Any) -> list[dict[str, Any]]:
    return [{"name": call.name, "arguments": call.arguments} for call in parsed.calls]


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 150
    assert len({case["thread"] for case in CASES.values()}) >= 50


@each("case", sorted(CASES))
def test_a_shape_of_the_field_is_read(case: str) -> None:
    assert calls_of(read(CASES[case])) == CASES[case]["calls"]
