"""MiniMax-M3: the family's own system turn, then one of the developer with the system text and the tools.

All reasoning is kept. A turn without reasoning begins with ``</mm:think>``. The system turn asks for adaptive thinking,
as it does by default.

Source: chat template of MiniMaxAI/MiniMax-M3.
"""

from __future__ import annotations

from toolconv.dialects.formats.minimax_m3 import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

IDENTITY = """\
Your model version is MiniMax-M3, developed by MiniMax. Knowledge cutoff: January 2026. Founded in early 2022, MiniMax \
is a global AI foundation model company committed to advancing the frontiers of AI towards AGI.

<thinking_instructions>
You have a thinking capability that allows you to reason step by step before responding. When thinking is enabled, \
wrap your reasoning in <mm:think></mm:think> tags before your response. When thinking is disabled, begin your response \
directly after the </mm:think> prefix. When thinking is adaptive, decide on your own whether to think for the current \
turn.
Current thinking mode: adaptive. You are encouraged to think for complex decision-making, multi-step reasoning, or \
when analyzing function/tool results.
</thinking_instructions>"""


class MinimaxM3Template(Template):
    """M3's first turn, and its reasoning in every turn."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        out.turn("]~b]system\n")
        out.add("system", IDENTITY)
        out.turn(self.ending)
        return super().head(chat, out)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning, mark = chat.reasoning(index), self.dialect.reasoning
        if reasoning:
            self.marked_reasoning(chat, out, index, reasoning)
        else:
            out.trained("reasoning", mark.close, index)


TEMPLATE = MinimaxM3Template(
    name="minimax-m3",
    dialect=DIALECT,
    models=("MiniMax-M3",),
    begin="]~!b[",
    open="]~b]{role}\n",
    roles={"assistant": "ai", "system": "developer"},
    stop="[e~[",
    default_system="You are a helpful assistant.",
)
