"""What a conversation has that original chat templates treat otherwise than toolconv: see ``originals.toml``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.messages import SYSTEM_ROLES, Message, calls_of
from toolconv.core.tools import function_of

Shape = Callable[[Conversation], bool]


def _some(holds: Callable[[Message], object]) -> Shape:
    """Whether something holds for a message."""
    return lambda conversation: any(map(holds, conversation.messages))


def _some_after_first(holds: Callable[[Message], object]) -> Shape:
    return lambda conversation: any(map(holds, conversation.messages[1:]))


def _some_neighbours(hold: Callable[[Message, Message], object]) -> Shape:
    """Whether something holds for a message and the next one."""
    return lambda conversation: any(hold(before, after) for before, after in pairwise(conversation.messages))


def _last(holds: Callable[[Message], object]) -> Shape:
    return lambda conversation: any(map(holds, conversation.messages[-1:]))


def _some_function(holds: Callable[[dict[str, Any]], object]) -> Shape:
    """Whether something holds for the function of a tool."""
    return lambda conversation: any(holds(each) for each in map(function_of, conversation.tools) if each is not None)


def _is(message: Message, *roles: str) -> bool:
    return message.get("role") in roles


def _is_answer(message: Message) -> bool:
    return _is(message, "assistant") and not calls_of(message)


def _is_parts(message: Message) -> bool:
    return isinstance(message.get("content"), list)


def _closes_thinking(message: Message) -> bool:
    return "</think>" in str(message.get("content"))


def _text(message: Message) -> str:
    """The text of a message, if it is no list of content parts."""
    content = message.get("content")
    return content if isinstance(content, str) else ""


# ── calls ──

any_calls = _some(calls_of)
"""There are calls."""
single_call = _some(lambda message: len(calls_of(message)) == 1)
"""A turn has exactly one call."""
several_calls = _some(lambda message: len(calls_of(message)) > 1)
"""A turn has several calls."""
three_calls = _some(lambda message: len(calls_of(message)) > 2)
"""A turn has more than two calls."""
calls_last = _last(calls_of)
"""The last turn has calls."""
prose_with_calls = _some(lambda message: calls_of(message) and message.get("content"))
"""A turn has both prose and calls."""
prose_and_reasoning_with_calls = _some(
    lambda message: calls_of(message) and message.get("content") and message.get("reasoning_content")
)
"""A turn has prose, reasoning and calls."""
blanks_around_prose = _some(lambda message: calls_of(message) and _text(message).strip("\n") != _text(message).strip())
"""Prose with calls begins or ends with white space other than line breaks."""
answer_after_unanswered_call = _some_neighbours(lambda before, after: calls_of(before) and _is(after, "assistant"))
"""An answer follows calls without results."""


def rounds(conversation: Conversation) -> bool:
    """Several turns have calls."""
    return sum(bool(calls_of(message)) for message in conversation.messages) > 1


def calls_without_tools(conversation: Conversation) -> bool:
    """There are calls, and no declared tools."""
    return not conversation.tools and any_calls(conversation)


# ── results ──

parts_in_result = _some(lambda message: _is(message, "tool") and _is_parts(message))
"""A result is content parts."""
empty_result = _some(lambda message: _is(message, "tool") and not message.get("content"))
"""A result is empty."""
user_after_result = _some_neighbours(lambda before, after: _is(before, "tool") and _is(after, "user"))
"""A user's turn follows a result."""


def result_before_calls(conversation: Conversation) -> bool:
    """A result follows no call."""
    either = (message for message in conversation.messages if message.get("tool_calls") or _is(message, "tool"))
    first = next(either, None)
    return first is not None and not first.get("tool_calls")


# ── turns ──

neighbours = _some_neighbours(
    lambda before, after: before.get("role") == after.get("role") in ("user", "assistant") and not calls_of(before)
)
"""Two turns of the user, or two answers, are neighbours."""
answers_last = _last(lambda message: _is(message, "assistant"))
"""The last turn is the assistant's."""
empty_answer = _some(lambda message: _is_answer(message) and not message.get("content"))
"""An answer has neither text nor calls."""
blanks_around = _some(lambda message: _is_answer(message) and _text(message) != _text(message).strip())
"""An answer begins or ends with white space."""


def no_user_turn(conversation: Conversation) -> bool:
    """The user has no turn."""
    return not any(_is(message, "user") for message in conversation.messages)


