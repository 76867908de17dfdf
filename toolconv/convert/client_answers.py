"""An answer of a chat API as a program holds it: plain data, or objects of the openai client and of those like it.

Source: openai-python, openai/types/chat (``ChatCompletion``, ``ChatCompletionMessage``,
``ChatCompletionMessageToolCall``), which are pydantic models; vLLM's and LiteLLM's have the same attributes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolconv.core.messages import calls_of, text_of
from toolconv.core.notes import Notes
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.turn_reader import TurnReader
from toolconv.layouts.formats.openai import read_server_message
from toolconv.layouts.found_answers import messages_of

_PLAIN: Final = (str, int, float, bool, type(None))
_NAMES: Final = (
    "choices", "message", "role", "content", "reasoning_content", "reasoning", "tool_calls", "function_call", "id",
    "type", "function", "name", "arguments", "input", "text", "thinking",
)  # fmt: skip
"""The attributes of objects that are not pydantic models and have no ``__dict__``."""


def parsed_answer(answer: Any, dialect: Dialect | None, tools: ToolIndex) -> tuple[Parsed, str]:
    """The content, the reasoning and the calls of an answer, and its text.

    Args:
        answer: a message, an answer with ``choices``, or a list of calls.
        dialect: the dialect of its text; ``None`` to detect it. A text next to calls is left alone.
        tools: the declared tools.

    Raises:
        TypeError: it is something else.
    """
    notes = Notes()
    messages = messages_of(as_data(answer), notes)
    if not messages:
        raise TypeError(f"neither a text nor an answer: {type(answer).__name__}")
    message = read_server_message({"role": "assistant", **messages[-1]}, notes)
    text, _ = text_of(message.get("content"))
    calls: list[ToolCall] = []
    for item in calls_of(message):
        try:
            calls.append(ToolCall.from_openai(item))
        except ValueError:  # which was noted when it was read
            continue
    reasoning = message.get("reasoning_content")
    if not calls and text:
        parsed = TurnReader(dialect).read(text, tools)
    else:
        parsed = Parsed(text, calls=calls)
    parsed.reasoning = parsed.reasoning or (reasoning if isinstance(reasoning, str) else None)
    parsed.repairs = [*notes.repairs, *parsed.repairs]
    parsed.dropped = [*notes.dropped, *parsed.dropped]
    parsed.displaced = (*notes.losses, *parsed.displaced)
    return parsed, text


def as_data(value: Any) -> Any:
    """A value as plain data: mappings, lists, pydantic models, and other objects by their attributes."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        return {key: as_data(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [as_data(item) for item in value]
    if callable(dump := getattr(value, "model_dump", None)):
        return as_data(dump())
    attributes = getattr(value, "__dict__", None)
    if attributes is None:
        attributes = {name: getattr(value, name) for name in _NAMES if hasattr(value, name)}
    return {name: as_data(member) for name, member in attributes.items() if not name.startswith("_")} or None
