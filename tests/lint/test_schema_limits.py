"""Schemas that no value fits, and patterns that would take too long: both sides of each limit.

Sources: JSON Schema 2020-12, Validation, 6.1 to 6.4; the ways of a pattern are counted by hand, as its docstring says.
"""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each, toolconv
from tests.helpers.lint_rows import TOOL, found_in_row, row
from toolconv.lint.schema.patterns import MAX_PATTERN, MAX_STEPS, MAX_WAYS, Unaffordable, search
from toolconv.lint.schema.schemas import Validator, subschemas

# A parameter's schema, and how many findings it has. Two bounds with one value fit that value, unless one is exclusive.
BOUNDS: list[tuple[dict[str, Any], int]] = [
    ({"type": "integer", "minimum": 5, "maximum": 5}, 0),
    ({"type": "integer", "minimum": 5, "maximum": 4}, 1),
    ({"type": "integer", "minimum": 5, "exclusiveMaximum": 5}, 1),
    ({"type": "number", "minimum": 5, "exclusiveMaximum": 5.5}, 0),
    ({"type": "integer", "exclusiveMinimum": 5, "maximum": 5}, 1),
    ({"type": "integer", "exclusiveMinimum": 4, "maximum": 5}, 0),
    ({"type": "number", "exclusiveMinimum": 5, "exclusiveMaximum": 5}, 1),
    ({"type": "number", "exclusiveMinimum": 5, "exclusiveMaximum": 6}, 0),
    ({"type": "string", "minLength": 3, "maxLength": 3}, 0),
    ({"type": "string", "minLength": 4, "maxLength": 3}, 1),
    ({"type": "array", "minItems": 2, "maxItems": 1}, 1),
    ({"type": "array", "minItems": 1, "maxItems": 1}, 0),
    ({"type": "object", "minProperties": 1, "maxProperties": 0}, 1),
    ({"type": "object", "minProperties": 1, "maxProperties": 1}, 0),
    ({"type": "integer", "maximum": 4}, 0),
    ({"type": "integer", "minimum": True, "maximum": False}, 0),  # no numbers, so no bounds
    ({"type": "integer", "enum": [1, 2]}, 0),
    ({"type": "integer", "enum": ["1", "2"]}, 1),
    ({"type": "integer", "enum": ["1", 2]}, 0),
    ({"type": "integer", "enum": [None, "2"]}, 1),
    ({"type": "integer", "enum": [None]}, 0),
    ({"type": "number", "enum": [1]}, 0),
    ({"type": "string", "pattern": "^a", "enum": ["b", "c"]}, 1),
    ({"type": "string", "pattern": "^a", "enum": ["b", "a"]}, 0),
    ({"type": "string", "maxLength": 1, "enum": ["ab"]}, 1),
    ({"type": "integer", "minimum": 3, "enum": [1, 2]}, 1),
    ({"type": "integer", "minimum": 2, "enum": [1, 2]}, 0),
    ({"type": "string", "enum": ["a, b, c"]}, 1),
    ({"type": "string", "enum": ["a|b;c"]}, 1),
    ({"type": "string", "enum": ["a, b"]}, 0),
    ({"type": "string", "enum": ["a,,b"]}, 0),
    ({"type": "string", "enum": ["a, b, c", "d"]}, 0),
    ({"type": "string", "enum": ["a", "a"]}, 1),
    ({"type": "string", "enum": ["a", "A"]}, 0),
]


@each("schema, count", BOUNDS)
def test_a_schema_that_no_value_fits(schema: dict[str, Any], count: int) -> None:
    tool = {
        "type": "function",
        "function": {**TOOL["function"], "parameters": {"type": "object", "properties": {"x": schema}}},
    }  # type: ignore[dict-item]
    assert len(found_in_row("TC417", {**row(), "tools": [tool]})) == count


