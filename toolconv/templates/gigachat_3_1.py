"""GigaChat 3.1: a turn of instructions of its own first, tools as TypeScript, and one call in the turn of its prose.

A call follows ``<|function_call|>``. The format has one call per turn: several, of which the original writes only the
first, are written end to end. A conversation without a system turn gets an empty one. Results have no names or ids.

Source: chat template of ai-sage/GigaChat3.1-10B-A1.8B.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.gigachat_tools import read_tools, write_tool
from toolconv.dialects.formats.gigachat3 import DIALECT, END
from toolconv.templates.base import ChatView, Template, TextWriter


@cache
def instructions() -> str:
    """What the first turn says, in Russian."""
    return files("toolconv.templates").joinpath("gigachat_3_1.txt").read_text(encoding="utf-8")


class GigaChatTemplate(Template):
    """The turns before the conversation."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        out.turn(self.headers["developer system"] + instructions() + self.ending)
        system, message = (self.content(chat, 0), 0) if given else ("", None)
        out.enclosed("system", self.headers["system"], system, self.ending, message)
        if chat.tools:
            out.enclosed("tools", self.headers["function descriptions"], self.block(chat), f"\n\n{self.ending}")
        return int(given)


TEMPLATE = GigaChatTemplate(
    name="gigachat-3.1",
    dialect=replace(
        DIALECT,
        calls=CallTemplate('<|function_call|>{"name": {name|json}, "arguments": {args}}'),
        chat=ChatFormat(
            tools_open="namespace functions {\n",
            tools_between="\n\n",
            tools_close="\n\n} // namespace functions",
            tool=write_tool,
            read=read_tools,
            response_role="function result",
        ),
    ),
    models=("GigaChat3.1-10B-A1.8B", "GigaChat3.1-702B-A36B"),
    begin="<s>",
    open="{role}<|role_sep|>\n",
    stop=END,
    close="\n\n",
    default_system="",
)
