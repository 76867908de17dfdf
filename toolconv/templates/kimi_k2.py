"""Kimi K2: each turn has a token for its side, then the speaker's name; a separate first system turn has the tools.

The speaker of a result is its tool. Call ids have Kimi's form, ``functions.NAME:INDEX``, and are the only place where a
call names its tool; the original prints any id it is given. Reasoning is left out.

Source: chat template of moonshotai/Kimi-K2-Instruct-0905.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolconv.dialects.formats.kimi_k2 import DIALECT
from toolconv.templates.base import ChatView, SpanKind, Template, TextWriter

SIDES = {"user": "<|im_user|>", "assistant": "<|im_assistant|>"}
"""The token of a turn by role; all other roles have the system token."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KimiK2Template(Template):
    """Turns headed by the speaker's name."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            out.enclosed("tools", self.headers["tool_declare"], self.block(chat), self.stop)
        if chat.messages and chat.roles[0] != "system":
            ending = f"{self.stop}\n"  # no other turn ends with a line break
            out.enclosed("system", self.headers["system"], self.default_system or "", ending)
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        role = chat.roles[index]
        kind: SpanKind = "user" if role == "user" else "system"
        out.enclosed(kind, self._header_of(chat, index, role), self.content(chat, index), self.stop, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self._header_of(chat, index, "assistant"), index)
        self.body(chat, out, index)
        out.trained("turn", self.stop, index)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            header = self._header_of(chat, index, "tool")
            out.enclosed("response", header, self.response(chat, index), self.stop, index)

    def header(self, role: str, name: str = "") -> str:
        return f"{SIDES.get(role, '<|im_system|>')}{name or role}<|im_middle|>"

    def _header_of(self, chat: ChatView, index: int, role: str) -> str:
        return self.header(role, str(chat.messages[index].get("name") or ""))


TEMPLATE = KimiK2Template(
    names_speakers=True,
    name="kimi-k2",
    dialect=DIALECT,
    models=("Kimi-K2-Instruct", "Kimi-K2-Instruct-0905"),
    default_system="You are Kimi, an AI assistant created by Moonshot AI.",
    stop="<|im_end|>",
)
