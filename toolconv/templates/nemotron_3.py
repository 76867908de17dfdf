"""Nemotron 3: ChatML, tools as tags after the system text, calls as tags, a ``<think>`` block in every turn.

There is always a system turn. A turn without reasoning has ``<think></think>``, and so have turns before the last user
turn unless ``truncate_history_thinking`` is false. The generation prompt opens the block; ``enable_thinking: false``
closes it. A line break follows every call, and whitespace at the end of prose is stripped. Ultra and Nemotron 3.5
Lightning write no line break before or after ``</think>``; Nemotron-Labs-Diffusion thinks only with
``enable_thinking: true``.

Source: chat templates of nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B, trl-internal-testing/tiny-NemotronHForCausalLM-ultra,
and TRL 1.16's copies of those of Nemotron 3 Super and 3.5 Lightning.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from toolconv.dialects.declarations.function_list import read_functions, write_function
from toolconv.dialects.formats.qwen3_xml import DIALECT
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.templates.base import ChatView, Template, TextWriter

NOTHING = "<think></think>"
CHAT = replace(
    DIALECT.chat,
    tool=partial(write_function, early=("enum",), late=("required",)),
    read=read_functions,
    bare_tools=True,
    tools_first=False,
    responses_close="\n",
)


class Nemotron3Template(Template):
    """Nemotron's reasoning, and the line breaks around it and around calls.

    Attributes:
        thinks: whether the model thinks unless ``enable_thinking`` says otherwise.
    """

    thinks: bool = True

    def declare(self, chat: ChatView, out: TextWriter, system: str, message: int | None) -> None:
        super().declare(chat, out, system, message if system else None)  # no blank lines after an empty text

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        content, calls = chat.content(index).rstrip(), chat.calls(index)
        reasoning = chat.reasoning(index) if chat.reasoning(index).strip() else ""
        past = self.is_past(chat, index)
        if reasoning and not past:
            self.marked_reasoning(chat, out, index, reasoning)
        else:
            out.add("reasoning", NOTHING, index, train=not self.generation(chat).endswith(NOTHING))
            if reasoning:
                chat.lose("reasoning")
        if past and calls:
            content = content.lstrip()
        elif reasoning and content and self.dialect.reasoning.after.startswith("\n"):
            out.trained("turn", "\n", index)
        out.trained("prose", content, index)
        if calls:
            self.calls(chat, out, index)
            out.trained("turn", "\n", index)

    def is_past(self, chat: ChatView, index: int) -> bool:
        """Whether a turn is before the last user turn, so that its reasoning is left out."""
        asked = chat.last_query if chat.roles[chat.last_query] == "user" else 0
        return index < asked and bool(chat.variables.get("truncate_history_thinking", True))

    def generation(self, chat: ChatView) -> str:
        thinking = chat.variables.get("enable_thinking", self.thinks)
        return self.headers["assistant"] + (self.dialect.reasoning.before if thinking else NOTHING)


NANO = Nemotron3Template(
    name="nemotron-3",
    dialect=replace(DIALECT, separator="\n", reasoning=Reasoning(after="\n</think>"), chat=CHAT),
    aliases=("nemotron-3-super",),
    models=("Nemotron 3", "Nemotron 3 Super"),
    variables=("enable_thinking", "truncate_history_thinking"),
    default_system="",
    always_apart=True,
)
ULTRA = replace(
    NANO,
    name="nemotron-3-ultra",
    dialect=replace(NANO.dialect, reasoning=Reasoning(after="</think>")),
    aliases=("nemotron-3.5-lightning",),
    models=("Nemotron 3 Ultra", "Nemotron 3.5 Lightning"),
)
DIFFUSION = replace(NANO, name="nemotron-labs-diffusion", models=("Nemotron-Labs-Diffusion-8B",), thinks=False)
TEMPLATES = (NANO, ULTRA, DIFFUSION)
