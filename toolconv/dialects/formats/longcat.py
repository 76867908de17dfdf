"""LongCat: JSON objects in ``<longcat_tool_call>`` tags, end to end; in Lite and 2.0 tags for keys and values.

``longcat`` is the body of LongCat-Flash-Chat and -Thinking: the text of ``hermes`` with other tags and nothing between
blocks or after prose. ``longcat_tags`` is the body of LongCat-Flash-Lite and LongCat-2.0: the name, then a line for
each ``<longcat_arg_key>`` and ``<longcat_arg_value>``, strings verbatim and everything else as JSON. The schema types
the values. Without tools, text that looks like something else is lost as text; a string that holds the closing tags is
always lost. Either body is read under both names, and ``<tool_call>`` tags are read as ``hermes``. Tools are declared
by name, description and parameters; further keys are lost.

Source: meituan-longcat/LongCat-Flash-Chat and LongCat-Flash-Lite chat templates; vLLM ``longcat`` (JSON only).
"""

from __future__ import annotations

import json
from functools import partial

from toolconv.core import jsontext
from toolconv.core.messages import Message
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.headed_tools import HeadedTools
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

LONGCAT_TOKENS = (*TURN_TOKENS, "</longcat_s>")
LONGCAT_THINK = Reasoning("<longcat_think>", "</longcat_think>", "<longcat_think>\n", "\n</longcat_think>\n")

CALL = '<longcat_tool_call>\n{"name": <function-name>, "arguments": <args-dict>}\n</longcat_tool_call>'
FLASH_TOOLS = HeadedTools(
    "### Tool name: {name}\n\nDescription: {description}\n\nInputSchema: \n{parameters}\n\n",
    partial(json.dumps, ensure_ascii=False, indent=2),
)
TAGS_TOOLS = HeadedTools("### Tool name: {name}\nDescription: {description}\n\nInputSchema: {parameters}\n\n")
RESULT_KEYS = {"name", "content"}


class LongCatChat(ChatFormat):
    """Results as JSON objects of a name, if there is one, and the content."""

    def write_response(self, message: Message, text: str) -> str:
        named = {"name": message["name"]} if message.get("name") else {}
        return jsontext.spaced({**named, "content": message.get("content") or ""})

    def read_responses(self, role: str, text: str) -> list[Message] | None:
        try:
            result = jsontext.loads(text)
        except ValueError:
            return None
        if (
            role != self.response_role
            or not isinstance(result, dict)
            or not {"content"} <= result.keys() <= RESULT_KEYS
        ):
            return None
        return [{"role": "tool", **result}] if isinstance(result["content"], (str, list)) else None


FLASH = JsonBlocks(
    name="longcat",
    aliases=("longcat_flash",),
    models=("LongCat-Flash-Chat", "LongCat-Flash-Thinking"),
    sample='<longcat_tool_call>\n{"name": "get_weather", "arguments": {"city": "Tokyo"}}\n</longcat_tool_call>',
    calls=CallTemplate('<longcat_tool_call>\n{"name": {name|json}, "arguments": {args}}\n</longcat_tool_call>'),
    reasoning=LONGCAT_THINK,
    turn_tokens=LONGCAT_TOKENS,
    fallback_dialects=("longcat_tags", "hermes"),
    opens=("<longcat_tool_call>",),
    chat=LongCatChat(
        tools_open="# Tools\nYou have access to the following tools: \n\n## Tool namespace: function\n\n",
        tools_between="",
        tools_close="**Note**: For each function call, return a json object with function name and arguments within "
        f"<longcat_tool_call></longcat_tool_call> XML tags as follows:\n{CALL}\n"
        "When multiple functions need to be called simultaneously, each function call should be wrapped in its own "
        f"<longcat_tool_call> tag and placed consecutively. For example:\n{CALL}{CALL}\n\n# Messages\n",
        tool=FLASH_TOOLS.write,
        read=FLASH_TOOLS.read,
        tools_first=True,
        tools_apart="",
        bare_tools=True,
        response_role="tool",
        one_turn=False,
    ),
)

TAGS = XmlParameters(
    name="longcat_tags",
    aliases=("longcat2", "longcat_lite"),
    models=("LongCat-Flash-Lite", "LongCat-2.0"),
    sample="<longcat_tool_call>get_weather\n<longcat_arg_key>city</longcat_arg_key>\n"
    "<longcat_arg_value>Tokyo</longcat_arg_value>\n</longcat_tool_call>\n",
    calls=CallTemplate(
        "<longcat_tool_call>{name}\n{params}</longcat_tool_call>\n",
        param="<longcat_arg_key>{key}</longcat_arg_key>\n<longcat_arg_value>{value}</longcat_arg_value>\n",
    ),
    reasoning=LONGCAT_THINK,
    turn_tokens=LONGCAT_TOKENS,
    json=FLASH,
    chat=ChatFormat(
        tools_open="<longcat_tool_declare>\n# Tools\nYou have access to the following tools:\n\n"
        "## Tool namespace: function\n\n",
        tools_between="",
        tools_close="**Note**: For each function call, output the function name and arguments within the following XML "
        "format:\n<longcat_tool_call>{function-name}\n<longcat_arg_key>{arg-key-1}</longcat_arg_key>\n"
        "<longcat_arg_value>{arg-value-1}</longcat_arg_value>\n<longcat_arg_key>{arg-key-2}</longcat_arg_key>\n"
        "<longcat_arg_value>{arg-value-2}</longcat_arg_value>\n...\n</longcat_tool_call>\n</longcat_tool_declare>",
        tool=TAGS_TOOLS.write,
        read=TAGS_TOOLS.read,
        tools_first=True,
        tools_apart="",
        bare_tools=True,
        response_role="tool",
        response="<longcat_tool_response>{content}</longcat_tool_response>",
        responses_between="",
        one_turn=True,
    ),
)

DIALECTS = (FLASH, TAGS)
