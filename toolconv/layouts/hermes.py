"""Hermes conversations: ``conversations`` of ``from`` and ``value``, with tools, calls and responses in the text.

The shape of NousResearch/hermes-function-calling-v1: ``system``, ``human``, ``gpt`` and ``tool`` turns, tools in
``<tools>``, calls in ``<tool_call>``, results in ``<tool_response>``. A column ``tools`` with the same declarations as
JSON text is read; written, the tools stand in the system turn.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.conversation import Conversation, Message, Notes, Row
from toolconv.layouts.base import Layout, LayoutError, maybe_json, replace_key, restore_items

TO_ROLE = {"human": "user", "gpt": "assistant", "system": "system", "tool": "tool"}
FROM_ROLE = {role: name for name, role in TO_ROLE.items()}


class Hermes(Layout):
    """Turns of ``from`` and ``value``."""

    name: ClassVar[str] = "hermes"
    sample: ClassVar[str] = (
        '{"conversations":[{"from":"human","value":"Ping it."},'
        '{"from":"gpt","value":"<tool_call>\\n{\\"name\\": \\"ping\\", \\"arguments\\": {}}\\n</tool_call>"}]}'
    )
    spelled: ClassVar[bool] = True
    dialect: ClassVar[str | None] = "hermes"
    response_role: ClassVar[str | None] = "tool"

    def matches(self, row: Row) -> bool:
        return _turns(row) is not None

    def decode(self, row: Row) -> Conversation:
        turns = _turns(row)
        if turns is None:
            raise LayoutError("no list of turns with 'from' and 'value' under 'conversations'")
        canonical = replace_key(row, "conversations", "messages", [_message(turn) for turn in turns])
        if isinstance(row.get("tools"), str):
            canonical["tools"] = maybe_json(row["tools"])
        return Conversation(canonical, Notes())

    def encode(self, conversation: Conversation) -> Row:
        turns = [_turn(message) for message in conversation.messages]
        return replace_key(conversation.row, "messages", "conversations", turns)

    def restored(self, conversation: Conversation, before: Conversation, origin: Row) -> Row:
        row = self.encode(conversation)
        return restore_items(row, "conversations", conversation.messages, before.messages, origin)


def _turns(row: Row) -> list[dict[str, Any]] | None:
    turns: Any = row.get("conversations")
    if not isinstance(turns, list) or not turns:
        return None
    return turns if all(isinstance(turn, dict) and "from" in turn and "value" in turn for turn in turns) else None


def _message(turn: dict[str, Any]) -> Message:
    message: Message = {}
    for key, value in turn.items():
        if key == "from":
            message["role"] = TO_ROLE.get(value, value)
        else:
            message["content" if key == "value" else key] = "" if key == "value" and value is None else value
    return message


def _turn(message: Message) -> dict[str, Any]:
    turn: dict[str, Any] = {}
    for key, value in message.items():
        if key == "role":
            turn["from"] = FROM_ROLE.get(value, value)
        else:
            turn["value" if key == "content" else key] = value
    return turn


LAYOUT = Hermes()
