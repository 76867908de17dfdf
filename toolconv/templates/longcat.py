"""LongCat-Flash-Chat: tools first, then turns that start with a role name and a round number, all on one line.

With ``enable_thinking: true`` and declared tools, turns since the last answer without calls have their reasoning; it is
left out everywhere else. The generation prompt turns thinking on or off.

Source: chat template of meituan-longcat/LongCat-Flash-Chat.
"""

from __future__ import annotations

from toolconv.dialects.formats.longcat import FLASH
from toolconv.templates.base import ChatView, Template, TextWriter


class LongCatTemplate(Template):
    """LongCat's rounds, and its rules on which reasoning to keep."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            out.add("tools", self.block(chat))
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        role = chat.roles[index]
        if role == "system":
            out.turn("SYSTEM:", index)
        else:
            asked = sum(chat.roles[before] == "user" for before in range(index))
            out.turn(f"{' ' if index else ''}[Round {asked}] USER:", index)
        out.add("system" if role == "system" else "user", self.content(chat, index), index)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index)
        if not reasoning:
            return
        if chat.variables.get("enable_thinking") is not True or not chat.tools or index <= self._last_answer(chat):
            chat.lose("reasoning")
            return
        out.turn("\n", index)
        self.marked_reasoning(chat, out, index, reasoning)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            out.turn(self.headers["tool"], index)
            out.add("response", self.response(chat, index), index)

    def generation(self, chat: ChatView) -> str:
        thinking, think = chat.variables.get("enable_thinking"), self.dialect.reasoning
        if not isinstance(thinking, bool):
            return self.headers["assistant"]
        if not thinking:
            return f" /think_off{self.headers['assistant']}{think.render('')}"
        budget = chat.variables.get("thinking_budget")
        limit = f"\nthinking_budget: < {max(int(budget), 1024)}." if budget else ""
        return f" /think_on{limit}{self.headers['assistant']}{think.before}"

    @staticmethod
    def _last_answer(chat: ChatView) -> int:
        """The last assistant turn without calls before the final turn; -1 if there is none."""
        answers = (
            index
            for index in range(len(chat.messages) - 2, -1, -1)
            if chat.roles[index] == "assistant" and not chat.calls(index)
        )
        return next(answers, -1)


TEMPLATE = LongCatTemplate(
    name="longcat-flash",
    dialect=FLASH,
    models=("LongCat-Flash-Chat",),
    variables=("enable_thinking", "thinking_budget"),
    open=" {role}:",
    roles={"assistant": "ASSISTANT", "tool": "TOOL"},
    stop="</longcat_s>",
    close="",
)
