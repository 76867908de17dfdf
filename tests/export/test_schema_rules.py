"""Rules of a grammar for the values that a schema allows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each
from tests.helpers.gbnf import Grammar
from toolconv.export.schema_rules import MAX_OPTIONAL, SchemaRules


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


THREE = {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}}
NODE = {"$ref": "#/$defs/t~1~0"}
TREE = {**NODE, "$defs": {"t/~": {"type": "object", "properties": {"n": NODE}}}}
MANY = {"type": "object", "properties": {f"p{at}": {"const": at} for at in range(MAX_OPTIONAL + 2)}}
LAST = MAX_OPTIONAL - 1

TAKEN: list[tuple[Any, list[str], list[str]]] = [
    # a schema, texts that its rules take, and others
    ({**THREE, "required": ["b"]}, ['{"b": 2}', '{"a": 1, "b": 2}', '{"b": 2, "c": 3}', '{"a": 1, "b": 2, "c": 3}'],
     ["{}", '{"a": 1}', '{"c": 3, "b": 2}', '{"b": 3}', '{"b": 2, "d": 4}', '{"b": 2, }', '{"b":2}']),
    ({**THREE, "required": ["a", "c"]}, ['{"a": 1, "c": 3}', '{"a": 1, "b": 2, "c": 3}'], ['{"a": 1}', '{"c": 3}']),
    (THREE, ["{}", '{"a": 1}', '{"b": 2}', '{"a": 1, "c": 3}', '{"b": 2, "c": 3}'], ['{"b": 2, "a": 1}', '{"d": 4}']),
    (MANY, ["{}", f'{{"p{LAST}": {LAST}}}', f'{{"p{LAST}": {LAST}, "p{LAST + 2}": {LAST + 2}}}'],
     [f'{{"p{LAST + 1}": {LAST + 1}}}']),
    ({"type": "object"}, ["{}", '{"x": [1, null, {"y": "z"}]}'], ["[]", '{"x"}']),
    ({"type": "object", "additionalProperties": False}, ["{}"], ['{"x": 1}']),
    ({"type": "array", "items": {"type": "integer"}}, ["[]", "[1]", "[1, -20]"], ['["a"]', "[1, ]", "[1.5]"]),
    ({"type": ["string", "null"]}, ['""', '"a\\n"', "null"], ["1", '"a', '"\\x"']),
    ({"type": "number"}, ["0", "-1.5", "2e10", "1.0E-3"], ["01", ".5", "1.", "--1"]),
    ({"type": "boolean"}, ["true", "false"], ["True", "1"]),
    ({"const": 'a"b'}, ['"a\\"b"'], ['"ab"']),
    (TREE, ["{}", '{"n": {}}', '{"n": {"n": {}}}'], ['{"n": 1}', '{"m": {}}']),
    ({"$ref": "#/$defs/absent"}, ["1", '"a"', "[null]"], ["a"]),
    ({"$ref": "other.json#/$defs/x", "$defs": {"x": {"const": 1}}}, ["2"], []),
    ({}, ["1", "{}", "[]", "null"], [""]),
]  # fmt: skip


@each("schema, taken, others", TAKEN)
def test_texts_that_the_rules_take(schema: Any, taken: list[str], others: list[str]) -> None:
    rules = SchemaRules()
    root = rules.value(schema, "r", schema)
    grammar = Grammar("\n".join([f"root ::= {root}", *(f"{name} ::= {rule}" for name, rule in rules.rules.items())]))
    assert [text for text in taken if not grammar.takes(text)] == []
    assert [text for text in others if grammar.takes(text)] == []
