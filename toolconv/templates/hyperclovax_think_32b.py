"""HyperCLOVAX-SEED-Think-32B: GLM-4.5's calls in ChatML, results under the names of their tools.

Reasoning before the last user turn is left out. Later turns have a block if there is reasoning, and the last turn
always has one. The generation prompt holds an empty block, or opens one with ``thinking: true``.

Source: chat template of naver-hyperclovax/HyperCLOVAX-SEED-Think-32B.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.glm45 import GLM45
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.templates.base import ChatView, Template, TextWriter


class HyperClova32BTemplate(Template):
    """Which turns have a block of reasoning."""

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index).strip("\n")
        if index <= chat.last_user:
            if reasoning:
                chat.lose("reasoning")
        elif self._has_block(chat, index):
            self.marked_reasoning(chat, out, index, reasoning)

    def prose(self, chat: ChatView, index: int) -> str:
        content = self.content(chat, index)
        shown = index > chat.last_user and self._has_block(chat, index)
        return content.lstrip("\n") if shown else content

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index, "\n")

    def generation(self, chat: ChatView) -> str:
        return self.generation_prompt(thinks=chat.variables.get("thinking") is True)

    @staticmethod
    def _has_block(chat: ChatView, index: int) -> bool:
        return bool(chat.reasoning(index)) or index == len(chat.messages) - 1


TEMPLATE = HyperClova32BTemplate(
    name="hyperclovax-think-32b",
    dialect=replace(
        GLM45,
        calls=replace(GLM45.calls, turn_without_prose="{calls}"),
        reasoning=Reasoning(before="<think>\n", after="\n</think>\n\n"),
        chat=replace(
            GLM45.chat,
            tools_between="",
            tools_first=False,
            response_role="tool",
            response="<tool_response>{name}\n{content}\n</tool_response>",
        ),
    ),
    models=("HyperCLOVAX-SEED-Think-32B",),
    variables=("thinking",),
)
