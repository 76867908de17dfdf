"""Olmo 3 Instruct: ChatML, tools directly after the text of every system turn, results in ``environment`` turns.

The tag that opens the calls follows prose directly. Olmo's default system text states whether there are tools.

Source: chat template of allenai/Olmo-3.1-32B-Instruct.
"""

from __future__ import annotations

from toolconv.dialects.formats.olmo3 import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

WITH_TOOLS = (
    "You are provided with function signatures within <functions></functions> XML tags. You may call one or more "
    "functions to assist with the user query. Output any function calls within <function_calls></function_calls> XML "
    "tags. Do not make assumptions about what values to plug into functions."
)
WITHOUT_TOOLS = "You do not currently have access to any functions. <functions></functions>"


class Olmo3Template(Template):
    """System turns in place, each with the tools."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if all(chat.roles[index] != "system" for index in range(len(chat.messages))):
            out.turn(self.headers["system"])
            out.add("system", f"{self.default_system} {WITH_TOOLS if chat.tools else WITHOUT_TOOLS}")
            out.add("tools", self.block(chat) if chat.tools else "")
            out.turn(self.ending)
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system" and chat.tools:
            out.turn(self.headers["system"], index)
            out.add("system", self.content(chat, index), index)
            out.add("tools", self.block(chat))
            out.turn(self.ending, index)
        else:
            super().plain(chat, out, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self.headers["assistant"], index)
        self.body(chat, out, index)
        out.trained("turn", self.stop, index)
        if index < len(chat.messages) - 1:
            out.turn(self.close, index)


TEMPLATE = Olmo3Template(
    name="olmo-3",
    dialect=DIALECT,
    models=("Olmo-3.1-32B-Instruct",),
    default_system="You are Olmo, a helpful AI assistant built by Ai2. Your date cutoff is December 2024, and your "
    "model weights are available at https://huggingface.co/allenai.",
)
