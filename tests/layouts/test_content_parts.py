"""Calls, results and reasoning among content parts, in the form of each API, are read in every layout that has parts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.conftest import each
from toolconv import layouts
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.pipeline import default_format
from toolconv.core import jsontext
from toolconv.dataset import convert_rows
from toolconv.layouts.content_parts import reasoning_text

Row = dict[str, Any]

# Sources: the API references of OpenAI, Anthropic, Gemini and Bedrock, OpenTelemetry's GenAI conventions, vercel/ai.
CALLS: Final[dict[str, Row]] = {
    "openai": {"type": "tool_call", "id": "a", "function": {"name": "ping", "arguments": '{"host": "h"}'}},
    "responses": {"type": "function_call", "call_id": "a", "name": "ping", "arguments": '{"host": "h"}'},
    "anthropic": {"type": "tool_use", "id": "a", "name": "ping", "input": {"host": "h"}},
    "gemini": {"functionCall": {"name": "ping", "args": {"host": "h"}}},
    "gemini in snake case": {"function_call": {"name": "ping", "args": {"host": "h"}}},
    "bedrock": {"toolUse": {"toolUseId": "a", "name": "ping", "input": {"host": "h"}}},
    "ai-sdk": {"type": "tool-call", "toolCallId": "a", "toolName": "ping", "input": {"host": "h"}},
    "otel": {"type": "tool_call", "id": "a", "name": "ping", "arguments": {"host": "h"}},
}
RESULTS: Final[dict[str, Row]] = {
    "responses": {"type": "function_call_output", "call_id": "a", "output": "pong"},
    "anthropic": {"type": "tool_result", "tool_use_id": "a", "content": "pong"},
    "gemini": {"functionResponse": {"name": "ping", "response": {"output": "pong"}}},
    "bedrock": {"toolResult": {"toolUseId": "a", "content": [{"text": "pong"}]}},
    "ai-sdk": {
        "type": "tool-result", "toolCallId": "a", "toolName": "ping", "output": {"type": "text", "value": "pong"},
    },
    "otel": {"type": "tool_call_response", "id": "a", "response": "pong"},
}  # fmt: skip
REASONING: Final[dict[str, Row]] = {
    "responses": {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I ask."}]},
    "anthropic": {"type": "thinking", "thinking": "I ask."},
    "mistral": {"type": "thinking", "thinking": [{"type": "text", "text": "I ask."}]},
    "gemini": {"text": "I ask.", "thought": True},
    "bedrock": {"reasoningContent": {"reasoningText": {"text": "I ask."}}},
    "otel": {"type": "reasoning", "content": "I ask."},
    "under a key of its own": {"type": "reasoning", "words": "I ask."},
}
ASKED: Final = {"role": "user", "content": "Is it up?"}
CALLED: Final = {"role": "assistant", "content": "", "tool_calls": [CALLS["openai"] | {"type": "function"}]}
SAID: Final = {"role": "assistant", "content": "It is up."}
TYPES: Final = {"user": "human", "assistant": "ai", "tool": "tool"}


def rows(messages: list[Row]) -> Iterator[Row]:
    """Messages as rows of several layouts."""
    tools = [{"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}}]
    yield {"messages": messages}
    yield {"messages": messages, "tools": tools}
    yield {"conversations": messages}
    yield {"prompt": messages[:1], "completion": messages[1:]}
    yield {"request": {"messages": messages[:-1]}, "response": {"choices": [{"message": messages[-1]}]}}
    named = [{"type": TYPES[each["role"]], **each} for each in messages]
    yield {"messages": [{key: value for key, value in each.items() if key != "role"} for each in named]}
    traced = {"traceId": "t", "type": "GENERATION", "startTime": "2026"}
    yield {**traced, "input": messages[:-1], "output": messages[-1]}


def read(row: Row) -> list[Row]:
    """The messages of a row, of which nothing may be unread."""
    options = Options(to_layout="canonical")
    result = Converter(options, layouts.get(default_format(options).layout), None).lines("f", 1, [jsontext.dumps(row)])
    assert not result.receipt.unread and not result.receipt.dropped_calls
    (line,) = result.output
    messages: list[Row] = jsontext.loads(line)["messages"]
    return messages


@pytest.mark.parametrize("prose", [[], [{"type": "text", "text": "I ask."}]], ids=["alone", "after a text"])
@pytest.mark.parametrize("name", CALLS)
def test_a_call_among_parts_is_a_call(name: str, prose: list[Row]) -> None:
    for row in rows([ASKED, {"role": "assistant", "content": [*prose, CALLS[name]]}]):
        answer = read(row)[-1]
        (call,) = answer["tool_calls"]
        assert call["function"] == {"name": "ping", "arguments": {"host": "h"}}
        assert answer["content"] == ("I ask." if prose else "")


@pytest.mark.parametrize("role", ["user", "tool"])
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_in_a_part_is_a_result(name: str, role: str) -> None:
    for row in rows([ASKED, CALLED, {"role": role, "content": [RESULTS[name]]}, SAID]):
        messages = read(row)
        assert [each["role"] for each in messages] == ["user", "assistant", "tool", "assistant"]
        assert messages[2]["content"] == "pong"


@pytest.mark.parametrize("name", RESULTS)
def test_results_next_to_other_parts_are_results(name: str) -> None:
    other = jsontext.loads(jsontext.dumps(RESULTS[name]).replace(b"pong", b"pang").replace(b'"a"', b'"b"'))
    (call,) = CALLED["tool_calls"]
    asked = {"role": "user", "content": [RESULTS[name], other, {"type": "text", "text": "Go on."}]}
    for row in rows([ASKED, {**CALLED, "tool_calls": [call, {**call, "id": "b"}]}, asked, SAID]):
        messages = read(row)
        assert [each["role"] for each in messages] == ["user", "assistant", "tool", "tool", "user", "assistant"]
        assert [each["content"] for each in messages[2:5]] == ["pong", "pang", "Go on."]
        assert [each["tool_call_id"] for each in messages[2:4]] == ["a", "b"]


def test_a_result_before_a_part_of_another_kind_is_a_result() -> None:
    film = {"type": "video_url", "video_url": {"url": "https://example.com/a.mp4"}}
    messages = read({"messages": [ASKED, CALLED, {"role": "user", "content": [RESULTS["otel"], film]}, SAID]})
    assert [each["content"] for each in messages[2:4]] == ["pong", [film]]


@pytest.mark.parametrize("name", REASONING)
def test_reasoning_among_parts_is_reasoning(name: str) -> None:
    for row in rows([ASKED, {"role": "assistant", "content": [REASONING[name], {"type": "text", "text": "It is."}]}]):
        answer = read(row)[-1]
        assert (answer["reasoning_content"], answer["content"]) == ("I ask.", "It is.")


def test_parts_of_reasoning_whose_text_is_no_text_have_none() -> None:
    assert reasoning_text([{"type": "reasoning_text", "text": ["x"]}, {"type": "reasoning_text", "text": "y"}]) == "y"


@pytest.mark.parametrize(
    ("content", "output"),
    [
        ([{"type": "text", "text": "a cat"}, {"type": "text", "text": ", asleep"}], "a cat, asleep"),
        ([{"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}],
         '[{"type": "image_url", "image_url": {"url": "https://x.org/a.png"}}]'),
    ],
)  # fmt: skip
def test_a_result_of_texts_is_text_for_gemini(content: list[Row], output: str) -> None:
    call = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "What is there?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": content},
    ]
    conversation = layouts.get("openai").read({"messages": messages})
    row = layouts.get("gemini").write(conversation)
    assert row["contents"][-1]["parts"][0]["functionResponse"]["response"] == {"output": output}
    assert "content_parts" in conversation.notes.losses


@each("name", ["anthropic", "bedrock", "gemini", "ai-sdk", "ai-sdk-ui", "responses"])
def test_no_reasoning_is_written_for_an_empty_one(name: str) -> None:
    answer = {"role": "assistant", "content": "Yes.", "reasoning_content": ""}
    rows = [{"messages": [{"role": "user", "content": "Hi."}, each]} for each in (answer, {**answer})]
    del rows[1]["messages"][1]["reasoning_content"]
    first, second = convert_rows(rows, Options(to_layout=name))
    assert first == second


def test_reasoning_may_be_the_json_of_its_texts() -> None:
    texts = [{"type": "summary_text", "text": "I look."}, {"type": "summary_text", "text": "It is up."}]
    assert reasoning_text(json.dumps(texts)) == reasoning_text(texts) == "I look.\n\nIt is up."
    assert reasoning_text('[{"host": "a"}]') == '[{"host": "a"}]'
