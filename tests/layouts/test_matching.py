"""Rows that a layout leaves to another one, since a key of theirs says so."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv import layouts
from toolconv.layouts.formats.claude_code import OTHERS
from toolconv.layouts.formats.message import NOT_IN_MESSAGES

CALL = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL]}


def test_the_rows_below_match_without_the_key() -> None:
    assert layouts.get("message").matches(MESSAGE)
    assert layouts.get("autogen").matches({"messages": [{"type": "UserMessage", "content": "Up?"}]})


@each("key", sorted(NOT_IN_MESSAGES))
def test_a_row_of_many_turns_is_no_message(key: str) -> None:
    assert not layouts.get("message").matches({**MESSAGE, key: []})


def test_messages_with_roles_are_not_those_of_autogen() -> None:
    assert not layouts.get("autogen").matches({"messages": [{"type": "UserMessage", "role": "user", "content": "Up?"}]})


@each("kind", sorted(OTHERS))
def test_a_session_may_begin_with_a_line_that_is_no_turn(kind: str) -> None:
    line: dict[str, Any] = {"type": kind, "uuid": "z"}
    assert layouts.get("claude-code").joins(line)
