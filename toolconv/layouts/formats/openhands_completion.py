"""OpenHands' logged completions (``llm_completions``): ``messages``, their ``response``, and tools in ``kwargs``.

Each file is one request with the history up to it, so the last file of a session is the whole conversation. The answer
is the first of the ``choices``; the others count as losses (``choices``). All other keys are kept. Rows are only read.

Lost: the boundary between several texts of one message (``content_parts``).

Source: OpenHands/OpenHands, ``openhands/llm/llm.py`` (``log_completions``). No real file was available; the reader was
tested with one made by hand from it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.conversation import Conversation, Row
from toolconv.layouts.call_items import extras
from toolconv.layouts.exchange import AnswerPlace, Exchange


class OpenHandsCompletion(Exchange):
    """Requests with their answers."""

    name: ClassVar[str] = "openhands-completion"
    sample: ClassVar[str] = (
        '{"messages":[{"role":"user","content":[{"type":"text","text":"Weather?"}]}],"response":{"id":"r1","choices":[{'
        '"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":'
        '"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}}]}}]},"kwargs":{"tools":[{"type":"function","function":'
        '{"name":"get_weather","parameters":{"type":"object"}}}]}}'
    )

    def matches(self, row: Row) -> bool:
        return isinstance(row.get("kwargs"), dict) and "messages" in row and self.answer(row) is not None

    def answer(self, row: Row) -> AnswerPlace | None:
        response = row.get("response")
        if not isinstance(response, dict):
            return None
        choices = response.get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0].get("message"), dict):
            return None
        rest = {**extras(response, "choices"), **({"choices": choices[1:]} if choices[1:] else {})}
        return AnswerPlace("/response/choices/0/message", "response", choices[0]["message"], rest)

    def tools_of(self, row: Row) -> Any:
        return (row.get("kwargs") or {}).get("tools")

    def decode(self, row: Row) -> Conversation:
        conversation = super().decode(row)
        if isinstance(row.get("kwargs"), dict):
            conversation.row = {**conversation.row, "kwargs": extras(row["kwargs"], "tools")}
        conversation.notes.losses.extend(["choices"] * (len(row["response"]["choices"]) - 1))
        return conversation


LAYOUT = OpenHandsCompletion()
