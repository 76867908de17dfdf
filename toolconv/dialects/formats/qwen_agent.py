"""Qwen-Agent's template for Qwen1.5 and Qwen2: ``✿FUNCTION✿: name`` and ``✿ARGS✿: {…}`` on separate lines.

Several calls are several such pairs. Several ``✿ARGS✿`` after one ``✿FUNCTION✿`` are as many calls of that tool. The
arguments of ``code_interpreter`` are fenced code, read as the one argument ``code``. An HTML comment that models add
after the arguments is cut. ``✿RESULT✿`` and ``✿RETURN✿`` are stop words; if a model continued after one, its text is
kept.

Source: QwenLM/Qwen-Agent ``qwen_fncall_prompt``.
"""

from __future__ import annotations

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import TurnParser

HEADER = lazy_re(r"\s*+([^\s✿][^\n✿]{0,127}?)[^\S\n]*+\n\s*+✿ARGS✿:?\s*")
ARGS = lazy_re(r"\s*✿ARGS✿:?")
COMMENT = lazy_re(r"[ \t]*<!--(?:(?!-->)[^\n]){0,1000}-->")
CODE = lazy_re(r"\s*+(code_interpreter)[^\S\n]*+\n\s*+✿ARGS✿:?\s*+```[ \t]*+\w*+[ \t]*+\n(?!\s*+\{)")


class QwenAgent(NameThenJson):
    """Calls after the labels ``✿FUNCTION✿`` and ``✿ARGS✿``."""

    def header(self, text: str) -> tuple[str, str | None] | None:
        match = HEADER.fullmatch(text)
        return (match[1], None) if match else None

    def read_call(self, parser: TurnParser, start: int, at: int) -> int | None:
        code = CODE.match(parser.text, at)
        if code is not None:
            close = parser.find("\n```", code.end() - 1)
            if close >= 0:
                parser.accept(start, close + 4, (ToolCall(code[1], {"code": parser.text[code.end() : close]}),))
                return parser.at
        taken = len(parser.calls)
        end = super().read_call(parser, start, at)
        while end is not None and len(parser.calls) > taken:
            comment = COMMENT.match(parser.text, end)
            if comment is not None:
                parser.repair("comment")
                parser.accept(end, comment.end())
                end = comment.end()
            another = ARGS.match(parser.text, end)
            if another is None:
                break
            taken = len(parser.calls)
            end = self.read_body(parser, end, another.end(), parser.calls[-1].name)
        return end


DIALECT = QwenAgent(
    name="qwen_agent",
    aliases=("qwen-agent",),
    models=("Qwen1.5 and Qwen2 behind Qwen-Agent",),
    sample='✿FUNCTION✿: get_weather\n✿ARGS✿: {"city": "Tokyo"}',
    calls=CallTemplate("✿FUNCTION✿: {name}\n✿ARGS✿: {args}", between="\n"),
    separator="\n",
    turn_tokens=("✿RESULT✿:", "✿RESULT✿", "✿RETURN✿:", "✿RETURN✿", *TURN_TOKENS),
    slipped_opens=("✿FUNCTION✿",),
    chat=ChatFormat(
        tools_open="# Tools\n\n## You have access to the following tools:\n\n",
        tools_between="\n\n",
        tools_close="""

## When you need to call a tool, please insert the following command in your reply, which can be called zero or \
multiple times according to your needs:

✿FUNCTION✿: The tool to use
✿ARGS✿: The input of the tool
✿RESULT✿: Tool results
✿RETURN✿: Reply based on tool results""",
        bare_tools=True,
        response_role="function",
        response="✿RESULT✿: {content}",
        one_turn=False,
    ),
)
