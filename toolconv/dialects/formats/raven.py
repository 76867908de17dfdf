"""NexusRaven-V2: ``Call: get_weather(city='Paris'); ping()<bot_end>``, then a thought about it.

Calls are joined by ``; ``. Served answers lack ``Call: `` and often end in ``;``. What follows ``Thought:`` is
reasoning. Positional arguments get the names of the declared parameters. The model can nest a call inside a call; this
can't be read as independent calls, so the outer call is dropped and its text stays. ``out_of_domain(user_query=…)``,
the model's way to answer that no tool fits, is an ordinary call here.

Lost: a name that holds a bracket; nesting deeper than 200.

Source: model card of Nexusflow/NexusRaven-V2-13B.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.python_calls import PythonCalls
from toolconv.dialects.reading.turn_parser import Parsed, TurnParser

END = "<bot_end>"
NO_TOOL = "out_of_domain"
REFUSAL = lazy_re(rf"\s*Call:\s*{NO_TOOL}\(")
THOUGHT = lazy_re(r"\s*Thought:[ \t]*")


class Raven(PythonCalls):
    """Calls on a line, with the thought after them."""

    def find_calls(self, parser: TurnParser) -> None:
        if REFUSAL.match(parser.text) and NO_TOOL not in parser.tools:
            parser.reject(0, len(parser.text), f"{NO_TOOL}: the model's way to say that no tool fits")
            return
        super().find_calls(parser)
        end = max((end for _, end in parser.cut_places()), default=0)
        thought = end_of(THOUGHT, parser.text, end) if end else end
        if thought > end:
            parser.accept_reasoning(end, len(parser.text), parser.text[thought:].strip())

    def parse_exact(self, text: str, tools: ToolIndex) -> Parsed | None:
        return None if NO_TOOL in text else super().parse_exact(text, tools)

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        if not calls or not reasoning:
            return super().render_turn(content, reasoning, calls)
        return f"{super().render_turn(content, None, calls)} \nThought: {reasoning}"


DIALECT = Raven(
    name="raven",
    aliases=("nexusraven", "nexus_raven"),
    no_call=NO_TOOL,
    models=("NexusRaven-V2-13B",),
    sample="Call: get_weather(city='Tokyo'); ping()<bot_end>",
    calls=CallTemplate(
        "{name}({params})",
        before="Call: ",
        between="; ",
        after=END,
        param="{key}={value|python}",
        param_between=", ",
        odd_param="**{{key|python}: {value|python}}",
    ),
    separator="\n",
    opens=("Call:",),
    closing=False,
    bare="always",
    listed=False,
    chat=ChatFormat(
        tools_open="Function:\n",
        tools_between="\n\nFunction:\n",
        tools_close="",
        bare_tools=True,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
