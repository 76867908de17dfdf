"""Seed-OSS: ``<seed:tool_call>`` around ``<function=name>`` with inline values.

This is Qwen3-Coder's grammar in other tags. A value is everything between its tags, including line breaks. A blank line
follows prose, and a line break separates calls. The template prints values as Python does (``True``, ``{'a': None}``),
which is read like JSON; JSON is written. Tools are declared as Python stubs, which hold less than a schema does.
Without a schema, a string that spells a number, a literal, a list or an object can't be distinguished from one.
Keys can't hold ``<``, ``>`` or a line break.

Source: ByteDance-Seed/Seed-OSS-36B-Instruct chat template; vLLM ``seed_oss``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.python_stubs import HEAD, read_stubs, stub
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

CALLS = CallTemplate(
    "<seed:tool_call>\n<function={name}>\n{params}</function>\n</seed:tool_call>",
    param="<parameter={key}>{value}</parameter>\n",
    also_spelled=("string", "str"),
    between="\n",
)

DIALECT = XmlParameters(
    name="seed_oss",
    aliases=("seed",),
    models=("Seed-OSS-36B",),
    sample="<seed:tool_call>\n<function=get_weather>\n<parameter=city>Tokyo</parameter>\n</function>\n</seed:tool_call>",
    calls=CALLS,
    separator="\n\n",
    reasoning=Reasoning("<seed:think>", "</seed:think>", "<seed:think>", "</seed:think>\n"),
    turn_tokens=("<seed:eos>", *TURN_TOKENS),
    chat=ChatFormat(
        tools_open=HEAD,
        tools_between=f"\n\n{HEAD}",
        tool=stub,
        read=read_stubs,
        tools_close="""
工具调用请遵循如下格式:
<seed:tool_call>
<function=example_function_name>
<parameter=example_parameter_1>value_1</parameter>
<parameter=example_parameter_2>This is the value for the second parameter
that can span
multiple lines</parameter>
</function>
</seed:tool_call>
""",
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
