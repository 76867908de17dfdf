"""What a conversation has that original chat templates treat otherwise than toolconv: see :mod:`.originals`."""

from __future__ import annotations

from itertools import pairwise

from toolconv.core.conversation import Conversation
from toolconv.core.messages import SYSTEM_ROLES, calls_of
from toolconv.core.tools import function_of


def several_calls(conversation: Conversation) -> bool:
    """A turn has several calls."""
    return any(len(calls_of(message)) > 1 for message in conversation.messages)


def prose_with_calls(conversation: Conversation) -> bool:
    """A turn has both prose and calls."""
    return any(calls_of(message) and message.get("content") for message in conversation.messages)


def prose_and_reasoning_with_calls(conversation: Conversation) -> bool:
    """A turn has prose, reasoning and calls."""
    return any(
        calls_of(message) and message.get("content") and message.get("reasoning_content")
        for message in conversation.messages
    )


def parts_in_result(conversation: Conversation) -> bool:
    """A result is content parts."""
    return any(
        message.get("role") == "tool" and isinstance(message.get("content"), list) for message in conversation.messages
    )


def empty_result(conversation: Conversation) -> bool:
    """A result is empty."""
    return any(message.get("role") == "tool" and not message.get("content") for message in conversation.messages)


def user_after_result(conversation: Conversation) -> bool:
    """A user's turn follows a result."""
    roles = [message.get("role") for message in conversation.messages]
    return any(pair == ("tool", "user") for pair in pairwise(roles))


def no_tools(conversation: Conversation) -> bool:
    """No tools are declared."""
    return not conversation.tools


def calls_without_tools(conversation: Conversation) -> bool:
    """There are calls, and no declared tools."""
    return not conversation.tools and any(calls_of(message) for message in conversation.messages)


def tool_without_parameters(conversation: Conversation) -> bool:
    """A tool has no parameters."""
    functions = [function_of(tool) for tool in conversation.tools]
    return any(function is not None and "parameters" not in function for function in functions)


def other_tool(conversation: Conversation) -> bool:
    """A tool is no function in an envelope."""
    return any(not isinstance(tool, dict) or not isinstance(tool.get("function"), dict) for tool in conversation.tools)


def result_before_calls(conversation: Conversation) -> bool:
    """A result follows no call."""
    for message in conversation.messages:
        if message.get("tool_calls"):
            return False
        if message.get("role") == "tool":
            return True
    return False


def no_user_turn(conversation: Conversation) -> bool:
    """The user has no turn."""
    return all(message.get("role") != "user" for message in conversation.messages)


def parts(conversation: Conversation) -> bool:
    """A turn other than a result is content parts."""
    return any(
        message.get("role") != "tool" and isinstance(message.get("content"), list) for message in conversation.messages
    )


def single_call(conversation: Conversation) -> bool:
    """A turn has exactly one call."""
    return any(len(calls_of(message)) == 1 for message in conversation.messages)


def three_calls(conversation: Conversation) -> bool:
    """A turn has more than two calls."""
    return any(len(calls_of(message)) > 2 for message in conversation.messages)


def rounds(conversation: Conversation) -> bool:
    """Several turns have calls."""
    return sum(bool(calls_of(message)) for message in conversation.messages) > 1


def developer(conversation: Conversation) -> bool:
    """A message has the role developer."""
    return any(message.get("role") == "developer" for message in conversation.messages)


def late_system(conversation: Conversation) -> bool:
    """A system text comes after the first message."""
    return any(message.get("role") in SYSTEM_ROLES for message in conversation.messages[1:])


def two_systems(conversation: Conversation) -> bool:
    """The first two messages are system texts."""
    roles = [message.get("role") for message in conversation.messages[:2]]
    return len(roles) > 1 and all(role in SYSTEM_ROLES for role in roles)


def system_after_answer(conversation: Conversation) -> bool:
    """A system text follows an answer or a result."""
    roles = [message.get("role") for message in conversation.messages]
    return any(before in ("assistant", "tool") and role == "system" for before, role in pairwise(roles))


def neighbours(conversation: Conversation) -> bool:
    """Two turns of the user, or two answers, are neighbours."""
    return any(
        before.get("role") == after.get("role") in ("user", "assistant") and not calls_of(before)
        for before, after in pairwise(conversation.messages)
    )


def assistant_first(conversation: Conversation) -> bool:
    """The first turn is the assistant's."""
    roles = (message.get("role") for message in conversation.messages)
    return next((role for role in roles if role not in SYSTEM_ROLES), None) == "assistant"


def tool_without_description(conversation: Conversation) -> bool:
    """A tool has no description."""
    functions = [function_of(tool) for tool in conversation.tools]
    return any(function is not None and not function.get("description") for function in functions)


def default_beside_choices(conversation: Conversation) -> bool:
    """A parameter with ``enum`` or ``oneOf`` has a default other than a text."""
    for function in map(function_of, conversation.tools):
        parameters = function.get("parameters") if function is not None else None
        properties = parameters.get("properties") if isinstance(parameters, dict) else None
        for schema in properties.values() if isinstance(properties, dict) else ():
            has_choices = isinstance(schema, dict) and bool(schema.get("enum") or schema.get("oneOf"))
            if has_choices and not isinstance(schema.get("default", ""), str):
                return True
    return False