# A pattern, and the greatest length of a text on which it is run: ``(length + 1) ** n`` ways for n repeats, from each of
# ``length + 1`` beginnings if it has no anchor, at most MAX_WAYS.
LONGEST = [
    ("^a*b*", 3161),  # 3,162 squared is 9,998,244
    ("^(a*)b*", 3161),
    ("a*b*", 214),  # 215 cubed is 9,938,375
    ("a*?b*?", 214),
    ("^(?:ab|cd)a*b*", 2235),  # 2 * 2,236 squared is 9,999,392
    ("^a{2,5}b*c*", 1580),  # 4 * 1,581 squared is 9,998,244
    ("^a?b*c*", 2235),
    ("^a{3}b*c*", 3161),
    ("^(?=a*)b*", 3161),
    (r"\Aa*b*", 3161),
]


@each("pattern, length", LONGEST)
def test_how_long_a_text_may_be_for_a_pattern(pattern: str, length: int) -> None:
    assert MAX_WAYS == 10_000_000
    search(pattern, "-" * length)
    try:
        search(pattern, "-" * (length + 1))
    except Unaffordable as error:
        assert "10,000,000 ways" in str(error) and f"on {length + 1:,} characters" in str(error)
    else:
        raise AssertionError("it was run")


# Patterns that are known to take exponential or cubic time (OWASP's examples of ReDoS among them), and ones that don't.
RUNS = [
    ("^(a+)+$", 40, False),
    ("^([a-zA-Z]+)*$", 40, False),
    ("^(a|aa)+$", 60, False),
    ("^(a|a?)+$", 40, False),
    ("(.*a){12}", 40, False),
    (r"^(\w+\s?)*$", 40, False),
    ("(x*)*(y*)*(z*)*", 100, False),
    ("a{500}b", 1_000, True),
    ("a{500}b", 250_000, False),
    ("^a{500}b", 250_000, True),
    (r"^\d{4}-\d{2}-\d{2}$", 250_000, True),
    ("^[a-z]+$", 100_000, True),
    ("^(?:[a-z]+[.])?com$", 1_000, True),
    ("a" * 5_000, 10, True),
    ("a" * 5_001, 10, False),
]


@each("pattern, length, run", RUNS)
def test_whether_a_pattern_is_run(pattern: str, length: int, run: bool) -> None:
    assert (MAX_PATTERN, MAX_STEPS) == (5_000, 100_000_000)
    try:
        search(pattern, "-" * length)
    except Unaffordable:
        assert not run
    else:
        assert run


def test_a_pattern_matches_anywhere() -> None:
    assert search("b+", "abba") and search("^a", "abba") and not search("^b", "abba")


@each("pattern", ["^[[:alpha:]]+$", "[["])
def test_python_does_not_warn_of_the_patterns_of_a_schema(pattern: str) -> None:
    parameters = {"type": "object", "properties": {"city": {"type": "string", "pattern": pattern}}}
    tool = {"type": "function", "function": {**TOOL["function"], "parameters": parameters}}
    line = json.dumps({**row(), "tools": [tool]}) + "\n"
    for command in (["lint", "--isolated", "-q"], ["convert", "--trainer", "mistral", "-q"], ["schema"]):
        assert "Warning" not in toolconv(*command, stdin=line, own_process=True).err


def test_subschemas_are_those_of_the_keywords_that_hold_schemas() -> None:
    inner = {"type": "string"}
    schema = {
        "anyOf": [inner],
        "properties": {"a": {"items": inner}},
        "not": inner,
        "enum": [{"b": inner}],
        "default": inner,
    }
    assert [path for path, _ in subschemas(schema)] == [
        (),
        ("anyOf", 0),
        ("properties", "a"),
        ("properties", "a", "items"),
        ("not",),
    ]


def test_an_enum_of_texts_and_objects() -> None:
    validator = Validator({"enum": ["a", {"b": 1}, ["c"]], "not": {"const": "x"}})
    assert validator.errors("a") == validator.errors({"b": 1}) == validator.errors(["c"]) == []
    assert [error.keyword for error in validator.errors("b")] == ["enum"]
    assert [error.keyword for error in validator.errors({"b": 2})] == ["enum"]
