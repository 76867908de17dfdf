"""Qwen3.5: ChatML, tools before the system text, calls as tags, reasoning in ``<think>`` since the last user turn.

Every assistant turn after the last user turn has a block, which may be empty; in earlier turns reasoning is left out.
The generation prompt opens the block; ``enable_thinking: false`` closes it. Whitespace around every text is stripped.

The small models (``qwen3.5-small``, 0.8B and 2B; MiniCPM-V 4.6) think only with ``enable_thinking: true``. Qwen3.6
writes ``true``, ``false`` and ``null`` as JSON does, and keeps all reasoning with ``preserve_thinking``. Ornith, tuned
on either, has a block in every turn.

Source: chat templates of Qwen/Qwen3.5-4B, Qwen3.5-0.8B and Qwen3.6-35B-A3B, openbmb/MiniCPM-V-4.6,
deepreinforce-ai/Ornith-1.0-9B and Ornith-1.0-35B.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.qwen3_xml import DIALECT, JSON_VALUES
from toolconv.templates.base import ChatView, Template, TextWriter


class Qwen35Template(Template):
    """Reasoning since the last user turn, and stripped texts.

    Attributes:
        thinks: whether the model thinks unless ``enable_thinking`` says otherwise.
        keeps_reasoning: every turn has its reasoning.
    """

    thinks: bool = True
    keeps_reasoning: bool = False

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index).strip()
        if index > chat.last_query or self.keeps_reasoning or chat.variables.get("preserve_thinking") is True:
            self.marked_reasoning(chat, out, index, reasoning)
        elif reasoning:
            chat.lose("reasoning")

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index).strip()

    def generation(self, chat: ChatView) -> str:
        asked = chat.variables.get("enable_thinking")
        return self.generation_prompt(thinks=asked is not False if self.thinks else asked is True)


QWEN3_5 = Qwen35Template(
    name="qwen3.5",
    dialect=DIALECT,
    models=("Qwen3.5",),
    variables=("enable_thinking",),
)
SMALL = replace(
    QWEN3_5,
    name="qwen3.5-small",
    aliases=("minicpm-v-4.6",),
    models=("Qwen3.5-0.8B", "Qwen3.5-2B", "MiniCPM-V 4.6"),
    thinks=False,
)
QWEN3_6 = replace(
    QWEN3_5,
    name="qwen3.6",
    dialect=JSON_VALUES,
    models=("Qwen3.6", "Qwen-AgentWorld", "KAT-Coder V2.5"),
    variables=("enable_thinking", "preserve_thinking"),
)
ORNITH_9B = replace(QWEN3_5, name="ornith-1.0-9b", models=("Ornith-1.0-9B",), keeps_reasoning=True)
ORNITH_35B = replace(ORNITH_9B, name="ornith-1.0-35b", dialect=JSON_VALUES, models=("Ornith-1.0-35B",))
TEMPLATES = (QWEN3_5, SMALL, QWEN3_6, ORNITH_9B, ORNITH_35B)
