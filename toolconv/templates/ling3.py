"""Ling 3 and Ring 2.6: roles in ``<role>`` tags, a system turn that always turns thinking on or off, all reasoning.

``detailed thinking on`` (``off`` with ``enable_thinking: false``) follows the system text and the tools, unless the
system text already contains one of the two.

Source: chat template of inclusionAI/Ling-3.0-flash.
"""

from __future__ import annotations

from toolconv.dialects.formats.ling3 import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

SWITCH = "detailed thinking "


class Ling3Template(Template):
    """Ling's thinking switch in the system turn, and the line break after some headers."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        system = self.content(chat, 0) if given else ""
        has_switch = f"{SWITCH}on" in system or f"{SWITCH}off" in system
        out.turn(self.headers["system"], message)
        out.add("system", system, message)
        if given and (chat.tools or not has_switch):
            out.turn(self.dialect.chat.tools_apart, message)
        if chat.tools:
            out.add("tools", f"{self.block(chat)}\n")
        if not has_switch:
            out.add("system", SWITCH + self._option(chat))
        out.turn(self.stop, message)
        return int(given)

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        content, reasoning = self.content(chat, index), chat.reasoning(index)
        self.marked_reasoning(chat, out, index, reasoning.strip("\n"))
        out.trained("prose", content.lstrip("\n") if reasoning else content, index)
        self.calls(chat, out, index, content)

    def generation(self, chat: ChatView) -> str:
        return self.generation_prompt(thinks=self._option(chat) == "on")

    def header(self, role: str) -> str:
        return super().header(role) + ("\n" if role in ("assistant", "observation") else "")

    def _option(self, chat: ChatView) -> str:
        given = chat.variables.get("enable_thinking")
        return str(chat.variables.get("thinking_option", "on")) if given is None else "on" if given else "off"


TEMPLATE = Ling3Template(
    name="ling-3",
    dialect=DIALECT,
    models=("Ling-3.0-flash", "Ring-2.6"),
    variables=("enable_thinking", "thinking_option"),
    open="<role>{role}</role>",
    roles={"system": "SYSTEM", "user": "HUMAN", "assistant": "ASSISTANT", "observation": "OBSERVATION"},
    stop="<|role_end|>",
    close="",
)
