"""EXAONE 4.5: tools in a turn of their own, Hermes' calls without line breaks, results in ``<tool_result>``.

Reasoning before the last user turn is left out; every turn has a block, which may be empty, and the generation prompt
opens it. Whitespace around prose is stripped.

Source: chat templates of LGAI-EXAONE/EXAONE-4.5-33B and K-EXAONE-236B-A23B.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.formats.hermes import DIALECT as HERMES
from toolconv.dialects.formats.hermes import HERMES_CALLS
from toolconv.templates.base import ChatView, Template, TextWriter

CHAT = ChatFormat(
    tools_open="# Tools\n<tool>",
    tools_between="</tool>\n<tool>",
    tools_close="</tool>\n",
    response="<tool_result>{content}</tool_result>",
    response_role="tool",
    responses_between="\n",
    one_turn=True,
)
DIALECT = replace(
    HERMES,
    calls=replace(HERMES_CALLS, call='<tool_call>{"name": {name|json}, "arguments": {args}}</tool_call>'),
    chat=CHAT,
)


class ExaoneTemplate(Template):
    """The turn that declares the tools, and reasoning since the last user turn."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        if chat.tools:
            out.enclosed("tools", "<|tool_declare|>\n", self.block(chat), self.ending)
        return 0

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        return index > chat.last_query

    def prose(self, chat: ChatView, index: int) -> str:
        return self.content(chat, index).strip()


TEMPLATE = ExaoneTemplate(
    name="exaone-4.5",
    dialect=DIALECT,
    models=("EXAONE-4.5-33B", "K-EXAONE-236B-A23B"),
    open="<|{role}|>\n",
    stop="<|endofturn|>",
    opens_thought=True,
    empty_thoughts=True,
)
