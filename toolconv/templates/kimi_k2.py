"""Kimi K2: a token for the side of each turn, then the speaker's name; tools in a system turn of their own, before all.

The speaker of a result is its tool. Call ids are Kimi's own, ``functions.NAME:INDEX``, which is where a call says its
name; the original prints whatever ids it is given. Reasoning is left out.

Source: chat template of moonshotai/Kimi-K2-Instruct-0905.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolconv.dialects.kimi_k2 import DIALECT
from toolconv.templates.base import Chat, Page, Template

SIDES = {"user": "<|im_user|>", "assistant": "<|im_assistant|>"}
"""The token of a turn by its role; all others are the system's."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KimiK2(Template):
    """Turns under the name of who speaks."""

    def head(self, chat: Chat, page: Page) -> int:
        if chat.tools:
            page.turn(self.opened("tool_declare"))
            page.add("tools", self.block(chat))
            page.turn(self.stop)
        if chat.messages and chat.role(0) != "system":
            page.turn(self.opened("system"))
            page.add("system", self.default_system or "")
            page.turn(f"{self.stop}\n")  # only here
        return 0

    def plain(self, chat: Chat, page: Page, index: int) -> None:
        role = chat.role(index)
        page.turn(self._opened_by(chat, index, role), index)
        page.add("user" if role == "user" else "system", self.content(chat, index), index)
        page.turn(self.stop, index)

    def assistant(self, chat: Chat, page: Page, index: int) -> None:
        page.turn(self._opened_by(chat, index, "assistant"), index)
        self.said(chat, page, index)
        page.turn(self.stop, index, train=True)

    def responses(self, chat: Chat, page: Page, start: int, end: int) -> None:
        for index in range(start, end):
            page.turn(self._opened_by(chat, index, "tool"), index)
            self.response(chat, page, index)
            page.turn(self.stop, index)

    def content(self, chat: Chat, index: int) -> str:
        return chat.text(index)

    def opened(self, role: str, name: str = "") -> str:
        return f"{SIDES.get(role, '<|im_system|>')}{name or role}<|im_middle|>"

    def _opened_by(self, chat: Chat, index: int, role: str) -> str:
        return self.opened(role, str(chat.messages[index].get("name") or ""))


TEMPLATE = KimiK2(
    name="kimi-k2",
    dialect=DIALECT,
    models=("Kimi-K2-Instruct", "Kimi-K2-Instruct-0905"),
    default_system="You are Kimi, an AI assistant created by Moonshot AI.",
    stop="<|im_end|>",
)
