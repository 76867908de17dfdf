"""Phi-4-mini: no line breaks between turns, calls as bare objects separated by commas, results in ``<|tool|>``.

The prompt asks for ``functools[…]``, but the calls of earlier turns are written without it. The text always ends with
the generation prompt. The original leaves out calls in turns with prose; they are written after it, on a line of their
own. A system turn after the first turn is not written.

Source: vLLM's tool_chat_template_phi4_mini.jinja.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.phi4_mini_json import CALLS, DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter


class Phi4MiniTemplate(Template):
    """A system turn that starts with a line break, and tools directly after its text."""

    def write(self, chat: ChatView, out: TextWriter) -> None:
        super().write(chat, out)
        out.turn(self.headers["assistant"])

    def generation(self, chat: ChatView) -> str:
        return ""

    def header(self, role: str) -> str:
        return super().header(role) + ("\n" if role == "system" else "")

    def declare(self, chat: ChatView, out: TextWriter, system: str, message: int | None) -> None:
        out.turn(self.headers["system"], message)
        out.add("system", system, message)
        out.add("tools", f"{self.block(chat)}\n\n")
        out.turn(self.stop, message)

    def system(self, chat: ChatView, given: str | None) -> str | None:
        return self.default_system if given is None else given.strip()

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system":
            chat.lose("system")
        else:
            super().plain(chat, out, index)


TEMPLATE = Phi4MiniTemplate(
    name="phi4-mini",
    dialect=replace(DIALECT, calls=replace(CALLS, before="", between=",", after="")),
    models=("Phi-4-mini-instruct",),
    open="<|{role}|>",
    stop="<|end|>",
    close="",
    default_system="You are a helpful assistant.",
)
