"""GigaChat 3.5: DeepSeek-V3.2's typed parameters under the name ``｜GCML｜``, with other line breaks.

The bars are U+FF5C. ``string="true"`` marks a value as text, ``"false"`` as JSON, so no schema is needed. Only if the
schema admits no string is a text read as the type in the schema. The block follows a blank line.

The format loses only a string that looks like the other type its schema demands. Keys can't hold ``<`` or a line break.

Source: SGLang 0.5.23 ``gigachat35``; ``models/templates/GigaChat3.5.jinja`` of ggml-org/llama.cpp.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = XmlParameters(
    name="gigachat35",
    models=("GigaChat 3.5",),
    sample='<｜GCML｜tool_calls>\n<｜GCML｜invoke name="get_weather">\n<｜GCML｜parameter name="city" '
    'string="true">Tokyo</｜GCML｜parameter>\n</｜GCML｜invoke>\n</｜GCML｜tool_calls>',
    calls=CallTemplate(
        '<｜GCML｜invoke name="{name}">\n{params}</｜GCML｜invoke>',
        before="<｜GCML｜tool_calls>\n",
        between="\n",
        after="\n</｜GCML｜tool_calls>",
        param='<｜GCML｜parameter name="{key}" string="{is_text}">{value}</｜GCML｜parameter>\n',
    ),
    separator="\n\n",
    reasoning=Reasoning(before="<think>", after="</think>\n\n"),
    fallback_dialects=("deepseek_v4",),
    turn_tokens=("<|message_sep|>", *TURN_TOKENS),
    chat=ChatFormat(
        response_role="function result",
        response='<function_response name="{name}">{content}</function_response>',
        one_turn=True,
    ),
)
