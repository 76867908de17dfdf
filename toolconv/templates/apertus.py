"""Apertus: calls, results and answer in one turn, tools as TypeScript in a developer's turn that is always there.

The assistant's turn ends where the next user turn begins; one that ends the conversation is left open. Reasoning is not
written. ``enable_thinking`` enables what the developer's turn calls deliberation.

Source: chat template of swiss-ai/Apertus-8B-Instruct-2509.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from toolconv.dialects.apertus import DIALECT
from toolconv.templates.base import Chat, Page, Template

IDENTITY = """You are Apertus, a helpful assistant created by the SwissAI initiative.
Knowledge cutoff: 2024-04
Current date: {date}"""
DEVELOPER, DEVELOPER_END = "<|developer_start|>", "<|developer_end|>"


@dataclass(frozen=True, kw_only=True, eq=False)
class Apertus(Template):
    """Turns that hold results."""

    def head(self, chat: Chat, page: Page) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        system = self.content(chat, 0) if given else IDENTITY.format(date=chat.date().isoformat())
        self._turn(page, "system", system, message)
        enabled = "enabled" if chat.variables.get("enable_thinking") else "disabled"
        tools = self.block(chat) if chat.tools else "Tool Capabilities: disabled"
        page.enclosed("tools", f"{DEVELOPER}Deliberation: {enabled}\n", tools, DEVELOPER_END)
        return int(given)

    def plain(self, chat: Chat, page: Page, index: int) -> None:
        if self._goes_on(chat, index):
            page.add("turn", self.stop, chat.assistant_before(index), train=chat.roles[index - 1] == "assistant")
        self._turn(page, "system" if chat.roles[index] == "system" else "user", self.content(chat, index), index)

    @staticmethod
    def _turn(page: Page, kind: Literal["system", "user"], text: str, message: int | None) -> None:
        page.enclosed(kind, f"<|{kind}_start|>", text, f"<|{kind}_end|>", message)

    def assistant(self, chat: Chat, page: Page, index: int) -> None:
        if not self._goes_on(chat, index):
            page.turn(self.headers["assistant"], index)
        self.said(chat, page, index)

    @staticmethod
    def _goes_on(chat: Chat, index: int) -> bool:
        """Whether an assistant's turn is open before ``index``."""
        return chat.roles[index - 1] in ("assistant", "tool")

    def responses(self, chat: Chat, page: Page, start: int, end: int) -> None:
        for index in range(start, end):
            page.turn("[" if index == start else ", ", index)
            page.add("response", self.content(chat, index), index)
        page.turn("]", end - 1)


TEMPLATE = Apertus(
    name="apertus",
    dialect=DIALECT,
    models=("Apertus-8B-Instruct-2509", "Apertus-70B-Instruct-2509"),
    variables=("enable_thinking",),
    begin="<s>",
    open="<|{role}_start|>",
    stop="<|assistant_end|>",
    close="",
)
