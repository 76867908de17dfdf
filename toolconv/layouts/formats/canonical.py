"""Canonical rows: the OpenAI chat row with ``arguments`` as objects and ``content`` always text.

Every row is parsed to this layout and rendered from it. TRL and Hugging Face chat templates accept it unchanged.
Media among content parts are in OpenAI's form or in that of transformers (``{"type": "image", "url": …}``); a part that
OpenAI has no form for stays unchanged.
A row with two answers of which one is preferred is TRL's preference row, ``prompt``, ``chosen`` and ``rejected``. Rows
with several answers of equal rank have ``prompt`` and ``completions``, a list with a list of messages for each answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row, calls_of
from toolconv.layouts.base import Original
from toolconv.layouts.formats.openai import OpenAI, messages_in, part_forms, reasoning_key

if TYPE_CHECKING:
    from toolconv.layouts.part_forms import PartForm


class Canonical(OpenAI):
    """OpenAI's messages, with arguments as objects."""

    name = "canonical"
    runs: ClassVar[frozenset[str] | None] = None
    sample = (
        '{"messages":[{"role":"user","content":"Weather in Tokyo?"},{"role":"assistant","content":"","tool_calls":'
        '[{"id":"call_0","type":"function","function":{"name":"get_weather","arguments":{"city":"Tokyo"}}}]}]}'
    )

    def matches(self, row: Row) -> bool:
        if "completions" in row:
            return self.apart(row) is not None
        return any(
            isinstance(call["function"].get("arguments"), dict)
            for message in messages_in(row) or ()
            for call in calls_of(message)
        )

    def is_own(self, message: Message) -> bool:
        if not super().is_own(message) or reasoning_key(message) is not None:
            return False
        return not any(isinstance(call["function"].get("arguments"), str) for call in calls_of(message))

    def form(self, *, came: bool) -> PartForm | None:
        return part_forms().CANONICAL  # type: ignore[no-any-return]

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        return conversation.row if original is None else super().encode(conversation, original)

    def write_message(self, message: Message) -> Message:
        return message


LAYOUT = Canonical()
