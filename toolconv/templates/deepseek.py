"""DeepSeek-V3, R1 and V3.1: no line breaks, system texts at the very beginning, no tool declarations, no reasoning.

V3 and R1 write ``<｜Assistant｜>`` after every user text. V3.1 writes it before an answer to a user, with a closed
thinking block. Assistant text after results or after another assistant turn follows without a token. If a user turn
follows results, the results stay open. ``thinking: true`` opens the block in V3.1's generation prompt.

Source: chat templates of deepseek-ai/DeepSeek-V3-0324, DeepSeek-V3.1 (llama.cpp's copy) and V3.1-Terminus.
"""

from __future__ import annotations

from toolconv.dialects.formats.deepseek_v3 import DIALECT as V3
from toolconv.dialects.formats.deepseek_v31 import DIALECT as V31
from toolconv.templates.base import ChatView, Template, TextWriter

USER, ASSISTANT = "<｜User｜>", "<｜Assistant｜>"


def role_before(chat: ChatView, index: int) -> str:
    """The role of the last message before ``index`` that is not a system text; empty if there is none."""
    return next((chat.roles[at] for at in range(index - 1, -1, -1) if chat.roles[at] != "system"), "")


class DeepSeekV3Template(Template):
    """V3: the assistant token ends user turns.

    Attributes:
        systems_between: the separator between two system texts.
        results_apart: the separator before results.
    """

    begin: str = "<｜begin▁of▁sentence｜>"
    stop: str = "<｜end▁of▁sentence｜>"
    systems_between: str = "\n\n"
    results_apart: str = ""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        self.systems(chat, out)
        if chat.tools:
            chat.lose("tools")
        return 0

    def systems(self, chat: ChatView, out: TextWriter) -> bool:
        """Write all system texts; returns whether any is not empty."""
        systems = [index for index in range(len(chat.messages)) if chat.roles[index] == "system"]
        texts = [self.content(chat, index) for index in systems]
        for index, text in zip(systems, texts, strict=True):
            out.add("system", (self.systems_between if index != systems[0] else "") + text, index)
        return any(texts)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system":  # written at the beginning
            return
        out.enclosed("user", USER, self.content(chat, index), ASSISTANT, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        self.body(chat, out, index)
        out.trained("turn", self.stop, index)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        form = self.dialect.chat
        for index in range(start, end):
            first = self.results_apart + form.responses_open
            out.turn(first if index == start else form.responses_between, index)
            out.add("response", self.response(chat, index), index)
        out.turn(self.results_end(chat, end), end - 1)

    def results_end(self, chat: ChatView, end: int) -> str:
        """The text after results, of which ``end - 1`` is the last."""
        return "" if chat.roles[end] == "user" else self.dialect.chat.responses_close

    def generation(self, chat: ChatView) -> str:
        return "" if role_before(chat, len(chat.messages)) in ("user", "tool") else ASSISTANT


class DeepSeekV31Template(DeepSeekV3Template):
    """V3.1: an answer to a user starts with the assistant token and ``thoughtless``."""

    thoughtless: str = "<think></think>"

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] != "system":
            out.turn(USER, index)
            out.add("user", self.content(chat, index), index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if role_before(chat, index) == "user":
            out.turn(ASSISTANT + self.thoughtless, index)
        super().assistant(chat, out, index)

    def generation(self, chat: ChatView) -> str:
        if role_before(chat, len(chat.messages)) != "user":
            return ""
        thinking = chat.variables.get("thinking", chat.variables.get("enable_thinking", False))
        return ASSISTANT + (self.dialect.reasoning.open if thinking else self.thoughtless)


TEMPLATES = (
    DeepSeekV3Template(
        name="deepseek-v3",
        dialect=V3,
        aliases=("deepseek-r1",),
        models=("DeepSeek-V3", "DeepSeek-V3-0324", "DeepSeek-R1", "DeepSeek-R1-0528"),
    ),
    DeepSeekV31Template(
        name="deepseek-v3.1",
        dialect=V31,
        models=("DeepSeek-V3.1",),
        variables=("thinking", "enable_thinking"),
    ),
    DeepSeekV31Template(
        name="deepseek-v3.1-terminus",
        dialect=V31,
        models=("DeepSeek-V3.1-Terminus",),
        variables=("thinking",),
        thoughtless="</think>",
    ),
)
