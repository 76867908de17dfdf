"""MiniCPM5: ChatML after ``<s>``, tools in the system turn, reasoning in ``<think>`` since the last user turn.

Values in calls are Python literals. ``enable_thinking: true`` opens the block in the generation prompt; ``false``
writes an empty one.

Source: chat template of openbmb/MiniCPM5-1B.
"""

from __future__ import annotations

from toolconv.core import jsontext
from toolconv.dialects.formats.minicpm5 import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter


class MiniCpm5Template(Template):
    """MiniCPM5's reasoning; results that are not strings as JSON."""

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        content, reasoning = chat.content(index), chat.reasoning(index)
        if reasoning and index > chat.last_query:
            self.marked_reasoning(chat, out, index, reasoning.strip("\n"))
            content = content.lstrip("\n")
        elif reasoning:
            chat.lose("reasoning")
        out.trained("prose", content, index)
        self.calls(chat, out, index, content)

    def response(self, chat: ChatView, index: int) -> str:
        message = chat.messages[index]
        content = message.get("content")
        text = content if isinstance(content, str) else jsontext.spaced(content)
        return self.dialect.chat.write_response(message, text)

    def generation(self, chat: ChatView) -> str:
        thinking = chat.variables.get("enable_thinking")
        return self.generation_prompt(thinks=thinking) if isinstance(thinking, bool) else super().generation(chat)


TEMPLATE = MiniCpm5Template(
    name="minicpm5",
    dialect=DIALECT,
    models=("MiniCPM5-1B",),
    variables=("enable_thinking",),
    begin="<s>",
)
