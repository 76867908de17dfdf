"""Step 3: the system text twice, tools before the first turn, a space at both ends of every text.

The system text precedes the tools, and is repeated in a turn of its own. Each result has a turn of its own. Values are
written as in Python. The token before a call is misspelt, as in the original: ``<｜tool_call_begin>｜>``. Reasoning is
left out; the generation prompt opens it.

Source: chat template of stepfun-ai/step3.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from toolconv.dialects.formats.step3 import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter

assert DIALECT.calls is not None
CALLS = replace(
    DIALECT.calls,
    call=DIALECT.calls.call.replace("<｜tool_call_begin｜>", "<｜tool_call_begin>｜>"),
    after="\n<｜tool_calls_end｜>\n",
    param=DIALECT.calls.param.replace("{value}", "{value|str}"),
    also_spelled=(),
)
CHAT = replace(
    DIALECT.chat,
    tools_close=f"{DIALECT.chat.tools_close} ",
    response_role="tool",
    response="{content}",
    responses_open="",
    responses_close="",
    one_turn=False,
)


class Step3Template(Template):
    """The text before the first turn, and the spaces around texts."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        if given:
            out.enclosed("system", " ", self.content(chat, 0), " ", 0)
        if chat.tools:
            out.add("tools", self.block(chat))
        if given:
            self.plain(chat, out, 0)
        return int(given)

    @property
    def stops(self) -> tuple[str, ...]:
        return (self.stop, self.ending)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        out.turn(self.headers["assistant"], index)
        self.body(chat, out, index)
        out.end(self.stop if chat.calls(index) else self.ending, self.close, index)

    @cached_property
    def ending(self) -> str:
        return f" {self.stop}{self.close}"

    def generation(self, chat: ChatView) -> str:
        return self.headers["assistant"].removesuffix(" ") + self.dialect.reasoning.before


TEMPLATE = Step3Template(
    name="step3",
    dialect=replace(DIALECT, calls=CALLS, chat=CHAT),
    models=("Step3",),
    begin="<｜begin▁of▁sentence｜>",
    open="<|BOT|>{role}\n ",
    stop="<|EOT|>",
    close="",
    always_apart=True,
)
