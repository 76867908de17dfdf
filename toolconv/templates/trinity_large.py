"""Trinity Large: ChatML, tools as tags after the system text, calls as tags, all reasoning in ``<think>``.

The family's default system text is written only if there are tools and no system text. The generation prompt opens a
thought. Whitespace around reasoning is stripped, and around prose in turns with reasoning or calls.

Source: chat template of arcee-ai/Trinity-Large-Thinking.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.templates.base import ChatView, TextWriter
from toolconv.templates.qwen3_coder import CODER, Qwen3CoderTemplate


class TrinityTemplate(Qwen3CoderTemplate):
    """Reasoning in every turn that has some, a line break after each part of a turn."""

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning, prose, calls = chat.reasoning(index).strip(), chat.content(index), chat.calls(index)
        if reasoning or calls:
            prose = prose.strip()
        if reasoning:
            self.marked_reasoning(chat, out, index, reasoning)
            out.trained("turn", "\n" if prose else "", index)
        out.trained("prose", prose, index)
        self.calls(chat, out, index, prose or reasoning)


TEMPLATE = TrinityTemplate(
    name="trinity-large",
    dialect=replace(CODER.dialect, separator="\n", reasoning=Reasoning("<think>", "</think>", "<think>", "</think>")),
    models=("Trinity-Large-Thinking",),
    begin="<|begin_of_text|>",
    opens_thought=True,
    default_system="You are Trinity Large, a helpful assistant developed by Arcee AI, that can interact with a "
    "computer to solve tasks.",
)
