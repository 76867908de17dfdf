"""TypeScript that people write, as declarations of tools."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import each, toolconv
from toolconv.convert.typescript import NotTypeScript, tools_in

TYPES: dict[str, tuple[Any, bool]] = {
    "a: string": ({"type": "string"}, True),
    "a?: number": ({"type": "number"}, False),
    "a: boolean | undefined": ({"type": "boolean"}, False),
    "a: any": ({}, True),
    "a: string | null": ({"type": ["string", "null"]}, True),
    "a: string | number": ({"type": ["string", "number"]}, True),
    "a: 'x' | \"y\"": ({"type": "string", "enum": ["x", "y"]}, True),
    "a: | 'x' | 'y' | null": ({"type": ["string", "null"], "enum": ["x", "y", None]}, True),
    "a: 1 | 2.5": ({"type": ["number"], "enum": [1, 2.5]}, True),
    "a: true | false": ({"type": "boolean"}, True),
    "a: string[]": ({"type": "array", "items": {"type": "string"}}, True),
    "a: (string | number)[]": ({"type": "array", "items": {"type": ["string", "number"]}}, True),
    "a: Array<Array<number>>": ({"type": "array", "items": {"type": "array", "items": {"type": "number"}}}, True),
    "a: readonly [string, string]": ({"type": "array", "items": {"type": "string"}}, True),
    "a: Record<string, number>": ({"type": "object", "additionalProperties": {"type": "number"}}, True),
    "a: { [key: string]: boolean }": ({"type": "object", "additionalProperties": {"type": "boolean"}}, True),
    "a: ReadonlyArray<number>": ({"type": "array", "items": {"type": "number"}}, True),
    "a: Readonly<{ b: string }>": (
        {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
        True,
    ),
    "a: NonNullable<string>": ({"type": "string"}, True),
    "a: Partial<{ b: string }>": ({"type": "object", "properties": {"b": {"type": "string"}}}, True),
    "a: { b: string, c?: number }": (
        {"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": "number"}}, "required": ["b"]},
        True,
    ),
    "a: { b: string } & { c: Unit }": (
        {
            "type": "object",
            "properties": {"b": {"type": "string"}, "c": {"type": "string", "enum": ["m", "km"]}},
            "required": ["b", "c"],
        },
        True,
    ),
    "a: { b: string } | string[]": (
        {
            "anyOf": [
                {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]},
                {"type": "array", "items": {"type": "string"}},
            ]
        },
        True,
    ),
    "a: Level": ({"type": "number", "enum": [1, 2, 5]}, True),
    "a: (x: string) => void": ({}, True),
    "a: Unknown<string>": ({}, True),
    "// What it is.\n a: string": ({"type": "string", "description": "What it is."}, True),
    "/** What\n * it is. */ a: string": ({"type": "string", "description": "What\nit is."}, True),
    "/**What it is.*/ a: string": ({"type": "string", "description": "What it is."}, True),
    "a: string // What it is.": ({"type": "string", "description": "What it is."}, True),
    "a?: number; // default: 3": ({"type": "number", "default": 3}, False),
    "a?: Unit, // default: km": ({"type": "string", "enum": ["m", "km"], "default": "km"}, False),
    "/** @default 3 */ a?: number": ({"type": "number", "default": 3}, False),
    "'an a': string": ({"type": "string"}, True),
}
"""Members, each with its schema and whether it is required. The expected ones follow from the types' meaning."""

AROUND = """// Helpers.
namespace helpers {
  type Unit = "m" | "km";
  enum Level { low = 1, mid, high = 5 }
  // Measures.
  type measure = (_: {
    first: string;
    %s
    last: string
  }) => Promise<{ metres: number }>;
}
"""


@pytest.mark.parametrize("member", TYPES)
def test_a_member(member: str) -> None:
    [tool] = tools_in(AROUND % member) or []
    schema, required = TYPES[member]
    expected = {**schema, "type": "number"} if schema.get("type") == ["number"] else schema
    parameters = tool["function"]["parameters"]
    first, name, last = parameters["properties"]
    assert (first, last, parameters["properties"][name]) == ("first", "last", expected)
    assert (name in parameters["required"]) == required
    assert (tool["function"]["name"], tool["function"]["description"]) == ("measure", "Measures.")


