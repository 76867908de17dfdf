"""Qwen3-Coder: ChatML, tools as tags after the system text, calls as tags, no reasoning.

Qwen's default system text is written only if there are tools and no system text. Whitespace around prose is stripped if
calls follow. Qwen3-Coder-Next writes all values but strings as JSON, and no line break after the results. llama.cpp's
copy, ``qwen3-coder-earlier``, has other words around the tools.

Source: chat templates of Qwen/Qwen3-Coder-30B-A3B-Instruct (Hub, and llama.cpp's copy) and Qwen3-Coder-Next.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from toolconv.core import jsontext
from toolconv.dialects.declarations.function_list import read_functions, write_function
from toolconv.dialects.formats.qwen3_xml import DIALECT, JSON_VALUES
from toolconv.templates.base import ChatView, Template

CHAT = replace(
    DIALECT.chat,
    tool=write_function,
    read=read_functions,
    bare_tools=True,
    tools_first=False,
    responses_close="\n",
)
EARLIER = replace(
    CHAT,
    tools_open=CHAT.tools_open.replace("functions", "tools"),
    tools_close="""
</tools>

If you choose to call a tool ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
value_2
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: the tool calling block MUST begin with an opening <tool_call> tag \
and end with a closing </tool_call> tag.
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not tell \
the user about function calls
</IMPORTANT>""",
)


class Qwen3CoderTemplate(Template):
    """Qwen3-Coder's default system text, and stripped prose in turns with calls."""

    def system(self, chat: ChatView, given: str | None) -> str | None:
        return self.default_system if given is None and chat.tools else given

    def prose(self, chat: ChatView, index: int) -> str:
        content = chat.content(index)
        return content.strip() if chat.calls(index) else content


CODER = Qwen3CoderTemplate(
    name="qwen3-coder",
    dialect=replace(DIALECT, chat=CHAT),
    aliases=("qwen3-coder-30b",),
    models=("Qwen3-Coder-30B-A3B-Instruct", "Qwen3-Coder-480B-A35B-Instruct"),
    default_system="You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks.",
)
CODER_NEXT = replace(
    CODER,
    name="qwen3-coder-next",
    dialect=replace(
        JSON_VALUES, chat=replace(CHAT, tool=partial(write_function, scalar=jsontext.spaced), responses_close="")
    ),
    aliases=(),
    models=("Qwen3-Coder-Next",),
)
CODER_EARLIER = replace(
    CODER,
    name="qwen3-coder-earlier",
    dialect=replace(DIALECT, chat=EARLIER),
    aliases=(),
    models=("Qwen3-Coder, with llama.cpp's copy of its template",),
)
TEMPLATES = (CODER, CODER_NEXT, CODER_EARLIER)
