"""MiMo V2.5: ChatML without line breaks after turns, tools as tags, a system turn in every conversation.

A turn without reasoning has an empty ``<think></think>``. All reasoning is kept unless ``keep_all_reasoning`` is false;
then only the reasoning after the last user turn is. ``enable_thinking: false`` puts the empty block into the generation
prompt. Both are off by default in MiMo V2 Flash.

Source: chat templates of XiaomiMiMo/MiMo-V2.5 and MiMo-V2-Flash.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.mimo import DIALECT
from toolconv.templates.base import ChatView, Template


class MiMoTemplate(Template):
    """MiMo's reasoning, with a block in every turn.

    Attributes:
        asks: what ``keep_all_reasoning`` and ``enable_thinking`` are if they aren't given.
    """

    asks: bool = True
    empty_thoughts: bool = True

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return bool(chat.variables.get("keep_all_reasoning", self.asks)) or index > chat.last_query

    def generation(self, chat: ChatView) -> str:
        thinking = chat.variables.get("enable_thinking", self.asks)
        return super().generation(chat) if thinking else self.generation_prompt(thinks=False)


V2_5 = MiMoTemplate(
    name="mimo-v2.5",
    dialect=DIALECT,
    models=("MiMo-V2.5",),
    variables=("enable_thinking", "keep_all_reasoning"),
    close="",
    default_system="You are MiMo, a helpful AI assistant engineered by Xiaomi.",
)
FLASH = replace(V2_5, name="mimo-v2-flash", models=("MiMo-V2-Flash",), asks=False)
TEMPLATES = (V2_5, FLASH)
