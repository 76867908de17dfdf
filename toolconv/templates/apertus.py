"""Apertus: calls, results and answer in one assistant turn; a developer turn that is always present declares the tools.

Tools are declared as TypeScript. The assistant turn ends where the next user turn begins; one at the end of the
conversation stays open. Reasoning is not written. ``enable_thinking`` enables what the developer turn calls
deliberation.

Source: chat template of swiss-ai/Apertus-8B-Instruct-2509.
"""

from __future__ import annotations

from typing import Literal

from toolconv.dialects.formats.apertus import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

IDENTITY = """You are Apertus, a helpful assistant created by the SwissAI initiative.
Knowledge cutoff: 2024-04
Current date: {date}"""
DEVELOPER, DEVELOPER_END = "<|developer_start|>", "<|developer_end|>"


class ApertusTemplate(Template):
    """Assistant turns that contain results."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        system = self.content(chat, 0) if given else IDENTITY.format(date=chat.date().isoformat())
        self._turn(out, "system", system, message)
        enabled = "enabled" if chat.variables.get("enable_thinking") else "disabled"
        tools = self.block(chat) if chat.tools else "Tool Capabilities: disabled"
        out.enclosed("tools", f"{DEVELOPER}Deliberation: {enabled}\n", tools, DEVELOPER_END)
        return int(given)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if self._goes_on(chat, index):
            out.add("turn", self.stop, chat.assistant_before(index), train=chat.roles[index - 1] == "assistant")
        self._turn(out, "system" if chat.roles[index] == "system" else "user", self.content(chat, index), index)

    @staticmethod
    def _turn(out: TextWriter, kind: Literal["system", "user"], text: str, message: int | None) -> None:
        out.enclosed(kind, f"<|{kind}_start|>", text, f"<|{kind}_end|>", message)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if not self._goes_on(chat, index):
            out.turn(self.headers["assistant"], index)
        self.body(chat, out, index)

    def joins(self, chat: ChatView, index: int) -> bool:
        return True

    @staticmethod
    def _goes_on(chat: ChatView, index: int) -> bool:
        """Whether the turn at ``index`` continues an open assistant turn."""
        return chat.roles[index - 1] in ("assistant", "tool")

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            out.turn("[" if index == start else ", ", index)
            out.add("response", self.content(chat, index), index)
        out.turn("]", end - 1)


TEMPLATE = ApertusTemplate(
    name="apertus",
    dialect=DIALECT,
    models=("Apertus-8B-Instruct-2509", "Apertus-70B-Instruct-2509"),
    variables=("enable_thinking",),
    begin="<s>",
    open="<|{role}_start|>",
    stop="<|assistant_end|>",
    close="",
)
