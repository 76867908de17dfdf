"""Granite 20B function calling: ``<function_call> {"name": …, "arguments": {…}}``, one call per line, no closing tag.

If no tool fits, the model calls ``no_function`` without arguments; that is read as an ordinary call. ``<tool_call>``
tags are read as ``hermes``.

Source: ibm-granite/granite-20b-functioncalling chat template and model card; vLLM ``granite-20b-fc``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

DIALECT = JsonBlocks(
    name="granite-20b-fc",
    models=("granite-20b-functioncalling",),
    no_call="no_function",
    sample='<function_call> {"name": "get_weather", "arguments": {"city": "Tokyo"}}\n'
    '<function_call> {"name": "ping", "arguments": {}}',
    calls=CallTemplate('<function_call> {"name": {name|json}, "arguments": {args}}', between="\n"),
    separator="\n",
    turn_tokens=(*TURN_TOKENS, "<|end_of_sequence|>"),
    fallback_dialects=("hermes",),
    closes=("</function_call>",),
    closing="never",
    chat=ChatFormat(
        tools_open="<|function_call_library|>\n",
        tools_close="\n\nIf none of the functions are relevant or the given question lacks the parameters required by "
        'the function, please output "<function_call> {"name": "no_function", "arguments": {}}".',
        bare_tools=True,
        response="<function_response> {content}",
        one_turn=False,
        response_role="user",
    ),
)
