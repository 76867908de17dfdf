"""LongCat: JSON objects in ``<longcat_tool_call>`` tags, end to end; in Lite and 2.0 tags for keys and values.

``longcat`` is the body of LongCat-Flash-Chat and -Thinking, the text of ``hermes`` with other tags and nothing between
blocks nor after prose. ``longcat_tags`` is that of LongCat-Flash-Lite and LongCat-2.0: the name, then
``<longcat_arg_key>`` and ``<longcat_arg_value>`` a line each, strings verbatim and everything else as JSON. A value's
type is the schema's; without tools, text that looks like something else is lost as text, and a string that holds the
closing tags is lost in any case. Either is read under both names; ``<tool_call>`` tags are read as ``hermes``.

Source: meituan-longcat/LongCat-Flash-Chat and LongCat-Flash-Lite chat templates; vLLM ``longcat`` (JSON only).
"""

from toolconv.dialects.base import TURN_TOKENS, Reasoning
from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.json_blocks import JsonBlocks
from toolconv.dialects.cores.xml_parameters import XmlParameters

LONGCAT_TOKENS = (*TURN_TOKENS, "</longcat_s>")
LONGCAT_THINK = Reasoning("<longcat_think>", "</longcat_think>", "<longcat_think>\n", "\n</longcat_think>\n")

FLASH = JsonBlocks(
    name="longcat",
    aliases=("longcat_flash",),
    models=("LongCat-Flash-Chat", "LongCat-Flash-Thinking"),
    sample='<longcat_tool_call>\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n</longcat_tool_call>',
    reasoning=LONGCAT_THINK,
    turn_tokens=LONGCAT_TOKENS,
    reads=("longcat_tags", "hermes"),
    opens=("<longcat_tool_call>",),
    closes=("</longcat_tool_call>",),
    item_before="<longcat_tool_call>\n",
    item_after="\n</longcat_tool_call>",
    chat=ChatForm(
        tools_open="# Tools\nYou have access to the following tools: \n\n",
        tools_close="\n\n**Note**: For each function call, return a json object with function name and arguments "
        "within <longcat_tool_call></longcat_tool_call> XML tags as follows:\n<longcat_tool_call>\n"
        '{"name": <function-name>, "arguments": <args-dict>}\n</longcat_tool_call>\n'
        "When multiple functions need to be called simultaneously, each function call should be wrapped in its own "
        "<longcat_tool_call> tag and placed consecutively.",
        bare_tools=True,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)

TAGS = XmlParameters(
    name="longcat_tags",
    aliases=("longcat2", "longcat_lite"),
    models=("LongCat-Flash-Lite", "LongCat-2.0"),
    sample="<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n"
    "<longcat_arg_value>Tokyo</longcat_arg_value>\n</longcat_tool_call>\n",
    reasoning=LONGCAT_THINK,
    turn_tokens=LONGCAT_TOKENS,
    json=FLASH,
    wrappers=(),
    functions=(("<longcat_tool_call>{name}\n", "</longcat_tool_call>\n"),),
    parameters=(("<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>", "</longcat_arg_value>\n"),),
    between="",
    chat=ChatForm(
        tools_open="<longcat_tool_declare>\n# Tools\n\n",
        tools_close="\n</longcat_tool_declare>",
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)

DIALECTS = (FLASH, TAGS)
