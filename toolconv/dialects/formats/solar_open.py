"""Solar Open: a section of calls between tokens, each with an id of ten letters and digits, name and raw JSON.

Reasoning, prose and calls are segments, joined by the end and the start of a turn: ``<|think|>``, ``<|content|>``,
``<|tool_calls|>``. ``<|calls|>``, which ends the section, is the stop token, which servers cut.

Source: chat template of upstage/Solar-Open-100B; ``solar_open_tool_parser.py`` of UpstageAI/vllm.
"""

from toolconv.core import jsontext
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

NEXT = "<|end|><|begin|>assistant"
"""What stands between two segments of a turn."""

DIALECT = NameThenJson(
    name="solar_open",
    models=("Solar-Open-100B",),
    sample="<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>get_weather<|tool_call:args|>"
    '{"city": "Tokyo"}<|tool_call:end|><|calls|>',
    calls=CallTemplate(
        "<|tool_call:begin|>{id}<|tool_call:name|>{name}<|tool_call:args|>{args}<|tool_call:end|>",
        id_length=10,
        before="<|tool_calls|>",
        after="<|calls|>",
        turn=f"<|content|>{{prose}}{NEXT}{{calls}}",
        turn_without_calls="<|content|>{prose}",
    ),
    separator=NEXT,
    carries_ids=True,
    reasoning=Reasoning("<|think|>", NEXT, "<|think|>", NEXT, own_close=False),
    turn_tokens=("<|end|>", "<|flush|>", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open="## Tools\n\n### Tool Call Instruction\nYou may invoke one or more tools to assist with the user's "
        "query. Available tools are provided in JSON Schema format: <|tools:begin|><|tool:begin|><tools-json-object>"
        "<|tool:end|>...<|tools:end|>\n\n### Available Tools\n<|tools:begin|><|tool:begin|>",
        tools_between="<|tool:end|><|tool:begin|>",
        tools_close="<|tool:end|><|tools:end|>\n\n### Tool Call Format\nFor each tool call, return a JSON object with "
        "the following structure, enclosed within <|tool_call:begin|> and <|tool_call:end|> tags: \n<|tool_call:begin|>"
        "<tool-call-id><|tool_call:name|><tool-name><|tool_call:args|><args-json-object><|tool_call:end|>\n- The "
        "<tool-call-id> must be a randomly generated string consisting of 10 lowercase letters (a-z) and/or digits "
        "(0-9) (e.g., a1b2c3d4e5)\n\n### Tool Response Format\nEach tool is responded by `tool` with the following "
        "structure:\n<|tool_response:id|><tool-call-id><|tool_response:name|><tool-name><|tool_response:result|>"
        "<results><|tool_response:end|>\n- Ensure the <tool-call-id> matches the corresponding tool call",
        tool=jsontext.spaced,
        bare_tools=True,
        response_role="tool",
        response="<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>{content}"
        "<|tool_response:end|>",
        responses_open="<|tool_response|>",
        responses_between="",
        one_turn=True,
    ),
)
