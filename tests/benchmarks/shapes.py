"""Made-up datasets in the three shapes that real ones have: OpenAI rows that are valid, 1 to 2 KB each.

- ``uniform``: every row declares the same tool and calls it once.
- ``varied``: 300 tools, of which a row declares one to three; up to three calls; prose; half of the rows escape what is
  not ASCII.
- ``own tools``: every row declares tools that no other row has, as in ToolACE, APIGen and Toucan.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

Json = dict[str, Any]

TOOLS: Final = 300
MOST_CALLS: Final = 3
_ACTIONS: Final = ("get", "find", "list", "create", "update", "delete", "convert", "check", "book", "send")
_OBJECTS: Final = (
    "weather", "flight", "hotel", "order", "invoice", "ticket", "route", "user", "stock", "recipe", "event", "song",
    "movie", "package", "account", "currency", "meeting", "file", "photo", "contact", "news", "train", "match", "term",
    "address", "payment", "review", "sensor", "device", "article",
)  # fmt: skip
_NAMES: Final = (
    "city", "country", "date", "days", "limit", "query", "language", "unit", "category", "price", "radius", "offset",
    "active", "tags", "owner", "status", "format", "page", "sort", "filters", "note", "priority", "zone", "width",
)  # fmt: skip
_WORDS: Final = (
    "the", "of", "and", "a", "to", "please", "für", "weather", "next", "Köln", "week", "café", "order", "naïve", "find",
    "best", "with", "São", "Paulo", "東京", "tomorrow", "price", "under", "twenty", "euros", "hotel", "near", "station",
)  # fmt: skip


def _text(random: Random, words: int) -> str:
    return " ".join(random.choices(_WORDS, k=words))


def _parameter(random: Random, depth: int = 0) -> tuple[Json, Callable[[], Any]]:
    """A schema, and what makes values that fit it."""
    kind = random.randrange(20)
    description = _text(random, random.randint(3, 9)).capitalize() + "."
    if kind < 8:
        return {"type": "string", "description": description}, lambda: _text(random, 2)
    if kind < 12:
        return {"type": "integer", "description": description}, lambda: random.randrange(1000)
    if kind < 14:
        return {"type": "number", "description": description, "minimum": 0}, lambda: random.randrange(9999) / 8
    if kind < 15:
        return {"type": "boolean", "description": description, "default": False}, lambda: True
    if kind < 17:
        values = sorted(set(random.choices(_OBJECTS, k=4)))
        return {"type": "string", "description": description, "enum": values}, lambda: random.choice(values)
    if kind < 18 or depth:
        return {"type": "array", "items": {"type": "string"}, "description": description}, lambda: ["a", "b"]
    if kind < 19:
        return {"type": ["string", "null"], "description": description, "minLength": 1}, lambda: "x"
    schema, make = parameters(random, depth + 1)
    return {**schema, "description": description}, make


def parameters(random: Random, depth: int = 0) -> tuple[Json, Callable[[], Json]]:
    """The parameters of a tool, and what makes arguments for them."""
    names = random.sample(_NAMES, random.randint(1, 3 if depth else 6))
    parts = {name: _parameter(random, depth) for name in names}
    required = names[: random.randint(0, len(names))]
    schema = {"type": "object", "properties": {name: part for name, (part, _) in parts.items()}, "required": required}

    def arguments() -> Json:
        chosen = [name for name in names if name in required or random.random() < 0.5]
        return {name: parts[name][1]() for name in chosen}

    return schema, arguments


Tool = tuple[Json, Callable[[], Json]]
"""A declaration, and what makes arguments for it."""


def tool(random: Random, name: str) -> Tool:
    """A tool of that name."""
    schema, arguments = parameters(random)
    function = {"name": name, "description": _text(random, 10).capitalize() + ".", "parameters": schema}
    return {"type": "function", "function": function}, arguments


def row(random: Random, number: int, tools: list[Tool], calls: list[int]) -> Json:
    """A row: for each number of calls an exchange: a question, so many calls, their responses, an answer."""
    messages: list[Json] = []
    for exchange, wanted in enumerate(calls):
        messages.append({"role": "user", "content": f"{_text(random, random.randint(8, 30))} {number}?"})
        made = []
        for place in range(wanted):
            declaration, arguments = random.choice(tools)
            text = json.dumps(arguments(), ensure_ascii=False)
            function = {"name": declaration["function"]["name"], "arguments": text}
            if all(function != other["function"] for other in made):
                made.append({"id": f"call_{exchange * MOST_CALLS + place}", "type": "function", "function": function})
        if made:
            messages.append({"role": "assistant", "content": None, "tool_calls": made})
            for call in made:
                content = json.dumps({"result": _text(random, 5)}, ensure_ascii=False)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
        answer = _text(random, random.randint(10, 40)).capitalize()
        messages.append({"role": "assistant", "content": f"{answer}."})
    return {"id": f"row-{number}", "tools": [declaration for declaration, _ in tools], "messages": messages}


def uniform(rows: int, exchanges: int = 1) -> Iterator[Json]:
    """Rows that differ in the numbers in the questions."""
    call = {"name": "get_weather", "arguments": json.dumps({"city": "Paris", "days": 3})}
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "description": "City name"}, "days": {"type": "integer"}},
        "required": ["city"],
    }
    function = {"name": "get_weather", "description": "Current weather for a city.", "parameters": schema}
    answer = "Clear skies in Paris, between 12 and 21 degrees, for the next three days."
    for number in range(rows):
        messages: list[Json] = [
            {"role": "system", "content": "You are a helpful assistant with access to live weather data."}
        ]
        for exchange in range(exchanges):
            of = f"call_{exchange}"
            messages += [
                {"role": "user", "content": f"What will the weather be like in Paris, request {number + exchange}?"},
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"id": of, "type": "function", "function": call}],
                },
                {"role": "tool", "tool_call_id": of, "content": json.dumps({"sky": "clear", "high": 21, "low": 12})},
                {"role": "assistant", "content": answer},
            ]
        yield {"id": f"row-{number}", "tools": [{"type": "function", "function": function}], "messages": messages}


def varied(rows: int, exchanges: int = 1) -> Iterator[Json]:
    """Rows with one to three of 300 tools and up to three calls an exchange."""
    random = Random(0)
    names = [f"{action}_{thing}" for action in _ACTIONS for thing in _OBJECTS][:TOOLS]
    tools = [tool(random, name) for name in names]
    for number in range(rows):
        chosen = random.sample(tools, random.randint(1, 3))
        yield row(random, number, chosen, [random.randint(0, MOST_CALLS) for _ in range(exchanges)])


def own_tools(rows: int, exchanges: int = 1) -> Iterator[Json]:
    """Rows whose tools no other row has."""
    random = Random(0)
    for number in range(rows):
        names = (f"{random.choice(_ACTIONS)}_{random.choice(_OBJECTS)}_{number}_{place}" for place in range(2))
        tools = [tool(random, name) for name in names]
        yield row(random, number, tools, [random.randint(1, 2) for _ in range(exchanges)])


SHAPES: Final = {"uniform": uniform, "varied": varied, "own tools": own_tools}


def write(path: Path, shape: str, rows: int, exchanges: int = 1) -> None:
    """Write rows of a shape; every second one has escapes for what is not ASCII.

    A row of one exchange has 1 to 2 KB, one of 14 has 7 to 12.
    """
    with path.open("w") as file:
        for number, each in enumerate(SHAPES[shape](rows, exchanges)):
            file.write(json.dumps(each, ensure_ascii=number % 2 == 0) + "\n")
