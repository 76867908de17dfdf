"""Qwen3-Coder: ChatML, tools as tags after the system text, calls as tags, no reasoning.

Qwen's default system text is written only if there are tools and no system text. Whitespace around prose is stripped if
calls follow.

Source: chat template of Qwen/Qwen3-Coder-30B-A3B-Instruct.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from toolconv.dialects.chat import QWEN_RESPONSE, ChatFormat
from toolconv.dialects.declarations.function_list import read_functions, write_function
from toolconv.dialects.formats.qwen3_xml import DIALECT
from toolconv.templates.base import ChatView, Template

CHAT = ChatFormat(
    tools_open="# Tools\n\nYou have access to the following tools:\n\n<tools>\n",
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
    tool=write_function,
    read=read_functions,
    bare_tools=True,
    responses_close="\n",
    response_role="user",
    response=QWEN_RESPONSE,
    one_turn=True,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Qwen3CoderTemplate(Template):
    """Qwen3-Coder's default system text, and stripped prose in turns with calls."""

    def system(self, chat: ChatView, given: str | None) -> str | None:
        return self.default_system if given is None and chat.tools else given

    def prose(self, chat: ChatView, index: int) -> str:
        content = chat.content(index)
        return content.strip() if chat.calls(index) else content


TEMPLATE = Qwen3CoderTemplate(
    name="qwen3-coder",
    dialect=replace(DIALECT, chat=CHAT),
    models=("Qwen3-Coder",),
    default_system="You are Qwen, a helpful AI assistant that can interact with a computer to solve tasks.",
)
