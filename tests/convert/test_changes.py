"""What a row is changed into has a name, and no part of a row goes without one: the law of its leaves."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each, exhaustive, nightly, toolconv
from toolconv import layouts
from toolconv.convert.changes import changes_of
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options, UsageError
from toolconv.convert.result import Result
from toolconv.core import jsontext

Row = dict[str, Any]

RECORDS = {
    "ai-sdk", "ai-sdk-ui", "atif", "autogen", "bedrock", "claude-code", "codex", "cohere", "copilot", "gemini", "gemini-cli", "goose",
    "hermes", "inspect-ai", "kimi-cli", "langchain", "langfuse", "langsmith", "litellm", "llama-index", "ollama", "opencode", "openhands", "otel",
    "pi", "pydantic-ai", "smolagents", "smolagents-memory", "stream", "swe-agent", "tau2-bench",
}  # fmt: skip
"""Layouts that leave out unknown keys of some objects, such as records of the run: see their pages."""


@each(
    "came, written, changes",
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1}, {"a": 1, "b": 2}, {"added b": 1}),
        ({"a": 1, "b": 2}, {"a": 1}, {"removed b": 1}),
        ({"a": 1}, {"a": 2}, {"changed a": 1}),
        ({"a": 1}, {"a": True}, {"changed a": 1}),
        ({"a": 1}, {"a": 1.0}, {"changed a": 1}),
        ({"a": "x"}, {"b": "x"}, {"moved a to b": 1}),
        ({"a": [1, 2]}, {"a": [2, 1]}, {"reordered a": 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"order of keys": 1}),
        ({"a": [], "b": 1}, {"b": 1}, {"removed a": 1}),
        ({"a": {"b": 1}}, {"a": '{"b": 1}'}, {"added a (JSON text)": 1}),
        ({"a": '{"b": 1}'}, {"a": '{"b":1}'}, {"order of keys": 1}),
        ({"m": [{"c": {"arguments": {"x": 1, "y": 2}}}]}, {"m": []}, {"removed m.c.arguments.*": 2, "added m": 1}),
        ({"m": [[1], [2]]}, {"m": [[1, 2]]}, {"order of keys": 1}),
    ],
)
def test_changes(came: Row, written: Row, changes: dict[str, int]) -> None:
    assert changes_of(came, written) == changes


@pytest.mark.whole
@pytest.mark.parametrize(
    ("key", "place"),
    [
        *((key, "*") for key in ("arguments", "args", "input", "parameters", "properties", "input_schema", "kwargs")),
        ("function", "x"),
        ("content", "x"),
    ],
)
def test_keys_of_the_users_own_are_one_place(key: str, place: str) -> None:
    assert changes_of({"c": {key: {"x": 1}}, "d": 1}, {"d": 1}) == {f"removed c.{key}.{place}": 1}


def rows_of(name: str) -> list[Row]:
    path = Path("fixtures/layouts", f"{name}.jsonl")
    rows = [json.loads(line)["row"] for line in path.read_text().splitlines()] if path.exists() else []
    return [row for row in rows if isinstance(row, dict)]


def converted(row: Row, name: str, target: str | None = None) -> Result:
    converter = Converter(Options(from_layout=name, to_layout=target, account=True), layouts.get(name), None)
    return converter.lines("f", 1, [jsontext.dumps(row)])


@pytest.mark.parametrize("name", [name for name in layouts.names() if name not in ("raw", "rendered")])
@pytest.mark.parametrize("step", [4, pytest.param(1, marks=exhaustive)])
def test_a_changed_row_never_has_an_empty_account(name: str, step: int) -> None:
    """Whatever the target, and whether that is the layout in which the row came."""
    own = name if layouts.get(name).writable else "canonical"
    for row in rows_of(name)[::step]:
        for target in {"openai", "anthropic", own}:
            try:
                result = converted(row, name, target)
            except UsageError:
                continue
            for line in result.output:
                changed = jsontext.loads(line) != row
                assert bool(result.receipt.changes) >= changed, target


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The objects in a value."""
    if isinstance(value, dict):
        yield path
    for key, member in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(member, dict | list):
            yield from places(member, (*path, key))


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", [name for name in layouts.names() if name not in RECORDS])
@pytest.mark.parametrize("step", [15, pytest.param(1, marks=nightly)])
def test_a_key_added_anywhere_is_carried_or_named(name: str, step: int) -> None:
    """Input leaves = carried + named, for a leaf that no layout can use."""
    lost = []
    for row in rows_of(name):
        if layouts.get(name).read(row).read_as in RECORDS:
            continue  # any-keys has it read by such a layout
        for path in list(places(row))[::step]:
            more = copy.deepcopy(row)
            holder = more
            for key in path:
                holder = holder[key]
            holder["zz_more"] = "w-4411"
            result = converted(more, name)
            account = result.receipt
            named = account.rejects or account.losses or account.dropped_calls or account.unread
            if not named and not any(b"w-4411" in line for line in result.output):
                lost.append(path)
    assert lost == []


def test_the_layouts_that_leave_out_records_are_no_more_than_these() -> None:
    assert {*layouts.names()} >= RECORDS


TURNS = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
SPOKEN = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
PAIR = {"prompt": TURNS[:1], "chosen": TURNS[1:], "rejected": [{"role": "assistant", "content": "b"}]}


@pytest.mark.parametrize(
    ("layout", "row"),
    [
        *((layout, {"messages": TURNS, "tools": []}) for layout in ("openai", "canonical", "chat", "axolotl", "trl")),
        ("sharegpt", {"conversations": SPOKEN}),
        *((layout, PAIR) for layout in ("openai", "trl")),
    ],
)
def test_turns_that_came_as_text_are_a_list(layout: str, row: Row, tmp_path: Path) -> None:
    """Also where the row has the layout already; the receipt says so. A text that only looks like turns stays."""
    receipt = tmp_path / "receipt.json"
    target = ("--to", "hermes", "--to-layout") if layout == "chat" else ("--to-layout",)
    line = json.dumps({key: json.dumps(value) if key != "tools" else value for key, value in row.items()}) + "\n"
    run = toolconv("convert", "--from-layout", layout, *target, layout, "--receipt", receipt, stdin=line)
    assert run.rows == [row]
    changes = json.loads(receipt.read_text())["function_calling"]["changes"]
    assert changes == {f"removed {key} (JSON text)": 1 for key in row if key != "tools"}


def test_a_text_of_a_user_that_is_json_stays_text() -> None:
    row = {"messages": [{"role": "user", "content": json.dumps(TURNS)}, TURNS[1]]}
    assert toolconv("convert", "--to-layout", "openai", stdin=json.dumps(row) + "\n").rows == [row]


def test_the_receipt_shows_changes_and_strict_allows_them(tmp_path: Path) -> None:
    call = {"type": "function", "function": {"name": "f", "arguments": "{}"}}
    row = {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": None, "tool_calls": [call]}]}
    run = toolconv("convert", "--to-layout", "openai", "--strict", "--receipt", tmp_path / "r", stdin=json.dumps(row))
    assert run.status == 0
    changes = json.loads((tmp_path / "r").read_text())["function_calling"]["changes"]
    assert Counter(changes) == Counter({"added messages.tool_calls.id": 1})
    assert "id" in run.rows[0]["messages"][1]["tool_calls"][0]
