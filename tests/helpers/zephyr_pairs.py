"""Zephyr's pairs: a question under ``ask`` and the one call that answers it under ``call``.

Lost: the id and other keys of a call.

Source: dataset card of zephyr/pairs.
"""

from __future__ import annotations

from typing import ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row, calls_of
from toolconv.core.notes import Notes
from toolconv.core.pairing import complete
from toolconv.core.row_fields import RowField
from toolconv.core.rows import replace_key
from toolconv.layouts.bare_calls import call_values, read_calls
from toolconv.layouts.base import Layout, Original, row_for


class ZephyrPairs(Layout):
    """A question and a call."""

    name: ClassVar[str] = "zephyr-pairs"
    sample: ClassVar[str] = '{"ask":"Is it up?","call":{"name":"ping","arguments":{"host":"a"}}}'

    def matches(self, row: Row) -> bool:
        return isinstance(row["ask"], str) and isinstance(row["call"], dict)

    def decode(self, row: Row) -> Conversation:
        notes = Notes()
        messages = [
            {"role": "user", "content": row["ask"]},
            {"role": "assistant", "content": "", "tool_calls": read_calls(row["call"], notes)},
        ]
        complete(messages)
        canonical = {("messages" if key == "ask" else key): value for key, value in row.items() if key != "call"}
        return Conversation(
            {**canonical, "messages": messages}, notes, fields=(RowField("/ask", 1), RowField("/call", 1))
        )

    def refusal(self, conversation: Conversation) -> str | None:
        messages = conversation.messages
        roles = [message["role"] for message in messages]
        one_call = roles == ["user", "assistant"] and len(calls_of(messages[1])) == 1 and not messages[1]["content"]
        return None if one_call else "a row of zephyr-pairs is a question and one call: divide the conversation first"

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        asked, answer = conversation.messages
        (call,) = call_values(calls_of(answer), conversation.notes)
        row = replace_key(row_for(conversation, "ask", "call"), "messages", "ask", asked["content"])
        return {**row, "call": call}


LAYOUT = ZephyrPairs()
