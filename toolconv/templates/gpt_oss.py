"""gpt-oss: Harmony messages; a system message of its own, and a developer message with instructions and tools.

Reasoning, and prose in turns with calls, is a message on the channel ``analysis``; it is left out once an answer
without calls follows. Each call of a turn is a message, and each result names the tool of its own call; the original
writes the first call only. Where the original raises an error, on calls with both prose and reasoning, the prose is a
``commentary`` message. An answer ends with ``<|return|>`` at the end of the conversation, and elsewhere with
``<|end|>``, which no model generates there and which is not trained on.

gpt-oss-safeguard writes no blank line after instructions without tools. LLM-jp-4 differs in its system message.

Source: chat templates of openai/gpt-oss-120b, gpt-oss-safeguard-20b and llm-jp/llm-jp-4-8b-thinking.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.formats.harmony import CHANNEL_RULE, DIALECT, HARMONY_CALLS, NAMESPACE
from toolconv.templates.base import ChatView, SpanKind, Template, TextWriter

SYSTEM = """{identity}
Knowledge cutoff: {cutoff}
Current date: {date}

Reasoning: {effort}

# Valid channels: analysis, commentary, final. Channel must be included for every message."""
IDENTITY = "You are ChatGPT, a large language model trained by OpenAI."
FINAL = "<|channel|>final<|message|>"


class GptOssTemplate(Template):
    """Turns as chains of messages.

    Attributes:
        identity, cutoff: what the system message says of the model.
        ends_instructions: a blank line follows the instructions, also without tools; else it precedes the tools.
    """

    identity: str = IDENTITY
    cutoff: str = "2024-06"
    ends_instructions: bool = True

    def head(self, chat: ChatView, out: TextWriter) -> int:
        facts = {
            "identity": chat.variables.get("model_identity", self.identity),
            "cutoff": self.cutoff,
            "date": chat.date().isoformat(),
            "effort": chat.variables.get("reasoning_effort", "medium"),
        }
        system = SYSTEM.format(**facts) + (f"\n{CHANNEL_RULE}" if chat.tools else "")
        out.enclosed("system", "<|start|>system<|message|>", system, self.close)
        given = chat.roles[0] == "system"
        instructions = self.content(chat, 0) if given else ""
        if instructions or chat.tools:
            out.turn(self.headers["system"])
            if instructions:
                out.add("system", f"# Instructions\n\n{instructions}" + ("\n\n" if self.ends_instructions else ""), 0)
            if chat.tools:
                out.add("tools", ("" if self.ends_instructions else "\n\n") + self.block(chat))
            out.turn(self.close)
        return int(given)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        content, reasoning = self.content(chat, index), chat.reasoning(index)
        last = index == len(chat.messages) - 1 and not chat.generate
        out.turn(self.generation(chat), index)
        if chat.calls(index):
            self._before_calls(chat, out, index, content, reasoning)
            self.calls(chat, out, index)
            return
        if last:
            self._message(out, index, "reasoning", "analysis", reasoning)
        elif reasoning:
            chat.lose("reasoning")
        out.trained("turn", FINAL, index)
        out.trained("prose", content, index)
        out.add("turn", self.stop if last else self.close, index, train=last)

    def _before_calls(self, chat: ChatView, out: TextWriter, index: int, content: str, reasoning: str) -> None:
        """Write the reasoning and prose of a turn with calls."""
        later = range(len(chat.messages) - 1, index, -1)
        answered = any(chat.roles[other] == "assistant" and not chat.calls(other) for other in later)
        if reasoning and answered:
            chat.lose("reasoning")
        else:
            self._message(out, index, "reasoning", "analysis", reasoning)
        if content and reasoning:
            self._message(out, index, "prose", "commentary", content)
        elif content and answered:
            chat.lose("content_with_call")
        elif content:
            chat.lose("content_becomes_reasoning")
            self._message(out, index, "reasoning", "analysis", content)

    def _message(self, out: TextWriter, index: int, kind: SpanKind, channel: str, text: str) -> None:
        """Write a message, unless it is empty, and the start of the next one."""
        if text:
            out.trained("turn", f"<|channel|>{channel}<|message|>", index)
            out.trained(kind, text, index)
            out.trained("turn", self.close + DIALECT.between, index)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        for index in range(start, end):
            name = NAMESPACE + chat.response_name(index)
            header = f"<|start|>{name} to=assistant<|channel|>commentary<|message|>"
            out.enclosed("response", header, self.response(chat, index), self.close, index)

    def joins(self, chat: ChatView, index: int) -> bool:
        return True

    def generation(self, chat: ChatView) -> str:
        return DIALECT.between

    @property
    def ending(self) -> str:
        return self.close


GPT_OSS = GptOssTemplate(
    name="gpt-oss",
    dialect=replace(
        DIALECT,
        calls=replace(
            HARMONY_CALLS, call=f" to={NAMESPACE}{{name}}<|channel|>commentary json<|message|>{{args}}<|call|>"
        ),
    ),
    models=("gpt-oss-20b", "gpt-oss-120b"),
    variables=("reasoning_effort", "model_identity"),
    open="<|start|>{role}<|message|>",
    roles={"system": "developer"},
    stop="<|return|>",
    close="<|end|>",
)
SAFEGUARD = replace(
    GPT_OSS,
    name="gpt-oss-safeguard",
    models=("gpt-oss-safeguard-20b", "gpt-oss-safeguard-120b"),
    ends_instructions=False,
)
LLM_JP_4 = replace(
    GPT_OSS,
    name="llm-jp-4",
    models=("LLM-jp-4",),
    identity="You are LLM-jp-4, a large language model trained by LLM-jp.",
    cutoff="2025-12",
)
TEMPLATES = (GPT_OSS, SAFEGUARD, LLM_JP_4)
