"""LFM2.5: ChatML, the date and the tools behind the system text, prose behind the calls.

Reasoning is written in the last assistant turn only, in all of them with ``keep_past_thinking``. Texts in calls are not
escaped: one that holds quotes may be unreadable, which is counted as the loss ``call``.

Source: chat template of LiquidAI/LFM2.5-VL-450M.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolconv.dialects.lfm2 import LFM2_5
from toolconv.templates.base import Chat, Page, Template


@dataclass(frozen=True, kw_only=True, eq=False)
class Lfm25(Template):
    """Calls before prose."""

    def head(self, chat: Chat, page: Page) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        system = self.content(chat, 0) if given else ""
        if system or chat.tools:
            page.turn(self.headers["system"], message)
            page.add("system", system, message)
            if chat.tools:
                page.add("system", ("\n\n" if system else "") + f"Today's date: {chat.date()}\n\n")
                page.add("tools", self.block(chat))
            page.turn(self.ending, message)
        return int(given)

    def content(self, chat: Chat, index: int) -> str:
        return chat.text(index)

    def said(self, chat: Chat, page: Page, index: int) -> None:
        self.reasoning(chat, page, index)
        self.calls(chat, page, index)
        page.say("prose", self.content(chat, index), index)

    def reasoning(self, chat: Chat, page: Page, index: int) -> None:
        last = chat.assistant_before(len(chat.messages))
        reasoning = chat.reasoning(index)
        if reasoning and (index == last or chat.variables.get("keep_past_thinking")):
            self.thought(chat, page, index, reasoning)
        elif reasoning:
            chat.lose("reasoning")


TEMPLATE = Lfm25(
    name="lfm2.5",
    dialect=LFM2_5,
    models=("LFM2.5-VL-450M",),
    variables=("keep_past_thinking",),
    begin="<|startoftext|>",
)
