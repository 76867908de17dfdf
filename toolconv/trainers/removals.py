"""What an upload refuses and toolconv leaves out of conversations. Each removal returns how many keys it left out."""

from __future__ import annotations

from toolconv.core.conversation import Conversation, calls_of
from toolconv.templates.base import Template
from toolconv.trainers.base import Repair
from toolconv.trainers.repairs import set_messages, set_tools


def only_function_keys(*known: str) -> Repair:
    """The removal of keys of functions, other than the known ones."""

    def drop_function_keys(conversation: Conversation, template: Template | None = None) -> int:
        count, tools = 0, []
        for tool in conversation.tools:
            function = tool.get("function") if isinstance(tool, dict) else None
            if isinstance(function, dict) and not function.keys() <= set(known):
                kept = {key: value for key, value in function.items() if key in known}
                count += len(function) - len(kept)
                tool = {**tool, "function": kept}
            tools.append(tool)
        return set_tools(conversation, tools, count)

    return drop_function_keys


_CALL_KEYS = frozenset({"id", "type", "function"})
_MESSAGE_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "reasoning_content"})


def only_known_keys(*more: str) -> Repair:
    """The removal of keys of calls and messages that an API refuses; ``more`` are keys that it accepts.

    The names of speakers are such keys; those of results are the names of tools.
    """
    call_keys, message_keys = _CALL_KEYS | set(more), _MESSAGE_KEYS | set(more)

    def drop_unknown_keys(conversation: Conversation, template: Template | None = None) -> int:
        count, messages = 0, []
        for message in conversation.messages:
            named = message.get("role") == "tool"
            kept = {key: value for key, value in message.items() if key in message_keys and (named or key != "name")}
            count += len(message) - len(kept)
            if calls := calls_of(kept):
                kept["tool_calls"] = [{key: call[key] for key in call if key in call_keys} for call in calls]
                count += sum(map(len, calls)) - sum(map(len, kept["tool_calls"]))
            messages.append(kept)
        return set_messages(conversation, messages, count)

    return drop_unknown_keys
