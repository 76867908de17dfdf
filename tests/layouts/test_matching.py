"""Which rows a layout takes, and which it leaves to another one, by a key of theirs."""

from __future__ import annotations

from typing import Any

from tests.conftest import each
from toolconv import layouts
from toolconv.layouts.found_turns import DEEPEST

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


USER = {"role": "user", "content": "Up?"}
ANSWER = {"role": "assistant", "content": "It is."}
CHOICE = {"index": 0, "message": ANSWER, "finish_reason": "stop"}
DOCUMENT = {"type": "document", "document": {"data": "up"}}
PARAMETERS = {"type": "object", "properties": {}}

# Whole rows by the keys that they are known by alone. Sources: the batch APIs of OpenAI, Gemini and vLLM; the exports of
# Langfuse and LangSmith; TRL's dataset formats; the cards of Toucan and BFCL; the sessions of Codex and Claude Code.
ROWS: list[tuple[str, dict[str, Any]]] = [
    ("trl", {"prompt": [USER], "chosen": [ANSWER], "rejected": [ANSWER]}),
    ("prompt-completion", {"prompt": [USER], "completion": [ANSWER]}),
    ("chat-completion", {"custom_id": "a", "response": {"status_code": 200, "body": {"choices": [CHOICE]}}, "error": None}),
    ("chat-completion", {"custom_id": "a", "response": None, "error": {"code": "x", "message": "y"}}),
    ("chat-completion", {"custom_id": "a", "method": "POST", "body": {"model": "m", "messages": [USER]}}),
    ("chat-completion", {"request": {"model": "m", "messages": [USER]}, "response": {"choices": [CHOICE]}}),
    ("chat-completion", {"completion": {"choices": [CHOICE]}}),
    ("chat-completion", {"choices": [CHOICE]}),
    ("chat-completion", {"key": "a", "response": {"choices": [CHOICE]}}),
    ("request-answer", {"contents": [USER], "response": ANSWER}),
    *(("request-answer", {key: {"messages": [USER]}, "response": "It is."}) for key in ("payload", "req", "params", "body", "input", "inputs")),
    ("langfuse", {"trace_id": "t", "type": "GENERATION", "input": [USER], "output": ANSWER}),
    ("langfuse", {"traceId": "t", "type": "GENERATION", "input": [USER], "output": ANSWER}),
    ("langfuse", {"traceId": "t", "type": "GENERATION", "input": [USER]}),
    ("langfuse", {"traceId": "t", "type": "GENERATION", "startTime": "s", "output": ANSWER}),
    ("cohere", {"messages": [USER, MESSAGE, {"role": "tool", "tool_call_id": "a", "content": [DOCUMENT]}]}),
    ("langsmith", {"trace_id": "t", "run_type": "llm", "inputs": {"messages": [[USER]]}, "outputs": {"generations": [[{"text": "It is."}]]}}),
    ("toucan", {"messages": [USER, ANSWER], "target_tools": "f", "available_tools": []}),
    ("toucan", {"messages": [USER, ANSWER], "subset_name": "single", "available_tools": []}),
    ("bfcl", {"id": "a", "question": [[USER]], "function": [{"name": "f", "parameters": PARAMETERS}]}),
    ("atif", {"agent": {"name": "a"}, "steps": [{"source": "user", "message": "Up?"}]}),
    ("responses", {"messages": [], "input": "Up?", "output": [{"type": "message", "role": "assistant", "content": []}]}),
    ("atif", {"schema_version": "ATIF-v1.0", "steps": [{"source": "user", "message": "Up?"}]}),
    ("ollama", {"model": "m", "message": ANSWER, "done": True}),
]  # fmt: skip


@each("name, row", ROWS)
def test_the_layout_of_a_row_by_its_keys(name: str, row: dict[str, Any]) -> None:
    found = layouts.detect(row)
    assert found is not None and found.name == name


# Rows that lack what a layout is known by.
OTHER_ROWS: list[tuple[str, dict[str, Any]]] = [
    ("atif", {"agent": {"name": "a"}, "steps": [{"source": "user"}]}),
    ("atif", {"agent": "a", "steps": [{"source": "user", "message": "Up?"}]}),
    ("langfuse", {"traceId": "t", "type": "GENERATION", "startTime": "s"}),
    ("message", {"role": "assistant", "content": [{"type": "text", "text": "It is."}]}),
    ("responses", {"messages": [USER], "output": [{"type": "message", "role": "assistant", "content": []}]}),
]


@each("name, row", OTHER_ROWS)
def test_a_row_that_a_layout_leaves_to_others(name: str, row: dict[str, Any]) -> None:
    assert not layouts.get(name).matches(row)


BEGINNINGS: list[tuple[str, dict[str, Any]]] = [
    ("stream", {"promptFeedback": {"blockReason": "SAFETY"}}),
    ("stream", {"choices": [{"index": 0, "delta": {"content": "It"}}]}),
    ("codex", {"id": "s", "timestamp": "t", "instructions": None}),
    ("codex", {"id": "s", "timestamp": "t", "git": {}}),
    ("codex", {"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}}),
    ("claude-code", {"sessionId": "s", "type": "user", "uuid": "u", "message": USER}),
    ("claude-code", {"leafUuid": "s", "type": "summary", "summary": "x"}),
    ("langfuse", {"traceId": "t", "type": "GENERATION", "input": [USER], "output": ANSWER}),
]


@each("name, line", BEGINNINGS)
def test_the_layout_that_joins_lines_by_the_first(name: str, line: dict[str, Any]) -> None:
    found = layouts.gathering(line)
    assert found is not None and found.name == name


@each(
    "row, most",
    [
        ({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]}, DEEPEST),
        ({"says": [{"who": "user", "words": "Hi"}, {"who": "assistant", "words": "Yes?"}]}, DEEPEST - 1),
    ],
)
def test_few_objects_may_enclose_the_turns_of_a_row(row: dict[str, Any], most: int) -> None:
    for depth in range(most + 2):
        found = layouts.detect(row)
        assert (found is not None) is (depth <= most)
        row = {"x": row}
