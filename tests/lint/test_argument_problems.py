"""What is wrong with the arguments of a call, by the schema of its tool: JSON Schema's keywords, one by one."""

from __future__ import annotations

from typing import Any, Final

from tests.conftest import each
from toolconv.lint.model.arguments import argument_problems
from toolconv.lint.schema.parameters import parameters_of

INTEGER: Final = {"type": "integer"}
TEXT: Final = {"type": "string"}
DAYS: Final = {"type": "object", "properties": {"days": INTEGER}}
A_OR_B: Final = {"enum": ["a", "b"]}

Found = list[tuple[str, str, Any]]


def problems(schema: dict[str, Any], arguments: dict[str, Any]) -> Found:
    """The kind of each problem, its path, and the value that was meant."""
    known = parameters_of({"type": "object", **schema})
    found = argument_problems("f", known, arguments)
    return [(problem.kind, ".".join(map(str, problem.path)), problem.better) for problem in found]


@each(
    "declared, value, kind, better",
    [
        (INTEGER, 3, None, None),
        (INTEGER, "3", "string", 3),
        (INTEGER, " -3 ", "string", -3),
        (INTEGER, "3.5", "mismatch", None),
        (INTEGER, "three", "mismatch", None),
        (INTEGER, 3.0, "integral", 3),
        (INTEGER, 3.5, "mismatch", None),
        (INTEGER, float(2**53), None, None),
        (INTEGER, True, "mismatch", None),
        (INTEGER, None, "null", None),
        ({"type": ["integer", "null"]}, 3.0, "integral", 3),
        ({"type": ["integer", "null"]}, None, None, None),
        ({"type": ["integer", "null"]}, "3", "string", 3),
        ({"type": "number"}, 3.0, None, None),
        ({"type": "number"}, "3.5", "string", 3.5),
        ({"type": "number"}, "3", "string", 3),
        ({"type": "number"}, "three", "mismatch", None),
        ({"type": "boolean"}, "3", "mismatch", None),
        (INTEGER, "true", "mismatch", None),
        ({"type": "boolean"}, "TRUE", "string", True),
        ({"type": "boolean"}, "false", "string", False),
        ({"type": "boolean"}, "yes", "mismatch", None),
        ({"type": "array"}, '["a"]', "string", ["a"]),
        ({"type": "array"}, '{"a": 1}', "mismatch", None),
        ({"type": "array"}, '["a"] and more', "mismatch", None),
        ({"type": "array"}, "a", "mismatch", None),
        ({"type": "object"}, '{"a": 1}', "string", {"a": 1}),
        ({"type": "object"}, "{a", "mismatch", None),
        ({"type": "string"}, 3, "mismatch", None),
        (A_OR_B, "c", "enum", None),
        (A_OR_B, "a", None, None),
        (A_OR_B, None, "null", None),
        ({"const": "a"}, "b", "enum", None),
        ({"type": "string", "format": "date"}, "2024-13-01", "format", None),
        ({"type": "string", "format": "date"}, "2024-12-01", None, None),
        ({"type": "integer", "minimum": 5}, 3, "mismatch", None),
        ({"anyOf": [INTEGER, TEXT]}, 3.5, "mismatch", None),
        ({"anyOf": [INTEGER, {"type": "null"}]}, "3", "string", 3),
        ({"anyOf": [{"type": "integer", "minimum": 5}, TEXT]}, 3, "mismatch", None),
        ({"anyOf": [{"type": "string", "enum": ["a"]}, INTEGER]}, "b", "enum", None),
        ({"anyOf": [{"const": "a"}, {"const": "b"}]}, "c", "mismatch", None),
        ({"anyOf": [{"const": "a"}, {"const": 5}]}, 3.5, "mismatch", None),
        ({"anyOf": [{"const": "a"}, {"const": 5}]}, 3.0, "enum", None),
        ({"anyOf": [{"const": "a"}, {"const": 5}]}, "b", "enum", None),
        ({"anyOf": [{"const": "a"}, {"const": 2.5}]}, 3, "enum", None),
        ({"anyOf": [INTEGER, TEXT]}, 3.0, "integral", 3),
        ({"oneOf": [INTEGER, TEXT]}, 3.0, "integral", 3),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, 3, "mismatch", None),
        ({"$ref": "#/$defs/day"}, "3", "string", 3),
        ({"$ref": "#/$defs/day"}, 3.0, "integral", 3),
        ({"$ref": "other.json"}, 3.0, None, None),
    ],
)  # fmt: skip
def test_a_value(declared: dict[str, Any], value: Any, kind: str | None, better: Any) -> None:
    schema = {"properties": {"a": declared}, "$defs": {"day": INTEGER}}
    assert [(found[0], found[2]) for found in problems(schema, {"a": value})] == ([(kind, better)] if kind else [])
    nested = {"properties": {"in": {"type": "array", "items": {"type": "object", **schema}}}, "$defs": schema["$defs"]}
    assert problems(nested, {"in": [{"a": value}]}) == ([(kind, "in.0.a", better)] if kind else [])


