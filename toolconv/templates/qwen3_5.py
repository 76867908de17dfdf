"""Qwen3.5: ChatML, tools before the system text, calls as tags, reasoning in ``<think>`` since the last user turn.

Every assistant turn after the last user turn has a block, which may be empty; in earlier turns reasoning is left out.
The generation prompt opens the block; ``enable_thinking: false`` closes it. Whitespace around every text is stripped.

Source: chat template of Qwen/Qwen3.5-4B.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolconv.dialects.formats.qwen3_xml import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter


@dataclass(frozen=True, kw_only=True, eq=False)
class Qwen35Template(Template):
    """Reasoning since the last user turn, and stripped texts."""

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index).strip()
        if index > chat.last_query:
            self.marked_reasoning(chat, out, index, reasoning)
        elif reasoning:
            chat.lose("reasoning")

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index).strip()

    def generation(self, chat: ChatView) -> str:
        mark = self.dialect.reasoning
        closed = chat.variables.get("enable_thinking") is False
        return self.headers["assistant"] + (mark.render("") if closed else mark.before)


TEMPLATE = Qwen35Template(
    name="qwen3.5",
    dialect=DIALECT,
    models=("Qwen3.5",),
    variables=("enable_thinking",),
)
