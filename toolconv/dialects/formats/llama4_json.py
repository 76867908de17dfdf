"""Llama 4 with the JSON template: bare objects ``{"name": …, "parameters": {…}}``, end to end.

There is nothing between prose and the first object, nor between objects. Meta's own template puts the prose, or
nothing, between ``<|python_start|>`` and ``<|python_end|>``; these markers are removed. Calls in Python syntax are read
as in ``llama4_pythonic``.

Source: meta-llama/Llama-4-Scout-17B-16E-Instruct chat template; vLLM ``llama4_json``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.formats.llama3_json import LLAMA_CHAT
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

DIALECT = JsonBlocks(
    name="llama4_json",
    models=("Llama 4 Scout", "Llama 4 Maverick"),
    sample='{"name": "get_weather", "parameters": {"city": "Tokyo"}}{"name": "ping", "parameters": {}}',
    calls=CallTemplate('{"name": {name|json}, "parameters": {args}}'),
    turn_tokens=(*TURN_TOKENS, "<|eot|>", "<|eom|>"),
    fallback_dialects=("llama4_pythonic",),
    opens=("<|python_tag|>",),
    argument_key="parameters",
    other_keys=("arguments",),
    bare="always",
    listed=True,
    prose_tags=(("<|python_start|>", "<|python_end|>"),),
    chat=LLAMA_CHAT,
)
