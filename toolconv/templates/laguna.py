"""Laguna S 2.1: a tag around each turn, GLM-4.7's calls, reasoning in every turn.

A turn without reasoning has an empty block. With ``enable_thinking: false`` all reasoning is left out, unless
``preserve_thinking`` is true, and each turn begins with ``</think>``. A conversation without a system turn gets the
family's default. Whitespace at the end of the system text is stripped.

Source: chat template of poolside/Laguna-S-2.1.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.glm45 import GLM47
from toolconv.dialects.formats.poolside_v1 import DIALECT
from toolconv.templates.base import ChatView, SpanKind, Template, TextWriter


class LagunaTemplate(Template):
    """Tags that close, and when reasoning is shown."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        system = (self.content(chat, 0) if given else self.default_system or "").rstrip()
        message = 0 if given else None
        if system or chat.tools or self._thinks(chat):
            out.turn(self.headers["system"], message)
            out.add("system", system, message)
            if chat.tools:
                out.add("tools", (self.dialect.chat.tools_apart if system else "") + self.block(chat))
            out.turn(self._end("system"), message)
        return int(given)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        role = chat.roles[index]
        kind: SpanKind = "system" if role == "system" else "user"
        out.enclosed(kind, self.headers[role], self.content(chat, index), self._end(role), index)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning, mark = chat.reasoning(index), self.dialect.reasoning
        if self._thinks(chat) or chat.variables.get("preserve_thinking"):
            self.marked_reasoning(chat, out, index, reasoning)
            return
        if reasoning:
            chat.lose("reasoning")
        out.add("reasoning", mark.close, index)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            out.enclosed("response", "", self.response(chat, index), self.close, index)

    def generation(self, chat: ChatView) -> str:
        mark = self.dialect.reasoning
        return self.headers["assistant"] + (mark.open if self._thinks(chat) else mark.close)

    @staticmethod
    def _thinks(chat: ChatView) -> bool:
        return bool(chat.variables.get("enable_thinking", True))

    def _end(self, role: str) -> str:
        return f"</{role}>{self.close}"


TEMPLATE = LagunaTemplate(
    name="laguna-s-2.1",
    dialect=replace(
        DIALECT,
        separator="",
        calls=GLM47.calls,
        reasoning=GLM47.reasoning,
        chat=replace(
            DIALECT.chat,
            tools_close="\n</available_tools>",
            response="<tool_response>{content}</tool_response>",
            one_turn=False,
        ),
    ),
    models=("Laguna S 2.1",),
    variables=("enable_thinking", "preserve_thinking"),
    begin="〈|EOS|〉",
    open="<{role}>",
    stop="</assistant>",
    default_system="You are a helpful, conversationally-fluent assistant made by Poolside. You are here to be helpful "
    "to users through natural language conversations.",
)
