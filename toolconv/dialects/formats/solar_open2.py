"""Solar Open2 and Solar Pro 4: tokens around the name of a call, and around each key and value.

Calls are separated by line breaks and follow prose directly. A value is verbatim: strings as they are, everything else
as JSON. Without a schema, a string that spells a number, a literal, a list or an object can't be distinguished from
one. The generation prompt opens the reasoning.

Source: chat template of upstage/Solar-Open2-250B; ``solar_open2_tool_parser.py`` of a vLLM branch.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = XmlParameters(
    name="solar_open2",
    models=("Solar-Open2-250B", "Solar Pro 4"),
    sample="<|tool_call:start|>get_weather\n<|tool_arg:start|>city<|tool_arg:value|>Tokyo<|tool_arg:end|>\n"
    "<|tool_call:end|>",
    calls=CallTemplate(
        "<|tool_call:start|>{name}\n{params}<|tool_call:end|>",
        between="\n",
        param="<|tool_arg:start|>{key}<|tool_arg:value|>{value}<|tool_arg:end|>\n",
    ),
    reasoning=Reasoning("<|think:start|>", "<|think:end|>", "<|think:start|>", "<|think:end|>"),
    turn_tokens=("<|im:end|>", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open="## Tools\n- You may invoke one or more tools to assist with the user's query.\n\n"
        "### Available Tools\n<|tool:start|>",
        tools_between="<|tool:end|>\n<|tool:start|>",
        tools_close="<|tool:end|>\n\n### Tool Call Instruction\n- If using a tool, any reasoning must strictly precede "
        "the call. Do not append any text after the tool call.\n- If no tool is required, answer directly from your "
        "knowledge without ever mentioning the availability or absence of tools.\n- Each tool call MUST use this "
        "following format: <|tool_call:start|>{example-tool-name}\n<|tool_arg:start|>{example-key-name-1}"
        "<|tool_arg:value|>{example-value-1}<|tool_arg:end|>\n<|tool_arg:start|>{example-key-name-2}<|tool_arg:value|>"
        "{example-value-2}<|tool_arg:end|>\n<|tool_call:end|>\n",
        bare_tools=True,
        response_role="tool",
        response="<|tool_response:start|>{content}<|tool_response:end|>",
        one_turn=True,
    ),
)
