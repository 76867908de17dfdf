"""Names of types from other languages: the reader, the linter and xLAM's layout give them one meaning."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import toolconv
from toolconv.core.type_names import meant

STRINGS = {"type": "array", "items": {"type": "string"}}
NAMES: list[tuple[str, dict[str, Any] | None]] = [
    ("str", {"type": "string"}),
    ("String", {"type": "string"}),
    ("varchar(20)", {"type": "string"}),
    ("int64", {"type": "integer"}),
    ("uint", {"type": "integer"}),
    ("bigint", {"type": "integer"}),
    ("double", {"type": "number"}),
    ("bool", {"type": "boolean"}),
    ("HashMap", {"type": "object"}),
    ("arr", {"type": "array"}),
    ("NoneType", {"type": "null"}),
    ("Any", {}),
    ("str, optional", {"type": "string"}),
    ("int (required)", {"type": "integer"}),
    ("float, default 0.5", {"type": "number"}),
    ("List[str]", STRINGS),
    ("list(str)", STRINGS),
    ("Vec<str>", None),
    ("ArrayList<String>", STRINGS),
    ("string[]", STRINGS),
    ("int[][]", {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
    (
        "List[Dict[str, int]]",
        {"type": "array", "items": {"type": "object", "additionalProperties": {"type": "integer"}}},
    ),
    ("Tuple[int, str]", {"type": "array"}),
    ("Dict[int, str]", {"type": "object"}),
    ("Optional[int]", {"type": ["integer", "null"]}),
    ("Union[int, str]", {"type": ["integer", "string"]}),
    ("Union[int, List[int]]", {}),
    (
        "Dict[str, Dict[str, int]]",
        {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}},
    ),
    ("Union[List[int], str, int]", {}),
    ("Literal['a', 'b']", {"type": "string"}),
    ("Literal[1, 2]", {}),
    ("Celsius", None),
    ("", None),
]


@pytest.mark.parametrize(("name", "schema"), NAMES)
def test_a_name_of_a_type_means_a_schema(name: str, schema: dict[str, Any] | None) -> None:
    assert meant(name) == schema


@pytest.mark.parametrize(
    ("name", "text", "value"), [("List[int]", "[1, 2]", [1, 2]), ("bigint", "7", 7), ("url", "7", "7")]
)
def test_reader_and_linter_agree(name: str, text: str, value: Any) -> None:
    tool = {
        "name": "f",
        "description": "Does what its name says.",
        "parameters": {"type": "object", "properties": {"a": {"type": name, "description": "An argument."}}},
    }
    call = f"<tool_call>\n<function=f>\n<parameter=a>\n{text}\n</parameter>\n</function>\n</tool_call>"
    row = {"messages": [{"role": "user", "content": f"Do {text}."}, {"role": "assistant", "content": call}]}
    row["tools"] = [{"type": "function", "function": tool}]
    parsed = toolconv("parse", "--from", "qwen3_xml", stdin=json.dumps(row))
    assert parsed.rows[0]["messages"][1]["tool_calls"][0]["function"]["arguments"] == {"a": value}
    found = toolconv("lint", "--isolated", "--output-format", "concise", stdin=json.dumps(row)).out
    assert "TC403" in found and "TC106" not in found and "TC122" not in found, found
