"""OpenHands' logged completions (``llm_completions``): ``messages``, their ``response``, and tools in ``kwargs``.

Each file is one request with the history up to it, so the last file of a session is the whole conversation. The answer
is the first of the ``choices``; the others count as losses (``choices``). All other keys are kept. Rows are only read.

Lost: the boundary between several texts of one message (``content_parts``).

Source: OpenHands/OpenHands, ``openhands/llm/llm.py`` (``log_completions``). No real file was available; the reader was
tested with one made by hand from it.
"""

from __future__ import annotations

from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.messages import Row
from toolconv.layouts.named_messages import NamedMessages


class OpenHandsCompletion(NamedMessages):
    """Requests with their answers."""

    name = "openhands-completion"
    sample = (
        '{"messages":[{"role":"user","content":[{"type":"text","text":"Weather?"}]}],"response":{"id":"r1","choices":[{'
        '"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":'
        '"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}}]}}]},"kwargs":{"tools":[{"type":"function","function":'
        '{"name":"get_weather","parameters":{"type":"object"}}}]}}'
    )

    asked_at = (("messages",),)
    answered_at = (("response", "choices", "0", "message"),)
    tools_at = (("kwargs", "tools"),)

    def matches(self, row: Row) -> bool:
        return isinstance(row.get("kwargs"), dict) and "messages" in row and self.answered(row) is not None

    def is_answer(self, value: Any, holder: Any) -> bool:
        return isinstance(value, dict)

    def decode(self, row: Row) -> Conversation:
        conversation = super().decode(row)
        conversation.notes.losses.extend(["choices"] * (len(row["response"]["choices"]) - 1))
        return conversation


LAYOUT = OpenHandsCompletion()
