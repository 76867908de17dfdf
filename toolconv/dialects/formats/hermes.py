"""JSON objects in ``<tool_call>`` tags: Hermes, Qwen2.5, Qwen3 and many fine-tunes.

Each call has a block with ``name`` and ``arguments``; there is a newline between blocks and before the first. There are
no ids. Models write many variants, and all of them are read: keys in any order and under other names, Python literals
and quotes, lists and several objects in one block, missing opening or closing tags or both, prose around the calls.
Step3-VL writes ``<tool_calls>`` around all blocks.

Source: model cards and chat templates of NousResearch/Hermes-2-Pro and Qwen/Qwen2.5; vLLM ``hermes``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import HERMES_CHAT
from toolconv.dialects.grammars.json_blocks import JsonBlocks

HERMES_CALLS = CallTemplate(
    '<tool_call>\n{"name": {name|json}, "arguments": {args}}\n</tool_call>',
    between="\n",
)

DIALECT = JsonBlocks(
    name="hermes",
    aliases=("qwen", "qwen25", "qwen3_json", "trinity", "nous", "nous-hermes", "telechat3", "kolibri1"),
    models=("Hermes 2 Pro, 3, 4", "Qwen2.5", "QwQ", "Qwen3 (not Coder)", "Jamba2", "Trinity", "Kolibri 1"),
    sample='<tool_call>\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n</tool_call>',
    calls=HERMES_CALLS,
    separator="\n",
    around=("<tool_calls>", "</tool_calls>"),
    chat=HERMES_CHAT,
)
