"""A row reads the same whatever its neighbours, the number of jobs, and the shards."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import exhaustive, nightly, tables, toolconv
from toolconv import Receipt, convert_rows, dialects, layouts
from toolconv.core import jsontext
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.markers import marked_dialects
from toolconv.dialects.turn_reader import TurnReader

TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
STREAMS = ("stream", "raw")
TESTED_APART = ("rendered",)
"""Layouts whose rows are among others in their own tests."""


def pool() -> list[dict[str, Any]]:
    """Rows of every layout that is one row a line, texts of every dialect with markers, and rows without calls."""
    rows = [json.loads(layouts.get(name).sample) for name in layouts.names() if name not in (*STREAMS, *TESTED_APART)]
    rows = [row for row in rows if not any(layouts.get(name).gathers(row) for name in layouts.names())]
    samples = [each.sample for each in dialects.all_dialects()]
    rows += [{"text": text, "n": number} for number, text in enumerate(samples) if marked_dialects(text)]
    asked = {"role": "user", "content": "Weather in Oslo?"}
    rows += [
        {"messages": [asked, {"role": "assistant", "content": text}], "tools": [TOOL]}
        for text in ('{"name": "get_weather", "arguments": {"city": "Oslo"}}', "[get_weather(city='Oslo')]")
    ]
    rows += [{"text": "Hello."}, {"completion": "<think>\nHm.\n</think>\n\nHello."}]
    rows += [{"messages": [asked, {"role": "assistant", "content": "Sunny."}]}]
    return rows


def lines_of(path: Path, rows: list[dict[str, Any]], *options: str) -> list[str]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = toolconv("parse", "-q", str(path), *options)
    return run.out.splitlines()


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[dict[str, Any], str]]:
    """The rows that can be read, each with what it is read as in a file of its own."""
    path = tmp_path_factory.mktemp("alone") / "a.jsonl"
    found = []
    for row in pool():
        path.write_text(json.dumps(row))
        read = [jsontext.dumps(each).decode() for each in convert_rows(str(path), receipt=Receipt())]
        if read:
            found.append((row, read[0]))
    return found


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=nightly) for n in range(1, 100))])
def test_neighbours_do_not_matter(seed: int, alone: list[tuple[dict[str, Any], str]], tmp_path: Path) -> None:
    rows = random.Random(seed).sample(alone, 40)
    found = lines_of(tmp_path / "a.jsonl", [row for row, _ in rows])
    assert found == [line for _, line in rows]


@pytest.mark.exhaustive
@pytest.mark.parametrize("step", [6, pytest.param(1, marks=nightly)])
@pytest.mark.parametrize("value", ["Tokyo", "\nTokyo\n", "1", 1, True, None, {"a": 1}, ["<b>"]], ids=repr)
def test_the_dialect_of_the_first_rows_decides_nothing(value: Any, step: int) -> None:
    """What every dialect with markers writes is read the same, whatever dialect the first rows show."""
    tools = ToolIndex([TOOL])
    writers = [each for each in dialects.all_dialects() if each.calls is not None]
    texts = {each.render_turn("", None, [ToolCall("get_weather", {"city": value})]) for each in writers}
    plain = ["Hello.", "<think>\nHm.\n</think>\n\nHello."]
    for number, text in enumerate([*plain, *sorted(filter(marked_dialects, texts))]):
        alone = TurnReader().read(text, tools)
        for default in dialects.all_dialects()[number % step :: step]:  # texts begin with different ones
            read = TurnReader(default=default).read(text, tools)
            assert (read.calls, read.content, read.reasoning) == (alone.calls, alone.content, alone.reasoning), (
                default.name,
                text,
            )


def test_a_hundred_plain_rows_first(tmp_path: Path) -> None:
    plain: dict[str, Any] = {"prompt": "q", "response": "plain answer"}
    call = {"prompt": "q", "response": dialects.get("hermes").sample}
    run = lines_of(tmp_path / "a.jsonl", [*[plain] * 100, call])
    assert json.loads(run[-1])["messages"][-1]["tool_calls"]


@exhaustive
def test_jobs_and_shards_do_not_matter(alone: list[tuple[dict[str, Any], str]], tmp_path: Path) -> None:
    rows = random.Random(7).sample(alone, 40)
    lines = [line for _, line in rows]
    path = tmp_path / "a.jsonl"
    assert lines_of(path, [row for row, _ in rows], "--jobs", "2") == lines
    parts = [lines_of(path, [row for row, _ in rows], "--shard", f"{n}/3") for n in (1, 2, 3)]
    assert [line for part in parts for line in part] == lines


def emptied(messages: list[Any]) -> list[Any]:
    """Messages without what is in their lists and objects."""
    return [
        {key: type(value)() if isinstance(value, (dict, list)) else value for key, value in message.items()}
        if isinstance(message, dict)
        else message
        for message in messages
    ]


@pytest.mark.exhaustive
def test_the_remembered_layout_is_the_right_one() -> None:
    """Rows of the same signature have the same layout: asked in any order, with keys and values changed."""
    random_state = random.Random(3)
    rows = [case["row"] for table in tables("layouts").values() for case in table if isinstance(case.get("row"), dict)]
    rows += [json.loads(layouts.get(name).sample) for name in layouts.names() if layouts.get(name).sample[:1] == "{"]
    rows += [{**row, "messages": emptied(row["messages"])} for row in rows if isinstance(row.get("messages"), list)]
    for _ in range(3):
        for row in random_state.sample(rows, len(rows)):
            led = {key: f"\n {value}" if isinstance(value, str) else value for key, value in row.items()}
            blank = {key: value and " " if isinstance(value, str) else value for key, value in row.items()}
            empty = {key: "" if isinstance(value, str) else value for key, value in row.items()}
            cut = {key: f"[{value}" if isinstance(value, str) else value for key, value in row.items()}
            for changed in (row, {**row, "id": "x"}, {key: row[key] for key in list(row)[:-1]}, led, blank, empty, cut):
                assert layouts.detect(changed) is layouts._detect(changed), changed