def strict_tool(conversation: Conversation) -> bool:
    """A tool has the key ``strict``."""
    functions = [function_of(tool) for tool in conversation.tools]
    return any(function is not None and "strict" in function for function in functions)


def other_type(conversation: Conversation) -> bool:
    """Whether a parameter has a type without a name in Python, such as ``null``, alone or in a list."""
    for tool in conversation.tools:
        parameters = (function_of(tool) or {}).get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, dict) else None
        for schema in properties.values() if isinstance(properties, dict) else ():
            kind = schema.get("type") if isinstance(schema, dict) else None
            kinds = kind if isinstance(kind, list) else [kind] if kind is not None else []
            if any(each not in ("string", "number", "integer", "boolean", "array", "object") for each in kinds):
                return True
    return False


def escaped_in_description(conversation: Conversation) -> bool:
    """A description has characters that JSON escapes."""
    functions = [function_of(tool) for tool in conversation.tools]
    texts = [str(function.get("description") or "") for function in functions if function is not None]
    return any(letter in text for text in texts for letter in '"\\\n\t')


def any_calls(conversation: Conversation) -> bool:
    """There are calls."""
    return any(map(calls_of, conversation.messages))


def answer_after_unanswered_call(conversation: Conversation) -> bool:
    """An answer follows calls without results."""
    return any(
        calls_of(before) and after.get("role") == "assistant" for before, after in pairwise(conversation.messages)
    )


def assistant_before_user(conversation: Conversation) -> bool:
    """The first turn is the assistant's, and a user's turn follows."""
    return assistant_first(conversation) and not no_user_turn(conversation)


def blanks_around_prose(conversation: Conversation) -> bool:
    """Prose with calls begins or ends with white space other than line breaks."""
    return any(
        isinstance(text := message.get("content"), str) and text.strip("\n") != text.strip()
        for message in conversation.messages
        if calls_of(message)
    )


def call_closes_thinking(conversation: Conversation) -> bool:
    """Prose with calls has ``</think>``."""
    return any(calls_of(message) and "</think>" in str(message.get("content")) for message in conversation.messages)


def earlier_turn_closes_thinking(conversation: Conversation) -> bool:
    """A turn of the assistant before the last turn has ``</think>``."""
    return any(
        message.get("role") == "assistant" and "</think>" in str(message.get("content"))
        for message in conversation.messages[:-1]
    )


def late_developer(conversation: Conversation) -> bool:
    """A message after the first has the role developer."""
    return any(message.get("role") == "developer" for message in conversation.messages[1:])


def reasoning(conversation: Conversation) -> bool:
    """A turn has reasoning."""
    return any(message.get("reasoning_content") for message in conversation.messages)


def empty_answer(conversation: Conversation) -> bool:
    """An answer has neither text nor calls."""
    return any(
        message.get("role") == "assistant" and not message.get("content") and not calls_of(message)
        for message in conversation.messages
    )


def blanks_around(conversation: Conversation) -> bool:
    """An answer begins or ends with white space."""
    return any(
        isinstance(text := message.get("content"), str) and text != text.strip()
        for message in conversation.messages
        if message.get("role") == "assistant" and not calls_of(message)
    )


def calls_last(conversation: Conversation) -> bool:
    """The last turn has calls."""
    return bool(conversation.messages) and bool(calls_of(conversation.messages[-1]))


def answers_last(conversation: Conversation) -> bool:
    """The last turn is the assistant's."""
    return bool(conversation.messages) and conversation.messages[-1].get("role") == "assistant"


def _are_parts(conversation: Conversation, *roles: str) -> bool:
    return any(
        message.get("role") in roles and isinstance(message.get("content"), list) for message in conversation.messages
    )


def user_parts(conversation: Conversation) -> bool:
    """A user's turn is content parts."""
    return _are_parts(conversation, "user")


def system_parts(conversation: Conversation) -> bool:
    """A system text is content parts."""
    return _are_parts(conversation, "system", "developer")


def answer_parts(conversation: Conversation) -> bool:
    """An answer without calls is content parts."""
    return any(
        message.get("role") == "assistant" and isinstance(message.get("content"), list) and not calls_of(message)
        for message in conversation.messages
    )


def prose_parts(conversation: Conversation) -> bool:
    """Prose with calls is content parts."""
    return any(calls_of(message) and isinstance(message.get("content"), list) for message in conversation.messages)


def several_parts(conversation: Conversation) -> bool:
    """A turn is several content parts."""
    return any(
        message.get("role") != "tool" and isinstance(content := message.get("content"), list) and len(content) > 1
        for message in conversation.messages
    )


def closes_thinking(conversation: Conversation) -> bool:
    """A turn of the assistant has ``</think>`` in its text, and no reasoning."""
    return any(
        message.get("role") == "assistant"
        and isinstance(content := message.get("content"), str)
        and "</think>" in content
        and not message.get("reasoning_content")
        for message in conversation.messages
    )


def answer_closes_thinking(conversation: Conversation) -> bool:
    """An answer without calls has ``</think>``."""
    return any(
        message.get("role") == "assistant" and not calls_of(message) and "</think>" in str(message.get("content"))
        for message in conversation.messages
    )
