"""HyperCLOVAX-SEED-Think-14B: tools in the first turn; reasoning, prose and calls in turns of their own.

Calls end with ``<|stop|>``, answers with ``<|endofturn|>``. Reasoning before the last question or result is left out. A
conversation without a system turn gets an empty one. Whitespace around prose is stripped.

Source: chat template of naver-hyperclovax/HyperCLOVAX-SEED-Think-14B.
"""

from __future__ import annotations

from toolconv.dialects.formats.hyperclovax_14b import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

CALLED, ANSWERED = "<|im_end|><|stop|>", "<|im_end|><|endofturn|>"


class HyperClovaTemplate(Template):
    """The turn that declares the tools, and the ends of the model's turns."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        out.enclosed("tools", self.headers["tool_list"], self.block(chat) if chat.tools else "", self.ending)
        if chat.roles[0] != "system":
            out.turn(self.headers["system"] + self.ending)
        return 0

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self.headers["assistant"], index)
        self.body(chat, out, index)
        out.end(CALLED if chat.calls(index) else ANSWERED, self.close, index)

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return {"user", "tool"}.isdisjoint(chat.roles[index:])

    def prose(self, chat: ChatView, index: int) -> str:
        return self.content(chat, index).strip()

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        self.reasoning(chat, out, index)
        content = self.prose(chat, index)
        if content or not chat.calls(index):
            out.trained("turn", "\n", index)
        out.trained("prose", content, index)
        self.calls(chat, out, index, content)

    def header(self, role: str) -> str:
        return "<|im_start|>assistant" if role == "assistant" else super().header(role)

    @property
    def stops(self) -> tuple[str, ...]:
        return CALLED, ANSWERED


TEMPLATE = HyperClovaTemplate(
    name="hyperclovax-think-14b", dialect=DIALECT, models=("HyperCLOVAX-SEED-Think-14B",), default_system=""
)
