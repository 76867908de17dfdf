"""Granite 4.0: roles between ``<|start_of_role|>`` and ``<|end_of_role|>``, tools after the system text.

IBM's default system text is written only if there is neither a system text nor a tool. Content parts are joined by line
breaks. Reasoning is not written.

Source: chat template of ibm-granite/granite-4.0-h-small.
"""

from __future__ import annotations

from toolconv.dialects.formats.granite4 import DIALECT
from toolconv.templates.base import ChatView, Template


class Granite4Template(Template):
    """Granite's default system text and content parts."""

    def system(self, chat: ChatView, given: str | None) -> str | None:
        return given or ("" if chat.tools else self.default_system)

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index, "\n")


TEMPLATE = Granite4Template(
    name="granite-4",
    dialect=DIALECT,
    models=("Granite 4.0",),
    open="<|start_of_role|>{role}<|end_of_role|>",
    stop="<|end_of_text|>",
    default_system="You are a helpful assistant. Please ensure responses are professional, accurate, and safe.",
)
