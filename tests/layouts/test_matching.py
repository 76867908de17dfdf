"""Which rows a layout takes, and which it leaves to another one, by a key of theirs."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv import layouts

CALL = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
MESSAGE = {"role": "assistant", "content": None, "tool_calls": [CALL]}

# Keys of rows with several turns.
OF_ROWS = [
    "messages",
    "conversations",
    "prompt",
    "instruction",
    "question",
    "query",
    "steps",
    "step_number",
    "observations",
]
# Types of lines that begin sessions of Claude Code.
OF_SESSIONS = [
    "ai-title",
    "attachment",
    "custom-title",
    "file-history-snapshot",
    "last-prompt",
    "permission-mode",
    "pr-link",
    "progress",
    "queue-operation",
    "summary",
    "system",
    "agent-name",
    "agent-setting",
    "mode",
    "tag",
]


def test_the_rows_below_match_without_the_key() -> None:
    assert layouts.get("message").matches(MESSAGE)
    assert layouts.get("autogen").matches({"messages": [{"type": "UserMessage", "content": "Up?"}]})


@each("key", OF_ROWS)
def test_a_row_of_many_turns_is_no_message(key: str) -> None:
    assert not layouts.get("message").matches({**MESSAGE, key: []})


def test_messages_with_roles_are_not_those_of_autogen() -> None:
    assert not layouts.get("autogen").matches({"messages": [{"type": "UserMessage", "role": "user", "content": "Up?"}]})


@each("kind", OF_SESSIONS)
def test_a_session_may_begin_with_a_line_that_is_no_turn(kind: str) -> None:
    line: dict[str, Any] = {"type": kind, "uuid": "z"}
    assert layouts.get("claude-code").joins(line)


@each("key, matches", [("block_type", True), ("kind", False)])
def test_blocks_of_llama_index_have_types(key: str, matches: bool) -> None:
    turns = [{"role": role, "blocks": [{key: "text", "text": "Up?"}]} for role in ("user", "assistant")]
    assert layouts.get("llama-index").matches({"messages": turns}) == matches
