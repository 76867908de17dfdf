"""ZAYA1 AppleScript: ChatML, tools as tags after the system text, calls as tags, all reasoning in ``<think>``.

There is always a system turn. A turn without reasoning has an empty block, and so have turns before the last user turn
if ``truncate_history_thinking`` is true. The generation prompt opens the block; ``enable_thinking: false`` closes it. A
line break follows every call, and whitespace at the end of prose is stripped.

Source: chat template of OsaurusAI/Osaurus-AppleScript-8B.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from toolconv.dialects.declarations.function_list import write_function
from toolconv.dialects.formats.zaya import DIALECT
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.templates.base import ChatView, Template, TextWriter

NOTHING = "<think>\n</think>"


class ZayaTemplate(Template):
    """A thought in every turn, and the line breaks around calls."""

    def declare(self, chat: ChatView, out: TextWriter, system: str, message: int | None) -> None:
        super().declare(chat, out, system, message if system else None)  # no blank line after an empty text

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        past = index < chat.last_user and chat.variables.get("truncate_history_thinking") is True
        self.thought(chat, out, index, past)
        calls, prose = chat.calls(index), chat.content(index).rstrip()
        if past:
            prose = prose.lstrip()
        if prose or (past and calls):
            out.trained("turn", "\n\n", index)
        out.trained("prose", prose, index)
        if calls:
            out.trained("turn", "\n" if past else self.dialect.separator, index)
            self.calls(chat, out, index)
            out.trained("turn", "\n", index)

    def thought(self, chat: ChatView, out: TextWriter, index: int, past: bool) -> None:
        """Write the reasoning of a turn, which is lost if the turn is ``past``; an empty block if there is none."""
        reasoning = chat.reasoning(index)
        if reasoning.strip() and not past:
            self.marked_reasoning(chat, out, index, reasoning)
            return
        if reasoning:
            chat.lose("reasoning")
        held = "" if self.generation(chat).endswith(f"{NOTHING}\n\n") else NOTHING
        out.add("reasoning", NOTHING.removesuffix(held), index)
        out.trained("reasoning", held, index)

    def generation(self, chat: ChatView) -> str:
        thinking = chat.variables.get("enable_thinking", True)
        return self.headers["assistant"] + (self.dialect.reasoning.before if thinking else f"{NOTHING}\n\n")


TEMPLATE = ZayaTemplate(
    name="zaya-applescript",
    dialect=replace(
        DIALECT,
        reasoning=Reasoning(after="\n</think>"),
        chat=replace(DIALECT.chat, tool=partial(write_function, early=("enum",), late=("required",))),
    ),
    models=("Osaurus-AppleScript-8B",),
    variables=("enable_thinking", "truncate_history_thinking"),
    default_system="",
)
