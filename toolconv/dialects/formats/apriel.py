"""Apriel 1.5 and 1.6: one JSON list in ``<tool_calls>`` after a line break; reasoning ends in a marker of its own.

The generation prompt holds ``Here are my reasoning steps:``; ``[BEGIN FINAL RESPONSE]`` ends the reasoning, and
Apriel 1.5 ends its answer with ``[END FINAL RESPONSE]``. Calls may hold an ``id``, which is read. Tools are declared
as Python writes them.

Source: chat templates of ServiceNow-AI/Apriel-1.5-15b-Thinker and Apriel-1.6-15b-Thinker.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

APRIEL_CALLS = CallTemplate(
    '{"name": {name|json}, "arguments": {args}}',
    before="<tool_calls>[",
    between=", ",
    after="]</tool_calls>",
    turn_without_prose="\n{calls}",
)

DIALECT = JsonBlocks(
    name="apriel",
    models=("Apriel-1.5-15b-Thinker", "Apriel-1.6-15b-Thinker", "Apriel-Nemotron-15b-Thinker"),
    sample='\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Tokyo"}}]</tool_calls>',
    calls=APRIEL_CALLS,
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
        tools_open="""\
You are provided with function signatures within <available_tools></available_tools> XML tags.
        You may call one or more functions to assist with the user query.
        Don't make assumptions about the arguments. You should infer the argument values from previous
        user responses and the system message.
        Here are the available tools:\x20
        <available_tools>
""",
        tools_between="",
        tools_close=" " * 8
        + """
        </available_tools>.

        Return all function calls as a list of JSON objects within <tool_calls></tool_calls> XML tags.
        Each JSON object should contain a function name and arguments as follows:
        <tool_calls>[
            {"name": <function-name-1>, "arguments": <args-dict-1>},
            {"name": <function-name-2>, "arguments": <args-dict-2>},
            ...
        ]</tool_calls>""",
        tools_apart="\n",
        tool=str,
        response_role="tool_result",
    ),
)
