"""Rows for the tests of the linter."""

from __future__ import annotations

import json
from typing import Any

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Weather of a city for some days.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}


def row(name: str = "get_weather", arguments: Any = None, number: int = 0, **more: Any) -> dict[str, Any]:
    """A row with one call, without a fault unless one is given."""
    given = {"city": "Rome"} if arguments is None else arguments
    text = given if isinstance(given, str) else json.dumps(given)
    call = {"id": "call_0", "type": "function", "function": {"name": name, "arguments": text}}
    return {
        "id": f"row-{number}",
        "tools": [TOOL],
        "messages": [
            {"role": "user", "content": f"Weather in Rome, {number}?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_0", "content": "sunny"},
            {"role": "assistant", "content": "It is sunny."},
        ],
        **more,
    }


def lines(*rows: Any) -> str:
    return "".join((item if isinstance(item, str) else json.dumps(item)) + "\n" for item in rows)


WRONG_NAME = row("get_wether", number=1)
TWICE_ENCODED = row(arguments=json.dumps(json.dumps({"city": "Rome"})), number=2)
UNKNOWN_ARGUMENT = row(arguments={"city": "Rome", "nights": 3}, number=3)
