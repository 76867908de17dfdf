"""Recorded streams of answers: one file per API, which puts the events of an answer together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolconv.core.messages import Message, Row
from toolconv.core.rows import MISSHAPEN
from toolconv.layouts.streams.anthropic_events import AnthropicEvents
from toolconv.layouts.streams.base import Api
from toolconv.layouts.streams.cohere_events import CohereEvents
from toolconv.layouts.streams.gemini_chunks import GeminiChunks
from toolconv.layouts.streams.openai_chunks import OpenAIChunks
from toolconv.layouts.streams.responses_events import ResponsesEvents

APIS: Final[tuple[Api, ...]] = (
    OpenAIChunks(),
    AnthropicEvents(),
    ResponsesEvents(),
    GeminiChunks(),
    CohereEvents(),
)


def api_of(value: Any) -> Api | None:
    """The API that a JSON value is an event of; ``None`` for any other value."""
    if not isinstance(value, dict):
        return None
    try:
        return next((api for api in APIS if api.is_event(value)), None)
    except MISSHAPEN:
        return None


def answers_in(values: Sequence[Any]) -> list[list[Row]]:
    """The chunks of each answer, of the chunks of the answers to one request; none if they are something else."""
    api = api_of(values[0]) if values else None
    if api is None or not all(isinstance(value, dict) and api.continues(value) for value in values):
        return []
    boundary = api.boundary()
    for value in values:
        if boundary.is_another(value):
            return []
        boundary.add(value)
    return api.apart(values)


def streamed_messages(chunks: Sequence[Row]) -> list[Message]:
    """The turns that the chunks of one answer add up to, as the API gives them."""
    api = api_of(chunks[0])
    assert api is not None
    read = api.layout.decode(api.assemble(chunks).row)
    return list(read.fields[-1].pieces or read.messages)


def error_of(value: Any) -> Any:
    """The error in an event; something false if there is none."""
    if not isinstance(value, dict):
        return None
    if value.get("error"):
        return value["error"]
    for key in ("response", "delta"):
        holder = value.get(key)
        if isinstance(holder, dict) and holder.get("error"):
            return holder["error"]
    return value if value.get("type") == "error" else None
