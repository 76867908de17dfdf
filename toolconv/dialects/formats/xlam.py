"""xLAM: the turn is a bare JSON list of calls; ``[]`` means that no tool is called.

These are also read, as they occur and as vLLM's parser accepts them: the list in a markdown fence, after
``[TOOL_CALLS]``, in ``<tool_call>`` tags (also one object, as in ``hermes``), and xLAM-1's ``{"tool_calls": […]}``,
with or without prose. Calls are written bare, or in a fence after prose, since vLLM's parser misses a bare list after
prose. The templates themselves drop prose next to calls.

Source: Salesforce/Llama-xLAM-2-8b-fc-r chat template, Salesforce/xLAM-1b-fc-r model card; vLLM ``xlam``.
"""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.reading.turn_parser import TurnParser


class XLam(JsonBlocks):
    """A bare list, or a fenced one after prose."""

    def find_calls(self, parser: TurnParser) -> None:
        if parser.text[parser.at :].strip() == "[]":
            parser.accept(parser.at, len(parser.text))
        else:
            super().find_calls(parser)

    def _reasoning(self, parser: TurnParser, opened: bool | None) -> str | None:
        return None  # the text in <think> is the prose of the turn, see prose_tags

    def bare_calls(self, parser: TurnParser, value: Any, repairs: list[str]) -> tuple[list[ToolCall], str]:
        if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
            made: list[str] = []
            calls, prose = super().bare_calls(parser, value, made)
            repairs.extend(made[1:])  # the envelope is part of xLAM-1's format
            return calls, prose
        return super().bare_calls(parser, value, repairs)


DIALECT = XLam(
    name="xlam",
    models=("xLAM-2", "xLAM-1b-fc-r", "xLAM-7b-fc-r"),
    sample='[{"name": "get_weather", "arguments": {"city": "Tokyo"}}, {"name": "ping", "arguments": {}}]',
    calls=CallTemplate(
        '{"name": {name|json}, "arguments": {args}}',
        before="[",
        between=", ",
        after="]",
        turn="{prose}\n\n```json\n{calls}\n```",
    ),
    separator="\n\n",
    leads_with_reasoning=False,
    opens=("[TOOL_CALLS]", "<tool_call>"),
    closes=("</tool_call>",),
    closing="optional",
    bare="always",
    listed=True,
    native=("markdown_fence",),
    prose_tags=(("<think>", "</think>"),),
    chat=ChatFormat(
        tools_open="You have access to a set of tools. When using tools, make calls in a single JSON array: \n\n"
        '[{"name": "tool_call_name", "arguments": {"arg1": "value1", "arg2": "value2"}}, ... (additional parallel tool '
        "calls as needed)]\n\nIf no tool is suitable, state that explicitly. If the user's input lacks required "
        "parameters, ask for clarification. Do not interpret or respond until tool results are returned. Once they are "
        "available, process them or make additional calls if needed. For tasks that don't require tools, such as "
        "casual conversation or general advice, respond directly in plain text. The available tools are:\n\n",
        tools_between="\n\n",
        tools_close="",
        tool=jsontext.pretty,
        response_role="ipython",
        response="{content}",
        one_turn=False,
    ),
)
