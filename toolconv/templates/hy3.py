"""Hunyuan 3: system texts and tools at the very beginning, then a reasoning mode; a suffix in every token.

All reasoning is kept if tools are declared (or with ``preserved_thinking``), otherwise only since the last user turn; a
turn without reasoning gets an empty block. An answer at the end of the conversation has no end token unless
``is_training`` is set; ``reasoning_effort`` is ``no_think``, ``low`` or ``high``. Hy3-preview, whose tokens have no
suffix, is not supported.

Source: chat template of tencent/Hy3.
"""

from __future__ import annotations

from toolconv.dialects.formats.hy_v3 import HY3_RELEASED
from toolconv.templates.base import ChatView, TextWriter
from toolconv.templates.deepseek import DeepSeekV3Template


class Hy3Template(DeepSeekV3Template):
    """Hy3's reasoning, and answers without an end token; otherwise as in DeepSeek-V3."""

    empty_thoughts: bool = True

    def head(self, chat: ChatView, out: TextWriter) -> int:
        apart = "\n\n" if self.systems(chat, out) else ""
        if chat.tools:
            out.add("tools", apart + self.block(chat))
        out.turn(f"<｜reasoning_mode:opensource｜>reasoning_effort:{self._effort(chat)}")
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] != "system":  # system texts are written at the beginning
            out.turn(self.headers["user"], index)
            out.add("user", self.content(chat, index), index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self.headers["assistant"], index)
        self.body(chat, out, index)
        if chat.calls(index) or index < len(chat.messages) - 1 or chat.variables.get("is_training"):
            out.trained("turn", self.stop, index)

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        kept = chat.variables.get("preserved_thinking", bool(chat.tools)) or chat.variables.get("is_training")
        return bool(kept) or index >= chat.last_user

    def results_end(self, chat: ChatView, end: int) -> str:
        return self.dialect.chat.responses_close

    def generation(self, chat: ChatView) -> str:
        answered = chat.messages and chat.roles[len(chat.messages) - 1] == "assistant"
        return "" if answered else self.generation_prompt(thinks=self._effort(chat) != "no_think")

    def _effort(self, chat: ChatView) -> str:
        return str(chat.variables.get("reasoning_effort", "no_think"))


TEMPLATE = Hy3Template(
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
