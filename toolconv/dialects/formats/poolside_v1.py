"""Poolside's Laguna: GLM's pairs of ``<arg_key>`` and ``<arg_value>``.

Laguna XS writes every key and value on a separate line, like GLM-4.5; this is written. Laguna S 2.1 writes no white
space, like GLM-4.7; this is read as well. Values are verbatim: strings as they are, everything else as JSON. Without a
schema, a string that spells a number, a literal, a list or an object can't be distinguished from one. Keys can't
hold ``<`` or a line break.

Source: poolside/Laguna-XS chat templates; vLLM ``poolside_v1``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_RESPONSE, ChatFormat
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = XmlParameters(
    name="poolside_v1",
    aliases=("poolside", "laguna"),
    models=("Laguna XS.2", "Laguna XS 2.1", "Laguna S 2.1"),
    sample="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Tokyo</arg_value>\n</tool_call>",
    calls=CallTemplate(
        "<tool_call>{name}\n{params}</tool_call>",
        between="\n",
        param="<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
    ),
    separator="\n",
    reasoning=Reasoning(before="<think>\n", after="\n</think>\n"),
    turn_tokens=("</assistant>", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open="### Tools\n\nYou may call functions to assist with the user query.\n"
        "All available function signatures are listed below:\n<available_tools>\n",
        tools_close="\n</available_tools>\n\nFor each function call, return an unescaped XML-like object with function "
        "name and arguments within '<tool_call>' and '</tool_call>' tags, like here:\n<tool_call>function-name\n"
        "<arg_key>argument-key</arg_key>\n<arg_value>value-of-argument-key</arg_value>\n</tool_call>",
        response_role="tool",
        response=QWEN_RESPONSE,
        one_turn=True,
    ),
)
