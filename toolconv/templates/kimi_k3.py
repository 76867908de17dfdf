"""Kimi K3: messages and channels of three tokens; system messages at the start declare tools and thinking effort.

Each assistant turn has a ``think`` channel, which may be empty, and a ``response`` channel; reasoning is always kept.
``thinking: false`` leaves out the think channels and the effort; ``thinking_effort`` is ``low``, ``high`` or ``max``.
Results carry the name of their tool and their index, and are in the order of the calls.

Source: chat template of moonshotai/Kimi-K3 (llama.cpp's copy).
"""

from __future__ import annotations

from toolconv.dialects.call_template import escaped
from toolconv.dialects.formats.kimi_k3 import DIALECT, closing, opening
from toolconv.templates.base import ChatView, SpanKind, Template, TextWriter

EFFORT = (
    "`thinking_effort` guides on how much to think in your thinking channel (not including the response channel), "
    "supported values include `low`, `medium`, `high`, and `max`.\n"
    "Now the system is invoked with `thinking_effort={effort}`."
)


def message(role: str, **attributes: object) -> str:
    """The marker that opens a message."""
    pairs = {"role": role, **attributes}
    return opening(" ".join(["message", *(f'{key}="{escaped(str(value))}"' for key, value in pairs.items())]))


class KimiK3Template(Template):
    """K3's channels, and its typed system messages."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            out.enclosed("tools", message("system", type="tool-declare"), self.block(chat), self.stop)
        if self._thinking(chat):
            effort = EFFORT.replace("{effort}", str(chat.variables.get("thinking_effort", "max")))
            out.enclosed("system", message("system", type="thinking-effort"), effort, self.stop)
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        role = chat.roles[index]
        kind: SpanKind = "system" if role == "system" else "user"
        out.enclosed(kind, self._header_of(chat, index, role), self.content(chat, index), self.stop, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self._header_of(chat, index, "assistant"), index)
        self.body(chat, out, index)
        out.trained("turn", self.stop, index)

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning, thinking = chat.reasoning(index), self._thinking(chat)
        if thinking:
            self.marked_reasoning(chat, out, index, reasoning if reasoning.strip() else "")
        elif reasoning:
            chat.lose("reasoning")
        out.add("turn", opening("response"), index, train=thinking)
        out.trained("prose", self.content(chat, index), index)
        out.trained("turn", closing("response"), index)
        self.calls(chat, out, index)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        calls = chat.calls(chat.assistant_before(start))
        for place, index in enumerate(chat.in_call_order(start, end)):
            name = chat.response_name(index) or (calls[place].name if place < len(calls) else "")
            header = message("tool", tool=name, index=place + 1)
            out.enclosed("response", header, self.response(chat, index), self.stop, index)

    def generation(self, chat: ChatView) -> str:
        return message("assistant") + opening("think" if self._thinking(chat) else "response")

    def _thinking(self, chat: ChatView) -> bool:
        return bool(chat.variables.get("thinking", True))

    def _header_of(self, chat: ChatView, index: int, role: str) -> str:
        name = chat.messages[index].get("name")
        return message(role, name=name) if name else message(role)


TEMPLATE = KimiK3Template(
    names_speakers=True,
    name="kimi-k3",
    dialect=DIALECT,
    models=("Kimi K3",),
    variables=("thinking", "thinking_effort"),
    stop=closing("message") + "<|end_of_msg|>",
)
