"""Step-Audio 2 (``step_audio_2``) and Step-Audio R1 (``step_audio_r1``): type, name and JSON on lines of their own.

The type is always ``function``. Calls follow each other and prose directly.

Source: chat template of stepfun-ai/Step-Audio-R1.1; ``step_audio_2_tool_parser.py`` of a vLLM branch.
"""

from dataclasses import replace

from toolconv.core import jsontext
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

AUDIO_2 = NameThenJson(
    name="step_audio_2",
    models=("Step-Audio 2",),
    sample='<tool_call>function\nget_weather\n{"city": "Tokyo"}</tool_call>',
    calls=CallTemplate("<tool_call>function\n{name}\n{args}</tool_call>"),
    reasoning=Reasoning(after="\n</think>\n"),
    turn_tokens=("<|EOT|>", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open="[",
        tools_between=", ",
        tools_close="]",
        tool=jsontext.spaced,
        tools_first=True,
        response_role="function_output",
        response="{name}\n{content}",
    ),
)
R1 = replace(
    AUDIO_2,
    name="step_audio_r1",
    models=("Step-Audio R1",),
    sample='<|CALL_START|>function\nget_weather\n{"city": "Tokyo"}<|CALL_END|>',
    calls=CallTemplate("<|CALL_START|>function\n{name}\n{args}<|CALL_END|>"),
)
DIALECTS = (AUDIO_2, R1)
