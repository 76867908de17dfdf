"""MiMo V2: ``<function=name>`` in ``<tool_call>``, with every value verbatim between its tags.

This is Qwen3-Coder's grammar with inline values. V2-Flash and V2.5 put line breaks around the function and between
arguments, and print ``True``, ``False`` and ``None``; this is written here. V2.6 writes JSON and no line breaks, which
is read as well. There is nothing between prose and calls or between calls. Without a schema, a string that spells a
number, a literal, a list or an object can't be distinguished from one. Keys can't hold ``<``, ``>`` or a line break.

Source: XiaomiMiMo/MiMo-V2.5 chat template; vLLM ``mimo``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import QWEN_RESPONSE, ChatFormat
from toolconv.dialects.declarations.function_list import read_functions, write_function
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = XmlParameters(
    name="mimo",
    models=("MiMo-V2-Flash", "MiMo-V2.5", "MiMo-V2.6"),
    sample="<tool_call>\n<function=get_weather>\n<parameter=city>Tokyo</parameter>\n</function>\n</tool_call>",
    calls=CallTemplate(
        "<tool_call>\n<function={name}>\n{params}</function>\n</tool_call>",
        param="<parameter={key}>{value|string}</parameter>\n",
    ),
    reasoning=Reasoning(before="<think>", after="</think>"),
    chat=ChatFormat(
        tools_open="# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
        "You have access to the following functions:\n\n<tools>\n",
        tool=write_function,
        read=read_functions,
        bare_tools=True,
        tools_close="""
</tools>

For each function call, output the function name and arguments in the following format:
<tool_call>
<function=example_function_name>
<parameter=example_parameter_1>value_1</parameter>
<parameter=example_parameter_2>This is the value for the second parameter
that can span
multiple lines</parameter>
</function>
</tool_call>

<IMPORTANT>
- Function calls MUST follow the specified format: an inner <function=...></function> block must be nested within \
<tool_call></tool_call> XML tags
- DO NOT use function calls inside <think></think> tags.
- The value enclosed between parameter tags is preserved exactly as-is, including newlines and spaces.
</IMPORTANT>""",
        response_role="tool",
        responses_close="\n",
        response=QWEN_RESPONSE,
        one_turn=True,
    ),
)
