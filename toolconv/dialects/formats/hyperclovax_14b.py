"""HyperCLOVAX-SEED-Think-14B: a call is a turn header and a JSON list; prose and reasoning are turns before it.

``<|im_start|>assistant -> tool/function_call``; a turn of reasoning is ``<|im_start|>assistant/think``.

Source: chat template of naver-hyperclovax/HyperCLOVAX-SEED-Think-14B; the parser of a vLLM branch.
"""

from toolconv.core import jsontext
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

NEXT = "<|im_end|>\n<|im_start|>assistant"
"""What stands between two turns of the assistant."""


DIALECT = JsonBlocks(
    name="hyperclovax_14b",
    models=("HyperCLOVAX-SEED-Think-14B",),
    sample=' -> tool/function_call\n[{"name": "get_weather", "arguments": {"city": "Tokyo"}}]',
    calls=CallTemplate(
        '{"name": {name|json}, "arguments": {args}}',
        before=" -> tool/function_call\n[",
        between=", ",
        after="]",
        turn=f"\n{{prose}}{NEXT}{{calls}}",
        turn_without_calls="\n{prose}",
    ),
    separator=NEXT,
    other_keys=("parameters",),
    listed=True,
    reasoning=Reasoning("/think\n", NEXT, "/think\n", NEXT, own_close=False),
    turn_tokens=("<|stop|>", "<|endofturn|>", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open="[",
        tools_between=", ",
        tools_close="]",
        tools_first=True,
        tool=jsontext.spaced,
        bare_tools=True,
        response_role="tool/function_call",
    ),
)
