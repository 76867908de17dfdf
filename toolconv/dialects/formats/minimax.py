"""MiniMax-M1: one JSON object per line in ``<tool_calls>`` tags.

The template drops prose next to calls; here it is kept, on lines before the block. M2 and M3 write other formats
(``minimax_m2``, ``minimax_m3``). ``<tool_call>`` tags are read as ``hermes``.

Source: MiniMaxAI/MiniMax-M1-80k chat template and function-call guide; vLLM's former ``minimax``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

DIALECT = JsonBlocks(
    name="minimax",
    aliases=("minimax_m1",),
    models=("MiniMax-M1",),
    sample='<tool_calls>\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n</tool_calls>',
    calls=CallTemplate(
        '{"name": {name|json}, "arguments": {args}}', before="<tool_calls>\n", between="\n", after="\n</tool_calls>"
    ),
    separator="\n",
    turn_tokens=(*TURN_TOKENS, "<end_of_sentence>"),
    fallback_dialects=("hermes",),
    listed=True,
    chat=ChatFormat(
        tools_open="You are provided with these tools:\n<tools>\n",
        tools_close="\n</tools>\n\nIf you need to call tools, please respond with <tool_calls></tool_calls> XML tags, "
        'and provide tool-name and json-object of arguments, following the format below:\n<tool_calls>\n{"name": '
        '<tool-name>, "arguments": <args-json-object>}\n...\n</tool_calls>',
        response_role="tool",
        response="tool result: {content}",
        one_turn=False,
    ),
)
