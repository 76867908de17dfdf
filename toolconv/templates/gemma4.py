"""Gemma 4: an assistant turn continues after the results of its calls, and its prose also comes after them.

``<|turn>model⏎CALLS RESULTS PROSE<turn|>``; a turn with calls ends with ``<|tool_response>``, the token that starts its
results. ``enable_thinking`` puts ``<|think|>`` into the system turn; without it, the generation prompt of the large
models contains an empty thought, that of the small ones (E2B, E4B) none. Results without a call, which the original
leaves out, are written.

``gemma-4`` and ``gemma-4-e4b``, the templates of today, write reasoning after the last user turn, and with
``preserve_thinking`` in every turn with calls; they write ``null``, and consecutive assistant turns as one turn.
``gemma-4-first`` and ``gemma-4-e4b-first``, those of the release, write reasoning only before calls, ``None``, and the
end of a turn after its prose. DiffusionGemma opens a new turn after results.

Source: chat templates of google/gemma-4-26B-A4B-it, gemma-4-E4B-it (both today's and the first), gemma-4-31B-it (the
first) and diffusiongemma-26b-a4b-it.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.gemma4 import DIALECT, GEMMA4_CALLS
from toolconv.templates.base import ChatView, Template, TextWriter

THINK = "<|think|>\n"


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


class Gemma4Template(GemmaTemplate):
    """Gemma 4's order of the parts of a turn, and its rules on which turns to close.

    Attributes:
        empty_thought: the generation prompt contains an empty thought unless the model is to think.
        opens_after_results: what the model writes after results is a turn of its own.
    """

    empty_thought: bool = True
    opens_after_results: bool = False

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
        before = index - 1 if self.opens_after_results else self._spoken_before(chat, index)
        if chat.roles[before] != "assistant":
            out.turn(self.headers["assistant"], index)
        self.reasoning(chat, out, index)
        self.calls(chat, out, index)
        calling, end = bool(chat.calls(index)), index + 1
        if calling:
            while chat.roles[end] == "tool":
                self.respond(chat, out, end)
                end += 1
        prose, answered = self.prose(chat, index), end > index + 1
        out.trained("prose", prose, index)
        if prose and answered:  # where it is read as that of the next turn
            chat.lose("prose")
        if calling and not answered:
            out.trained("turn", self.awaits, index)
        else:
            self.end(chat, out, index, answered)

    def end(self, chat: ChatView, out: TextWriter, index: int, answered: bool) -> None:
        """Close a turn, unless the next one continues it; ``answered``: its calls have results."""
        following = next((role for role in chat.roles[index + 1 :] if role != "tool"), "")
        if following != "assistant" and (following or not answered or self.content(chat, index)):
            out.end(self.stop, self.close, index)

    def joins(self, chat: ChatView, index: int) -> bool:
        return not chat.calls(index - 1)

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        """Whether the reasoning of a turn is written."""
        preserved = chat.variables.get("preserve_thinking") and chat.calls(index)
        return index > chat.last_user or bool(preserved)

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
        mark, thinking = self.dialect.reasoning, bool(chat.variables.get("enable_thinking"))
        spoken = self._spoken_before(chat, len(chat.messages))
        if chat.calls(spoken):
            return mark.before if thinking and spoken < len(chat.messages) - 1 else ""
        return self.headers["assistant"] + (mark.before + mark.close if self.empty_thought and not thinking else "")

    @staticmethod
    def _spoken_before(chat: ChatView, index: int) -> int:
        """The last turn before ``index`` that is not a result; -1 if there is none."""
        index -= 1
        while chat.roles[index] == "tool":
            index -= 1
        return index


class FirstGemma4Template(Gemma4Template):
    """The release: prose ends a turn with calls, and reasoning is written only before calls."""

    def end(self, chat: ChatView, out: TextWriter, index: int, answered: bool) -> None:
        if not chat.calls(index) or chat.messages[index].get("content"):
            out.end(self.stop, self.close, index)

    def joins(self, chat: ChatView, index: int) -> bool:
        return False

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return index > chat.last_user and bool(chat.calls(index))

    def generation(self, chat: ChatView) -> str:
        if chat.calls(self._spoken_before(chat, len(chat.messages))):
            return ""
        return super().generation(chat)


LARGE = Gemma4Template(
    name="gemma-4",
    dialect=DIALECT,
    aliases=("gemma-4-26b-a4b", "gemma-4-31b"),
    models=("Gemma 4 26B-A4B", "Gemma 4 31B"),
    variables=("enable_thinking", "preserve_thinking"),
    begin="<bos>",
    open="<|turn>{role}\n",
    roles={"assistant": "model"},
    stop="<turn|>",
    awaits="<|tool_response>",
)
SMALL = replace(
    LARGE,
    name="gemma-4-e4b",
    aliases=("gemma-4-e2b",),
    models=("Gemma 4 E2B", "Gemma 4 E4B"),
    empty_thought=False,
)
DIFFUSION = replace(
    SMALL, name="diffusiongemma", aliases=(), models=("DiffusionGemma 26B-A4B",), opens_after_results=True
)
FIRST = FirstGemma4Template(
    name="gemma-4-first",
    dialect=replace(DIALECT, calls=replace(GEMMA4_CALLS, null="None")),
    models=("Gemma 4, at its release",),
    variables=("enable_thinking",),
    begin=LARGE.begin,
    open=LARGE.open,
    roles=LARGE.roles,
    stop=LARGE.stop,
    awaits=LARGE.awaits,
)
FIRST_SMALL = replace(
    FIRST, name="gemma-4-e4b-first", models=("Gemma 4 E2B and E4B, at their release",), empty_thought=False
)
TEMPLATES = (LARGE, SMALL, DIFFUSION, FIRST, FIRST_SMALL)
