"""Raw text: the whole input is one model output, not a row.

This is any input that does not begin with a JSON row. A bare call (``{"name": …, "arguments": …}``, or a list of calls)
is not a row either: it is raw text in a JSON dialect.
"""

from __future__ import annotations

from typing import ClassVar

from toolconv.core.conversation import Conversation, Row
from toolconv.layouts.base import Original
from toolconv.layouts.formats.completion import Completion


class Raw(Completion):
    """One text. As a row, ``{"text": …}``; the pipeline reads and prints the text itself."""

    name: ClassVar[str] = "raw"
    sample: ClassVar[str] = '<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>'

    def matches(self, row: Row) -> bool:
        return False  # never a row

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        conversation.notes.losses += ["turns_before_completion"] * (len(conversation.messages) - 1)
        answer = Conversation({"messages": conversation.messages[-1:]}, conversation.notes)
        return {"text": super().encode(answer)["text"]}


LAYOUT = Raw()
