"""Solar Open: a section of calls between tokens, each with an id of ten letters and digits, name and raw JSON.

Reasoning, prose and calls are segments, joined by the end and the start of a turn: ``<|think|>``, ``<|content|>``,
``<|tool_calls|>``. ``<|calls|>``, which ends the section, is the stop token, which servers cut.

Source: chat template of upstage/Solar-Open-100B; ``solar_open_tool_parser.py`` of UpstageAI/vllm.
"""

from toolconv.core import jsontext
from toolconv.dialects.base import TURN_TOKENS
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.turn_parser import Reasoning

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
        tools_open="## Tools\n\n### Available Tools\n\n<|tools:begin|><|tool:begin|>",
        tools_between="<|tool:end|><|tool:begin|>",
        tools_close="<|tool:end|><|tools:end|>",
        tool=jsontext.spaced,
        bare_tools=True,
        response_role="tool",
        response="<|tool_response:begin|>{id}<|tool_response:name|>{name}<|tool_response:result|>{content}"
        "<|tool_response:end|>",
        responses_between="",
        one_turn=True,
    ),
)