FUNCTIONS = """
/**
 * Sends a mail.
 * @param to - the addresses
 */
export declare function send(to: string[], subject: string, urgent: boolean = false, ...cc: string[]): void;
async function add({ a, b }: { a: number; b: number }): Promise<number>
interface Place { city: string; next?: Place }
type go = (place: Place) => any
type ping = () => any;
type pick = (_: { a: string | number; b?: any | string; c: "x" | number; d: number | null; // of d
  e: { f: 1 } | string }) => any;
"""


def test_functions(tmp_path: Path) -> None:
    strings = {"type": "array", "items": {"type": "string"}}
    number = {"type": "number"}
    file = tmp_path / "tools.ts"
    file.write_text(FUNCTIONS)
    row = json.dumps({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]})
    run = toolconv("parse", "--declare", file, stdin=row)
    assert "tools declared for 1 row" in run.err
    send, add, go, ping, pick = (tool["function"] for tool in run.rows[0]["tools"])
    assert send == {
        "name": "send",
        "description": "Sends a mail.",
        "parameters": {
            "type": "object",
            "properties": {
                "to": {**strings, "description": "the addresses"},
                "subject": {"type": "string"},
                "urgent": {"type": "boolean", "default": False},
                "cc": strings,
            },
            "required": ["to", "subject"],
        },
    }
    assert add["parameters"] == {"type": "object", "properties": {"a": number, "b": number}, "required": ["a", "b"]}
    assert go["parameters"]["properties"] == {"city": {"type": "string"}, "next": {}}
    assert ping == {"name": "ping", "parameters": {"type": "object", "properties": {}}}
    assert pick["parameters"]["properties"] == {
        "a": {"type": ["string", "number"]},
        "b": {},
        "c": {"anyOf": [{"const": "x"}, {"type": "number"}]},
        "d": {"type": ["number", "null"], "description": "of d"},
        "e": {"anyOf": [{"type": "object", "properties": {"f": {"const": 1}}, "required": ["f"]}, {"type": "string"}]},
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("type f = (_: { a: string\n b ?? number }) => any;", "line 2: a name expected, not '?'"),
        ("type f = (_: { a: string", "line 1: '}' expected, not the end of the file"),
        ("type f = (_: { a: }) => any;", "line 1: a type expected, not '}'"),
        ("type f = () => any;\nlet x = 3;", "line 2: a declaration expected, not 'let'"),
    ],
)
def test_what_cant_be_read_is_an_error_that_tells_where(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "tools.ts"
    file.write_text(text)
    run = toolconv("parse", "--declare", file, stdin="{}")
    assert run.status == 2 and f"TypeScript that can't be read: {message}" in run.err


@each(
    "written, value",
    [
        ("[]", []),
        ("{}", {}),
        ("[x, [y]]", []),
        ("{ a: { b: 1 } }", {}),
        ("1_000", 1000),
        ("'a'", "a"),
        ("true", True),
        ("null", None),
    ],
)
def test_the_value_that_a_parameter_has_by_default(written: str, value: Any) -> None:
    (tool,) = tools_in(f"declare function f(a: any = {written}, b: string): void;")
    parameters = tool["function"]["parameters"]
    assert parameters["properties"]["a"] == {"default": value} and parameters["required"] == ["b"]


def test_a_parameter_with_any_default_is_optional() -> None:
    (tool,) = tools_in("declare function f(a: number = NaN, b: string): void;")
    assert tool["function"]["parameters"]["properties"]["a"] == {"type": "number"}
    assert tool["function"]["parameters"]["required"] == ["b"]


def test_other_texts_declare_nothing() -> None:
    for text in ("", "namespace of ideas", "type checking is good", "interface A { b: string }"):
        assert tools_in(text) is None


@given(
    start=st.integers(0, 900), end=st.integers(0, 900), junk=st.sampled_from(["", "{", "}", "<", "[", "=>", "'", "\\"])
)
def test_damage_is_read_or_refused(start: int, end: int, junk: str) -> None:
    text = AROUND % ";\n".join(TYPES) + FUNCTIONS
    with suppress(NotTypeScript):
        tools_in(text[:start] + junk + text[end:])


def test_types_too_deep_are_refused() -> None:
    with pytest.raises(NotTypeScript):
        tools_in("type f = (a: " + "{a:" * 5000)
