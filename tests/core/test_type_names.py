"""Names of types from other languages: the reader, the linter and xLAM's layout give them one meaning."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import each, toolconv
from toolconv.core import jsontext
from toolconv.core.schema_types import allows, subschema, types_of
from toolconv.core.type_names import meant, type_of

STRINGS = {"type": "array", "items": {"type": "string"}}
NAMES: list[tuple[str, dict[str, Any] | None]] = [
    ("varchar(20)", {"type": "string"}),
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


@each("name, schema", NAMES)
def test_a_name_of_a_type_means_a_schema(name: str, schema: dict[str, Any] | None) -> None:
    assert meant(name) == schema


# Sources: the types of Python, Java, JavaScript, SQL and Go, as the tools of xLAM, ToolACE, API-Bank, BFCL and ACEBench
# have them.
SPELLINGS = {
    "string": "string str text char character varchar date datetime time timestamp url uri email path uuid bytes enum",
    "integer": "integer int long short int32 int64 uint bigint byte",
    "number": "number float double decimal numeric float32 float64 real complex",
    "boolean": "boolean bool",
    "object": "object dict map hashmap hashtable mapping json struct record",
    "array": "array list arr arraylist tuple set sequence iterable vector stack queue",
    "null": "null none nonetype nil undefined",
}


@each("kind, names", SPELLINGS.items())
def test_names_of_a_type(kind: str, names: str) -> None:
    for name in names.split():
        for spelled in (name, name.upper(), f" {name.capitalize()} ", f"{name}, optional", f"{name} (required)"):
            assert meant(spelled) == {"type": kind}, spelled
        assert meant(f"{name}[]") == {"type": "array", "items": {"type": kind}}
        assert meant(f"Optional[{name}]") == {"type": [kind, "null"]}
        assert meant(f"x{name}") is None and meant(f"x{name}[]") is None


@each("name", ["any", "mixed", "unknown", "union"])
def test_names_of_any_type(name: str) -> None:
    assert meant(name) == {}
    assert meant(f"{name}[]") == {"type": "array"}


@each(
    "name, schema",
    [
        ("Dict[str, List[int]]", {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "integer"}}}),
        ("Map<String, Map<String, Integer>>", {"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}}),
        ("dict(str, tuple(int, int))", {"type": "object", "additionalProperties": {"type": "array"}}),
        ("Union[Tuple[int, int], str]", {"type": ["array", "string"]}),
        ("Union[str, Dict[str, int]]", {}),
        ("Literal['a', \"b\"]", {"type": "string"}),
        ("Literal['a', 2]", {}),
        ("int[5]", None),
        ("str, default 'a, b'", {"type": "string"}),
    ],
)  # fmt: skip
def test_names_of_types_in_types(name: str, schema: dict[str, Any] | None) -> None:
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


LONG = "0.1000000000000000055511151231257827"
"""A number with more digits than a float needs."""


@each(
    "text, kind",
    [("null", "null"), ("true", "boolean"), ("1", "integer"), ("1.0", "number"), ("1e2", "number"), (LONG, "number"),
     ('""', "string"), ("[]", "array"), ("{}", "object")],
)  # fmt: skip
def test_the_type_of_a_value(text: str, kind: str) -> None:
    assert type_of(jsontext.loads(text)) == kind


def test_the_type_of_what_is_no_json() -> None:
    class Text(str):
        """A text of a kind of its own."""

    assert (type_of(Text("a")), type_of((1,)), type_of(b"")) == ("string", "tuple", "bytes")


ROOT = {"$defs": {"a/b": {"type": "integer"}, "open": {}}, "properties": {"x": {"type": "string"}}}


@each(
    "schema, kinds",
    [
        ({"type": "string"}, "string"),
        ({"type": "str"}, "string"),
        ({"type": "Foo "}, "foo"),
        ({"type": ["string", "null"]}, "null string"),
        ({"type": "any"}, None),
        ({"type": ["any", "string"]}, None),
        ({}, None),
        (None, None),
        ({"enum": [1, "a"]}, "integer string"),
        ({"type": "string", "enum": [1]}, "string"),
        ({"const": True}, "boolean"),
        ({"const": None}, "null"),
        ({"type": "string", "nullable": True}, "null string"),
        ({"type": "string", "nullable": False}, "string"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "null string"),
        ({"oneOf": [{"type": "string"}, {}]}, "string"),
        ({"allOf": [{"type": "object"}]}, "object"),
        ({"$ref": "#/$defs/a~1b"}, "integer"),
        ({"$ref": "#/$defs/open"}, None),
        ({"$ref": "#/$defs/absent"}, None),
        ({"$ref": "other.json#/$defs/a~1b"}, None),
    ],
)
def test_the_types_that_a_schema_allows(schema: Any, kinds: str | None) -> None:
    found = types_of(schema, ROOT)
    assert (found and " ".join(sorted(found))) == kinds


def test_references_that_lead_nowhere_end() -> None:
    loop = {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}}
    assert types_of(loop, loop) is None
    assert subschema(loop, loop, "properties") == {}


PLAN = {"type": "object", "properties": {"x": {"type": "integer"}, "free": {}, "many": {"items": {"type": "string"}}}}


@each(
    "schema, value, fits",
    [
        (PLAN, {"x": 1}, True),
        (PLAN, {}, True),
        (PLAN, {"x": "1"}, False),
        (PLAN, {"y": 1}, False),
        (PLAN, {"free": [1]}, True),
        (PLAN, {"many": ["a"]}, True),
        (PLAN, {"many": ["a", 1]}, False),
        (PLAN, [], False),
        ({"type": "object"}, {"y": 1}, True),
        ({"type": "number"}, 1, True),
        ({"type": "number"}, True, False),
        ({"type": "integer"}, 1.0, False),
        ({"type": "array"}, [1], True),
        ({"anyOf": [PLAN, {"type": "null"}]}, {"x": 1}, True),
        ({"anyOf": [PLAN, {"type": "null"}]}, {"y": 1}, False),
        ({}, 1, False),
        (None, 1, False),
    ],
)
def test_values_that_a_schema_allows(schema: Any, value: Any, fits: bool) -> None:
    assert allows(schema, value) is fits
