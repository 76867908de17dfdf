"""Recorded streams of all APIs: real ones, hostile ones, and texts cut into any deltas."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import NO_SHARED, SHARED, cases, each, toolconv
from tests.layouts.test_traces import mutated
from toolconv import layouts
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.rows import Line
from toolconv.layouts.base import LayoutError

STREAM = layouts.get("stream")
REAL = sorted(SHARED.glob("traces/streams/*.expected.json"))
ARGUMENTS = '{"port": "Bre\\u0073t", "days": [1, 10, 100]}'


def read(events: list[Any]) -> list[Conversation]:
    """The answers in the events of a stream, through lines."""
    lines = (Line(number, jsontext.dumps(event)) for number, event in enumerate(events, 1))
    return [STREAM.read(jsontext.loads(row.text)) for row in STREAM.gather(lines)]


# ── real streams ────────────────────────────────────────────────────────────────────────────────


def meaning(row: dict[str, Any]) -> Any:
    """What counts in a row: names and parameters of tools, texts and calls."""
    tools = [(tool["function"]["name"], tool["function"].get("parameters")) for tool in row.get("tools") or ()]
    keys = ("content", "reasoning_content")
    turns = [
        (
            message["role"],
            *((message.get(key) or "").strip() for key in keys),
            [(call["id"], call["function"]) for call in message.get("tool_calls") or ()],
        )
        for message in row["messages"]
    ]
    return tools, turns


@pytest.mark.skipif(not REAL, reason=NO_SHARED)
def test_real_streams_mean_what_their_apis_say() -> None:
    for path in REAL:
        run = toolconv("parse", path.with_name(path.name.removesuffix(".expected.json")))
        assert run.status == 0, run.err
        expected = json.loads(path.read_bytes())
        assert [meaning(row) for row in run.rows] == [meaning(row) for row in expected], path.name


# ── any deltas ──────────────────────────────────────────────────────────────────────────────────


def openai(text: list[str], arguments: list[str]) -> Iterator[Any]:
    def chunk(delta: Any, finish: str | None = None) -> Any:
        return {"id": "a", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in text:
        yield chunk({"content": piece})
    yield chunk({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "tide", "arguments": ""}}]})
    for number, piece in enumerate(arguments):
        yield chunk({"tool_calls": [{"index": 0, "id": f"c{number}", "function": {"arguments": piece}}]})
    yield chunk({}, "tool_calls")


def anthropic(text: list[str], arguments: list[str]) -> Iterator[Any]:
    yield {"type": "message_start", "message": {"id": "a", "role": "assistant", "content": []}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in text:
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
    call = {"type": "tool_use", "id": "c", "name": "tide", "input": {}}
    yield {"type": "content_block_start", "index": 0, "content_block": call}  # some gateways don't count
    for piece in arguments:
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
    yield {"type": "message_stop"}


def responses(text: list[str], arguments: list[str]) -> Iterator[Any]:
    yield {"type": "response.created", "response": {"id": "a", "output": []}}
    for piece in text:
        yield {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": piece}
    call = {"type": "function_call", "id": "f", "call_id": "c", "name": "tide", "arguments": ""}
    yield {"type": "response.output_item.added", "output_index": 1, "item": call}
    for number, piece in enumerate(arguments):
        event = {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": piece}
        yield {**event, "item_id": f"f{number}"}
    yield {"type": "response.completed", "response": {"id": "a", "status": "completed", "output": []}}


def cohere(text: list[str], arguments: list[str]) -> Iterator[Any]:
    def event(kind: str, **parts: Any) -> Any:
        return {"type": kind, "index": 0, "delta": {"message": parts}}

    yield {**event("message-start", role="assistant"), "id": "a"}
    yield event("content-start", content={"type": "text", "text": ""})
    for piece in text:
        yield event("content-delta", content={"text": piece})
    yield event("tool-call-start", tool_calls={"id": "c", "type": "function", "function": {"name": "tide"}})
    for piece in arguments:
        yield event("tool-call-delta", tool_calls={"function": {"arguments": piece}})
    yield {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}}


def cut(text: str, places: set[int]) -> list[str]:
    ends = sorted({0, len(text), *(place % len(text) for place in places)})
    return [text[begin:end] for begin, end in pairwise(ends)]


PLACES = st.sets(st.integers(0, 99), max_size=8)
WRITERS = {"openai": openai, "anthropic": anthropic, "responses": responses, "cohere": cohere}


@pytest.mark.parametrize("name", WRITERS)
@given(st.text("a 1-0", min_size=1).filter(str.strip), PLACES, PLACES)
def test_deltas_add_up_wherever_a_text_is_cut(name: str, text: str, texts: set[int], arguments: set[int]) -> None:
    (answer,) = read(list(WRITERS[name](cut(text, texts), cut(ARGUMENTS, arguments))))
    (message,) = answer.messages
    if "cumulative_stream" not in answer.notes.repairs:  # OpenAI's, of a text that grows as long as it repeats itself
        assert message["content"] == text
    assert [call["id"] for call in message["tool_calls"]] == ["c"]
    assert message["tool_calls"][0]["function"] == {"name": "tide", "arguments": json.loads(ARGUMENTS)}


@pytest.mark.parametrize("name", WRITERS)
def test_a_stream_that_is_cut_anywhere_has_no_made_up_call(name: str) -> None:
    events = list(WRITERS[name](["It ", "is."], cut(ARGUMENTS, {9, 17, 30})))
    for end in range(1, len(events)):
        for answer in read(events[:end]):
            calls = [call for message in answer.messages for call in message.get("tool_calls") or ()]
            read_calls = [call for call in calls if isinstance(call["function"]["arguments"], dict)]
            assert [call["function"]["arguments"] for call in read_calls] in ([], [json.loads(ARGUMENTS)])
            assert len(read_calls) + len(answer.notes.dropped) == len(calls)
            assert "stream_cut_off" in answer.notes.repairs or end == len(events) - 1


def test_a_part_of_a_response_shows_what_its_item_is() -> None:
    part = {"item_id": "a", "output_index": 0, "summary_index": 0, "part": {"type": "summary_text", "text": "Hm."}}
    (answer,) = read([{"type": "response.reasoning_summary_part.done", **part}])
    assert answer.messages[-1]["reasoning_content"] == "Hm."


def test_a_part_whose_first_event_is_missing_is_joined_all_the_same() -> None:
    pieces = [
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": text}}}}
        for text in ("It ", "is.")
    ]
    start = {"type": "message-start", "delta": {"message": {"role": "assistant"}}}
    (answer,) = read([start, *pieces, {"type": "message-end", "delta": {"finish_reason": "COMPLETE"}}])
    assert answer.messages[-1]["content"] == [{"text": "It is."}]


@each(
    "events",
    [
        [{"type": "response.queued"}],
        [{"type": "ping"}, {"type": "message_stop"}],
        [{"object": "chat.completion.chunk", "id": "a", "choices": []}],
        [{"type": "message-start", "delta": {"message": {"role": "assistant"}}}],
        [{"promptFeedback": {"blockReason": "SAFETY"}}],
    ],
)
def test_events_without_an_item_are_no_answer(events: list[Any]) -> None:
    with pytest.raises(LayoutError, match="a stream without an answer"):
        read(events)


# ── hostile streams ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.sweep
@pytest.mark.parametrize("case", [case.values[1] for case in cases("layouts") if case.values[0] == "stream"])
def test_values_of_other_types_are_read_or_refused(case: dict[str, Any]) -> None:
    for row in mutated(case["row"]):
        layouts.gathering(row)
        try:
            conversation = STREAM.read(row)
        except LayoutError:
            continue
        assert all(isinstance(message["role"], str) for message in conversation.messages)
        jsontext.dumps(conversation.row)
