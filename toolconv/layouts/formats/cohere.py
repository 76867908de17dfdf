"""Cohere's chat API, version 2: a request, an answer, or both, with a ``tool_plan``.

- An answer is ``{"id", "message", "finish_reason"}``. Both together are ``{"request": {…}, "response": {…}}``. A
  request without any ``tool_plan`` or ``document`` has the layout ``openai`` or ``chat``, which read it the same way.
- ``tool_plan``, the model's text before its calls, is read as reasoning. Content is text, or parts ``text`` and
  ``thinking``. The arguments of a call may be empty or the text ``null``.
- A result is text, or ``document`` parts whose ``data`` is text or an object. Documents without other keys are read as
  text.

Rows are only read.

Lost: the boundary between several texts of one message (``content_parts``).

Source: Cohere API reference, chat version 2.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.messages import Row
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder
from toolconv.layouts.named_messages import NamedMessages


class CohereChatApi(NamedMessages):
    """Requests and answers."""

    name = "cohere"
    sample = (
        '{"id":"c1","message":{"role":"assistant","tool_plan":"I look it up.","tool_calls":[{"id":"get_weather_1",'
        '"type":"function","function":{"name":"get_weather","arguments":"{\\"city\\": \\"Tokyo\\"}"}}]},'
        '"finish_reason":"TOOL_CALL"}'
    )
    renamed: ClassVar[dict[str, str]] = {"tool_plan": "reasoning_content"}
    parts = Parts(
        {
            "text": Part("text", ("text",)),
            "thinking": Part("reasoning", ("thinking",)),
            "document": Part("text", ("document",)),
        }
    )
    asked_at = (("request", "messages"), ("messages",))
    answered_at = (("message",), ("response", "message"))
    tools_at = (("request", "tools"), ("tools",))
    answer_marks = ("finish_reason",)

    def are_items(self, items: list[Row]) -> bool:
        return super().are_items(items) and any("tool_plan" in item or _documents(item) for item in items)

    def text_of(self, part: Any) -> str | None:
        if not isinstance(part, dict) or part.get("type") != "document":
            return super().text_of(part)
        document = part.get("document")
        data = document.get("data") if isinstance(document, dict) and document.keys() <= {"data", "id"} else None
        return data if isinstance(data, str) else jsontext.spaced(data) if isinstance(data, dict) else None

    def read_part(self, part: Any, role: str, builder: MessageBuilder) -> None:
        text = self.text_of(part)
        if text is not None and self.parts.kind(part) == "text":
            builder.text(text, role)
        else:
            super().read_part(part, role, builder)


def _documents(item: Row) -> bool:
    """Whether an item is a result of documents."""
    content = item.get("content")
    return (
        item.get("role") == "tool"
        and isinstance(content, list)
        and all(isinstance(part, dict) and part.get("type") == "document" for part in content)
    )


LAYOUT = CohereChatApi()
