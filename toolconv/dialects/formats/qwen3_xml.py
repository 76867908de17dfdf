"""Qwen3-Coder, and Qwen3.5 to 3.8: ``<function=name>`` with a ``<parameter=key>`` on separate lines per argument.

Each call has a wrapper ``<tool_call>``, and a blank line precedes the first. Values carry no type: the tool's schema
gives it. ``True``, ``False`` and ``None`` are written as in Python, lists and objects as JSON. Python's and JSON's
forms are read for all of them (Qwen3-Coder-Next, Qwen3.6 and 3.8 write JSON throughout). One newline at each end of a
value is layout; all others belong to the value.

The tools precede the system text, as in Qwen3.5. The list of Qwen3-Coder and Nemotron 3, in tags, is read too.

Source: Qwen/Qwen3-Coder-30B-A3B-Instruct and Qwen/Qwen3.5 chat templates; vLLM ``qwen3_coder``, ``qwen3_xml``.
"""

from dataclasses import replace

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_RESPONSE, ChatFormat
from toolconv.dialects.grammars.xml_parameters import XmlParameters

CALL_FORMAT = """
</tools>

If you choose to call a function ONLY reply in the following format with NO suffix:

<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>
value_1
</parameter>
<parameter=example_parameter_2>
This is the value for the second parameter
that can span
multiple lines
</parameter>
</function>
</tool_call>

<IMPORTANT>
Reminder:
- Function calls MUST follow the specified format: an inner <function=...>"""
"""The description of the format in the system turns of Qwen3.5 and, later, Step 3.5."""

QWEN3_CALLS = CallTemplate(
    "<tool_call>\n<function={name}>\n{params}</function>\n</tool_call>",
    param="<parameter={key}>\n{value|string}\n</parameter>\n",
    between="\n",
)

DIALECT = XmlParameters(
    name="qwen3_xml",
    aliases=("qwen3_coder", "berrylm", "interns2_preview", "iquest_coder", "minicpmv", "nanbeige", "ornith"),
    models=("Qwen3-Coder", "Qwen3-Coder-Next", "Qwen3.5", "Qwen3.6", "Qwen3.8", "Nemotron 3"),
    sample="<tool_call>\n<function=get_weather>\n<parameter=city>\nTokyo\n</parameter>\n</function>\n</tool_call>",
    calls=QWEN3_CALLS,
    separator="\n\n",
    chat=ChatFormat(
        tools_first=True,
        tools_open="# Tools\n\nYou have access to the following functions:\n\n<tools>\n",
        tools_close=f"""{CALL_FORMAT}</function> block must be nested within \
<tool_call></tool_call> XML tags
- Required parameters MUST be specified
- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after
- If there is no function call available, answer the question like normal with your current knowledge and do not \
tell the user about function calls
</IMPORTANT>""",
        response_role="user",
        response=QWEN_RESPONSE,
        one_turn=True,
    ),
)

JSON_VALUES = replace(DIALECT, calls=replace(QWEN3_CALLS, param="<parameter={key}>\n{value}\n</parameter>\n"))
"""The spelling of Qwen3-Coder-Next, Qwen3.6 and 3.8: all values but strings are JSON."""
