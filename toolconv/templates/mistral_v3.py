"""Mistral 7B v0.3 and Nemo: ``[INST]``, tools before the last user turn, calls as a list with ids and without prose.

The system text is part of the last user turn, and only if that turn ends the conversation; otherwise it is left out,
which is counted as the loss ``system``. Later system turns can't be written. There is no generation prompt. The
originals refuse turns that do not alternate; they are written here.

mistral-common, which vLLM uses with ``--tokenizer-mode mistral``, writes otherwise than these templates: results as
quoted JSON texts, the keys of a tool in its own order, and line breaks in descriptions as JSON does.

Source: chat templates of mistralai/Mistral-7B-Instruct-v0.3 and Mistral-Nemo-Instruct-2407.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.mistral import V3, V3_TEKKEN
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import ChatView, TextWriter
from toolconv.templates.mistral import MistralTemplate


class MistralV3Template(MistralTemplate):
    """One system text, in the last user turn.

    Attributes:
        gap: the separator after the opening marker of a user turn and before an answer; if there is one, whitespace
            around answers is stripped.
    """

    gap: str = ""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        if given and chat.roles[len(chat.messages) - 1] != "user":
            chat.lose("system")
        if chat.tools and chat.last_user < 0:
            chat.lose("tools")
        return int(given)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system":
            raise RenderError(f"{self.name} has no system turn after the first turn")
        if (
            chat.tools and chat.messages[index] == chat.messages[chat.last_user]
        ):  # if the last question is repeated, each occurrence has the tools
            out.add("tools", self.block(chat))
        out.turn(f"[INST]{self.gap}", index)
        if chat.roles[0] == "system" and index == len(chat.messages) - 1:
            out.add("system", f"{self.content(chat, 0)}\n\n", 0)
        out.add("user", chat.content(index), index)
        out.turn("[/INST]", index)

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.trained("turn", "" if chat.calls(index) else self.gap, index)
        super().body(chat, out, index)

    def prose(self, chat: ChatView, index: int) -> str:
        prose = super().prose(chat, index)
        return prose.strip() if self.gap else prose


NEMO = MistralV3Template(
    name="mistral-nemo",
    dialect=V3_TEKKEN,
    models=("Mistral-Nemo-Instruct-2407",),
    keeps_prose=False,
)
MISTRAL_7B = replace(
    NEMO,
    name="mistral-7b-v0.3",
    dialect=V3,
    models=("Mistral-7B-Instruct-v0.3", "Mixtral-8x22B-Instruct-v0.1", "Mistral-Small-Instruct-2409"),
    gap=" ",
)
TEMPLATES = (NEMO, MISTRAL_7B)
