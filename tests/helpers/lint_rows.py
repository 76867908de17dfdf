"""Rows for the tests of the linter."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from toolconv import layouts
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.selection import Selection
from toolconv.lint.model.row import LintRow

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


@cache
def linter(code: str) -> Linter:
    return Linter(selections=[Selection(select=(code,))])


def found_in_row(code: str, made: dict[str, Any]) -> list[str]:
    """What a rule finds in a row."""
    result = linter(code).check(LintRow("a", 1, json.dumps(made).encode(), layouts.get("openai"), None))
    return [finding.message for finding in result.findings]


def found_in_call(code: str, arguments: dict[str, Any], request: str = "Do it.") -> list[str]:
    """What a rule finds in a row with a request and a call with some arguments, which its tool declares."""
    made = row(arguments=arguments)
    made["messages"][0]["content"] = request
    kinds = {str: "string", int: "integer", float: "number"}
    properties = {key: {"type": kinds[type(value)]} for key, value in arguments.items()}
    parameters = {"type": "object", "properties": properties}
    made["tools"] = [{"type": "function", "function": {"name": "get_weather", "parameters": parameters}}]
    return found_in_row(code, made)


def found_in_texts(code: str, *texts: str) -> list[str]:
    """What a rule finds in a row of texts, of a user and an assistant in turn."""
    messages = [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(texts)]
    return found_in_row(code, {"messages": messages})