def assistant_first(conversation: Conversation) -> bool:
    """The first turn is the assistant's."""
    roles = (message.get("role") for message in conversation.messages)
    return next((role for role in roles if role not in SYSTEM_ROLES), None) == "assistant"


def assistant_before_user(conversation: Conversation) -> bool:
    """The first turn is the assistant's, and a user's turn follows."""
    return assistant_first(conversation) and not no_user_turn(conversation)


# ── system texts ──

developer = _some(lambda message: _is(message, "developer"))
"""A message has the role developer."""
late_developer = _some_after_first(lambda message: _is(message, "developer"))
"""A message after the first has the role developer."""
late_system = _some_after_first(lambda message: _is(message, *SYSTEM_ROLES))
"""A system text comes after the first message."""
system_after_answer = _some_neighbours(lambda before, after: _is(before, "assistant", "tool") and _is(after, "system"))
"""A system text follows an answer or a result."""


def two_systems(conversation: Conversation) -> bool:
    """The first two messages are system texts."""
    first = conversation.messages[:2]
    return len(first) > 1 and all(_is(message, *SYSTEM_ROLES) for message in first)


# ── tools ──

tool_without_parameters = _some_function(lambda function: "parameters" not in function)
"""A tool has no parameters."""
tool_without_description = _some_function(lambda function: not function.get("description"))
"""A tool has no description."""
strict_tool = _some_function(lambda function: "strict" in function)
"""A tool has the key ``strict``."""
escaped_in_description = _some_function(
    lambda function: any(letter in str(function.get("description") or "") for letter in '"\\\n\t')
)
"""A description has characters that JSON escapes."""
default_beside_choices = _some_function(
    lambda function: any(
        (schema.get("enum") or schema.get("oneOf")) and not isinstance(schema.get("default", ""), str)
        for schema in _parameters(function)
    )
)
"""A parameter with ``enum`` or ``oneOf`` has a default other than a text."""
other_type = _some_function(lambda function: any(map(_is_nameless, _parameters(function))))
"""A parameter has a type without a name in Python, such as ``null``, alone or in a list."""


def no_tools(conversation: Conversation) -> bool:
    """No tools are declared."""
    return not conversation.tools


def other_tool(conversation: Conversation) -> bool:
    """A tool is no function in an envelope."""
    return any(not isinstance(tool, dict) or not isinstance(tool.get("function"), dict) for tool in conversation.tools)


def _parameters(function: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schemas of the parameters of a function."""
    parameters = function.get("parameters")
    properties = parameters.get("properties") if isinstance(parameters, dict) else None
    for schema in properties.values() if isinstance(properties, dict) else ():
        if isinstance(schema, dict):
            yield schema


def _is_nameless(schema: dict[str, Any]) -> bool:
    """Whether a schema has a type without a name in Python."""
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind] if kind is not None else []
    return any(each not in ("string", "number", "integer", "boolean", "array", "object") for each in kinds)


# ── content parts ──

parts = _some(lambda message: not _is(message, "tool") and _is_parts(message))
"""A turn other than a result is content parts."""
several_parts = _some(lambda message: not _is(message, "tool") and _is_parts(message) and len(message["content"]) > 1)
"""A turn is several content parts."""
user_parts = _some(lambda message: _is(message, "user") and _is_parts(message))
"""A user's turn is content parts."""
system_parts = _some(lambda message: _is(message, *SYSTEM_ROLES) and _is_parts(message))
"""A system text is content parts."""
answer_parts = _some(lambda message: _is_answer(message) and _is_parts(message))
"""An answer without calls is content parts."""
prose_parts = _some(lambda message: calls_of(message) and _is_parts(message))
"""Prose with calls is content parts."""

# ── reasoning ──

reasoning = _some(lambda message: message.get("reasoning_content"))
"""A turn has reasoning."""
closes_thinking = _some(
    lambda message: _is(message, "assistant") and "</think>" in _text(message) and not message.get("reasoning_content")
)
"""A turn of the assistant has ``</think>`` in its text, and no reasoning."""
answer_closes_thinking = _some(lambda message: _is_answer(message) and _closes_thinking(message))
"""An answer without calls has ``</think>``."""
call_closes_thinking = _some(lambda message: calls_of(message) and _closes_thinking(message))
"""Prose with calls has ``</think>``."""


def earlier_turn_closes_thinking(conversation: Conversation) -> bool:
    """A turn of the assistant before the last turn has ``</think>``."""
    return any(_is(message, "assistant") and _closes_thinking(message) for message in conversation.messages[:-1])
