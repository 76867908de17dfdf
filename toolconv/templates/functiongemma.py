"""FunctionGemma: a turn with calls continues after the results, and any turn after these continues it unmarked.

The system turn has the role ``developer``; tools without a system text get one, too. A call at the end of the
conversation is followed by ``<start_function_response>``. A result with several content parts becomes one result per
part. Empty results, which the original leaves out, are written.

Source: chat template of google/functiongemma-270m-it.
"""

from __future__ import annotations

from toolconv.dialects.formats.functiongemma import DIALECT
from toolconv.templates.base import ChatView, TextWriter
from toolconv.templates.gemma4 import GemmaTemplate

IDENTITY = "You are a model that can do function calling with the following functions"


class FunctionGemmaTemplate(GemmaTemplate):
    """FunctionGemma's rules on which turns to open and close."""

    def declare(self, chat: ChatView, out: TextWriter, system: str, message: int | None) -> None:
        super().declare(chat, out, IDENTITY if message is None else system, message)

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        role = chat.roles[index]
        self._open(chat, out, index)
        out.add("system" if role == "system" else "user", self.content(chat, index), index)
        out.turn(self.ending, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        self._open(chat, out, index)
        self.body(chat, out, index)
        if not chat.calls(index):
            out.end(self.stop, self.close, index)
        elif index == len(chat.messages) - 1:
            out.trained("turn", self.awaits, index)

    def _open(self, chat: ChatView, out: TextWriter, index: int) -> None:
        if chat.roles[index - 1] != "tool":
            out.turn(self.headers[chat.roles[index]], index)

    def response(self, chat: ChatView, index: int) -> str:
        content = chat.messages[index].get("content")
        if not isinstance(content, list):
            return super().response(chat, index)
        chat.lose("content_parts")
        before = self.dialect.chat.response.partition("{value")[0].replace("{name}", chat.response_name(index))
        return "".join(f"{before}{DIALECT.calls.delimited(part)}<end_function_response>" for part in content)

    def generation(self, chat: ChatView) -> str:
        return "" if chat.roles[len(chat.messages) - 1] == "tool" else self.headers["assistant"]


TEMPLATE = FunctionGemmaTemplate(
    name="functiongemma",
    dialect=DIALECT,
    models=("functiongemma-270m-it",),
    begin="<bos>",
    open="<start_of_turn>{role}\n",
    roles={"assistant": "model", "system": "developer"},
    stop="<end_of_turn>",
    awaits="<start_function_response>",
)
