"""ChatGLM3: the tool's name on a line, then ``tool_call(city='Paris')`` in a fence; one turn per call.

After the line with the name comes a fence of ``python`` with one call of ``tool_call``. Several calls have
``<|assistant|>`` between them; prose is a separate turn before them. The arguments are Python's (JSON's words are read
too). ``interpreter`` with other code in the fence is not a tool call and stays prose.

Lost: a name that holds a line break; nesting deeper than 200.

Source: THUDM/chatglm3-6b tool-use guide and reference code.
"""

from __future__ import annotations

from toolconv.core.calls import declared_name
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.python_calls import PythonCalls
from toolconv.dialects.grammars.python_run import Run
from toolconv.dialects.reading.turn_parser import TurnParser

ASSISTANT = "<|assistant|>"
CALL = "tool_call("
MAX_HEADER = 300
HEADER = lazy_re(
    r"(?:\A|\n|<\|assistant\|>)[ \t]*([^\s`<>][^\n`<>]{0,127})\n[ \t]*```[ \t]*(?:python)?[ \t]*\r?\n\s{0,8}\Z"
)
FENCE_END = lazy_re(r"\s*```")
TURN = lazy_re(r"\s*<\|assistant\|>\s*")


class ChatGlm3(PythonCalls):
    """A name line before each fence; in the fence one call of ``tool_call``."""

    @property
    def markers(self) -> tuple[str, ...]:
        return (CALL,)

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        return (*super().prose_stoppers, ASSISTANT, "`")

    def find_calls(self, parser: TurnParser) -> None:
        text = parser.text
        floor = parser.at
        while (place := parser.find(CALL, parser.at)) >= 0:
            from_ = max(floor, place - MAX_HEADER)
            before = text[from_:place]
            header = HEADER.search(before) if before.rstrip().endswith(("```", "```python")) else None
            if header is None or not parser.charge(0):
                parser.at = place + len(CALL)
                continue
            start = from_ + header.start()
            run = Run(parser, text, place, (ASSISTANT, "```", *self.turn_tokens))
            if run.broken or not run.calls or any(call.name != "tool_call" for *_, call in run.calls):
                reason = run.broken[0][3] if run.broken else "something else than a call of tool_call"
                parser.reject(start, max(run.end, place + len(CALL)), reason)
                continue
            repairs = list(run.repairs)
            end = end_of(FENCE_END, text, run.end)
            if end == run.end:
                repairs.append("markdown_fence")
            name = declared_name(header[1].strip(), parser.tools, repairs)
            end = end_of(TURN, text, end) if text.find(CALL, end, end + MAX_HEADER) >= 0 else end
            parser.accept(start, end, [ToolCall(name, call.arguments) for *_, call in run.calls])
            parser.repairs.extend(repairs)
            floor = end


DIALECT = ChatGlm3(
    name="chatglm3",
    aliases=("glm3",),
    models=("ChatGLM3-6B",),
    sample="get_weather\n```python\ntool_call(city='Tokyo')\n```",
    calls=CallTemplate(
        "{name}\n```python\ntool_call({params})\n```",
        between=ASSISTANT,
        param="{key}={value|python}",
        param_between=", ",
        odd_param="**{{key|python}: {value|python}}",
    ),
    separator=ASSISTANT,
    listed=False,
    losses=(),
    chat=ChatFormat(
        tools_open="Answer the following questions as best as you can. You have access to the following tools:\n[",
        tools_between=",",
        tools_close="]",
        response_role="observation",
        response="{content}",
        one_turn=False,
    ),
)
