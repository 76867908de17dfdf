"""LFM2.5: ChatML, the date and the tools after the system text, prose after the calls.

Reasoning is written in the last assistant turn only, or in all of them with ``keep_past_thinking``. Strings in calls
are not escaped: one with quotes in it may be unreadable, which is counted as the loss ``call``.

Source: chat template of LiquidAI/LFM2.5-VL-450M.
"""

from __future__ import annotations

from toolconv.dialects.formats.lfm2 import LFM2_5
from toolconv.templates.base import ChatView, Template, TextWriter


class Lfm25Template(Template):
    """Calls before prose."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        system = self.content(chat, 0) if given else ""
        if system or chat.tools:
            out.turn(self.headers["system"], message)
            out.add("system", system, message)
            if chat.tools:
                out.add("system", ("\n\n" if system else "") + f"Today's date: {chat.date()}\n\n")
                out.add("tools", self.block(chat))
            out.turn(self.ending, message)
        return int(given)

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        self.reasoning(chat, out, index)
        self.calls(chat, out, index)
        out.trained("prose", self.content(chat, index), index)

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        last = chat.assistant_before(len(chat.messages))
        return index == last or bool(chat.variables.get("keep_past_thinking"))


TEMPLATE = Lfm25Template(
    name="lfm2.5",
    dialect=LFM2_5,
    models=("LFM2.5-VL-450M",),
    variables=("keep_past_thinking",),
    begin="<|startoftext|>",
)
