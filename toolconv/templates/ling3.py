"""Ling 3 and Ring 2.6: roles in ``<role>`` tags, a system turn that always says whether to think, reasoning kept.

``detailed thinking on`` (``off`` with ``enable_thinking: false``) stands behind the system text and the tools, unless
the system text says either itself.

Source: chat template of inclusionAI/Ling-3.0-flash.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolconv.dialects.ling3 import DIALECT
from toolconv.templates.base import Chat, Page, Template

SWITCH = "detailed thinking "


@dataclass(frozen=True, kw_only=True, eq=False)
class Ling3(Template):
    """Ling's switch in the system turn, and the line break that begins turns of blocks."""

    def head(self, chat: Chat, page: Page) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        system = self.content(chat, 0) if given else ""
        said = f"{SWITCH}on" in system or f"{SWITCH}off" in system
        page.turn(self.headers["system"], message)
        page.add("system", system, message)
        if given and (chat.tools or not said):
            page.turn(self.dialect.chat.tools_apart, message)
        if chat.tools:
            page.add("tools", f"{self.block(chat)}\n")
        if not said:
            page.add("system", SWITCH + self._option(chat))
        page.turn(self.stop, message)
        return int(given)

    def said(self, chat: Chat, page: Page, index: int) -> None:
        content, reasoning = self.content(chat, index), chat.reasoning(index)
        self.thought(chat, page, index, reasoning.strip("\n"))
        page.say("prose", content.lstrip("\n") if reasoning else content, index)
        self.calls(chat, page, index, content)

    def content(self, chat: Chat, index: int) -> str:
        return chat.text(index)

    def generation(self, chat: Chat) -> str:
        think = self.dialect.reasoning
        return self.headers["assistant"] + (think.before if self._option(chat) == "on" else think.render(""))

    def header(self, role: str) -> str:
        return super().header(role) + ("\n" if role in ("assistant", "observation") else "")

    def _option(self, chat: Chat) -> str:
        given = chat.variables.get("enable_thinking")
        return str(chat.variables.get("thinking_option", "on")) if given is None else "on" if given else "off"


TEMPLATE = Ling3(
    name="ling-3",
    dialect=DIALECT,
    models=("Ling-3.0-flash", "Ring-2.6"),
    variables=("enable_thinking", "thinking_option"),
    open="<role>{role}</role>",
    roles={"system": "SYSTEM", "user": "HUMAN", "assistant": "ASSISTANT", "observation": "OBSERVATION"},
    stop="<|role_end|>",
    close="",
)
