"""Ling 3 and Ring 2.6: GLM's pairs of ``<arg_key>`` and ``<arg_value>``, with a different layout.

There is a line break before ``<arg_value>`` and after the last value, and none between a value and the next key. A call
without arguments holds an empty line. Any layout is read. Values are verbatim: strings as they are, everything else as
JSON. Without a schema, a string that spells a number, a literal, a list or an object can't be distinguished from
one. Keys can't hold ``<`` or a line break.

Source: inclusionAI/Ling-3.0-flash chat template; vLLM ``ling3``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_RESPONSE, QWEN_TOOLS, ChatFormat
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = XmlParameters(
    name="ling3",
    aliases=("bailing_v3",),
    models=("Ling-3.0", "Ring-2.6"),
    sample="<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Tokyo</arg_value>\n</tool_call>",
    calls=CallTemplate(
        "<tool_call>{name}\n{params}\n</tool_call>",
        between="\n",
        param="<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>",
    ),
    separator="\n",
    reasoning=Reasoning(before="<think>", after="</think>"),
    turn_tokens=("<|role_end|>", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open=QWEN_TOOLS,
        tools_apart="\n",
        tools_close="\n</tools>\n\nIf none of the functions can be used, point it out. If the given question lacks the "
        "parameters required by the function, also point it out.\nIf you need to use a function, for each function "
        "call, output the function name and arguments within the following XML format:\n<tool_call>{function-name}\n"
        "<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n<arg_key>{arg-key-2}</arg_key>\n"
        "<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>",
        response_role="observation",
        response=QWEN_RESPONSE,
        one_turn=True,
    ),
)
