"""Flat parameters with Python's types, as xLAM has them, and the JSON Schema that they mean."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv.core.flat_parameters import flattened, is_flat, schema_of, spell_type
from toolconv.core.notes import Notes

# A type of a parameter, its schema, and whether it is optional. Source: the dataset card of xlam-function-calling-60k.
TYPES: list[tuple[str, dict[str, Any], bool]] = [
    ("str", {"type": "string"}, False), ("int", {"type": "integer"}, False), ("float", {"type": "number"}, False),
    ("bool", {"type": "boolean"}, False), ("dict", {"type": "object"}, False), ("list", {"type": "array"}, False),
    ("str, optional", {"type": "string"}, True), ("List[int]", {"type": "array", "items": {"type": "integer"}}, False),
    ("List[str], optional", {"type": "array", "items": {"type": "string"}}, True),
    ("Dict[str, float]", {"type": "object", "additionalProperties": {"type": "number"}}, False),
    ("Optional[str]", {"type": ["string", "null"]}, False), ("Union[int, str]", {"type": ["integer", "string"]}, False),
    ("List[List[bool]]", {"type": "array", "items": {"type": "array", "items": {"type": "boolean"}}}, False),
]  # fmt: skip


@each("text, schema, optional", TYPES)
def test_a_flat_type_is_a_schema_and_back(text: str, schema: dict[str, Any], optional: bool) -> None:
    flat = {"a": {"description": "d", "type": text}}
    assert is_flat(flat)
    full = schema_of(flat)
    assert full["properties"] == {"a": {"description": "d", **schema}}
    assert full.get("required", []) == ([] if optional else ["a"])
    notes = Notes()
    assert flattened(full, notes) == flat
    assert notes.losses == []
    assert spell_type(schema) == (text.removesuffix(", optional"), {"type", *schema} - {"required"})


@each(
    "schema, text",
    [
        ({"type": "array", "items": {"type": "string", "minLength": 1}}, "list"),
        ({"type": "array", "items": {"enum": [1, 2]}}, "list"),
        ({"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}}, "dict"),
    ],
)
def test_a_name_of_a_type_leaves_out_what_it_does_not_say(schema: dict[str, Any], text: str) -> None:
    assert spell_type(schema) == (text, {"type"})


@each(
    "text, kept",
    [
        ("Tuple[int, str]", True),
        ("STR", False),
        ("List [ int ]", False),
        ("string", False),
        ("Celsius", True),
        ("set", True),
    ],
)
def test_a_type_that_is_not_written_back_is_kept(text: str, kept: bool) -> None:
    found = schema_of({"a": {"type": text}})["properties"]["a"]
    assert found.get("x-type") == (text if kept else None)
    assert (
        flattened({"type": "object", "properties": {"a": found}, "required": ["a"]}, Notes())["a"]["type"] == text
        or not kept
    )


@each(
    "parameters, flat",
    [
        ({}, True), ({"a": {"type": "str"}}, True), ({"type": "object", "properties": {}}, False), ({"type": {"type": "str"}}, True),
        ({"properties": {"a": {"type": "str"}}}, False), ({"properties": {"type": "str"}}, True), ({"a": 7}, False), ([], False), (None, False),
    ],
)  # fmt: skip
def test_what_is_flat(parameters: Any, flat: bool) -> None:
    assert is_flat(parameters) is flat


def test_required_parameters_are_marked_or_listed() -> None:
    flat = {"a": {"type": "str", "required": True}, "b": {"type": "str", "required": False}, "c": {"type": "str"}}
    assert schema_of(flat, marked=True)["required"] == ["a"]
    assert schema_of(flat)["required"] == ["a", "b", "c"]
    assert schema_of(flat, given=["b"])["required"] == ["b"]
    assert "required" not in schema_of(flat, given=[])
    assert schema_of({"a": {"required": "yes"}})["properties"] == {"a": {"required": "yes"}}


@each(
    "schema, losses",
    [
        ({"type": "object", "properties": {"a": {"type": "string"}}, "title": "T"}, None),
        ({"type": "object", "properties": [], "required": []}, None),
        ({"type": "object", "properties": {"a": True}}, None),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": "a"}, None),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["b"]}, None),
        ({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b", "a"]}, ["schema_form"]),
        ({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, []),
        ({"properties": {"a": {"type": "string"}}, "required": ["a"]}, ["schema_form"]),
    ],
)  # fmt: skip
def test_a_schema_that_flat_parameters_can_not_say_stays(schema: dict[str, Any], losses: list[str] | None) -> None:
    notes = Notes()
    found = flattened(schema, notes)
    assert (found is schema) == (losses is None)
    assert notes.losses == (losses or [])
