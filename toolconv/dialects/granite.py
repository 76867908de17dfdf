"""Granite 3.0 to 3.3: a marker, then one JSON list of all calls, and no closing marker.

``<|tool_call|>[…]`` in 3.0 and 3.3, ``<tool_call>[…]`` in 3.1; the list on one line or, in vLLM's template, over many.
The stock templates write no calls of earlier turns at all; what is written here is what the models answer.
``<tool_call>`` tags around one object, as in ``hermes``, are read too.

Source: ibm-granite/granite-3.3-8b-instruct chat template and model card; vLLM ``granite``.
"""

from toolconv import jsontext
from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.json_blocks import JsonBlocks

DIALECT = JsonBlocks(
    name="granite",
    aliases=("granite3",),
    models=("Granite 3.0", "Granite 3.1", "Granite 3.2", "Granite 3.3"),
    sample='<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Tokyo"}}, {"name": "ping", "arguments": {}}]',
    separator="\n",
    opens=("<|tool_call|>", "<tool_call>"),
    closes=("</tool_call>",),
    closing="optional",
    listed=True,
    before="<|tool_call|>[",
    between=", ",
    after="]",
    chat=ChatForm(
        tools_open="# Tools\n\n[",
        tools_between=",\n",
        tools_close="]",
        tool=jsontext.pretty,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
