"""Each value of a row is in its conversation, says how the row is built, or is named: wherever in the row it stands."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import each, exhaustive, nightly
from toolconv import layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.pipeline import default_format
from toolconv.convert.receipt import Receipt
from toolconv.core import jsontext
from toolconv.layouts.base import Layout

Row = dict[str, Any]

STRANGE: dict[str, Any] = {
    "word": "w4411",
    "number": 90817263,
    "arguments": {"host": "w4411"},
    "name": {"name": "w4411"},
}
"""What stands under a key of its own, in an object of a row."""
MARKS = ("w4411", "90817263")
OPAQUE = frozenset({"arguments", "args", "input", "parameters", "tools", "functions", "function", "properties"})
"""Keys below which everything is data, or a declaration."""


MEASURES = frozenset({"tokens", "usage", "usageMetadata", "time"})
"""Keys below which numbers and names measure the run."""


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of the objects in a row."""
    if isinstance(value, dict):
        yield path
        for key, member in value.items():
            if key not in OPAQUE:
                yield from places(member, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from places(item, (*path, at))


def with_member(row: Row, place: tuple[Any, ...], value: Any) -> Row:
    changed = copy.deepcopy(row)
    holder: Any = changed
    for step in place:
        holder = holder[step]
    holder["zz_own"] = value
    return changed


@cache
def converter() -> Converter:
    options = Options(to_layout="canonical")
    return Converter(options, layouts.get(default_format(options).layout), None)


def account(row: Row) -> tuple[list[bytes], Receipt]:
    result = converter().lines("f", 1, [jsontext.dumps(row)])
    return result.output, result.receipt


def fixtures(name: str) -> list[Row]:
    path = Path("fixtures/layouts", f"{name}.jsonl")
    rows = [json.loads(line)["row"] for line in path.read_text().splitlines()] if path.exists() else []
    return [row for row in rows if isinstance(row, dict)]


def is_record(layout: Layout, row: Row, place: tuple[Any, ...]) -> bool:
    """Whether a place is in a record of a run, by the table of the layout."""
    records = layout.run_records
    holders: list[Any] = [row]
    for step in place:
        holders.append(holders[-1][step])
    values = [
        (holder[key], records[key])
        for holder in holders
        if isinstance(holder, dict)
        for key in records.keys() & holder.keys()
    ]
    of_kind = any(isinstance(value, (str, bool)) and value in (kinds or ()) for value, kinds in values)
    return of_kind or any(records.get(step, records) is None for step in place)


def speaks(row: Row, place: tuple[Any, ...]) -> bool:
    """Whether an object has a text that a message says; what other objects of a log hold are records of the run."""
    output, _ = account(row)
    said = [message.get("content") for line in output for message in jsontext.loads(line)["messages"]]
    holder: Any = row
    for step in place:
        holder = holder[step]
    return any(isinstance(text, str) and text in said and text for text in holder.values())


def silent(name: str, kind: str, step: int) -> list[Row]:
    """The rows of a layout in which a strange value is neither kept nor named."""
    found, at = [], list(STRANGE).index(kind)  # other places for each kind
    layout = layouts.get(name)
    for row in fixtures(name):
        for place in places(row):
            at += 1
            measures = kind in ("number", "name") and not MEASURES.isdisjoint(place)
            if at % step or measures or is_record(layout, row, place):
                continue
            changed = with_member(row, place, STRANGE[kind])
            if (layout.leaves_out or name == "any-keys") and not speaks(row, place):
                continue
            output, receipt = account(changed)
            if receipt.rejects or any(mark.encode() in line for line in output for mark in MARKS):
                continue
            if not (receipt.unread or receipt.losses or receipt.dropped_calls):
                found.append(changed)
    return found


@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("step", [53, pytest.param(17, marks=exhaustive), pytest.param(1, marks=nightly)])
def test_a_value_of_its_own_is_kept_or_named_wherever_it_stands(kind: str, step: int) -> None:
    assert {name: rows for name in layouts.names() if (rows := silent(name, kind, step))} == {}


def test_there_are_many_places() -> None:
    assert sum(1 for name in layouts.names() for row in fixtures(name) for _ in places(row)) > 2500


SESSION: Row = {
    "info": {"id": "s"},
    "messages": [
        {"info": {"role": "user"}, "parts": [{"type": "text", "text": "Is a up?"}]},
        {"info": {"role": "assistant"}, "parts": [
            {"type": "tool", "tool": "ping", "callID": "c1", "state": {"status": "completed", "input": {}, "output": "up"}},
        ]},
    ],
}  # fmt: skip
"""A session of OpenCode's, which leaves out what it does not know."""
PART = ("messages", 1, "parts", 0)
STATE = (*PART, "state")
GONE: dict[str, tuple[tuple[Any, ...], str, Any, str, str]] = {
    "arguments under another key": (STATE, "zz", {"path": "a.py"}, "value", "zz/path"),
    "arguments with the keys of a structure": (STATE, "zz", {"name": "Bo", "date": "2026-01-01"}, "value", "zz"),
    "arguments that are numbers": (STATE, "zz", {"n": 90817263}, "value", "zz/n"),
    "a number that is zero": (PART, "zz", 0.5, "value", "zz"),
    "a flag that is on": (PART, "zz", True, "value", "zz"),
    "a word": (PART, "zz", "Yes", "messages", "zz"),
    "words": (PART, "zz", "It is up today.", "messages", "zz"),
    "words under a usual key of a structure": (PART, "status", "It is up today.", "messages", "status"),
    "a file": (PART, "zz", "a.png", "value", "zz"),
    "a call": (PART, "zz", {"name": "ping", "arguments": {"host": "b"}}, "calls", "zz"),
}
KEPT: dict[str, tuple[tuple[Any, ...], str, Any]] = {
    "an id": (PART, "zz_id", "prt_1"),
    "a time": (STATE, "time", {"start": 1780568052506, "end": 1780568052507}),
    "a measure below": (STATE, "usage", {"input": 17}),
    "a flag that is off": (PART, "zz", False),
    "nothing": (PART, "zz", None),
    "an empty text": (PART, "zz", ""),
    "JSON's null as a text": (PART, "zz", "null"),
    "a copy": (PART, "zz", "up"),
    "a copy with blanks": (PART, "zz", " up\n"),
    "a copy of the call's name": (PART, "zz", "ping"),
    "the name of a speaker": (PART, "zz", "assistant"),
    "the name of a kind of part": (PART, "zz", "text"),
    "a record of the run": ((), "synthetic", {"zz": "Be brief, please."}),
}


def changed(place: tuple[Any, ...], key: str, value: Any) -> Row:
    row = copy.deepcopy(SESSION)
    holder: Any = row
    for step in place:
        holder = holder[step]
    holder[key] = value
    return row


@each("name", GONE)
def test_what_is_nowhere_in_the_conversation_is_named(name: str) -> None:
    place, key, value, kind, named = GONE[name]
    _, receipt = account(changed(place, key, value))
    assert dict(receipt.unread) == {kind: 1}
    assert receipt.unread_places[0].reason.startswith("/" + "/".join(map(str, place)) + f"/{named} holds ")


@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_or_used_is_not_named(name: str) -> None:
    assert not account(changed(*KEPT[name]))[1].unread


def test_the_values_of_an_object_are_named_once() -> None:
    _, receipt = account(changed(STATE, "zz", {"a": "x-1", "b": "x-2", "c": 90817263}))
    assert dict(receipt.unread) == {"value": 1}


def test_what_is_lost_is_an_error_if_the_user_says_so() -> None:
    options = Options(to_layout="canonical", strict=True)
    row = changed(STATE, "zz", {"path": "a.py"})
    result = Converter(options, layouts.get("opencode"), None).lines("f", 1, [jsontext.dumps(row)])
    assert result.output == [] and "holds a value that is not kept" in result.receipt.reject_places[0].reason


def turns(*messages: Row, **others: Any) -> Row:
    return {"conversations": [{"from": "human", "value": "Go on."}, *messages], **others}


CALLING = "Calling tools:\n[{'id': 'a', 'type': 'function', 'function': {'name': 'ping', 'arguments': {}}}]"


def step(text: str, role: str = "user", key: str = "role") -> Row:
    """A message of smolagents', whose reader leaves out one without a role that comes before calls."""
    return {key: role, "content": [{"type": "text", "text": text}]}


AGAIN: dict[str, tuple[Row, list[str]]] = {
    "two turns": (turns({"from": "gpt", "value": "Go on."}), []),
    "three turns": (turns({"from": "gpt", "value": "Go on."}, {"from": "human", "value": "Go on."}), []),
    "a turn and a key of the row": (turns({"from": "gpt", "value": "Yes."}, {"from": "human", "value": "Yes."}, note="Yes."), []),
    "a turn that is left out": (
        {"messages": [step("Go on."), step("Go on.", key="zz"), step(CALLING, "tool-call")]},
        ["/messages/1/content/0/text holds a text that is kept fewer times"],
    ),
    "a word in a turn that is left out": (
        {"messages": [step("Ok"), step("Ok", key="zz"), step(CALLING, "tool-call")]},
        ["/messages/1/content/0/text holds a text that is kept fewer times"],
    ),
    "a text that is left out": (
        {"messages": [step("Go on."), step("Go on, please.", key="zz"), step(CALLING, "tool-call")]},
        ["/messages/1/content/0/text holds a text"],
    ),
    "two turns around a call": (
        {"messages": [step("Go on."), step(CALLING, "tool-call"), step("Yes.", "assistant"), step("Go on.")]},
        [],
    ),
    "parts of one turn": (
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "Ok"}, {"type": "text", "text": "Ok"}]}]},
        [],
    ),
    "the text of a turn without a known text": (
        {"messages": [{"role": "user", "content": "Go on."}, {"role": "assistant", "zz": "Go on."}]},
        ["/messages/1/zz holds the text of a message that has no other"],
    ),
    "the same beside a call": (
        {"messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "zz": "Go on.", "tool_calls": [
                {"id": "a", "type": "function", "function": {"name": "ping", "arguments": "{}"}},
            ]},
        ]},
        ["/messages/1/zz holds the text of a message that has no other"],
    ),
    "a copy of the message's own reasoning": (
        {"messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "zz": "Go on.", "reasoning_content": "I go on. Go on."},
        ]},
        [],
    ),
}  # fmt: skip
"""Rows with a text that stands twice, and what is named."""


