"""ZAYA1: the tags of ``qwen3_xml`` in ``<zyphra_tool_call>``.

Results are in ``<zyphra_tool_response>``. Values carry no type: the tool's schema gives it. Scalars are written as in
Python, lists and objects as JSON; both forms are read for all of them. Closing tags alone, which agent loops leave, are
not read as a call. Tools are declared in tags, as Qwen3-Coder's are.

Source: ``zaya_tool_parser.py`` of Zyphra/vllm; chat template of OsaurusAI/Osaurus-AppleScript-8B.
"""

from dataclasses import replace

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.function_list import read_functions, write_function
from toolconv.dialects.formats.qwen3_xml import DIALECT as QWEN3_XML

DIALECT = replace(
    QWEN3_XML,
    name="zaya",
    aliases=("zaya_xml",),
    models=("ZAYA1",),
    sample=QWEN3_XML.sample.replace("tool_call>", "zyphra_tool_call>"),
    calls=CallTemplate(
        "<zyphra_tool_call>\n<function={name}>\n{params}</function>\n</zyphra_tool_call>",
        param="<parameter={key}>\n{value|string}\n</parameter>\n",
        between="\n",
    ),
    chat=ChatFormat(
        tools_open=QWEN3_XML.chat.tools_open,
        tool=write_function,
        read=read_functions,
        bare_tools=True,
        tools_close=QWEN3_XML.chat.tools_close.replace("tool_call>", "zyphra_tool_call>"),
        response="<zyphra_tool_response>\n{content}\n</zyphra_tool_response>",
        responses_close="\n",
        response_role="user",
        one_turn=True,
    ),
)
