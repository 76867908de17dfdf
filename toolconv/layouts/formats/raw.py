"""Raw text: the whole input is one model output, not a row.

This is any input that does not begin with a JSON row. A bare call (``{"name": …, "arguments": …}``, or a list of calls)
is not a row either: it is raw text in a JSON dialect. A whole message of the assistant with its calls, and a
list of messages, are read as the layouts ``message`` and ``openai`` do.
"""

from __future__ import annotations

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.core.row_fields import RowField
from toolconv.layouts.base import Original
from toolconv.layouts.formats.completion import Completion
from toolconv.layouts.formats.message import LAYOUT as MESSAGE
from toolconv.layouts.formats.openai import LAYOUT as OPENAI
from toolconv.layouts.turn_shapes import as_row


class Raw(Completion):
    """One text. As a row, ``{"text": …}``; the pipeline reads and prints the text itself."""

    name = "raw"
    sample = '<tool_call>{"name":"search","arguments":{"query":"x"}}</tool_call>'

    def matches(self, row: Row) -> bool:
        return False  # never a row

    def decode(self, row: Row) -> Conversation:
        document = as_row(jsontext.opened(row["text"]))
        if type(document) is dict and (MESSAGE.fits(document) or OPENAI.fits(document)):
            read = (OPENAI if OPENAI.fits(document) else MESSAGE).decoded(document)
            read.row = {"messages": read.messages}
            read.fields = (RowField("/text", len(read.messages)),)
            return read
        return super().decode(row)

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        conversation.notes.losses += ["turns_before_completion"] * (len(conversation.messages) - 1)
        answer = Conversation({"messages": conversation.messages[-1:]}, conversation.notes)
        return {"text": super().encode(answer)["text"]}


LAYOUT = Raw()
