"""What a row costs on its way through ``parse``, ``convert`` and ``render``, as a ratio to reading and writing it.

The floor of a file is reading its lines, ``orjson.loads`` and ``orjson.dumps`` of each, and writing them.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from tests.benchmarks.measure import Figure, ratio
from toolconv.convert.options import Options
from toolconv.convert.run import ConvertRun, Target
from toolconv.templates.output import TextOptions

SIZES = (1_000, 10_000, 100_000)
BYTES = 5_000_000
"""Of each file."""

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Current weather for a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "City name"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    }
]
ARGUMENTS = {"city": "Paris", "days": 3, "at": "12:30"}
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 3, "at": "12:30"}}\n</tool_call>'
PROSE = "I will look up the weather for you; one moment, please.\n"
SPELLINGS = {"json.dumps": json.dumps, "compact": lambda row: orjson.dumps(row).decode()}


def _padded(row: dict[str, Any], at: dict[str, Any], key: str, size: int) -> dict[str, Any]:
    """``row`` with so much prose before the text ``at[key]`` that it has about ``size`` bytes."""
    room = max(size - len(json.dumps(row)) - 12, 0)
    at[key] = (PROSE * (room // len(PROSE) + 1))[:room] + at[key]
    return row


def text_row(size: int) -> dict[str, Any]:
    """A completion row: an id, one declared tool, prose and a Hermes call."""
    row = {"id": "", "tools": TOOLS, "text": "\n" + CALL}
    return _padded(row, row, "text", size)


def reasoned_row(size: int) -> dict[str, Any]:
    """The same, reasoning first."""
    row = text_row(size)
    return {**row, "text": "<think>\nThe user asks for the weather.\n</think>\n\n" + row["text"]}


def answer_row(size: int) -> dict[str, Any]:
    """The same without a call."""
    row: dict[str, Any] = {"id": "", "tools": TOOLS, "text": "That is all."}
    return _padded(row, row, "text", size)


def chat_row(size: int) -> dict[str, Any]:
    """A canonical row: a question, an answer with a call, its response, an answer."""
    call = {"id": "call_0", "type": "function", "function": {"name": "get_weather", "arguments": ARGUMENTS}}
    asked: dict[str, Any] = {"role": "assistant", "content": "", "tool_calls": [call]}
    messages = [
        {"role": "user", "content": "Will it rain in Paris?"},
        asked,
        {"role": "tool", "tool_call_id": "call_0", "name": "get_weather", "content": '{"rain": false}'},
        {"role": "assistant", "content": "No."},
    ]
    return _padded({"id": "", "tools": TOOLS, "messages": messages}, asked, "content", size)


def write(path: Path, row: dict[str, Any], count: int, spelling: str = "json.dumps") -> None:
    """``count`` lines of ``row``, each with an id of its own."""
    spell = SPELLINGS[spelling]
    with path.open("w") as file:
        for number in range(count):
            row["id"] = f"row-{number}"
            file.write(spell(row) + "\n")


def round_trip(source: Path, target: Path) -> None:
    """What any program must do that reads rows and writes rows."""
    with source.open("rb") as lines, target.open("wb") as output:
        for line in lines:
            output.write(orjson.dumps(orjson.loads(line)) + b"\n")


def convert(source: Path, target: Path, options: Options) -> None:
    """What a command does, in this process."""
    ConvertRun(targets=[Target([str(source)], str(target))], options=options).run()


def figures(folder: Path, rounds: int) -> list[Figure]:
    """The ratios of each command, by the size of a row and the spelling of the lines."""
    commands = {
        "parse --from hermes": (text_row, Options(source="hermes")),
        "parse --from hermes, reasoning": (reasoned_row, Options(source="hermes")),
        "parse --from hermes, no call": (answer_row, Options(source="hermes")),
        "convert --from hermes --to qwen3_xml": (text_row, Options(source="hermes", target="qwen3_xml")),
        "render --template qwen3": (chat_row, Options(source=None, text=TextOptions(template="qwen3"))),
    }
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    found: list[Figure] = []
    for name, (make, options) in commands.items():
        for spelling in SPELLINGS:
            for size in SIZES:
                write(source, make(size), BYTES // size, spelling)
                work = partial(convert, source, target, options)
                cost = ratio(work, partial(round_trip, source, target), 5 * rounds)
                found.append({"what": f"{name}, {spelling}", "row bytes": size, "ratio": cost})
    return found
