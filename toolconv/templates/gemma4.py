"""Gemma 4: an assistant turn continues after the results of its calls, and its prose also comes after them.

``<|turn>model⏎CALLS RESULTS PROSE<turn|>``; a turn with calls ends with ``<|tool_response>``, the token that starts its
results. A turn with calls and results but no prose is not closed; the next assistant turn continues it. Reasoning is
written before calls after the last user turn. Results without a call, which the original leaves out, are written.
``enable_thinking`` puts ``<|think|>`` into the system turn; without it the generation prompt contains an empty thought.

Source: chat template of google/gemma-4-31B-it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolconv.dialects.formats.gemma4 import DIALECT, GEMMA4_CALLS
from toolconv.templates.base import ChatView, Template, TextWriter

THINK = "<|think|>\n"


@dataclass(frozen=True, kw_only=True, eq=False)
class GemmaTemplate(Template):
    """The base of both Gemma formats: results continue the turn with the calls, and texts are stripped.

    Attributes:
        awaits: the token with which the model ends a turn with calls; each result starts with it.
    """

    awaits: str

    @property
    def stops(self) -> tuple[str, ...]:
        return (self.stop, self.awaits)

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index).strip()

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            self.respond(chat, out, index)

    def respond(self, chat: ChatView, out: TextWriter, index: int) -> None:
        """Write a result after the token with which the model awaits it."""
        text = self.response(chat, index)
        if chat.calls(index - 1):
            out.trained("turn", self.awaits, index - 1)
            text = text.removeprefix(self.awaits)
        out.add("response", text, index)

    def response(self, chat: ChatView, index: int) -> str:
        message = {**chat.messages[index], "name": chat.response_name(index) or "unknown"}
        return self.dialect.chat.write_response(message, chat.content(index))


@dataclass(frozen=True, kw_only=True, eq=False)
class Gemma4Template(GemmaTemplate):
    """Gemma 4's order of the parts of a turn, and its rules on which turns to close."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        thinking = bool(chat.variables.get("enable_thinking"))
        if given or thinking or chat.tools:
            message = 0 if given else None
            out.turn(self.headers["system"] + (THINK if thinking else ""), message)
            out.add("system", self.content(chat, 0) if given else "", message)
            if chat.tools:
                out.add("tools", self.block(chat))
            out.turn(self.ending, message)
        return int(given)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[self._spoken_before(chat, index)] != "assistant":
            out.turn(self.headers["assistant"], index)
        self.reasoning(chat, out, index)
        self.calls(chat, out, index)
        calling, end = bool(chat.calls(index)), index + 1
        if calling:
            while chat.roles[end] == "tool":
                self.respond(chat, out, end)
                end += 1
        out.trained("prose", self.prose(chat, index), index)
        if calling and end == index + 1:
            out.trained("turn", self.awaits, index)
        elif not calling or chat.messages[index].get("content"):
            out.end(self.stop, self.close, index)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index)
        if reasoning and index > chat.last_user and chat.calls(index):
            self.marked_reasoning(chat, out, index, reasoning)
        elif reasoning:
            chat.lose("reasoning")

    def prose(self, chat: ChatView, index: int) -> str:
        """The prose of a turn without the thoughts inside it."""
        text, mark = chat.content(index), self.dialect.reasoning
        opening = mark.open.removesuffix("thought")
        if opening in text:
            chat.lose("reasoning")
        return "".join(part.split(opening)[0] for part in text.split(mark.close)).strip()

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        if not chat.calls(start - 1):
            super().responses(chat, out, start, end)

    def generation(self, chat: ChatView) -> str:
        if chat.calls(self._spoken_before(chat, len(chat.messages))):
            return ""
        mark = self.dialect.reasoning
        return self.headers["assistant"] + ("" if chat.variables.get("enable_thinking") else mark.before + mark.close)

    @staticmethod
    def _spoken_before(chat: ChatView, index: int) -> int:
        """The last turn before ``index`` that is not a result; -1 if there is none."""
        index -= 1
        while chat.roles[index] == "tool":
            index -= 1
        return index


TEMPLATE = Gemma4Template(
    name="gemma-4",
    dialect=replace(DIALECT, calls=replace(GEMMA4_CALLS, null="None")),
    models=("Gemma 4",),
    variables=("enable_thinking",),
    begin="<bos>",
    open="<|turn>{role}\n",
    roles={"assistant": "model"},
    stop="<turn|>",
    awaits="<|tool_response>",
)
