"""Plain chat rows: ``messages`` of ``role`` and ``content``, with tools, calls and responses in the text.

Reading with a dialect turns the tools in the system turn, the calls and the tool responses into structure. This is the
layout for trainers that only add turn tokens around each message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolconv.core.messages import Message, Row
from toolconv.layouts.formats.openai import OpenAI, messages_in, part_forms

if TYPE_CHECKING:
    from toolconv.layouts.part_forms import PartForm


class ChatRows(OpenAI):
    """Messages without structure."""

    name = "chat"
    runs = None
    sample = (
        '{"messages":[{"role":"user","content":"Weather in Tokyo?"},{"role":"assistant","content":'
        '"<tool_call>\\n{\\"name\\": \\"get_weather\\", \\"arguments\\": {\\"city\\": \\"Tokyo\\"}}\\n</tool_call>"}]}'
    )
    calls_in_text = True

    def matches(self, row: Row) -> bool:
        return messages_in(row) is not None

    def form(self, *, came: bool) -> PartForm | None:
        return part_forms().CHAT  # type: ignore[no-any-return]

    def write_message(self, message: Message) -> Message:
        return message


LAYOUT = ChatRows()
