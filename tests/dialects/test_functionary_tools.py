"""Tools as functionary declares them: as its chat template writes them, and read back as far as they are said."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv import dialects
from toolconv.dialects.declarations.functionary_tools import read_tools, write_tool

# What the chat template of meetkai/functionary-medium-v3.2 writes.
LISTING = """// Finds things
type find = (_: {
grid: number[][],
kinds?: ("p" | "q")[],
// Where to look.
place?: {
    city: string,
},
parts: {
    // Yes or no.
    wanted: boolean,
}[],
// Default="v". Minimum length=1
text?: string,
// Default=1. Maximum=3
count?: 1 | 2,
any?: [],
}) => any;"""
SCHEMA = {
    "type": "object",
    "properties": {
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["p", "q"]}},
        "place": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "description": "Where to look.",
        },
        "parts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"wanted": {"type": "boolean", "description": "Yes or no."}},
                "required": ["wanted"],
            },
        },
        "text": {"type": "string", "default": "v", "minLength": 1},
        "count": {"enum": [1, 2], "default": 1, "maximum": 3},
        "any": {"type": "array"},
    },
    "required": ["grid", "parts"],
}
FIND = {"type": "function", "function": {"name": "find", "description": "Finds things", "parameters": SCHEMA}}
PING = {
    "type": "function",
    "function": {"name": "ping", "description": "", "parameters": {"type": "object", "properties": {}}},
}


def test_written_and_read_back() -> None:
    assert write_tool(FIND) == LISTING
    assert read_tools(LISTING) == [FIND]
    assert read_tools(f"{LISTING}\n\n// \ntype ping = () => any;") == [FIND, PING]


@pytest.mark.parametrize("name", ["functionary_v2", "functionary_v32"])
def test_a_system_text_gives_its_tools_back(name: str) -> None:
    form = dialects.get(name).chat
    assert form.read_declaration(form.declare("Be brief.", [FIND, PING])) == ("Be brief.", [FIND, PING])
    assert form.keeps([FIND, PING])


@pytest.mark.parametrize(
    "parameter",
    [
        {"type": "integer"},
        {"type": "string", "description": "no full stop"},
        {"type": "string", "pattern": "a+"},
    ],
)
def test_what_the_wording_does_not_say_is_known(parameter: dict[str, Any]) -> None:
    function = {"name": "f", "description": "", "parameters": {"type": "object", "properties": {"a": parameter}}}
    assert not dialects.get("functionary_v32").chat.keeps([{"type": "function", "function": function}])


@pytest.mark.parametrize("text", ["", "type f = () => any;", f"{LISTING}\n\nmore", LISTING.replace("1 | 2", "1 | §")])
def test_what_is_no_listing_gives_no_tools(text: str) -> None:
    assert read_tools(text) == []


# Comments that the template would not write: what is after the sign must be one JSON value, a word or a text in quotes.
@pytest.mark.parametrize("default", ['"', '"v', 'v"', "v", "{"])
def test_a_default_that_is_no_value_gives_no_tools(default: str) -> None:
    assert read_tools(LISTING.replace('Default="v".', f"Default={default}.")) == []


@pytest.mark.parametrize(("written", "default"), [("3", 3), ("true", True), ("True", True), ('""', ""), ("None", None)])
def test_a_default_is_read_as_it_is_written(written: str, default: object) -> None:
    (tool,) = read_tools(LISTING.replace("Default=1.", f"Default={written}."))
    assert tool["function"]["parameters"]["properties"]["count"]["default"] == default
