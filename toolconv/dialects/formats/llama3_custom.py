"""Llama 3.1's user-defined tools, and functionary v3.1: ``<function=name>{…}</function>`` around bare arguments.

Calls follow each other directly, and prose directly precedes the first. Models close with ``<function>`` or not at all.
Raw code after ``<|python_tag|>`` is a call to ``python`` with the one argument ``code``; it is written like any other
call.

Source: Llama 3.1 prompt format documentation (custom tool calling), meetkai/functionary-medium-v3.1 chat template.
"""

from __future__ import annotations

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import function_of
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.reading.turn_parser import TurnParser

PYTHON_TAG = "<|python_tag|>"
OPENING = "<function="
NOT_CODE = lazy_re(r"\s*(?:[{\[]|[\w.]+\.call\()")


class Llama3Custom(NameThenJson):
    """A tag with the tool's name, the arguments, a closing tag."""

    def read_call(self, parser: TurnParser, start: int, at: int) -> int | None:
        if parser.text.startswith(OPENING, start):
            return super().read_call(parser, start, at)
        if (start > parser.at and parser.text[start - 1] not in "\n>") or NOT_CODE.match(parser.text, at):
            return None
        ends = parser.first(self.turn_tokens, at)
        end = ends[0] if ends is not None else len(parser.text)
        code = parser.text[at:end]
        if not code.strip():
            return None
        parser.accept(start, end, (ToolCall("python", {"code": code}),))
        return end


def _declare(tool: Tool) -> str:
    function = function_of(tool) or tool
    name, description = function.get("name"), function.get("description", "")
    return f"Use the function '{name}' to '{description}'\n{jsontext.spaced(function)}"


DIALECT = Llama3Custom(
    name="llama3_custom",
    aliases=("functionary_v31", "functionary-v3.1"),
    models=("Llama 3.1 with user-defined tools", "functionary-small-v3.1", "functionary-medium-v3.1"),
    sample='<function=get_weather>{"city": "Tokyo"}</function>',
    calls=CallTemplate(f"{OPENING}{{name}}>{{args}}</function>"),
    opens=(PYTHON_TAG,),
    closes=("<function>", "<function/>"),
    chat=ChatFormat(
        tools_open="You have access to the following functions:\n\n",
        tool=_declare,
        tools_between="\n\n",
        tools_close="""


Think very carefully before calling functions.
If a you choose to call a function ONLY reply in the following format:
<{start_tag}={function_name}>{parameters}{end_tag}
where

start_tag => `<function`
parameters => a JSON dict with the function argument name as key and function argument value as value.
end_tag => `</function>`

Here is an example,
<function=example_function_name>{"example_name": "example_value"}</function>

Reminder:
- If looking for real time information use relevant functions before falling back to brave_search
- Function calls MUST follow the specified format, start with <function= and end with </function>
- Required parameters MUST be specified
- Only call one function at a time
- Put the entire function call reply on one line""",
        bare_tools=True,
        response_role="ipython",
        response="{content}",
        one_turn=False,
    ),
)
