"""Tools as GigaChat declares them: as its chat template writes them, and read back as far as they are said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each
from toolconv import templates
from toolconv.dialects.declarations.gigachat_tools import read_tools, write_tool

# What the chat template of ai-sage/GigaChat3.1-10B-A1.8B writes.
LISTING = """// Finds things
// in many places.
type find = (_: {
  grid: number[][],
  kinds?: "p" | "q"[],
  // Where to look.
  place?: {
    city: string, // default: "Omsk"
    // format: "date"
    day?: Date,
  },
  parts: {
    // Yes or no.
    wanted: boolean,
  }[],
  // minimum: -1.5
  // maximum: 3
  count?: 1 | 2, // default: 1
  seen?: boolean, // default: True
  all?: Array<any>,
  any?: any,
  [key: string]: number
}) => any;"""
SCHEMA = {
    "type": "object",
    "properties": {
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        "kinds": {"type": "array", "items": {"type": "string", "enum": ["p", "q"]}},
        "place": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "default": "Omsk"},
                "day": {"type": "string", "format": "date"},
            },
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
        "count": {"type": "number", "enum": [1, 2], "minimum": -1.5, "maximum": 3, "default": 1},
        "seen": {"type": "boolean", "default": True},
        "all": {"type": "array"},
        "any": {},
    },
    "required": ["grid", "parts"],
    "additionalProperties": {"type": "number"},
}
FIND = {
    "type": "function",
    "function": {"name": "find", "description": "Finds things\nin many places.", "parameters": SCHEMA},
}
PING = {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}
CHAT = templates.get("gigachat-3.1").dialect.chat


def test_written_and_read_back() -> None:
    assert write_tool(FIND) == LISTING
    assert read_tools(f"{LISTING}\n\ntype ping = () => any;") == [FIND, PING]
    assert CHAT.keeps([FIND, PING])


@each(
    "parameter",
    [
        {"type": "integer"},
        {"type": ["string", "null"]},
        {"type": "string", "description": "two\n\nparagraphs"},
        {"type": "string", "description": "format: 1"},
        {"type": "string", "default": "two\nlines"},
        {"type": "string", "enum": ["a\n", 'b" | "c']},
        {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
    ],
)
def test_what_the_wording_does_not_say_is_known(parameter: dict[str, Any]) -> None:
    function = {"name": "f", "parameters": {"type": "object", "properties": {"a": parameter}}}
    assert not CHAT.keeps([{"type": "function", "function": function}])


@pytest.mark.parametrize(
    "text", ["", "type f = () => any", f"{LISTING}\n\nmore", LISTING.replace("1 | 2", "1 | §"), LISTING[:-20]]
)
def test_what_is_no_listing_gives_no_tools(text: str) -> None:
    assert read_tools(text) == []
