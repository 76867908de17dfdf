"""Calls and parts in the forms of APIs and frameworks: by each key and each type that they have."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.conftest import each
from toolconv.core.notes import Notes
from toolconv.layouts.call_forms import flat_call, listed_calls, looks_like_call, read_form
from toolconv.layouts.content_parts import ALL_PARTS, kind_of

ITEM = {"id": "a", "type": "function", "function": {"name": "ping", "arguments": {"host": "h"}}}


def read(call: Any) -> tuple[Any, list[str], int]:
    """A call item, the repairs, and how many calls were dropped."""
    notes = Notes()
    return read_form(call, notes), notes.repairs, len(notes.dropped)


@each("key", ["call_id", "toolCallId", "tool_call_id", "tool_use_id", "toolUseId", "id"])
def test_the_id_of_a_call(key: str) -> None:
    for call in (
        {key: "a", "name": "ping", "arguments": {"host": "h"}},
        {key: "a", "type": "function", "function": {"name": "ping", "arguments": {"host": "h"}}},
        {"functionCall": {key: "a", "name": "ping", "args": {"host": "h"}}},
        {key: "a", "functionCall": {"name": "ping", "args": {"host": "h"}}},
    ):
        assert read(call) == (ITEM, [], 0), call


@each("key", ["functionCall", "function_call", "toolUse", "tool_call", "toolCall"])
def test_a_call_in_an_object_of_its_own(key: str) -> None:
    inner = {"id": "a", "name": "ping", "arguments": {"host": "h"}}
    assert read({key: inner}) == (ITEM, [], 0)
    assert read({key: inner, "zz": "w", "type": "x"}) == ({**ITEM, "zz": "w"}, [], 0)
    assert read({key: "ping"}) == (None, [], 1)


@each("key", ["arguments", "args", "parameters", "input", "tool_kwargs", "kwargs"])
def test_frameworks_call_the_arguments_of_flat_calls_otherwise(key: str) -> None:
    assert read({"id": "a", "name": "ping", key: {"host": "h"}}) == (ITEM, [], 0)
    other = read({"id": "a", "function": {"name": "ping", key: {"host": "h"}}})
    assert other == (ITEM, [] if key == "arguments" else ["alternative_key"], 0)


@each("text", [json.dumps, lambda value: json.dumps(json.dumps(value)), repr])
def test_a_call_and_its_function_as_a_text(text: Callable[[Any], str]) -> None:
    function = ITEM["function"]
    assert read({"id": "a", "type": "function", "function": text(function)}) == (ITEM, [], 0)
    assert read(text(ITEM)) == (ITEM, [], 0)
    assert read({"id": "a", "function": text(function)[:-1]}) == (None, [], 1)


@each("nothing", [None, "", "null", {}])
def test_a_call_without_arguments(nothing: Any) -> None:
    assert read({"id": "a", "name": "ping", "arguments": nothing})[0]["function"] == {"name": "ping", "arguments": {}}


@each("call", [3, None, [], {}, {"name": 3}, {"name": " ", "arguments": {}}, "ping", "{", {"zz": "ping"}])
def test_what_is_no_call_is_dropped(call: Any) -> None:
    assert read(call) == (None, [], 1)


@each(
    "calls, count",
    [
        ([{"name": "ping"}, {"name": "pong"}], 2),
        ('[{"name": "ping"}]', 1),
        ('{"name": "ping"}', 1),
        ({"0": {"name": "ping"}, "1": {"name": "pong"}}, 2),
        ({"a": {"name": "ping", "arguments": {}}, "b": {"name": "pong", "arguments": {}}}, 2),
        ({"name": "ping"}, 1),
        ("ping()", 1),
        ("", 0),
        ("3", 1),
        (None, 0),
        (3, 0),
        ({}, 0),
    ],
)
def test_a_list_of_calls(calls: Any, count: int) -> None:
    assert len(listed_calls(calls)) == count


def test_the_keys_of_an_object_of_calls_are_their_ids() -> None:
    calls = {"a": {"name": "ping", "arguments": {}}, "b": {"id": "c", "name": "pong", "arguments": {}}}
    assert [call["id"] for call in listed_calls(calls)] == ["a", "c"]


@each(
    "value, looks",
    [
        ({"function": {"name": "ping"}}, True),
        ({"function": {"zz": "ping"}}, False),
        ({"tool": {"name": "ping"}, "arguments": {}}, True),
        ({"tool": {"name": "ping"}}, False),
        ({"tool": {}, "arguments": {}}, False),
        ({"toolCallId": "a", "args": {}}, True),
        ({"toolCallId": "a"}, False),
        ({"name": "ping", "arguments": {}}, True),
        ({"name": 3, "arguments": {}}, False),
        ({"name": "ping"}, False),
        ({"arguments": {}}, False),
    ],
)
def test_what_looks_like_a_call(value: Any, looks: bool) -> None:
    assert looks_like_call(value) is looks


@each(
    "step, used",
    [
        ({"name": "ping", "arguments": {"a": 1}}, ("name", "arguments")),
        ({"name": "ping", "arguments": {}, "call_id": "a"}, ("name", "arguments", "call_id")),
        ({"name": "ping", "arguments": None}, ("name", "arguments")),
        ({"name": "ping", "arguments": '{"a": 1}'}, ("name", "arguments")),
        ({"name": "ping", "tool_args": "a=1"}, ("name", "tool_args")),
        ({"name": "ping it", "tool_args": "a=1"}, None),
        ({"name": "ping", "arguments": "a=1"}, None),
        ({"name": "ping", "input": "a=1"}, None),
        ({"name": "ping"}, None),
        ({"arguments": {}}, None),
        ({"name": " ", "arguments": {}}, None),
    ],
)
def test_a_call_among_the_keys_of_a_step(step: Any, used: tuple[str, ...] | None) -> None:
    found = flat_call(step)
    assert (None if found is None else found[1]) == used
    assert found is None or ("id" in found[0]) == (len(used or ()) == 3)


# Sources: the API references of OpenAI, Anthropic, Gemini and Bedrock, OpenTelemetry's GenAI conventions, vercel/ai,
# Microsoft.Extensions.AI.
KINDS = {
    "text": "text input_text output_text",
    "reasoning": "reasoning thinking redacted_thinking reasoningContent Microsoft.Extensions.AI.TextReasoningContent",
    "call": "tool_call tool_use tool-call function_call functionCall toolUse toolCall",
    "result": "tool_call_response tool_result tool-result function_call_output function_result functionResponse "
    "function_response toolResult tool_call_result",
    "media": "image image_url input_image file input_file input_audio document blob uri inlineData inline_data fileData "
    "file_data",
}
KEYED = [
    "functionCall",
    "function_call",
    "toolUse",
    "toolCall",
    "functionResponse",
    "function_response",
    "toolResult",
    "reasoningContent",
    "inlineData",
    "inline_data",
    "fileData",
    "file_data",
    "reasoning",
    "tool_call_result",
]
TYPES = [(name, kind) for kind, names in KINDS.items() for name in names.split()]


@each("name, kind", TYPES)
def test_the_kind_of_a_part_by_its_type_or_its_key(name: str, kind: str) -> None:
    assert kind_of({"type": name}) == kind
    assert kind_of({name: {"a": 1}}) == (kind if name in KEYED else None)
    assert kind_of({"message_content": {"type": name}}) == kind
    assert kind_of({name: "a"}) is None
    assert kind_of({"type": f"{name}x"}) is None


@each(
    "part, kind",
    [
        ({"text": "I ask.", "thought": True}, "reasoning"),
        ({"text": "I ask.", "thought": "yes"}, None),
        ({"toolCallId": "a", "toolName": "ping", "args": {}}, "call"),
        ({"toolCallId": "a", "toolName": "ping", "output": "pong"}, "result"),
        ({"toolCallId": "a", "toolName": "ping", "result": "pong"}, "result"),
        ({"toolCallId": "a"}, None),
        ({"toolName": "ping"}, None),
        ({"toolUse": {"name": "ping", "type": "server_tool_use"}}, None),
        ({"toolResult": {"type": "web_search"}}, None),
        ("text", None),
        ([], None),
    ],
)
def test_the_kind_of_other_parts(part: Any, kind: str | None) -> None:
    assert kind_of(part) == kind


@each("key", ["content", "thinking", "reasoning", "text", "reasoningText", "summary"])
def test_the_text_of_reasoning(key: str) -> None:
    for value in ("I ask.", {"text": "I ask."}, [{"text": "I ask."}, {"text": ""}, {"zz": 1}, "Hm."]):
        found = ALL_PARTS.read({"type": "thinking", key: value, "signature": "s"})
        kept = {} if key == "thinking" and isinstance(value, dict) else {"signature": "s"}  # it is the part itself
        assert found is not None and (found.value, found.rest) == ("I ask.", kept), value


@each("key", ["response", "result", "output", "content"])
def test_the_content_of_a_result(key: str) -> None:
    for value, content in (
        ("pong", "pong"),
        ({"output": "pong"}, "pong"),
        ({"type": "json", "value": {"a": 1}}, {"a": 1}),
        ({"a": 1}, {"a": 1}),
        ([{"text": "pong"}], [{"type": "text", "text": "pong"}]),
    ):
        found = ALL_PARTS.read(
            {"type": "tool_result", "tool_use_id": "a", "name": "ping", key: value, "is_error": True}
        )
        assert found is not None and (found.value, found.id, found.name) == (content, "a", "ping"), value
        assert found.rest == {"is_error": True}
