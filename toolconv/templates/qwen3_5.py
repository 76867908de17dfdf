"""Qwen3.5: ChatML, tools before the system text, calls as tags, reasoning in ``<think>`` since the last user turn.

Every assistant turn after the last user turn has a block, which may be empty; in earlier turns reasoning is left out.
The generation prompt opens the block; ``enable_thinking: false`` closes it. Whitespace around every text is stripped.

The small models (``qwen3.5-small``, 0.8B and 2B; MiniCPM-V 4.6) think only with ``enable_thinking: true``. Qwen3.6
writes ``true``, ``false`` and ``null`` as JSON does, and keeps all reasoning with ``preserve_thinking``. Ornith, tuned
on either, has a block in every turn. So has Qwen3.8, unless ``preserve_thinking`` is false. Its system turn begins with
a sentence for the ``reasoning_effort``: ``xhigh``, the default, or ``low``. There is none for ``medium``, nor where
thinking is off.

Source: chat templates of Qwen/Qwen3.5-4B, Qwen3.5-0.8B, Qwen3.6-35B-A3B and Qwen3.8-2.4T-A95B (9d060ae8),
openbmb/MiniCPM-V-4.6, deepreinforce-ai/Ornith-1.0-9B and Ornith-1.0-35B.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from toolconv.dialects.formats.qwen3_xml import DIALECT, JSON_VALUES
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import ChatView, Template, TextWriter

EFFORTS: Final = {
    "xhigh": "Reasoning effort is set to xhigh. Please think carefully through the task, validate key assumptions, "
    "consider plausible alternatives, and prioritize correctness, consistency, and clarity in the final answer.",
    "medium": "",
    "low": "Reasoning effort is set to low. Keep your thinking brief and focused, moving directly to the conclusion "
    "without unnecessary elaboration.",
}
"""The sentence of Qwen3.8's system turn, by ``reasoning_effort``."""


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
        if index > chat.last_query or self.keeps(chat):
            self.marked_reasoning(chat, out, index, reasoning)
        elif reasoning:
            chat.lose("reasoning")

    def keeps(self, chat: ChatView) -> bool:
        """Whether the turns before the last user turn have their reasoning."""
        return self.keeps_reasoning or chat.variables.get("preserve_thinking") is True

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index).strip()

    def generation(self, chat: ChatView) -> str:
        asked = chat.variables.get("enable_thinking")
        return self.generation_prompt(thinks=asked is not False if self.thinks else asked is True)


class Qwen38Template(Qwen35Template):
    """Qwen3.8's system turn, which says how much to think, and the reasoning of all turns."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        system, message = (self.content(chat, 0), 0) if given else ("", None)
        effort = self.effort(chat)
        if effort or chat.tools or system:
            out.turn(self.headers["system"], message)
            out.add("system", "\n\n".join(part for part in (effort, "" if chat.tools else system) if part), message)
            if chat.tools:
                out.add("tools", f"\n\n{self.block(chat)}" if effort else self.block(chat))
                out.add("system", f"\n\n{system}" if system else "", message)
            out.turn(self.ending, message)
        return int(given)

    def effort(self, chat: ChatView) -> str:
        """The sentence for ``reasoning_effort``; empty where the model doesn't think.

        Raises:
            RenderError: the template has no such effort.
        """
        if chat.variables.get("enable_thinking", True) is not True:
            return ""
        effort = chat.variables.get("reasoning_effort", "xhigh")
        if effort not in EFFORTS:
            raise RenderError(f"unexpected reasoning_effort {effort!r}; the template knows xhigh, medium and low")
        return EFFORTS[effort]

    def keeps(self, chat: ChatView) -> bool:
        return chat.variables.get("preserve_thinking", True) is True


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
QWEN3_8 = Qwen38Template(
    name="qwen3.8",
    dialect=JSON_VALUES,
    models=("Qwen3.8",),
    variables=("enable_thinking", "preserve_thinking", "reasoning_effort"),
)
ORNITH_9B = replace(QWEN3_5, name="ornith-1.0-9b", models=("Ornith-1.0-9B",), keeps_reasoning=True)
ORNITH_35B = replace(ORNITH_9B, name="ornith-1.0-35b", dialect=JSON_VALUES, models=("Ornith-1.0-35B",))
TEMPLATES = (QWEN3_5, SMALL, QWEN3_6, QWEN3_8, ORNITH_9B, ORNITH_35B)
