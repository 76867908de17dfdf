"""Qwen3: ChatML as in Qwen2.5, with reasoning in ``<think>`` since the last user turn.

Reasoning before the last user turn is left out. After it, a turn without reasoning gets an empty block only at the end
of the conversation. ``enable_thinking: false`` closes the block in the generation prompt. The thinking models of July
2025 open it there. Qwen3-Omni writes a blank line before the tools also where no system text precedes them.

Source: chat templates of Qwen/Qwen3-0.6B, Qwen3-4B-Thinking-2507 and Qwen3-Omni-30B-A3B-Instruct.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.hermes import DIALECT
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.templates.base import ChatView, Template, TextWriter


class Qwen3Template(Template):
    """Qwen3's reasoning, which depends on the position of the turn."""

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        content, reasoning = chat.content(index), chat.reasoning(index)
        if (reasoning or index == len(chat.messages) - 1) and index > chat.last_query:
            self.marked_reasoning(chat, out, index, reasoning.strip("\n"))
            content = content.lstrip("\n")
        elif reasoning:
            chat.lose("reasoning")
        out.trained("prose", content, index)
        self.calls(chat, out, index, content)

    def generation(self, chat: ChatView) -> str:
        closed = not self.opens_thought and chat.variables.get("enable_thinking") is False
        return self.generation_prompt(thinks=False) if closed else super().generation(chat)


QWEN3 = Qwen3Template(
    name="qwen3",
    dialect=DIALECT,
    models=("Qwen3 (hybrid reasoning, 0.6B to 235B-A22B)",),
    variables=("enable_thinking",),
)
THINKING = replace(
    QWEN3,
    name="qwen3-thinking-2507",
    models=("Qwen3-4B-Thinking-2507", "Qwen3-30B-A3B-Thinking-2507", "Qwen3-235B-A22B-Thinking-2507"),
    variables=(),
    opens_thought=True,
)
OMNI = replace(QWEN3, name="qwen3-omni", models=("Qwen3-Omni-30B-A3B-Instruct",), variables=(), tools_always_apart=True)
INTERN_S1_PRO = replace(
    THINKING,
    name="intern-s1-pro",
    dialect=replace(DIALECT, reasoning=Reasoning(before="<think>", after="</think>\n\n")),
    models=("Intern-S1-Pro",),
)
TEMPLATES = (QWEN3, THINKING, OMNI, INTERN_S1_PRO)
