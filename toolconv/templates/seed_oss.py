"""Seed-OSS: turns between ``<seed:bos>`` and ``<seed:eos>``, tools as Python stubs, all reasoning.

Whitespace around reasoning and prose is stripped; values in calls are Python literals. A thinking budget is not
written. An empty turn, which the original leaves open, is closed like any other.

Source: chat template of ByteDance-Seed/Seed-OSS-36B-Instruct.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.seed_oss import CALLS, DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

IDENTITY = "You are Doubao, a helpful AI assistant. You may call one or more functions to assist with the user query."


class SeedOssTemplate(Template):
    """Seed's default system text, only for conversations with tools, and its stripped turns."""

    def declare(self, chat: ChatView, out: TextWriter, system: str, message: int | None) -> None:
        super().declare(chat, out, IDENTITY if message is None else system, message)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if reasoning := chat.reasoning(index).strip():
            self.marked_reasoning(chat, out, index, reasoning)

    def prose(self, chat: ChatView, index: int) -> str:
        return self.content(chat, index).strip()


TEMPLATE = SeedOssTemplate(
    name="seed-oss",
    dialect=replace(DIALECT, calls=replace(CALLS, param="<parameter={key}>{value|str}</parameter>\n")),
    models=("Seed-OSS-36B-Instruct",),
    open="<seed:bos>{role}\n",
    stop="<seed:eos>",
    close="",
)
