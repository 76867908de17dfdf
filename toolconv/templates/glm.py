"""GLM-4.5 to 5.3: a token opens each turn and none closes it; a separate system turn declares the tools.

The model ends its turn by opening the next one: ``<|observation|>`` after calls, ``<|user|>`` after an answer; both are
trained on there. Reasoning before the last user turn is left out (GLM-4.7 keeps it with ``clear_thinking: false``). A
turn without reasoning has an empty block: ``<think></think>`` in GLM-4.5 and 4.6, a bare ``</think>`` in 4.7 and 5.
Whitespace around prose and reasoning is stripped. GLM-4.5 and 4.6 write a line break before every part, later models
don't. Consecutive results share a turn; a result with several content parts becomes a turn with one result per part
(not in 4.6V and since 5.1).

GLM-4.6V and GLM-OCR write a line break also after each result, and in the generation prompt. Since 5.1, the functions
are declared without their envelopes, and reasoning is written as it is; an empty block is ``<think></think>`` (GLM-5.1:
``</think>`` where reasoning is left out or off). Since 5.2, a text begins with the ``reasoning_effort``: ``max`` or
``high``, in 5.3 also ``low``. GLM-5.3 always thinks, keeps all reasoning unless ``clear_thinking`` is true, and puts
results in the order of their calls.

Source: chat templates of zai-org/GLM-4.5-Air, GLM-4.6, GLM-4.6V, GLM-4.7-Flash, GLM-5, GLM-5.1, GLM-5.2 and
GLM-5.3-Flash.
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
        sorts_results: results are in the order of their calls.
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
    sorts_results: bool = False

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            out.turn(self.headers["system"] + "\n")
            out.add("tools", self.block(chat))
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        role, text = chat.roles[index], chat.content(index)
        self._open(chat, out, index, role)
        out.turn(self.dialect.separator, index)
        if role != "system" and self._is_muted(chat) and not text.endswith(self.mute):
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
        order = chat.in_call_order(start, end) if self.sorts_results else range(start, end)
        for place, index in enumerate(order):
            message = chat.messages[index]
            content = message.get("content")
            results = [chat.content(index)]
            parts = content if self.splits_parts and isinstance(content, list) else None
            if parts is not None:
                results = [_result(part) for part in parts]
            if place == 0 or parts is not None:
                self._open(chat, out, start + place, form.response_role)
            for result in results:
                out.turn(self.dialect.separator, index)
                out.add("response", form.write_response(message, result), index)

    def generation(self, chat: ChatView) -> str:
        return self.headers["assistant"] + (self.not_thinking if self._is_muted(chat) else self.thinking)

    def _is_muted(self, chat: ChatView) -> bool:
        """Whether thinking is off."""
        return "enable_thinking" in self.variables and chat.variables.get("enable_thinking") is False

    def _open(self, chat: ChatView, out: TextWriter, index: int, role: str) -> None:
        """Open a turn. The token of a user or tool turn after an assistant turn is generated by the model."""
        ended = role != "system" and chat.roles[index - 1] == "assistant"
        out.add("turn", self.headers[role], index - ended, train=ended)


class Glm5Template(GlmTemplate):
    """GLM-5.1 to 5.3: the block of a turn, and the effort before everything.

    Attributes:
        efforts: what the effort of reasoning, with which the text begins, may be other than ``max``.
        closes_past: a turn whose reasoning is left out, or was off, has ``thoughtless``.
        clears: reasoning before the last user turn is left out unless ``clear_thinking`` says otherwise.
    """

    efforts: tuple[str, ...] = ()
    closes_past: bool = False
    clears: bool = True

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if self.efforts and not self._is_muted(chat):
            asked = chat.variables.get("reasoning_effort")
            out.turn(self.headers["system"])
            out.add("system", f"Reasoning Effort: {(asked if asked in self.efforts else 'max').capitalize()}")
        return super().head(chat, out)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        thought = chat.reasoning(index)
        shown = index > chat.last_user or not chat.variables.get("clear_thinking", self.clears)
        if thought and not shown:
            chat.lose("reasoning")
        muted = not thought and self._is_muted(chat)
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
    efforts=("high",),
    closes_past=False,
)
GLM5_3 = replace(
    GLM5_2,
    name="glm-5.3",
    models=("GLM-5.3", "GLM-5.3-Flash"),
    variables=("clear_thinking", "reasoning_effort"),
    efforts=("low", "high"),
    clears=False,
    sorts_results=True,
)
TEMPLATES = (GLM4_6, GLM4_6V, GLM4_7, GLM5_1, GLM5_2, GLM5_3)
