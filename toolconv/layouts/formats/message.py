"""One message of the assistant with its calls: what an API answers, on a line of its own.

``tool_calls`` or the older ``function_call``, with or without ``role``, or calls among the parts of its content, as
Anthropic's API answers; and all other keys of the message. The row is a conversation of this one message. A message
without calls may be a turn of a conversation that was written line by line, so it is read only if the user names this
layout. Rows are only read.

Source: API references: OpenAI, chat completions, the ``message`` of a choice; Anthropic, messages.
"""

from __future__ import annotations

from typing import Final

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.layouts.answers import PROMPTS
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.content_parts import kind_of
from toolconv.layouts.formats.openai import read_server_message
from toolconv.layouts.found_turns import CALL_KEYS, ONE_TURN
from toolconv.layouts.speakers import meaning_of

NOT_IN_MESSAGES: Final = frozenset(
    {"messages", "conversations", "prompt", *PROMPTS, "steps", "step_number", "observations"}
)
"""Keys of rows, which no message has."""


class BareMessage(Layout):
    """A message of the assistant."""

    name = "message"
    sample = (
        '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":'
        '{"name":"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}}]}'
    )

    def matches(self, row: Row) -> bool:
        if not NOT_IN_MESSAGES.isdisjoint(row):
            return False
        calls = next((row[key] for key in CALL_KEYS if row.get(key)), None)
        if type(calls) is list:
            calls = calls[0]
        if calls is None and type(parts := row.get("content")) is list and "role" in row:
            calls = next((part for part in parts if kind_of(part) == "call"), None)
        return type(calls) is dict and _is_assistant(row)

    def decode(self, row: Row) -> Conversation:
        if not _is_assistant(row):
            raise LayoutError(f"{ONE_TURN}, by {row.get('role', row.get('type'))!r}")
        if "content" not in row and CALL_KEYS.isdisjoint(row):
            raise LayoutError("neither content nor calls of a message")
        notes = Notes()
        message = read_server_message({"role": "assistant", **row}, notes)
        number_calls([message])
        return Conversation({"messages": [{**message, "role": "assistant"}]}, notes, fields=(RowField("", 1),))


def _is_assistant(row: Row) -> bool:
    role = row.get("role", row.get("type", "assistant"))
    return isinstance(role, str) and meaning_of(role) in ("assistant", *(() if "role" in row else (None,)))


LAYOUT = BareMessage()
