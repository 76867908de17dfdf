"""Apriel 1.6: a prompt of its own before the system text, tools as Python prints them, and ids of earlier calls.

Reasoning is written only in the last turn, without the line that opens it: that is in the generation prompt. The last
turn has no end token unless ``training_prompt`` is true, and its calls have no ids.

Source: chat template of ServiceNow-AI/Apriel-1.6-15b-Thinker, with arguments as JSON (llama.cpp's copy).
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.core.tool_call import ToolCall
from toolconv.dialects.formats.apriel import APRIEL_CALLS, DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

PROMPT = """\
You are a thoughtful, systematic AI assistant from ServiceNow Language Models (SLAM) lab.
    Analyze each question carefully, present your reasoning step-by-step, then provide the final
    response after the marker [BEGIN FINAL RESPONSE].
"""


class AprielTemplate(Template):
    """The parts of the system turn, and what is left out in the last turn."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        out.turn(self.headers["system"] + PROMPT)
        if given:
            out.enclosed("system", "", self.content(chat, 0), "\n", 0)
        if chat.tools:
            out.enclosed("tools", "", self.block(chat), "\n")
        return int(given)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system":
            out.enclosed("system", self.headers["system"], self.content(chat, index), "\n", index)
        else:
            out.enclosed("user", self.headers["user"], self.content(chat, index), "", index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self.headers["assistant"], index)
        self.body(chat, out, index)
        if index < len(chat.messages) - 1 or chat.variables.get("training_prompt"):
            out.end(self.stop, self.close, index)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index)
        if reasoning and index == len(chat.messages) - 1:
            out.trained("reasoning", reasoning + self.dialect.reasoning.after, index)
        elif reasoning:
            chat.lose("reasoning")

    def calls(self, chat: ChatView, out: TextWriter, index: int, prose: str = "") -> None:
        calls = chat.calls(index)
        if index == len(chat.messages) - 1:
            calls = [ToolCall(call.name, call.arguments) for call in calls]
        if calls:
            out.trained("turn", self.dialect.separator, index)
            out.calls(self.dialect.render_each(calls), index)

    @property
    def ending(self) -> str:
        return ""

    def header(self, role: str) -> str:
        return "\n" * (role == "assistant") + super().header(role)


TEMPLATE = AprielTemplate(
    name="apriel-1.6",
    dialect=replace(
        DIALECT,
        calls=replace(
            APRIEL_CALLS,
            call='{"name": {name|json}, "arguments": {args}, "id": {id|json}}',
            without_id=APRIEL_CALLS.call,
        ),
        chat=replace(DIALECT.chat, responses_close="\n\n\n"),
    ),
    models=("Apriel-1.6-15b-Thinker",),
    variables=("training_prompt",),
    begin="<s>",
    open="<|begin_{role}|>\n",
    stop="\n<|end|>",
    opens_thought=True,
)
