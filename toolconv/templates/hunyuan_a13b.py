"""Hunyuan-A13B: tools, rules and the time in the first turn, in Chinese; ``助手：`` before answers.

A conversation without tools has another format: a begin token before each user turn except the first, and no role
names. Reasoning is left out. There is no generation prompt, except for the empty block of ``enable_thinking: false``.

Source: vLLM's chat template for tencent/Hunyuan-A13B-Instruct.
"""

from __future__ import annotations

from toolconv.dialects.formats.hunyuan_a13b import A13B, ANSWER_RULE, ASSISTANT, CALL_RULE, FORMAT_RULE, RULES
from toolconv.templates.base import ChatView, Template, TextWriter

BEGIN, SYSTEM_END, TURN_END = "<|startoftext|>", "<|extra_4|>", "<|extra_0|>"
USER = "用户："
TIME_RULE = "如果额外要求里有时间信息，就以额外要求里的时间为准，否则，参考当前时间："
WEEKDAYS = "一二三四五六日"


class HunyuanA13BTemplate(Template):
    """Hunyuan's two formats, with and without tools."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        system = self.content(chat, 0) if chat.roles[0] == "system" else None
        if system is None and not chat.tools:
            return 0
        message = None if system is None else 0
        out.turn(BEGIN, message)
        if not chat.tools:
            out.add("system", system or "", message)
        elif system is None:
            out.add("tools", f"{self.block(chat)}\n\n当前时间：{self._now(chat)}")
        else:
            out.add("tools", self.block(chat).removesuffix(f"\n\n{RULES}") + self.dialect.chat.tools_apart)
            out.add("system", system, message)
            out.add("tools", f"\n\n{CALL_RULE}{FORMAT_RULE}\n{ANSWER_RULE}\n\n{TIME_RULE}{self._now(chat)}")
        out.turn(SYSTEM_END, message)
        return int(system is not None)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system":
            out.add("system", self.content(chat, index), index)
            return
        first = index == 1 and chat.roles[0] == "system"
        opening = USER if chat.tools else "" if first else BEGIN
        out.enclosed("user", opening, self.content(chat, index), TURN_END, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        self.reasoning(chat, out, index)
        content = self.content(chat, index)
        if chat.tools and not chat.calls(index):
            out.trained("turn", ASSISTANT, index)
        out.trained("prose", content, index)
        self.calls(chat, out, index)
        out.trained("turn", self.stop, index)

    def joins(self, chat: ChatView, index: int) -> bool:
        return True

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            text = self.response(chat, index) if chat.tools else self.content(chat, index)
            out.enclosed("response", "", text, TURN_END, index)

    def generation(self, chat: ChatView) -> str:
        return self.dialect.reasoning.render("") if chat.variables.get("enable_thinking") is False else ""

    @staticmethod
    def _now(chat: ChatView) -> str:
        day = chat.date()
        return f"{day.isoformat()} 00:00:00 星期{WEEKDAYS[day.weekday()]}"


TEMPLATE = HunyuanA13BTemplate(
    name="hunyuan-a13b",
    dialect=A13B,
    models=("Hunyuan-A13B-Instruct",),
    variables=("enable_thinking",),
    stop="<|eos|>",
)
