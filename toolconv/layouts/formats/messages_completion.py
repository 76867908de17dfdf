"""Rows of ``messages`` that end before the answer, and the answer as text under a key of its own.

Logs of requests and outputs look like this: the messages that were sent, and under ``completion``, ``output``,
``response``, ``answer`` or another usual key (or what ``--text-key`` names) what the model wrote. ``tools`` may be
declared.

Source: vLLM and SGLang offline inference, where rows are logged with the text of the output next to the messages.
"""

from __future__ import annotations

from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.layouts.base import Layout
from toolconv.layouts.formats.completion import Completion, TurnsAt, first_text, known_keys
from toolconv.layouts.formats.openai import messages_in, read_message

NOT_BESIDE = frozenset({"text", "content"})
"""Keys of texts next to messages that may be anything."""


class MessagesCompletion(Completion):
    """Messages and a text that answers them."""

    name = "messages-completion"
    sample = (
        '{"messages":[{"role":"user","content":"Is it up?"}],'
        '"response":"<tool_call>{\\"name\\":\\"ping\\",\\"arguments\\":{}}</tool_call>"}'
    )

    def matches(self, row: Row) -> bool:
        if not self.answer_keys.isdisjoint(row) and (found := self.apart(row)) is not None:
            row = found[1].rows[0]
        return self.key_of(row) is not None

    def key_of(self, row: Row) -> str | None:
        messages = messages_in(row)
        if messages is None or messages[-1]["role"] == "assistant":
            return None
        if self.text_key is not None:
            return super().key_of(row)
        keys = known_keys(tuple(row))
        return first_text(row, tuple(key for key in (*keys.texts, *keys.answers) if key.lower() not in NOT_BESIDE))

    def turns_before(self, row: Row, key: str, notes: Notes) -> tuple[str | None, list[TurnsAt]]:
        sent = messages_in(row)
        messages = [read_message(message, notes) for message in sent or ()]
        return None, [TurnsAt(("messages",), messages, sent if isinstance(row["messages"], list) else None)]

    encode = Layout.encode  # only read: other layouts hold such conversations


LAYOUT = MessagesCompletion()
