"""smolagents rows: the turns of the agent and its tools, with the question beside them in ``original_question``.

This is the shape of smolagents/toolcalling: ``original_question``, maybe ``system_prompt``, and ``messages`` with only
the turns of the agent and the tools. Calls are in ``<tool_call>``, as Python dict literals. Content is text or a list
of text parts. Roles may also be ``tool-call`` and ``tool-response``. The prompt and the question are read as the first
turns, unless there are such turns already. Rows are only read.

Source: data card of smolagents/toolcalling; smolagents' message roles.
"""

from __future__ import annotations

from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.row_fields import RowField
from toolconv.layouts.base import Layout
from toolconv.layouts.content_blocks import is_plain
from toolconv.layouts.formats.openai import messages_in, read_server_message, required_messages

ROLES = {"tool-call": "assistant", "tool-response": "tool"}
QUESTION = "original_question"


class Smolagents(Layout):
    """Turns without the question they answer."""

    leaves_out = True
    name = "smolagents"
    sample = (
        '{"original_question":"Ping it.","messages":[{"role":"assistant","content":'
        "\"<tool_call>\\n{'name': 'ping', 'arguments': {}}\\n</tool_call>\"}]}"
    )
    calls_in_text = True
    dialect = "hermes"

    def matches(self, row: Row) -> bool:
        return isinstance(row.get(QUESTION), str) and messages_in(row) is not None

    def decode(self, row: Row) -> Conversation:
        source = required_messages(row)
        notes = Notes()
        messages = [_read(message, notes) for message in source]
        canonical = dict(row)
        fields = [RowField("/messages", len(source), source)]
        if row[QUESTION] and all(message["role"] != "user" for message in messages):
            at = int(messages[0]["role"] == "system")
            messages.insert(at, {"role": "user", "content": canonical.pop(QUESTION)})
            rest = RowField("/messages", len(source) - at, source, range(at, len(source)))
            fields = [RowField("/messages", at, source), RowField(f"/{QUESTION}", 1), rest]
        canonical["messages"] = messages
        return Conversation(canonical, notes, fields=fields)


def _read(source: Message, notes: Notes) -> Message:
    message = read_server_message(source, notes)
    message["role"] = ROLES.get(message["role"], message["role"])
    parts: Any = message["content"]
    if isinstance(parts, list) and all(is_plain(part) for part in parts):
        message["content"] = "".join(part["text"] for part in parts)
    return message


LAYOUT = Smolagents()
