"""Llama 4: tools in the first user turn, prose before calls between ``<|python_start|>`` and ``<|python_end|>``.

These two tokens are also written before calls without prose. Results are JSON strings. A conversation without a system
text has no system turn.

Source: chat template of meta-llama/Llama-4-Scout-17B-16E-Instruct.
"""

from __future__ import annotations

from toolconv.dialects.formats.llama4_json import DIALECT
from toolconv.templates.base import ChatView, TextWriter
from toolconv.templates.llama3 import ENVIRONMENT, LlamaTemplate

PROSE_OPEN, PROSE_CLOSE = DIALECT.prose_tags[0]


class Llama4Template(LlamaTemplate):
    """Prose between tokens in turns with calls."""

    def preamble(self, chat: ChatView, out: TextWriter) -> int:
        if chat.roles[0] != "system":
            return 0
        system = (ENVIRONMENT if chat.tools else "") + self.content(chat, 0).strip()
        out.enclosed("system", self.headers["system"], system, self.stop, 0)
        return 1

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if not chat.calls(index):
            super().body(chat, out, index)
            return
        self.reasoning(chat, out, index)
        out.trained("turn", PROSE_OPEN, index)
        out.trained("prose", self.prose(chat, index), index)
        out.trained("turn", PROSE_CLOSE, index)
        self.calls(chat, out, index)


TEMPLATE = Llama4Template(
    name="llama-4",
    dialect=DIALECT,
    models=("Llama-4-Scout-17B-16E-Instruct", "Llama-4-Maverick-17B-128E-Instruct"),
    begin="<|begin_of_text|>",
    open="<|header_start|>{role}<|header_end|>\n\n",
    stop="<|eot|>",
    close="",
)
