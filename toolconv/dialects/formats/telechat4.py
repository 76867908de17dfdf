"""TeleChat4, Xing4.0 and TeleChat3-Coder: the name, then alternating ``<param_key>`` and ``<param_value>``.

Each call has one ``<tool_call>``, and no white space is written between tags; it is read there. Values are verbatim:
strings as they are, everything else as JSON. Without a schema, a string that spells a number, a literal, a list or an
object can't be distinguished from one. JSON in the tag, which guided decoding forces, is read too.

Source: ``telechat4_parser.py`` and ``xing4_0_parser.py`` of NVIDIA/TensorRT-LLM; ``agent_template/xing4_0.py`` of
modelscope/ms-swift, which copies the models' chat template.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = XmlParameters(
    name="telechat4",
    aliases=("xing4_0", "xingchen4", "telechat3_coder"),
    models=("TeleChat4", "Xing4.0", "TeleChat3-Coder"),
    sample="<tool_call>get_weather<param_key>city</param_key><param_value>Tokyo</param_value></tool_call>",
    calls=CallTemplate(
        "<tool_call>{name}{params}</tool_call>",
        param="<param_key>{key}</param_key><param_value>{value}</param_value>",
    ),
    reasoning=Reasoning(before="<think>", after="</think>"),
    turn_tokens=("<_end>", "<_observation>", "<_user>", "<_bot>", *TURN_TOKENS),
    json=JsonBlocks(name="telechat4", opens=("<tool_call>",), closes=("</tool_call>",), bare="never"),
    chat=ChatFormat(
        tools_open="\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n",
        tools_close="\n</tools>\n\nFor each function call, output the function name and arguments within the following "
        "XML format:\n<tool_call>{function-name}<param_key>{param-key-1}</param_key><param_value>{param-value-1}"
        "</param_value><param_key>{param-key-2}</param_key><param_value>{param-value-2}</param_value>...</tool_call>",
        tools_apart="",
        response_role="observation",
        response="<tool_response>{content}</tool_response>",
        responses_between="",
        one_turn=True,
    ),
)
