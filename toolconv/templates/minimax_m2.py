"""MiniMax-M2 to M2.7: turns between ``]~b]`` and ``[e~[``, tools after a system text that is never missing.

Reasoning before the last user turn is left out; the generation prompt opens ``<think>``. Consecutive results share a
turn; a result with several content parts becomes one result per part, each with a line break at its end. The models
differ in their default system text.

Source: chat templates of MiniMaxAI/MiniMax-M2 (first release) and its successors.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.core.messages import text_parts
from toolconv.dialects.formats.minimax_m2 import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter


class MinimaxM2Template(Template):
    """M2's default identity, its reasoning, and results of several parts."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        out.turn(self.headers["system"], message)
        out.add("system", (self.content(chat, 0) if given else "") or self.default_system or "", message)
        if chat.tools:
            out.add("tools", f"\n\n{self.block(chat)}")
        out.turn(self.ending, message)
        return int(given)

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return index > chat.last_query

    def response(self, chat: ChatView, index: int) -> str:
        message = chat.messages[index]
        content = message.get("content")
        if not isinstance(content, list):
            return super().response(chat, index)
        chat.lose("content_parts")
        written = [self.dialect.chat.write_response(message, f"{text}\n") for text in text_parts(content)]
        return self.dialect.chat.responses_between.join(written)


M2 = MinimaxM2Template(
    name="minimax-m2",
    dialect=DIALECT,
    models=("MiniMax-M2",),
    begin="]~!b[",
    open="]~b]{role}\n",
    roles={"assistant": "ai"},
    stop="[e~[",
    always_apart=True,
    opens_thought=True,
    default_system="You are a helpful assistant.",
)
TEMPLATES = (
    M2,
    *(
        replace(
            M2,
            name=f"minimax-{model.lower()}",
            models=(f"MiniMax-{model}",),
            default_system=f"You are a helpful assistant. Your name is MiniMax-{model} and is built by MiniMax.",
        )
        for model in ("M2.1", "M2.5", "M2.7")
    ),
)
