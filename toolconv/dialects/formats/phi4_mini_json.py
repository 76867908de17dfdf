"""Phi-4-mini: the word ``functools`` and one JSON list, or ``<|tool_call|>[…]<|/tool_call|>``.

The first form is the one that vLLM's template asks for, and is written. The second has the model's own tokens. That
template shows the calls of earlier turns as bare objects with commas between them, so bare objects are calls as well.
Brackets inside the arguments do not end the list.

Source: microsoft/Phi-4-mini-instruct model card; vLLM ``phi4_mini_json`` and its chat template.
"""

from toolconv.core import jsontext
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.formats.firefunction import FUNCTOOLS
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

CALLS = CallTemplate('{"name": {name|json}, "arguments": {args}}', before="functools[", between=", ", after="]")

DIALECT = JsonBlocks(
    name="phi4_mini_json",
    aliases=("phi4_mini", "phi4"),
    models=("Phi-4-mini-instruct",),
    sample='functools[{"name": "get_weather", "arguments": {"city": "Tokyo"}}, {"name": "ping", "arguments": {}}]',
    calls=CALLS,
    separator="\n",
    turn_tokens=(*TURN_TOKENS, "<|end|>"),
    opens=("functools[", "<|tool_call|>"),
    closes=("<|/tool_call|>",),
    closing="optional",
    other_keys=("parameters",),
    bare="always",
    listed=True,
    chat=ChatFormat(
        tools_open=FUNCTOOLS.replace("can chose", "can choose").replace("type if number", "type is number"),
        tools_between="\n\n",
        tools_close="",
        tool=jsontext.pretty,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
