"""What a written turn loses, and what certainly loses nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import each
from toolconv import dialects
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.losses import is_sorted, lost_of
from toolconv.dialects.read_back import certainly_round_trips, lost_in

HERMES = dialects.get("hermes")
CALL = ToolCall("ping", {"host": "a"})
TOOLS = ToolIndex([{"function": {"name": "ping", "parameters": {"properties": {"host": {"type": "string"}}}}}])


@each(
    "arguments, back, lost",
    [
        ({"a": 1, "b": [2, {"c": "x"}]}, {"a": 1, "b": [2, {"c": "x"}]}, []),
        ({"a": 1}, {"b": 1}, ["argument_key"]),
        ({"a": 1}, {"a": 1, "b": 2}, ["argument_key"]),
        ({"a": 1, "b": 2}, {"a": 1}, ["argument_key"]),
        ({"a": 1, "b": None}, {"a": 1}, ["argument_null"]),
        ({"b": 1, "a": 2}, {"a": 2, "b": 1}, ["argument_order"]),
        ({"a": {"c": 1, "b": 2}}, {"a": {"b": 2, "c": 1}}, ["argument_order"]),
        ({"a": "1"}, {"a": 1}, ["argument_type"]),
        ({"a": [1]}, {"a": "[1]"}, ["argument_type"]),
        ({"a": 1}, {"a": 1.0}, ["argument_type"]),
        ({"a": "x "}, {"a": "x"}, ["argument_value"]),
        ({"a": [1]}, {"a": [1, 2]}, ["argument_value"]),
        ({"a": [1, "2"]}, {"a": [1, 2]}, ["argument_type"]),
        ({"b": "x ", "a": "1"}, {"a": 1, "b": "x"}, ["argument_order", "argument_type", "argument_value"]),
    ],
)
def test_what_a_call_loses(arguments: dict[str, Any], back: dict[str, Any], lost: list[str]) -> None:
    assert lost_of([ToolCall("f", arguments)], [ToolCall("f", back)], null="argument_null") == lost


@each("name, lost", [("hermes", []), ("minimax_m3", ["argument_null"])])
def test_an_argument_that_is_null_is_named_by_its_dialect(name: str, lost: list[str]) -> None:
    dialect, calls = dialects.get(name), [ToolCall("ping", {"host": "a", "port": None})]
    assert lost_in(dialect.render_turn("", None, calls), dialect, "", None, calls, TOOLS) == lost


@pytest.mark.parametrize("read", [[], [ToolCall("g", {})], [ToolCall("f", {}), ToolCall("f", {})]])
def test_a_call_that_is_read_as_none_or_others_is_lost(read: list[ToolCall]) -> None:
    assert lost_of([ToolCall("f", {})], read, null="argument_key") == ["call"]


@each(
    "value, expected",
    [
        ({"a": 1, "b": 2}, True),
        ({"b": 1, "a": 2}, False),
        ({"a": {"c": 1, "b": 2}}, False),
        ({"a": [{"b": 1}, {"d": 1, "c": 2}]}, False),
        ([{"a": 1, "b": 2}, 3], True),
        ([[{"b": 1, "a": 2}]], False),
        ("ba", True),
        ({}, True),
    ],
)
def test_whether_keys_are_sorted_at_every_depth(value: Any, expected: bool) -> None:
    assert is_sorted(value) is expected


@each(
    "content, reasoning, calls, certain",
    [
        ("Hi.", None, [], True),
        ("Hi.", "Hm.", [CALL], True),
        ("", None, [CALL], True),
        ("2 < 3", None, [], False),  # markup begins with the sign
        ("ping(host='a')", None, [], False),  # a call that is left
        ("Use ` here.", None, [], True),
        ("Use ` here.", None, [CALL], False),  # the code that it opens may hide the call
        ("Use `x` here.", None, [CALL], True),
        ("Hi.", "Use ` here.", [], False),
        ("Hi.", "Use `x` here.", [CALL], True),
    ],
)
def test_what_certainly_comes_back(content: str, reasoning: str | None, calls: list[ToolCall], certain: bool) -> None:
    assert certainly_round_trips(HERMES, content, reasoning, calls, TOOLS) is certain
    if certain:
        text = HERMES.render_turn(content, reasoning, calls)
        assert lost_in(text, HERMES, content, reasoning, calls, TOOLS) == []


@each(
    "text, content, reasoning, calls, lost",
    [
        ("Hi.", "Hi.", None, [], []),
        ("\nHi. ", "Hi.", "", [], []),
        ("Hm.\n\nHi.", "Hi.", "Hm.", [], ["reasoning_becomes_content"]),
        ("Hm.\n\nBye.", "Hi.", "Hm.", [], ["prose", "reasoning"]),
        ("Hi.", "", None, [], ["prose"]),
        ("<think>\nHm.\n</think>\n\nHi.", "Hi.", None, [], ["reasoning"]),
        ("<tool_call>\n{", "", None, [CALL], ["call"]),
        ("Bye.\n<tool_call>\n{", "Hi.", None, [CALL], ["call", "prose"]),
    ],
)
def test_what_a_turn_loses(
    text: str, content: str, reasoning: str | None, calls: list[ToolCall], lost: list[str]
) -> None:
    assert lost_in(text, HERMES, content, reasoning, calls, TOOLS) == lost
