"""Rules of a grammar for the values that a schema allows."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv.export.schema_rules import SchemaRules


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        ({"anyOf": [{"const": 1}, {"type": "integer"}]}, "r-0 | integer"),
        ({"oneOf": [{"const": 1}, {"type": "integer"}]}, "r-0 | integer"),
        ({"anyOf": [{"type": "integer"}, {"type": "integer"}]}, "integer"),
        ({"anyOf": [], "enum": [1, None]}, '"1" | "null"'),
        ({"enum": []}, '""'),
    ],
)
def test_choices(schema: dict[str, Any], rule: str) -> None:
    rules = SchemaRules()
    assert rules.rules[rules.value(schema, "r")] == rule


def test_other_rules_have_other_names() -> None:
    rules = SchemaRules()
    assert [rules.add("n", rule) for rule in ("x", "y", "z", "y", "x")] == ["n", "n-2", "n-3", "n-2", "n"]
    assert [rules.add(name, "x") for name in ("!?", "a_b", "-c-")] == ["rule", "a-b", "c"]
