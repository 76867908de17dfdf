"""Llama 4: tools in the first user turn, prose before calls between ``<|python_start|>`` and ``<|python_end|>``.

These two stand before calls without prose as well. Results are JSON strings. A conversation without a system text gets
no system turn.

Source: chat template of meta-llama/Llama-4-Scout-17B-16E-Instruct.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolconv.dialects.llama4_json import DIALECT
from toolconv.templates.base import Chat, Page
from toolconv.templates.llama3 import ENVIRONMENT, Llama

PROSE_OPEN, PROSE_CLOSE = DIALECT.prose_tags[0]


@dataclass(frozen=True, kw_only=True, eq=False)
class Llama4(Llama):
    """Prose in tokens of its own."""

    def preamble(self, chat: Chat, page: Page) -> int:
        if chat.roles[0] != "system":
            return 0
        system = (ENVIRONMENT if chat.tools else "") + self.content(chat, 0).strip()
        page.enclosed("system", self.headers["system"], system, self.stop, 0)
        return 1

    def content(self, chat: Chat, index: int) -> str:
        return chat.text(index)

    def said(self, chat: Chat, page: Page, index: int) -> None:
        if not chat.calls(index):
            super().said(chat, page, index)
            return
        self.reasoning(chat, page, index)
        page.say("turn", PROSE_OPEN, index)
        page.say("prose", self.prose(chat, index), index)
        page.say("turn", PROSE_CLOSE, index)
        self.calls(chat, page, index)


TEMPLATE = Llama4(
    name="llama-4",
    dialect=DIALECT,
    models=("Llama-4-Scout-17B-16E-Instruct", "Llama-4-Maverick-17B-128E-Instruct"),
    begin="<|begin_of_text|>",
    open="<|header_start|>{role}<|header_end|>\n\n",
    stop="<|eot|>",
    close="",
)
