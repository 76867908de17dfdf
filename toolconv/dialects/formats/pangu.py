"""openPangu: one JSON list between ``[unused11]`` and ``[unused12]``, directly after the prose.

Newer vocabularies decode these tokens as ``<|tool_call_start|>`` and ``<|tool_call_end|>``: that is ``lfm2``.

Source: ``pangu_tool_parser.py`` of a vLLM branch; prompts of openPangu DeepDiver.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = JsonBlocks(
    name="pangu",
    aliases=("openpangu",),
    models=("openPangu Embedded", "openPangu R"),
    sample='[unused11][{"name": "get_weather", "arguments": {"city": "Tokyo"}}][unused12]',
    calls=CallTemplate(
        '{"name": {name|json}, "arguments": {args}}', before="[unused11][", between=", ", after="][unused12]"
    ),
    other_keys=("parameters",),
    listed=True,
    reasoning=Reasoning("[unused16]", "[unused17]", "[unused16]", "[unused17]"),
    turn_tokens=("[unused10]", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open="<tools>\n",
        tools_close="\n</tools>\n\nFor each function call, return a JSON object placed within the [unused11][unused12] "
        'tags:\n[unused11][{"name": <function-name>, "arguments": <args-json-object>}][unused12]',
    ),
)
