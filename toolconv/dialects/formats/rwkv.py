"""RWKV-7: a heading and a fence of JSON for each call.

Older checkpoints write the fence alone, or one JSON line after ``<tool_call>``, both of which are read.

Source: ``rwkv_tool_parser.py`` of a vLLM branch.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = JsonBlocks(
    name="rwkv",
    models=("RWKV-7 G1",),
    sample='**Tool Call:**\n```json\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n```',
    calls=CallTemplate('**Tool Call:**\n```json\n{"name": {name|json}, "arguments": {args}}\n```', between="\n\n"),
    closing="optional",
    fallback_dialects=("hermes",),
    separator="\n\n",
    reasoning=Reasoning(before="<think>", after="</think>\n"),
)
