"""EXAONE 4.0: Hermes' calls without line breaks, tools in the system turn, results as JSON in ``<tool_result>``.

Every turn has a block of reasoning, which is empty; with ``skip_think: false`` the last turn has its own. The
generation prompt closes the block, or opens it with ``enable_thinking: true``.

Source: chat template of LGAI-EXAONE/EXAONE-4.0-32B.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.dialects.chat import ChatFormat
from toolconv.templates.base import ChatView, Template, TextWriter
from toolconv.templates.exaone_4_5 import DIALECT

CHAT = ChatFormat(
    tools_open="# Available Tools\nYou can use none, one, or multiple of the following tools by calling them as "
    "functions to help with the user\u2019s query.\nHere are the tools available to you in JSON format within <tool> "
    "and </tool> tags:\n<tool>",
    tools_between="</tool>\n<tool>",
    tools_close="</tool>\n\nFor each function call you want to make, return a JSON object with function name and "
    "arguments within <tool_call> and </tool_call> tags, like:\n"
    '<tool_call>{"name": function_1_name, "arguments": {argument_1_name: argument_1_value, argument_2_name: '
    'argument_2_value}}</tool_call>\n<tool_call>{"name": function_2_name, "arguments": {...}}</tool_call>\n...\n'
    "Note that if no argument name is specified for a tool, you can just print the argument value directly, without "
    "the argument name or JSON formatting.",
    response='<tool_result>{"result": {content}}</tool_result>',
    response_role="tool",
    one_turn=True,
    json_results=True,
)


class Exaone4Template(Template):
    """A block of reasoning in every turn that is not empty."""

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        reasoning = chat.reasoning(index)
        shown = index == len(chat.messages) - 1 and chat.variables.get("skip_think") is False
        if reasoning and not shown:
            chat.lose("reasoning")
        if chat.calls(index) or self.content(chat, index):
            self.marked_reasoning(chat, out, index, reasoning if shown else "")

    def generation(self, chat: ChatView) -> str:
        return self.generation_prompt(thinks=chat.variables.get("enable_thinking") is True)


TEMPLATE = Exaone4Template(
    name="exaone-4.0",
    dialect=replace(DIALECT, chat=CHAT),
    models=("EXAONE-4.0-32B", "EXAONE-4.0-1.2B"),
    variables=("enable_thinking", "skip_think"),
    open="[|{role}|]\n",
    stop="[|endofturn|]",
)
