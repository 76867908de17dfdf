"""Jamba 1.5 and 1.6: one JSON list in ``<tool_calls>`` tags, with each call on an indented line.

Jamba2 writes ``hermes``, which is read here too.

Source: ai21labs/AI21-Jamba-1.5-Mini chat template; vLLM ``jamba``.
"""

import json
from functools import partial

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

DIALECT = JsonBlocks(
    name="jamba",
    models=("Jamba 1.5", "Jamba 1.6"),
    sample='<tool_calls>[\n    {"name": "get_weather", "arguments": {"city": "Tokyo"}}\n]</tool_calls>',
    calls=CallTemplate(
        '{"name": {name|json}, "arguments": {args}}',
        before="<tool_calls>[\n    ",
        between=",\n    ",
        after="\n]</tool_calls>",
    ),
    turn_tokens=(*TURN_TOKENS, "<|eom|>"),
    fallback_dialects=("hermes",),
    listed=True,
    chat=ChatFormat(
        tools_open="<tool_definitions>\n# Tools\n\n## Functions\n\n",
        tools_between="\n\n",
        tool=partial(json.dumps, ensure_ascii=False, indent=2),
        tools_close="\n</tool_definitions>",
        bare_tools=True,
        response_role="tool",
        response="({name}){content}",
        one_turn=False,
    ),
)
