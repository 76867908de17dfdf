"""What an upload refuses and toolconv leaves out of conversations. Each removal returns how many keys it left out."""

from __future__ import annotations

from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.messages import calls_of
from toolconv.templates.base import Template
from toolconv.trainers.base import Repair
from toolconv.trainers.repairs import set_messages, set_tools


def only_function_keys(*known: str) -> Repair:
    """The removal of keys of functions, and of those beside them, other than the known ones."""

    def drop_function_keys(conversation: Conversation, template: Template | None = None) -> int:
        count, tools = 0, []
        for tool in conversation.tools:
            function = tool.get("function") if isinstance(tool, dict) else None
            if isinstance(function, dict):
                kept = {key: value for key, value in function.items() if key in known}
                beside = {key: tool[key] for key in tool if key in ("type", "function")}
                count += len(function) - len(kept) + len(tool) - len(beside)
                tool = {**beside, "function": kept}
            tools.append(tool)
        return set_tools(conversation, tools, count)

    return drop_function_keys


_CALL_KEYS = frozenset({"id", "type", "function"})
_MESSAGE_KEYS = frozenset({"role", "content", "tool_calls", "tool_call_id", "name", "reasoning_content"})


def only_known_keys(
    *,
    calls: tuple[str, ...] = (),
    messages: tuple[str, ...] = (),
    results: tuple[str, ...] = (),
    parts: tuple[str, ...] = (),
) -> Repair:
    """The removal of keys of calls, messages and content parts that an API refuses; see :func:`only_part_keys`.

    The names of speakers are such keys; those of results are the names of tools.

    Args:
        calls, messages, results: more keys that it accepts, in calls, in all messages and in results.
        parts: the keys of content parts that it accepts; all if there are none.
    """
    call_keys, message_keys = _CALL_KEYS.union(calls), _MESSAGE_KEYS.union(messages)
    result_keys = message_keys.union(results)
    drop_part_keys = only_part_keys(*parts)

    def drop_unknown_keys(conversation: Conversation, template: Template | None = None) -> int:
        count, kept_messages = 0, []
        for message in conversation.messages:
            named = message.get("role") == "tool"
            known = result_keys if named else message_keys
            kept = {key: value for key, value in message.items() if key in known and (named or key != "name")}
            count += len(message) - len(kept)
            if found := calls_of(kept):
                kept["tool_calls"] = [{key: call[key] for key in call if key in call_keys} for call in found]
                count += sum(map(len, found)) - sum(map(len, kept["tool_calls"]))
            kept_messages.append(kept)
        dropped = set_messages(conversation, kept_messages, count)
        return dropped + drop_part_keys(conversation, template) if parts else dropped

    return drop_unknown_keys


def only_part_keys(*known: str) -> Repair:
    """The removal of all other keys of content parts than these."""

    def drop_part_keys(conversation: Conversation, template: Template | None = None) -> int:
        count, messages = 0, []
        for message in conversation.messages:
            content = message.get("content")
            if isinstance(content, list) and all(isinstance(part, dict) for part in content):
                kept = [{key: part[key] for key in part if key in known} for part in content]
                if dropped := sum(map(len, content)) - sum(map(len, kept)):
                    message = {**message, "content": kept}
                    count += dropped
            messages.append(message)
        return set_messages(conversation, messages, count)

    return drop_part_keys


def only_row_keys(*known: str) -> Repair:
    """The removal of all other keys of a row than ``messages``, ``tools`` and these, which are refused."""
    kept = frozenset(("messages", "tools", *known))

    def drop_row_keys(conversation: Conversation, template: Template | None = None) -> int:
        row = {key: value for key, value in conversation.row.items() if key in kept}
        count = len(conversation.row) - len(row)
        if count:
            conversation.row = row
        return count

    return drop_row_keys


def without_row_keys(*keys: str, if_empty: tuple[str, ...] = ()) -> Repair:
    """The removal of keys of a row that the trainer reads as something other than a part of the conversation.

    Args:
        keys: the keys that it reads so.
        if_empty: those that change what it does even where they have no value, such as ``images`` of a row of texts.
    """

    def drop_row_keys(conversation: Conversation, template: Template | None = None) -> int:
        row = conversation.row
        read = {key for key in keys if key in row} | {key for key in if_empty if key in row and not row[key]}
        if read:
            conversation.row = {key: value for key, value in row.items() if key not in read}
        return len(read)

    return drop_row_keys


_REASONING = ("reasoning_content", "thinking_blocks")


def unsigned_reasoning(conversation: Conversation, template: Template | None = None) -> int:
    """The removal of reasoning that another model wrote: Anthropic's API wants the signature that it gave its own."""
    count, messages = 0, []
    for message in conversation.messages:
        if any(map(message.get, _REASONING)) and not _is_signed(message.get("thinking_blocks")):
            message = {key: value for key, value in message.items() if key not in _REASONING}
            count += 1
        messages.append(message)
    return set_messages(conversation, messages, count)


def _is_signed(blocks: Any) -> bool:
    """Whether blocks of reasoning are Anthropic's own, at least some of them."""
    return isinstance(blocks, list) and any(
        isinstance(block, dict) and ("signature" in block or block.get("type") == "redacted_thinking")
        for block in blocks
    )
