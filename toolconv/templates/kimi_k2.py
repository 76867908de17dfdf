"""Kimi K2: each turn has a token for its side, then the speaker's name; a separate first system turn has the tools.

The speaker of a result is its tool. Call ids have Kimi's form, ``functions.NAME:INDEX``, and are the only place where a
call names its tool; the original prints any id it is given.

Kimi K2 leaves out reasoning. Later models have ``<think>`` in every assistant turn, with the reasoning of the turns
after the last answer without calls (K2.7 Code: of all turns), and open it in the generation prompt, which
``thinking: false`` closes. K2.5 and later have no default system text.

Source: chat templates of moonshotai/Kimi-K2-Instruct-0905, Kimi-K2-Thinking, Kimi-K2.5 and Kimi-K2.7-Code.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.kimi_k2 import DIALECT
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.templates.base import ChatView, SpanKind, Template, TextWriter

SIDES = {"user": "<|im_user|>", "assistant": "<|im_assistant|>"}
"""The token of a turn by role; all other roles have the system token."""


class KimiK2Template(Template):
    """Turns headed by the speaker's name.

    Attributes:
        system_close: the text after the default system turn, which no other turn ends with.
    """

    system_close: str = "\n"

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            out.enclosed("tools", self.headers["tool_declare"], self.block(chat), self.stop)
        if self.default_system is not None and chat.messages and chat.roles[0] != "system":
            out.enclosed("system", self.headers["system"], self.default_system, self.stop + self.system_close)
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        role = chat.roles[index]
        kind: SpanKind = "user" if role == "user" else "system"
        out.enclosed(kind, self._header_of(chat, index, role), self.content(chat, index), self.stop, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self._header_of(chat, index, "assistant"), index)
        self.body(chat, out, index)
        out.trained("turn", self.stop, index)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            header = self._header_of(chat, index, "tool")
            out.enclosed("response", header, self.response(chat, index), self.stop, index)

    def header(self, role: str, name: str = "") -> str:
        return f"{SIDES.get(role, '<|im_system|>')}{name or role}<|im_middle|>"

    def _header_of(self, chat: ChatView, index: int, role: str) -> str:
        return self.header(role, str(chat.messages[index].get("name") or ""))


class KimiThinkingTemplate(KimiK2Template):
    """A thought in every assistant turn.

    Attributes:
        keeps_reasoning: every turn has its reasoning.
    """

    system_close: str = ""
    keeps_reasoning: bool = False
    opens_thought: bool = True
    empty_thoughts: bool = True

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return self.keeps_reasoning or (self._thinks(chat) and not self._answered(chat, index))

    def generation(self, chat: ChatView) -> str:
        return self.generation_prompt(thinks=self._thinks(chat)) if self.opens_thought else super().generation(chat)

    def _thinks(self, chat: ChatView) -> bool:
        return "thinking" not in self.variables or chat.variables.get("thinking") is not False

    @staticmethod
    def _answered(chat: ChatView, index: int) -> bool:
        """Whether a turn is an answer without calls, or comes before one."""
        turns = range(index, len(chat.messages))
        return any(chat.roles[turn] == "assistant" and not chat.calls(turn) for turn in turns)


K2 = KimiK2Template(
    names_speakers=True,
    name="kimi-k2",
    dialect=DIALECT,
    models=("Kimi-K2-Instruct", "Kimi-K2-Instruct-0905"),
    default_system="You are Kimi, an AI assistant created by Moonshot AI.",
    stop="<|im_end|>",
)
THINKING = KimiThinkingTemplate(
    names_speakers=True,
    name="kimi-k2-thinking",
    dialect=replace(DIALECT, reasoning=Reasoning(before="<think>", after="</think>")),
    models=("Kimi-K2-Thinking",),
    default_system=K2.default_system,
    stop=K2.stop,
    opens_thought=False,
)
K2_5 = replace(
    THINKING,
    name="kimi-k2.5",
    aliases=("kimi-k2.6",),
    models=("Kimi-K2.5", "Kimi-K2.6"),
    variables=("thinking",),
    default_system=None,
    opens_thought=True,
)
K2_7 = replace(K2_5, name="kimi-k2.7-code", aliases=(), models=("Kimi-K2.7-Code",), variables=(), keeps_reasoning=True)
TEMPLATES = (K2, THINKING, K2_5, K2_7)
