"""Rows for plans whose calls are in texts: plain ones, and those like them except for a line, a word or a byte."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any, Final

from tests.helpers.mutations import Row
from tests.helpers.plan_rows import (
    ANSWER,
    ARGUMENTS,
    NAMES,
    ORDER,
    SKY,
    SYSTEM,
    TEXTS,
    USER,
    WEATHER,
    Change,
    asked,
    call,
    changed,
    lines_of,
    places,
    random_row,
    result,
    value_at,
    with_other_bytes,
    with_other_texts,
    with_other_values,
)
from toolconv import dialects, layouts
from toolconv.dialects.turns import render_turns

CALM: Final = changed(WEATHER, "function", "description", value="Current weather for a city.")
"""A tool whose declaration has nothing of markup."""

STRUCTURED: Final[dict[str, Row]] = {
    "no call": {"id": "row-1", "tools": [CALM], "messages": [USER, ANSWER]},
    "call": {
        "id": "row-1",
        "tools": [CALM, ORDER],
        "messages": [SYSTEM, USER, asked(call(0, "get_weather", ARGUMENTS)), result(0, SKY), ANSWER],
    },
    "calls": {
        "tools": [CALM, ORDER],
        "messages": [
            USER,
            asked(
                call(0, "get_weather", ARGUMENTS),
                call(1, "place_order", {"items": ["x"]}),
                call(2, "get_weather", {"city": "Paris"}),
                content="One moment.",
            ),
            result(0, SKY),
            result(1, "It is on its way"),
            result(2, '{"sky": "clear"}'),
            ANSWER,
            USER,
            asked(call(3, "place_order", {})),
        ],
        "id": 17,
    },
}


def written_in(dialect: str, row: Row, form: Callable[[Row, list[Any]], Row] = lambda row, tools: row) -> Row | None:
    """A row with its tools, calls and results in texts of a dialect; ``None`` if that is only read."""
    conversation = layouts.get("openai").read(copy.deepcopy(row))
    conversation.origin = None
    try:
        render_turns(conversation, dialects.get(dialect))
    except Exception:  # a dialect that can't carry it
        return None
    for message in conversation.row["messages"]:
        message["content"] = message.get("content") or ""
    return form(conversation.row, row["tools"])


ODD_LINES: Final = (
    "", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>", "<tools>", "<get_weather>", "<b>", "<a b>",
    '<result name="get_weather">', "<|im_end|>", "One more.", "get_weather", '{"name": "get_weather", "arguments": {"city": "Bonn"}}',
    '{"name": "get_weather", "arguments": {"city": "Bonn"}}, {"name": "get_weather", "arguments": {"city": "Ulm"}}',
    '{"name": "other", "arguments": {"city": "Bonn"}}', '{"name": "get_weather_1", "arguments": {}}', '{"name": "get_weather", "arguments": "{}"}',
    '{"name": "get_weather", "arguments": {"arguments": {"city": "Bonn"}}}', '{"name": "get_weather", "arguments": {"city ": "Bonn"}}',
    '{"name": "get_weather", "arguments": {"properties": {"city": "Bonn"}}}', '{"arguments": {"city": "Bonn"}, "name": "get_weather"}',
    '{"name":"get_weather","arguments":{"city":"Bonn"}}', '{"name": "get_weather", "arguments": {"city": "Bonn"}, "id": "call_9"}',
    '{"name": "get_weather", "content": "dry"}', '{"a": "x", "b": "', '", "c": 1}', '{"a": 1}, {"b": "}', '{"}',
    '{"type": "function", "function": {"name": "x"}}',
)  # fmt: skip
"""Lines instead of others, or between them."""


def with_other_lines(row: Row) -> Iterator[Change]:
    """Rows in whose texts one line is another, is missing, or stands twice, or elsewhere."""
    for path in places(row):
        text = value_at(row, path)
        if path[-1] != "content" or not isinstance(text, str):
            continue
        lines = text.split("\n")
        for at, line in enumerate(lines):
            before, after = lines[:at], lines[at + 1 :]
            others = [[], [line, line], [line, ""], [f" {line}"], [f"{line} "], [line[:-1]], [line[1:]]]
            others += [[f"{line[: len(line) // 2]}\u200b{line[len(line) // 2 :]}"], [line.upper()], [line, "", line]]
            for odd in ODD_LINES:
                others += [[odd], [odd, line]]
            for name in NAMES:
                others.append([line.replace("get_weather", name)])
            if line.startswith("{"):
                for odd in TEXTS:
                    others.append([line.replace('"Köln"', json.dumps(odd, ensure_ascii=False))])
                    others.append([line.replace('"city"', json.dumps(odd, ensure_ascii=False))])
                    others.append([line.replace('"Köln"', odd)])
            for other in others:
                if other != [line]:
                    yield partial(changed, row, *path, value="\n".join([*before, *other, *after]))
            yield partial(changed, row, *path, value="\n".join([*after, line, *before]))


def in_column(row: Row, tools: Any) -> Row:
    """A row whose tools are in a column, not in its system text."""
    start, *rest = row["messages"]
    return {"tools": tools, **row, "messages": rest if start["role"] == "system" else row["messages"]}


def in_text_column(row: Row, tools: list[Any]) -> Row:
    """The same, the column a text."""
    return in_column(row, json.dumps(tools, ensure_ascii=False))


def in_turns(line: bytes) -> bytes:
    """A line with the keys and names of ShareGPT's turns."""
    for old, new in (("messages", "conversations"), ("role", "from"), ("content", "value")):
        line = line.replace(f'"{old}":'.encode(), f'"{new}":'.encode())
    return line.replace(b'"user"', b'"human"').replace(b'"assistant"', b'"gpt"')


def changed_rows(
    dialect: str, step: int, start: int, form: Callable[[Row, list[Any]], Row] = lambda row, tools: row
) -> Iterator[bytes]:
    """The lines of rows in texts of a dialect, changed in every way, or one in so many of them; then random rows."""
    at = start
    for structured in STRUCTURED.values():
        row = written_in(dialect, structured, form)
        if row is None:
            continue
        yield from lines_of(row)
        for change in (with_other_texts, with_other_values, with_other_lines):
            for each in change(row):
                at += 1
                if at % step == 0:
                    yield list(lines_of(each()))[at // step % 3]
        yield from list(with_other_bytes(row))[start % step :: step]
    random = Random(start)
    for _ in range(3_000 // step):
        made: Any = random_row(random)
        made["tools"] = [CALM if tool == WEATHER else tool for tool in made["tools"]]
        if (row := written_in(dialect, made, form)) is not None:
            yield random.choice(list(lines_of(row)))
