"""Hunyuan 3: system texts and tools at the very beginning, a reasoning mode behind them, a suffix in every token.

Reasoning is kept throughout where tools are declared (or with ``preserved_thinking``), else since the last user turn;
a turn without any gets an empty block. An answer that ends the conversation has no end token unless ``is_training``
says that this is what the text is for; ``reasoning_effort`` is ``no_think``, ``low`` or ``high``. Hy3-preview has no
suffixes and is not written.

Source: chat template of tencent/Hy3.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolconv.dialects.hy_v3 import HY3_RELEASED
from toolconv.templates.base import Chat, Page
from toolconv.templates.deepseek import DeepSeekV3


@dataclass(frozen=True, kw_only=True, eq=False)
class Hy3(DeepSeekV3):
    """Hy3's reasoning, and its open end; all else is laid out as DeepSeek-V3 does."""

    def head(self, chat: Chat, page: Page) -> int:
        apart = "\n\n" if self.systems(chat, page) else ""
        if chat.tools:
            page.add("tools", apart + self.block(chat))
        page.turn(f"<｜reasoning_mode:opensource｜>reasoning_effort:{self._effort(chat)}")
        return 0

    def plain(self, chat: Chat, page: Page, index: int) -> None:
        if chat.roles[index] != "system":  # these are written at the beginning
            page.turn(self.headers["user"], index)
            page.add("user", self.content(chat, index), index)

    def assistant(self, chat: Chat, page: Page, index: int) -> None:
        page.turn(self.headers["assistant"], index)
        self.said(chat, page, index)
        if chat.calls(index) or index < len(chat.messages) - 1 or chat.variables.get("is_training"):
            page.say("turn", self.stop, index)

    def reasoning(self, chat: Chat, page: Page, index: int) -> None:
        kept = chat.variables.get("preserved_thinking", bool(chat.tools)) or chat.variables.get("is_training")
        reasoning = chat.reasoning(index)
        if reasoning and not kept and index < chat.last_user:
            chat.lose("reasoning")
            reasoning = ""
        self.thought(chat, page, index, reasoning)

    def results_end(self, chat: Chat, end: int) -> str:
        return self.dialect.chat.responses_close

    def generation(self, chat: Chat) -> str:
        if chat.messages and chat.roles[len(chat.messages) - 1] == "assistant":
            return ""
        closed = self._effort(chat) == "no_think"
        think = self.dialect.reasoning
        return self.headers["assistant"] + (think.render("") if closed else think.before)

    def _effort(self, chat: Chat) -> str:
        return str(chat.variables.get("reasoning_effort", "no_think"))


TEMPLATE = Hy3(
    name="hy3",
    dialect=HY3_RELEASED,
    models=("Hy3",),
    variables=("reasoning_effort", "preserved_thinking", "is_training"),
    begin="<｜hy_begin_of_sentence:opensource｜>",
    open="<｜hy_{role}:opensource｜>",
    roles={"user": "User", "assistant": "Assistant"},
    stop="<｜hy_eos:opensource｜>",
    systems_between="",
)
