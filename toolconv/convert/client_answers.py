"""An answer of a chat API as a program holds it: plain data, or objects of the openai client and of those like it.

Source: openai-python, openai/types/chat (``ChatCompletion``, ``ChatCompletionMessage``,
``ChatCompletionMessageToolCall``), which are pydantic models; vLLM's and LiteLLM's have the same attributes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any, Final

from toolconv.core.messages import Message, calls_of, only_text_of, text_of
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.turn_reader import TurnReader
from toolconv.layouts.any_messages import Logged
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
        answer: a message, what an API answers, or a list of calls; of a conversation, what the assistant says last.
        dialect: the dialect of its text; ``None`` to detect it. A text next to calls is left alone.
        tools: the declared tools.

    Raises:
        TypeError: it is something else.
    """
    turn = Logged()
    messages = messages_of(as_data(answer), turn.notes)
    for message in messages:
        turn.message(_with_one_text(message))
    turn.end()
    replies = list(takewhile(lambda message: message["role"] == "assistant", reversed(turn.messages)))[::-1]
    if not replies and (turn.messages or not messages):
        of = f", whose last message is of the role {turn.messages[-1]['role']!r}" if turn.messages else ""
        raise TypeError(f"neither a text nor an answer: {type(answer).__name__}{of}")
    contents = [text_of(message.get("content")) for message in replies]
    text = "\n".join(words for words, _ in contents if words)
    calls: list[ToolCall] = []
    displaced = turn.notes.losses
    for message, (words, whole) in zip(replies, contents, strict=True):
        displaced += ["prose_after_call"] * bool(calls and words) + ["content_parts"] * bool(
            message["content"] and not whole
        )
        for item in calls_of(message):
            with suppress(ValueError):  # which was noted when it was read
                calls.append(ToolCall.from_openai(item))
    parsed = TurnReader(dialect).read(text, tools) if text and not calls else Parsed(text, calls=calls)
    thoughts = "\n\n".join(message["reasoning_content"] for message in replies if "reasoning_content" in message)
    parsed.reasoning = parsed.reasoning or thoughts or None
    parsed.repairs = [*turn.notes.repairs, *parsed.repairs]
    parsed.dropped = [*turn.notes.dropped, *parsed.dropped]
    parsed.displaced = (*displaced, *parsed.displaced)
    return parsed, text


def _with_one_text(message: Message) -> Message:
    """A message whose content is one text, if it holds nothing else: in how many parts a text came says nothing."""
    for key, read in (("content", text_of), ("parts", only_text_of)):
        if key in message:
            text, whole = read(message[key])
            return {**message, key: text} if whole or not isinstance(message[key], list) else message
    return message


def as_data(value: Any) -> Any:
    """A value as plain data: mappings, lists, pydantic models, and other objects by their attributes.

    What has none of these, such as a date among arguments, stays as it is.
    """
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        return {key: as_data(member) for key, member in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):  # also of protobuf
        return [as_data(item) for item in value]
    if callable(dump := getattr(value, "model_dump", None)):
        return as_data(dump())
    attributes = getattr(value, "__dict__", None)
    if attributes is None:
        attributes = {name: getattr(value, name) for name in _NAMES if hasattr(value, name)}
    return {name: as_data(member) for name, member in attributes.items() if not name.startswith("_")} or value
