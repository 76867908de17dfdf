"""GLM-4-9B-chat and GLM-4-0414: a turn whose first line is the tool's name, the rest its arguments as JSON.

There is one call per turn; further turns begin with ``<|assistant|>``. Prose is a turn with an empty first line, or
runs straight into the line of the name. In that case, a declared tool at the end of the line before the arguments is
the name. Without a marker, a name counts at the beginning of a turn, or if it is declared. With no tools declared at
all, it counts if the prose before it names it.

Source: THUDM/glm-4-9b-chat chat template and ``tokenization_chatglm``; BFCL outputs of glm-4-9b-chat.
"""

from __future__ import annotations

from functools import cached_property

from toolconv.core import jsontext
from toolconv.core.blanks import after_blanks
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tools import ToolIndex, function_of
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import TurnParser

TURN = "<|assistant|>"
MAX_LINE = 400
ARGUMENTS = lazy_re(r"\n\s{0,8}(?=\{)")
NAME = lazy_re(r"[^\W\d][\w.\-/]*")
LAST_WORD = lazy_re(r"[\w.\-]{1,128}$")


class Glm4Chat(NameThenJson):
    """A line with the name before the arguments."""

    @cached_property
    def stops(self) -> tuple[str, ...]:
        return (TURN, *self.turn_tokens)

    def find_calls(self, parser: TurnParser) -> None:
        text = parser.text
        if text.startswith("\n", parser.at) and not text[parser.at :].isspace():
            parser.accept(parser.at, parser.at + 1)  # the empty first line of prose
        at, first = max(parser.at - 1, 0), after_blanks(text, parser.at)
        while (match := ARGUMENTS.search(text, at)) is not None:
            at = match.end()
            line_start = self._line_start(text, parser.at, match.start())
            line = text[line_start : match.start()]
            begins = line_start <= first or text.endswith(TURN, parser.at, line_start)
            name = self._name(line, parser.tools, begins=begins)
            if name is not None:
                start = line_start + line.rindex(name)
                taken = len(parser.calls)
                at = self.read_body(parser, start, match.end(), name)
                first = after_blanks(text, at)
                if len(parser.calls) > taken and not (begins and line.strip() == name):
                    parser.repair("missing_open_tag")

    @staticmethod
    def _line_start(text: str, floor: int, end: int) -> int:
        """Where the line or turn that ends at ``end`` begins."""
        floor = max(floor, end - MAX_LINE)
        turn = text.rfind(TURN, floor, end)
        return max(floor, text.rfind("\n", floor, end) + 1, turn + len(TURN) if turn >= 0 else 0)

    def _name(self, line: str, tools: ToolIndex, *, begins: bool) -> str | None:
        """The tool that a line names: all of it, or a declared tool at its end."""
        whole = line.strip()
        if whole in tools or (begins and NAME.fullmatch(whole)):
            return whole
        match = LAST_WORD.search(line.rstrip())
        word = match[0] if match else ""
        if not tools:
            sentence, _, word = line.rstrip().rpartition(".")
            return word if NAME.fullmatch(word) and word in sentence else None
        while word and word not in tools:
            word = word.partition(".")[2]
        return word or None


def _declare(tool: Tool) -> str:
    function = function_of(tool) or tool
    note = "在调用上述函数时，请使用 Json 格式表示调用的参数。"
    return f"## {function.get('name')}\n\n{jsontext.pretty(function)}\n{note}"


DIALECT = Glm4Chat(
    name="glm4_chat",
    aliases=("glm4", "glm-4-9b-chat"),
    models=("GLM-4-9B-chat", "GLM-4-9B-0414", "GLM-4-32B-0414"),
    sample='get_weather\n{"city": "Tokyo"}',
    calls=CallTemplate("{name}\n{args}", between=TURN),
    separator=TURN,
    turn_tokens=("<|observation|>", "<|user|>", *TURN_TOKENS),
    losses=("call",),
    chat=ChatFormat(
        tools_open="# 可用工具\n\n",
        tool=_declare,
        tools_between="\n\n",
        tools_close="",
        response_role="observation",
        response="{content}",
        one_turn=False,
    ),
)
