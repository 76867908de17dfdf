"""Nemotron Nano v2 and Llama-Nemotron Super 1.5: a JSON list of calls in ``<TOOLCALL>`` tags, no past reasoning.

There is always a system turn. ``/think`` and ``/no_think`` in its text (in Nano v2 also in questions) switch the
generation prompt, and are left out of the text, which is counted as a loss.

Nano v2 strips whitespace around all texts but results. Only the last turn, if it is the assistant's, has reasoning.
Where that has none, it begins with ``<think></think>``, as the original writes it after ``/no_think``; otherwise the
original opens a thought there, which it never closes. The original also leaves out the calls of that turn.

Source: chat templates of nvidia/NVIDIA-Nemotron-Nano-12B-v2 and Llama-3_3-Nemotron-Super-49B-v1_5.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Final

from toolconv.dialects.formats.nemotron import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

NOTHING: Final = "<think></think>"
SWITCHES: Final = ("/think", "/no_think")


class NemotronTemplate(Template):
    """The words in texts that switch thinking, and the generation prompt that follows from them.

    Attributes:
        switching: the roles whose texts switch it; of the role ``system``, only the first turn.
        prompts: what the generation prompt ends with, with thinking and without.
    """

    switching: tuple[str, ...] = ("system",)
    prompts: tuple[str, str] = ("", "<think>\n\n</think>\n\n")

    def content(self, chat: ChatView, index: int) -> str:
        text = super().content(chat, index)
        if not self.switches(chat, index) or not any(switch in text for switch in SWITCHES):
            return text
        chat.lose(chat.roles[index])
        for switch in SWITCHES:
            text = text.replace(switch, "")
        return text.strip()

    def switches(self, chat: ChatView, index: int) -> bool:
        """Whether the text of a turn may switch thinking."""
        role = chat.roles[index]
        return role in self.switching and (role != "system" or index == 0)

    def thinks(self, chat: ChatView) -> bool:
        """Whether the model is to think: as the last text says that says anything."""
        thinks = True
        for index in range(len(chat.messages)):
            if self.switches(chat, index):
                text = str(chat.messages[index].get("content"))
                thinks = "/think" in text or (thinks and "/no_think" not in text)
        return thinks

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        if not self.dialect.chat.separates_results(chat.messages[start:end]):
            chat.lose("response_borders")
        super().responses(chat, out, start, end)

    def generation(self, chat: ChatView) -> str:
        return self.headers["assistant"] + self.prompts[0 if self.thinks(chat) else 1]


class NanoTemplate(NemotronTemplate):
    """Line breaks for ends of turns, and the last turn, which alone has reasoning."""

    def content(self, chat: ChatView, index: int) -> str:
        text = super().content(chat, index)
        return text if chat.roles[index] == "tool" else text.strip()

    def declare(self, chat: ChatView, out: TextWriter, system: str, message: int | None) -> None:
        super().declare(chat, out, system, message if system else None)  # no blank line after an empty text

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        super().body(chat, out, index)
        out.trained("turn", "\n", index)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index)
        if index < len(chat.messages) - 1:
            super().reasoning(chat, out, index)
        elif reasoning:
            self.marked_reasoning(chat, out, index, reasoning)
        else:
            out.add("reasoning", NOTHING, index, train=self.thinks(chat))

    def header(self, role: str) -> str:
        return "<SPECIAL_10>System\n" if role == "system" else super().header(role)

    @cached_property
    def ending(self) -> str:
        return self.close


class LlamaNemotronTemplate(NemotronTemplate):
    """A blank line after the system text, also without tools."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        out.turn(self.headers["system"], message)
        if given and chat.content(0):
            out.add("system", self.content(chat, 0), message)
            out.turn("\n\n", message)
        if chat.tools:
            out.add("tools", self.block(chat))
        out.turn(self.stop, message)
        return int(given)


SUPER_CHAT = replace(
    DIALECT.chat,
    tools_close=DIALECT.chat.tools_close.replace(
        "The user will execute tool-calls and return responses from tool(s) in this format:\n"
        '<TOOL_RESPONSE>[{{"tool_response1"}}, {{"tool_response2"}}]',
        "Response from tool(s) will be returned in this format:\n"
        '<TOOL_RESPONSE>[{{"response": "tool_response1"}}, {{"response": "tool_response2"}}]',
    )
    .replace("Based on the tool responses,", "Based on the results returned by the tool(s),")
    .replace("respond to the user.", "respond with the answer to the user."),
    response_role="tool",
)

TEMPLATES = (
    NanoTemplate(
        name="nemotron-nano-v2",
        dialect=DIALECT,
        models=("Nemotron-Nano-9B-v2", "Nemotron-Nano-12B-v2"),
        open="<SPECIAL_11>{role}\n",
        roles={"user": "User", "assistant": "Assistant"},
        stop="<SPECIAL_12>",
        default_system="",
        switching=("system", "user"),
        prompts=("<think>\n", NOTHING),
    ),
    LlamaNemotronTemplate(
        name="llama-nemotron-super-1.5",
        dialect=replace(DIALECT, separator="", chat=SUPER_CHAT),
        models=("Llama-3.3-Nemotron-Super-49B-v1.5",),
        begin="<|begin_of_text|>",
        open="<|start_header_id|>{role}<|end_header_id|>\n\n",
        stop="<|eot_id|>",
        close="",
    ),
)
