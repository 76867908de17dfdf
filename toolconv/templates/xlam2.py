"""xLAM 2 (the models based on Llama): Llama's turns, tools after the system text, no prose in turns with calls.

The instructions for calls are written only with xLAM's default system text; after a given system text, only the tools
are. Whitespace around all texts except results is stripped.

Source: chat template of Salesforce/Llama-xLAM-2-8b-fc-r.
"""

from __future__ import annotations

from toolconv.core import jsontext
from toolconv.dialects.formats.xlam import DIALECT
from toolconv.templates.base import ChatView, Template, TextWriter


class XLam2Template(Template):
    """A line break after the system text, a blank line after each tool."""

    def head(self, chat: ChatView, out: TextWriter) -> int:
        given = chat.roles[0] == "system"
        message = 0 if given else None
        out.turn(self.headers["system"], message)
        out.add("system", f"{self.content(chat, 0) if given else self.default_system}\n", message)
        if chat.tools:
            block = self.block(chat)
            out.add("tools", f"{block.removeprefix(self.dialect.chat.tools_open) if given else block}\n\n")
        out.turn(self.stop, message)
        return int(given)

    def content(self, chat: ChatView, index: int) -> str:
        return chat.content(index).strip()

    def response(self, chat: ChatView, index: int) -> str:
        content = chat.messages[index].get("content")
        return content if isinstance(content, str) else jsontext.spaced(content)


TEMPLATE = XLam2Template(
    name="xlam-2",
    dialect=DIALECT,
    models=("Llama-xLAM-2-8b-fc-r", "Llama-xLAM-2-70b-fc-r"),
    begin="<|begin_of_text|>",
    open="<|start_header_id|>{role}<|end_header_id|>\n\n",
    stop="<|eot_id|>",
    close="",
    default_system="You are a helpful assistant that can use tools. You are developed by Salesforce xLAM team.",
    keeps_prose=False,
)