@each(
    "schema, arguments, found",
    [
        ({"properties": {"a": TEXT}, "required": ["a"]}, {}, [("missing", "")]),
        ({"properties": {"a": TEXT}, "required": ["a"]}, {"a": None}, [("mismatch", "a")]),
        ({"properties": {"a": A_OR_B}, "required": ["a"]}, {"a": None}, [("enum", "a")]),
        ({"properties": {"in": {**DAYS, "required": ["days"]}}}, {"in": {}}, [("missing", "in")]),
        ({"properties": {"in": {"anyOf": [DAYS, TEXT]}}}, {"in": {"days": None}}, [("null", "in.days")]),
        ({"properties": {"in": {"type": "array", "items": INTEGER}}}, {"in": [None]}, [("mismatch", "in.0")]),
        # what is not declared
        ({"properties": {"a": TEXT}}, {"b": 1}, [("unknown", "b")]),
        ({"properties": {"a": TEXT}}, {"b": None}, [("null", "b")]),
        ({"properties": {}}, {"b": 1}, [("unknown", "b")]),
        ({"required": ["c"]}, {"b": 1}, [("missing", "")]),
        ({"properties": {"in": DAYS}}, {"in": {"b": 1}}, [("unknown", "in.b")]),
        ({"properties": {"in": {"type": "object", "properties": {}}}}, {"in": {"b": 1}}, []),
        ({"properties": {"in": {"anyOf": [DAYS, TEXT]}}}, {"in": {"b": 1}}, [("unknown", "in.b")]),
        ({"properties": {"in": {"anyOf": [DAYS, {"type": "object"}]}}}, {"in": {"b": 1}}, []),
        ({"properties": {"a": TEXT}, "additionalProperties": False}, {"b": 1}, [("forbidden", "b")]),
        ({"properties": {"a": TEXT}, "additionalProperties": True}, {"b": 1}, []),
        ({"properties": {"a": TEXT}, "patternProperties": {"^x": INTEGER}}, {"b": 1}, []),
        ({"properties": {"a": TEXT}, "allOf": [{"properties": {"b": INTEGER}}]}, {"b": 1}, []),
        ({"properties": {"a": TEXT}, "if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"b": 1}, []),
        ({"patternProperties": {"^x": INTEGER}, "additionalProperties": False}, {"x1": 1}, []),
        (
            {"properties": {"a": TEXT}, "patternProperties": {"^x": INTEGER}, "additionalProperties": False},
            {"a": "", "x1": 1, "y1": 1},
            [("forbidden", "y1")],
        ),
    ],
)  # fmt: skip
def test_members(schema: dict[str, Any], arguments: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert [(kind, path) for kind, path, _ in problems(schema, arguments)] == found


@each("value", ["a", None])
def test_an_empty_enum_is_named(value: str | None) -> None:
    known = parameters_of({"type": "object", "properties": {"a": {"enum": []}}})
    (problem,) = argument_problems("f", known, {"a": value})
    assert problem.message.endswith("the enum is empty") or "as the enum is empty, or no" in problem.message


def test_an_unknown_argument_is_told_with_its_place() -> None:
    known = parameters_of({"type": "object", "properties": {"stay": {**DAYS, "additionalProperties": False}}})
    (top,) = argument_problems("f", known, {"zzz": 1})
    (inner,) = argument_problems("f", known, {"stay": {"zzz": 1}})
    assert top.message.startswith("f has no argument 'zzz'; it has ")
    assert inner.message.startswith("f has no argument 'zzz' in stay; it has ")
