"""GLM-4.5 to 5.2: a token opens each turn and none closes it; a separate system turn declares the tools.

The model ends its turn by opening the next one: ``<|observation|>`` after calls, ``<|user|>`` after an answer; both are
trained on there. Reasoning before the last user turn is left out (GLM-4.7 keeps it with ``clear_thinking: false``). A
turn without reasoning has an empty block: ``<think></think>`` in GLM-4.5 and 4.6, a bare ``</think>`` in 4.7 and 5.
Whitespace around prose and reasoning is stripped. GLM-4.5 and 4.6 write a line break before every part, later models
don't. Consecutive results share a turn; a result with several content parts becomes a turn with one result per part
(not in 4.6V, 5.1 and 5.2).

GLM-4.6V and GLM-OCR write a line break also after each result, and in the generation prompt. GLM-5.1 and 5.2 declare
the functions without their envelopes, and write reasoning as it is; an empty block is ``<think></think>`` (GLM-5.1:
``</think>`` where reasoning is left out or off). GLM-5.2 begins with the ``reasoning_effort``, ``max`` or ``high``.

Source: chat templates of zai-org/GLM-4.5-Air, GLM-4.6, GLM-4.6V, GLM-4.7-Flash, GLM-5, GLM-5.1 and GLM-5.2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolconv.core.messages import text_of
from toolconv.dialects.formats.glm45 import GLM45, GLM47
from toolconv.templates.base import ChatView, Template, TextWriter


class GlmTemplate(Template):
    """Turns without an end token; the dialect's separator precedes every part.

    Attributes:
        thoughtless: the start of a turn without reasoning.
        mute: the suffix of user texts when thinking is off.
        thinking, not_thinking: the end of the generation prompt unless, and if, ``enable_thinking`` is false.
        splits_parts: a result with several content parts becomes several.
    """

    begin: str = "[gMASK]<sop>"
    open: str = "<|{role}|>"
    stop: str = ""
    close: str = ""
    always_apart: bool = True
    thoughtless: str
    mute: str = ""
    thinking: str = ""
    not_thinking: str
    splits_parts: bool = True

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            out.turn(self.headers["system"] + "\n")
            out.add("tools", self.block(chat))
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        role, text = chat.roles[index], chat.content(index)
        self._open(chat, out, index, role)
        out.turn(self.dialect.separator, index)
        if role != "system" and chat.variables.get("enable_thinking") is False and not text.endswith(self.mute):
            text += self.mute
        out.add("system" if role == "system" else "user", text, index)

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        self.reasoning(chat, out, index)
        if content := chat.content(index).strip():
            out.trained("turn", self.dialect.separator, index)
            out.trained("prose", content, index)
        self.calls(chat, out, index)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        thought, mark = chat.reasoning(index).strip(), self.dialect.reasoning
        prompt = self.generation(chat).removeprefix(self.headers["assistant"])
        own = prompt in ("", self.dialect.separator)  # then the model generates the first marker itself
        out.add("turn", self.dialect.separator, index, train=not prompt)
        if thought and (index > chat.last_user or chat.variables.get("clear_thinking") is False):
            out.add("reasoning", mark.open, index, train=own)
            out.trained("reasoning", thought + mark.close, index)
            return
        out.add("reasoning", self.thoughtless, index, train=own)
        if thought:
            chat.lose("reasoning")

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        form = self.dialect.chat
        for index in range(start, end):
            message = chat.messages[index]
            content = message.get("content")
            results = [chat.content(index)]
            parts = content if self.splits_parts and isinstance(content, list) else None
            if parts is not None:
                results = [_result(part) for part in parts]
            if index == start or parts is not None:
                self._open(chat, out, index, form.response_role)
            for result in results:
                out.turn(self.dialect.separator, index)
                out.add("response", form.write_response(message, result), index)

    def generation(self, chat: ChatView) -> str:
        muted = chat.variables.get("enable_thinking") is False
        return self.headers["assistant"] + (self.not_thinking if muted else self.thinking)

    def _open(self, chat: ChatView, out: TextWriter, index: int, role: str) -> None:
        """Open a turn. The token of a user or tool turn after an assistant turn is generated by the model."""
        ended = role != "system" and chat.roles[index - 1] == "assistant"
        out.add("turn", self.headers[role], index - ended, train=ended)


class Glm5Template(GlmTemplate):
    """GLM-5.1 and 5.2: the block of a turn, and the effort before everything.

    Attributes:
        effort: the text begins with the effort of reasoning.
        closes_past: a turn whose reasoning is left out, or was off, has ``thoughtless``.
    """

    effort: bool = False
    closes_past: bool = False

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if self.effort and chat.variables.get("enable_thinking") is not False:
            effort = "High" if chat.variables.get("reasoning_effort") == "high" else "Max"
            out.turn(self.headers["system"])
            out.add("system", f"Reasoning Effort: {effort}")
        return super().head(chat, out)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        thought = chat.reasoning(index)
        shown = index > chat.last_user or chat.variables.get("clear_thinking") is False
        if thought and not shown:
            chat.lose("reasoning")
        muted = not thought and chat.variables.get("enable_thinking") is False
        if not thought and shown and not muted and index < chat.last_user:
            shown = self._thinks_in_round(chat, index)
        if self.closes_past and (not shown or muted):
            out.add("reasoning", self.thoughtless, index)
        else:
            self.marked_reasoning(chat, out, index, thought if shown else "")

    @staticmethod
    def _thinks_in_round(chat: ChatView, index: int) -> bool:
        """Whether any turn between the same user turns has reasoning."""
        start = max((at for at in range(index) if chat.roles[at] == "user"), default=0)
        end = next(at for at in range(index, len(chat.roles)) if chat.roles[at] in ("user", ""))
        return any(chat.reasoning(at) for at in range(start, end))


def _result(part: Any) -> str:
    """A result that is a content part."""
    return text_of(part["output"] if isinstance(part, dict) and "output" in part else [part])[0]


GLM4_6 = GlmTemplate(
    name="glm-4.6",
    dialect=GLM45,
    aliases=("glm-4.5",),
    models=("GLM-4.5", "GLM-4.5-Air", "GLM-4.6"),
    variables=("enable_thinking",),
    thoughtless="<think></think>",
    mute="/nothink",
    not_thinking="\n<think></think>",
)
GLM4_6V = replace(
    GLM4_6,
    name="glm-4.6v",
    dialect=replace(GLM45, chat=replace(GLM45.chat, response=GLM45.chat.response + "\n")),
    aliases=("glm-ocr",),
    models=("GLM-4.6V", "GLM-4.6V-Flash", "GLM-OCR"),
    thinking="\n",
    not_thinking="\n<think></think>\n",
    splits_parts=False,
)
GLM4_7 = GlmTemplate(
    name="glm-4.7",
    dialect=GLM47,
    aliases=("glm-5",),
    models=("GLM-4.7", "GLM-4.7-Flash", "GLM-5"),
    variables=("enable_thinking", "clear_thinking"),
    thoughtless="</think>",
    thinking="<think>",
    not_thinking="</think>",
)
GLM5_1 = Glm5Template(
    name="glm-5.1",
    dialect=replace(GLM47, chat=replace(GLM47.chat, bare_tools=True)),
    models=("GLM-5.1",),
    variables=GLM4_7.variables,
    thoughtless="</think>",
    thinking="<think>",
    not_thinking="</think>",
    closes_past=True,
    splits_parts=False,
)
GLM5_2 = replace(
    GLM5_1,
    name="glm-5.2",
    models=("GLM-5.2",),
    variables=(*GLM4_7.variables, "reasoning_effort"),
    thoughtless="<think></think>",
    not_thinking="<think></think>",
    effort=True,
    closes_past=False,
)
TEMPLATES = (GLM4_6, GLM4_6V, GLM4_7, GLM5_1, GLM5_2)