@pytest.mark.parametrize("name", AGAIN)
def test_a_text_that_stands_twice_is_kept_twice(name: str) -> None:
    row, named = AGAIN[name]
    assert [place.reason for place in account(row)[1].unread_places] == named


INNER = {"name": "ping", "arguments": {"host": "b"}}
DATA: dict[str, tuple[Any, str]] = {
    "calls in what a tool returns": ({}, json.dumps({"plan": [INNER]})),
    "a wrapped call in what a tool returns": ({}, json.dumps({"tool_uses": [INNER]})),
    "calls in arguments": ({"steps": [INNER]}, "ok"),
    "a message with calls in arguments": ({"x": {"role": "assistant", "tool_calls": [{"function": INNER}]}}, "ok"),
}


@pytest.mark.parametrize("name", DATA)
def test_what_looks_like_a_call_in_data_is_none(name: str) -> None:
    arguments, result = DATA[name]
    call = {"id": "a", "type": "function", "function": {"name": "plan", "arguments": json.dumps(arguments)}}
    row = {
        "messages": [
            {"role": "user", "content": "Go on."},
            {"role": "assistant", "content": "", "tool_calls": [call], "zz": "He went home and never came back."},
            {"role": "tool", "tool_call_id": "a", "content": result},
        ]
    }
    assert [place.reason for place in account(row)[1].unread_places] == [
        "/messages/1/zz holds the text of a message that has no other"
    ]


def test_what_may_be_the_arguments_of_a_call_that_has_none_is_named() -> None:
    shell = {"type": "local_shell_call", "call_id": "c1", "status": "completed"}
    for key, named in (("action", []), ("zz", ["/lines/2/zz holds what may be the arguments of a call"])):
        row = {
            "lines": [
                {"id": "s0", "timestamp": "2025-09-01T00:00:00Z", "instructions": None, "git": {"branch": "main"}},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi."}]},
                {**shell, key: {"type": "exec", "command": ["ls"]}},
                {"type": "function_call_output", "call_id": "c1", "output": "a"},
            ]
        }
        output, receipt = account(row)
        assert b'"local_shell"' in output[0]
        assert [place.reason for place in receipt.unread_places] == named
