"""DeepSeek-V3.2 and V4: DeepSeek's tokens around DSML calls; every text ends with ``<think>`` or ``</think>``.

Everything that the model answers ends with the assistant token and one of these two: ``<think>`` where reasoning is
kept and ``thinking_mode`` is ``thinking``, else ``</think>``. V3.2 keeps the reasoning since the last user turn, puts
the tools before the system text, and the results in ``<function_results>`` after the call. V4 keeps all reasoning if
tools are declared, and puts the tools after the system text; results are part of a user turn, in the order of the
calls, and adjacent user text joins them; ``reasoning_effort`` (``low``, ``high``, ``max``) starts the text. As in vLLM,
the default mode is ``chat`` for V3.2, and ``thinking`` with effort ``high`` for V4.

Source: encoding_dsv32.py and encoding_dsv4.py of deepseek-ai/DeepSeek-V3.2 and V4, as vLLM calls them.
"""

from __future__ import annotations

from typing import Final

from toolconv.dialects.formats.deepseek_v32 import V4, V32
from toolconv.templates.base import ChatView, TextWriter
from toolconv.templates.deepseek import ASSISTANT, USER, DeepSeekV3Template

EFFORTS: Final = {
    "low": "",
    "high": "Reasoning Effort: Absolute maximum with no shortcuts permitted.\n"
    "You MUST be very thorough in your thinking and comprehensively decompose the problem to resolve the root cause, "
    "rigorously stress-testing your logic against all potential paths, edge cases, and adversarial scenarios.\n"
    "Explicitly write out your entire deliberation process, documenting every intermediate step, considered "
    "alternative, and rejected hypothesis to ensure absolutely no assumption is left unchecked.\n\n",
    "max": "Reasoning Effort: Beyond maximum — exhaustive, relentless, and uncompromising.\n"
    "You MUST reason with the utmost depth and rigor, leaving absolutely nothing to chance: exhaustively decompose the "
    "problem into its most fundamental components, trace every causal chain to its root, and resolve the underlying "
    "cause rather than any surface symptom.\n"
    "Do not stop reasoning until you have independently verified the solution from multiple angles and are certain "
    "that no assumption remains unchecked and no error remains undiscovered.\n\n",
}
"""The start of a text in thinking mode, by ``reasoning_effort``."""


class DeepSeekV32Template(DeepSeekV3Template):
    """V3.2: tools first, results after the call.

    Attributes:
        mode: the default ``thinking_mode``.
    """

    variables: tuple[str, ...] = ("thinking_mode",)
    always_apart: bool = True
    results_apart: str = "\n\n"
    mode: str = "chat"

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            out.add("tools", f"\n\n{self.block(chat)}")
        return 0

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system":
            out.add("system", self.content(chat, index), index)
            return
        out.enclosed("user", USER, self.content(chat, index), ASSISTANT + self.mark(chat, index), index)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index)
        if self.thinks(chat, index):
            out.trained("reasoning", reasoning + self.dialect.reasoning.close, index)
        elif reasoning:
            chat.lose("reasoning")

    def results_end(self, chat: ChatView, end: int) -> str:
        return self.dialect.chat.responses_close + self.results_apart + self.mark(chat, end - 1)

    def generation(self, chat: ChatView) -> str:
        return ""

    def thinking(self, chat: ChatView) -> bool:
        """Whether the conversation is written in thinking mode."""
        return str(chat.variables.get("thinking_mode", self.mode)) == "thinking"

    def thinks(self, chat: ChatView, index: int) -> bool:
        """Whether reasoning is kept in the turn at ``index``, or in the one that answers it."""
        return self.thinking(chat) and index >= chat.last_user

    def mark(self, chat: ChatView, index: int) -> str:
        """The marker before the answer to the turn at ``index``."""
        think = self.dialect.reasoning
        return think.open if self.thinks(chat, index) else think.close


class DeepSeekV4Template(DeepSeekV32Template):
    """V4: the effort first, tools after the system text, results in user turns."""

    variables: tuple[str, ...] = ("thinking_mode", "reasoning_effort")
    mode: str = "thinking"

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.messages and self.thinking(chat):
            effort = str(chat.variables.get("reasoning_effort"))
            out.add("system", EFFORTS.get(effort, EFFORTS["high"]))
        given = chat.roles[0] == "system"
        if given:
            out.add("system", self.content(chat, 0), 0)
        if chat.tools:
            out.add("tools", f"\n\n{self.block(chat)}")
        if given:
            self.answer(chat, out, 0)
        return int(given)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index] == "system":
            out.add("system", self.content(chat, index), index)
        else:
            self.join(chat, out, index)
            out.add("user", self.content(chat, index), index)
        self.answer(chat, out, index)

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index, "\n\n")

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for place, index in enumerate(chat.in_call_order(start, end)):
            self.join(chat, out, start + place)
            out.add("response", self.response(chat, index), index)
        self.answer(chat, out, end - 1)

    def join(self, chat: ChatView, out: TextWriter, index: int) -> None:
        """Open a user turn, or continue the open one."""
        continues = chat.roles[index - 1] in ("user", "tool")
        out.turn(self.dialect.chat.responses_between if continues else USER, index)

    def answer(self, chat: ChatView, out: TextWriter, index: int) -> None:
        """Open an assistant turn after the turn at ``index``, if an assistant turn is next."""
        if chat.roles[index + 1] in ("assistant", ""):
            out.turn(ASSISTANT + self.mark(chat, index), index)

    def thinks(self, chat: ChatView, index: int) -> bool:
        asked = (at for at in range(len(chat.messages) - 1, -1, -1) if chat.roles[at] in ("user", "tool"))
        return self.thinking(chat) and (bool(chat.tools) or index >= next(asked, -1))


TEMPLATES = (
    DeepSeekV32Template(name="deepseek-v3.2", dialect=V32, models=("DeepSeek-V3.2", "DeepSeek-V3.2-Speciale")),
    DeepSeekV4Template(name="deepseek-v4", dialect=V4, models=("DeepSeek-V4", "DeepSeek-V4-Flash")),
)
