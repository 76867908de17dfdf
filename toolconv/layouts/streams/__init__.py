"""Recorded streams of answers: one file per API, which puts the events of an answer together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolconv.core.messages import Row
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


def streamed_answer(values: Sequence[Any]) -> Row | None:
    """The row that the chunks of a stream add up to, with its answer; ``None`` if they are something else."""
    api = api_of(values[0]) if values else None
    if api is None or not all(isinstance(value, dict) and api.continues(value) for value in values):
        return None
    boundary = api.boundary()
    for value in values:
        if boundary.is_another(value):
            return None
        boundary.add(value)
    return api.assemble(values).row


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
