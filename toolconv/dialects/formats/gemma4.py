"""Gemma 4: ``<|tool_call>call:get_weather{city:<|"|>Tokyo<|"|>,days:3}<tool_call|>``, thoughts in a channel.

Strings are raw between two ``<|"|>``. Keys and other values are bare, and keys are sorted. Calls follow each other
directly. A value between the delimiters is a string, unless the tool's schema admits none. Null is ``null`` in the
newest template and ``None`` in older ones. Keys may be delimited. These are read with a repair: ordinary quotes and
JSON bodies, parentheses for braces, a superfluous brace, ``call`` missing before the colon, a missing token,
``<turn|>`` for the closing one. Prose before, between and after calls is kept. ``<|channel>thought … <channel|>`` is
reasoning, also between the prose of a turn that went on after the results of its calls.

Tools are declared in the same grammar, with the schema keys that the template knows.

Lost: the order of keys (they are sorted); a string that holds ``<|"|>`` where a string may end.

Source: Gemma 4 model card and chat template; vLLM ``gemma4``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.delimited_tools import DelimitedTools
from toolconv.dialects.grammars.delimited_values import DelimitedValues
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

TOOLS = DelimitedTools(delimiter='<|"|>', between="<tool|><|tool>")

GEMMA4_CALLS = CallTemplate("<|tool_call>call:{name}{args|delimited}<tool_call|>", delimiter='<|"|>')

DIALECT = DelimitedValues(
    name="gemma4",
    aliases=("gemma_4",),
    models=("Gemma 4", "DiffusionGemma"),
    sample='<|tool_call>call:get_weather{city:<|"|>Tokyo<|"|>}<tool_call|>',
    reasoning=Reasoning("<|channel>thought", "<channel|>", "<|channel>thought\n", "\n<channel|>", repeats=True),
    calls=GEMMA4_CALLS,
    turn_tokens=(*TURN_TOKENS, "<|tool_response>", "<turn|>"),
    closes=("<turn|>",),
    chat=ChatFormat(
        tools_open="<|tool>",
        tools_between=TOOLS.between,
        tools_close="<tool|>",
        tools_apart="",
        tool=TOOLS.write,
        read=TOOLS.read,
        response_role="tool",
        response='<|tool_response>response:{name}{value:<|"|>{content}<|"|>}<tool_response|>',
        responses_between="",
        one_turn=True,
    ),
)
