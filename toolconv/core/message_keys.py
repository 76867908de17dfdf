"""The keys of messages that a text has a place for, and those that it has none for."""

from __future__ import annotations

from toolconv.core.marks import MARK_KEYS
from toolconv.core.messages import Message

WRITTEN_KEYS = frozenset({"role", "content", "reasoning_content", "tool_calls", "tool_call_id"})
"""The keys of messages whose values texts hold."""
RESULT_KEYS = WRITTEN_KEYS | {"name"}


def unwritten_keys(message: Message) -> list[str]:
    """The keys of a message that a text has no place for. Empty ones, and training marks, don't count."""
    if WRITTEN_KEYS.issuperset(message):
        return []
    known = RESULT_KEYS if message.get("role") == "tool" else WRITTEN_KEYS
    reasoning = message.get("reasoning_content")
    return [
        key
        for key, value in message.items()
        if key not in known and key not in MARK_KEYS and value not in (None, "", [], {}) and value != reasoning
    ]
