"""Tool calls in the messages of the AI SDK's UI, in each of their states.

Sources: AI SDK 5 and 6, ``UIMessage`` (tool parts: ``input-streaming`` to ``output-denied``); AI SDK 4, ``toolInvocations``
(``partial-call``, ``call``, ``result``).
"""

from __future__ import annotations

import json
from typing import Any

from tests.conftest import each
from toolconv import layouts
from toolconv.core.conversation import Conversation

USER = {"id": "u", "role": "user", "parts": [{"type": "text", "text": "Weather?"}]}
INPUT = {"city": "Oslo"}


def read(message: dict[str, Any]) -> Conversation:
    return layouts.get("ai-sdk-ui").decoded({"id": "chat", "messages": [USER, message]})


# The state of a part, what it has beside its input, and the response of the call; None if it has none, False if it is dropped.
STATES: list[tuple[str, dict[str, Any], Any]] = [
    ("input-streaming", {}, False),
    ("input-available", {}, None),
    ("output-available", {"output": "snow"}, "snow"),
    ("output-available", {"output": {"sky": "snow"}}, '{"sky": "snow"}'),
    ("output-available", {"output": ["snow"]}, '["snow"]'),
    ("output-available", {"output": None}, "null"),
    ("output-error", {"errorText": "timeout"}, "timeout"),
    ("output-denied", {"approval": {"id": "p", "approved": False, "reason": "Too late."}}, "Too late."),
]


@each("state, more, response", STATES)
def test_a_part_in_a_state(state: str, more: dict[str, Any], response: Any) -> None:
    part = {"type": "tool-go", "toolCallId": "c1", "state": state, "input": INPUT, **more}
    dynamic = {**part, "type": "dynamic-tool", "toolName": "go"}
    for given in (part, dynamic):
        found = read({"id": "v", "role": "assistant", "parts": [{"type": "step-start"}, given]})
        check(found, given, response)
        results = [message for message in found.messages if message["role"] == "tool"]
        assert [message.get("is_error") for message in results] == [True if "errorText" in more else None] * len(
            results
        )


def check(found: Conversation, part: dict[str, Any], response: Any) -> None:
    """Look at the call of a part, and at its response."""
    assert [json.loads(each.text) for each in found.notes.dropped] == ([part] if response is False else [])
    calls = [call for message in found.messages for call in message.get("tool_calls") or ()]
    assert [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in calls] == (
        [] if response is False else [("c1", "go", INPUT)]
    )
    results = [(message["tool_call_id"], message["content"]) for message in found.messages if message["role"] == "tool"]
    assert results == ([] if response in (None, False) else [("c1", response)])


# The same of version 4, beside parts or in them.
OLD_STATES: list[tuple[str, dict[str, Any], Any]] = [
    ("partial-call", {}, False),
    ("call", {}, None),
    ("result", {"result": "snow"}, "snow"),
    ("result", {"result": {"sky": "snow"}}, '{"sky": "snow"}'),
]


@each("state, more, response", OLD_STATES)
def test_an_invocation_of_version_4(state: str, more: dict[str, Any], response: Any) -> None:
    call = {"toolCallId": "c1", "toolName": "go", "state": state, "args": INPUT, **more}
    check(read({"id": "v", "role": "assistant", "content": "", "toolInvocations": [call]}), call, response)
    part = {"type": "tool-invocation", "toolInvocation": call}
    check(read({"id": "v", "role": "assistant", "content": "", "parts": [part]}), call, response)
    both = read({"id": "v", "role": "assistant", "content": "", "parts": [part], "toolInvocations": [call]})
    check(both, call, response)  # the parts have all


def test_texts_of_version_4_stand_beside_the_parts() -> None:
    old = read({"id": "v", "role": "assistant", "content": "Snow.", "reasoning": "It is winter."})
    assert (old.messages[1]["content"], old.messages[1]["reasoning_content"]) == ("Snow.", "It is winter.")
    parts = [{"type": "reasoning", "text": "It is winter."}, {"type": "text", "text": "Snow."}]
    new = read({"id": "v", "role": "assistant", "parts": parts})
    assert new.messages == old.messages
    assert read({"id": "v", "role": "assistant", "content": "Snow.", "parts": parts}).messages == old.messages
    own = read({"id": "v", "role": "assistant", "reasoning": "It is winter.", "parts": parts})
    assert own.messages[1]["reasoning"] == "It is winter.", "without content, version 5 has it as a key of its own"


def test_a_part_that_says_the_name_of_its_tool_has_this_name() -> None:
    part = {"type": "tool-invocation", "toolName": "go", "toolCallId": "c1", "state": "call", "args": INPUT}
    (call,) = read({"id": "a", "role": "assistant", "parts": [part]}).messages[1]["tool_calls"]
    assert call["function"] == {"name": "go", "arguments": INPUT}
