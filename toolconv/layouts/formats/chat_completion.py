"""Chat completions as servers answer them: ``choices`` with a ``message``; batch files; logged requests and responses.

- a response of OpenAI, vLLM or another server: ``{"id", "choices": [{"message", "finish_reason"}], "usage"}``,
- a line of a batch output file: ``{"custom_id", "response": {"status_code", "body": {"choices"}}, "error"}``,
- a line of a batch input file: ``{"custom_id", "method", "url", "body": {"messages", "tools"}}``,
- a request and its response in one row: ``{"request": {"messages", "tools"}, "response": {"choices"}}``, or
  ``messages`` next to ``choices``.

The answer follows the messages of the request, if the row has them. ``reasoning`` becomes ``reasoning_content``.
``finish_reason`` and ``logprobs`` become keys of the message, and its nulls and empty lists are left out. Everything
else in the row stays where it was. Each of several choices is an answer. A failed request is an error. Rows are only
read.

Source: OpenAI API reference, chat completions and batch; vLLM's OpenAI-compatible server.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.core.rows import found_at, moved
from toolconv.layouts.answers import Choices
from toolconv.layouts.base import Layout, LayoutError, NoConversation
from toolconv.layouts.formats.openai import read_message, read_server_message
from toolconv.layouts.tool_places import Place
from toolconv.layouts.tool_schema import read_tools

REQUESTS: tuple[Place, ...] = ((), ("body",), ("request",), ("request", "body"))
RESPONSES: tuple[Place, ...] = ((), ("response",), ("response", "body"), ("completion",))
"""The objects that may hold a request or a response."""


class ChatCompletion(Layout):
    """Requests and answers of a chat completion server."""

    name = "chat-completion"
    aliases = ("completion-response", "batch")
    sample = (
        '{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":'
        'null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":'
        '"{\\"city\\": \\"Tokyo\\"}"}}]},"finish_reason":"tool_calls"}]}'
    )

    answers = (Choices(RESPONSES),)
    answer_keys = frozenset({"choices", *(path[0] for path in RESPONSES if path)})

    def matches(self, row: Row) -> bool:
        request = _place(row, REQUESTS, _is_request)  # bare messages are other layouts': () does not count
        return bool(request) or has_choices(row) or _is_failed(row)

    def decode(self, row: Row) -> Conversation:
        request, response = _place(row, REQUESTS, _is_request), _place(row, RESPONSES, _is_response)
        if response is None and (_is_failed(row) or _error(row)):
            raise NoConversation(f"the request failed: {_failure(row)}")
        if request is None and response is None:
            raise LayoutError("no choices with a message, and no request with messages")
        notes = Notes()
        messages: list[Message] = []
        fields: list[RowField] = []
        found: Row = {}
        taken: dict[Place, str] = {}
        if request is not None:
            asked = found_at(row, request)
            messages.extend(read_message(message, notes) for message in asked["messages"])
            fields.append(RowField(pointer_to((*request, "messages")), len(messages), asked["messages"]))
            if "tools" in asked:
                found["tools"] = read_tools(asked["tools"], notes)
                taken[*request, "tools"] = "tools"
            taken[*request, "messages"] = "messages"
        if response is not None:
            choices = found_at(row, response)["choices"]
            messages.append(_answer(choices[0], notes))
            fields.append(RowField(pointer_to((*response, "choices", "0", "message")), 1))
            taken[*response, "choices"] = "messages"
        number_calls(messages)
        return Conversation(moved(row, {**found, "messages": messages}, taken), notes, fields=fields)


def _place(row: Row, paths: Iterable[Place], is_it: Callable[[Row], bool]) -> Place | None:
    for path in paths:
        if not path or path[0] in row:
            holder = found_at(row, path)
            if isinstance(holder, dict) and is_it(holder):
                return path
    return None


def _is_request(holder: Row) -> bool:
    messages = holder.get("messages")
    return isinstance(messages, list) and all(isinstance(message, dict) and "role" in message for message in messages)


def _is_response(holder: Row) -> bool:
    choices = holder.get("choices")
    if not isinstance(choices, list) or not choices:
        return False
    return all(isinstance(choice, dict) and isinstance(choice.get("message"), dict) for choice in choices)


def has_choices(row: Row) -> bool:
    """Whether a row has a response with choices."""
    return _place(row, RESPONSES, _is_response) is not None


def _is_failed(row: Row) -> bool:
    """Whether a row is a line of a batch output file whose request failed: OpenAI's, Anthropic's or Gemini's."""
    if "processed_time" in row:  # Vertex AI's, with the request
        return "request" in row and _failure(row) is not None
    is_answer = "custom_id" in row or ("key" in row and row.keys() <= GEMINI)
    return is_answer and _REQUESTS.isdisjoint(row) and _failure(row) is not None


GEMINI: frozenset[str] = frozenset({"key", "error", "response", "metadata"})
"""The keys of Gemini's lines."""
_REQUESTS: frozenset[str] = frozenset({"body", "messages"})


def _error(row: Row) -> Any:
    """The error in a row; ``None`` if there is none."""
    return next((error for path in ERRORS if (error := found_at(row, path))), None)


def _failure(row: Row) -> str | None:
    """Why a request failed; ``None`` if it didn't."""
    error = _error(row)
    if error is None and "processed_time" in row:
        error = row.get("status")
    if error:
        return str(error.get("message", error) if isinstance(error, dict) else error)
    kind = found_at(row, ("result", "type"))
    if kind is not None:
        return None if kind == "succeeded" else str(kind)
    return "it has no response" if "response" in row and not row["response"] else None


ERRORS: tuple[Place, ...] = (("error",), ("response", "body", "error"), ("response", "error"), ("result", "error"))
"""The places of an error."""


def _answer(choice: Row, notes: Notes) -> Message:
    beside = {key: value for key, value in choice.items() if key not in ("index", "message") and value is not None}
    return {**read_server_message(choice["message"], notes), **beside}


LAYOUT = ChatCompletion()
