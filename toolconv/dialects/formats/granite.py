"""Granite 3.0 to 3.3: a marker, then one JSON list of all calls, and no closing marker.

The format is ``<|tool_call|>[…]`` in 3.0 and 3.3, and ``<tool_call>[…]`` in 3.1, with the list on one line or, in
vLLM's template, on several. The stock templates don't write calls of earlier turns at all; here they are written as the
models write them. ``<tool_call>`` tags around one object, as in ``hermes``, are read too. The system turn holds IBM's
sentence on tools and their list, which the templates put into a separate turn.

Source: ibm-granite/granite-3.3-8b-instruct chat template and model card; vLLM ``granite``.
"""

from typing import Any

from toolconv.core import jsontext
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks


def _indented(tool: Any) -> str:
    from textwrap import indent

    return indent(jsontext.pretty(tool), "    ")


DIALECT = JsonBlocks(
    name="granite",
    aliases=("granite3",),
    models=("Granite 3.0", "Granite 3.1", "Granite 3.2", "Granite 3.3"),
    sample='<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Tokyo"}}, {"name": "ping", "arguments": {}}]',
    calls=CallTemplate('{"name": {name|json}, "arguments": {args}}', before="<|tool_call|>[", between=", ", after="]"),
    separator="\n",
    opens=("<tool_call>",),
    closes=("</tool_call>",),
    closing="optional",
    listed=True,
    chat=ChatFormat(
        tools_open="You are a helpful assistant with access to the following tools. When a tool is required to answer "
        "the user's query, respond only with <|tool_call|> followed by a JSON list of tools used. If a tool does not "
        "exist in the provided list of tools, notify the user that you do not have the ability to fulfill the request."
        "\n\n[\n",
        tools_between=",\n",
        tools_close="\n]",
        tool=_indented,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
