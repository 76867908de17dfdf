"""Llama 3.1, 3.2 and 3.3: tools in the first user turn, no prose in turns with calls, results as JSON.

Whitespace around all texts is stripped. The originals refuse several calls in a turn; they are written the way readers
of the family accept them. If the conversation does not start with a user turn, a separate user turn declares the tools;
the originals print the first turn as the user's, whatever its role. Llama 3.1's template prints a fixed date, that of
its release; the template of 3.2 prints today's.

Source: chat templates of meta-llama/Llama-3.1-8B-Instruct and Llama-3.2-3B-Instruct.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from toolconv.dialects.formats.llama3_json import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

ENVIRONMENT = "Environment: ipython\n"


class LlamaTemplate(Template):
    """The base of Llama 3 and 4: tools in the first user turn."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        at = self.preamble(chat, out)
        if not chat.tools:
            return at
        asked = at if chat.roles[at] == "user" else None
        out.turn(self.headers["user"], asked)
        out.add("tools", f"{self.block(chat)}\n\n")
        if asked is not None:
            out.add("user", chat.content(asked).strip(), asked)
            at += 1
        out.turn(self.stop, asked)
        return at

    @abstractmethod
    def preamble(self, chat: ChatView, out: TextWriter) -> int:
        """Write the system turn; returns the number of messages written."""


class Llama3Template(LlamaTemplate):
    """A system turn in every conversation, which starts with two dates.

    Attributes:
        today: the fixed date to print; empty for the current date.
    """

    today: str = ""

    def preamble(self, chat: ChatView, out: TextWriter) -> int:
        message = 0 if chat.roles[0] == "system" else None
        environment = ENVIRONMENT if chat.tools else ""
        today = self.today or chat.date().strftime("%d %b %Y")
        out.turn(self.headers["system"], message)
        out.add("system", f"{environment}Cutting Knowledge Date: December 2023\nToday Date: {today}\n\n", message)
        if message is not None:
            out.add("system", self.content(chat, message), message)
        out.turn(self.stop, message)
        return int(message is not None)

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index).strip()


LLAMA_3_1 = Llama3Template(
    name="llama-3.1",
    dialect=DIALECT,
    models=("Llama-3.1-Instruct", "Llama-3.3-70B-Instruct"),
    begin="<|begin_of_text|>",
    open="<|start_header_id|>{role}<|end_header_id|>\n\n",
    stop="<|eot_id|>",
    close="",
    keeps_prose=False,
    today="26 Jul 2024",
)
LLAMA_3_2 = replace(LLAMA_3_1, name="llama-3.2", models=("Llama-3.2-1B-Instruct", "Llama-3.2-3B-Instruct"), today="")
TEMPLATES = (LLAMA_3_1, LLAMA_3_2)
