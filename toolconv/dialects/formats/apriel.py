"""Apriel 1.5 and 1.6: one JSON list in ``<tool_calls>`` after a line break; reasoning ends in a marker of its own.

The generation prompt holds ``Here are my reasoning steps:``; ``[BEGIN FINAL RESPONSE]`` ends the reasoning, and
Apriel 1.5 ends its answer with ``[END FINAL RESPONSE]``. Calls may hold an ``id``, which is read.

Source: chat templates of ServiceNow-AI/Apriel-1.5-15b-Thinker and Apriel-1.6-15b-Thinker.
"""

from toolconv.dialects.base import TURN_TOKENS
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.turn_parser import Reasoning

DIALECT = JsonBlocks(
    name="apriel",
    models=("Apriel-1.5-15b-Thinker", "Apriel-1.6-15b-Thinker", "Apriel-Nemotron-15b-Thinker"),
    sample='\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Tokyo"}}]</tool_calls>',
    calls=CallTemplate(
        '{"name": {name|json}, "arguments": {args}}',
        before="<tool_calls>[",
        between=", ",
        after="]</tool_calls>",
        turn_without_prose="\n{calls}",
    ),
    separator="\n",
    listed=True,
    reasoning=Reasoning(
        "Here are my reasoning steps:",
        "[BEGIN FINAL RESPONSE]",
        "Here are my reasoning steps:\n",
        "\n[BEGIN FINAL RESPONSE]\n",
    ),
    turn_tokens=("<|end|>", "[END FINAL RESPONSE]", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open="You are provided with function signatures within <available_tools></available_tools> XML tags. "
        "Here are the available tools:\n<available_tools>",
        tools_close="</available_tools>\nReturn all function calls as a list of JSON objects within <tool_calls>"
        "</tool_calls> XML tags. Each JSON object should contain a function name and arguments as follows:\n"
        '<tool_calls>[{"name": <function-name>, "arguments": <args-json-object>}]</tool_calls>',
        response_role="tool_result",
    ),
)
