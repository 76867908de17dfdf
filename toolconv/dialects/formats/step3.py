"""Step 3: ``<steptml:invoke name="…">`` in a section of tokens that look like DeepSeek's, with ASCII underscores.

``<｜tool_call_begin｜>`` and ``function<｜tool_sep｜>`` precede each call, and ``<｜tool_call_end｜>`` follows it. The
family's own template misspells the first token (``<｜tool_call_begin>｜>``); that is read too. A space follows prose.
Values are inline and verbatim. The template prints them as Python does, which is read like JSON; JSON is written. Some
tools use the same name for JSON in ``<tool_call>`` or ``<function_call>``, which is read as well. Without a schema, a
string that spells a number, a literal, a list or an object can't be distinguished from one. Keys can't hold ``<``
or a line break.

Source: stepfun-ai/step3 chat template; vLLM ``step3``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

INVOKE = '<steptml:invoke name="{name}">'
END = "</steptml:invoke>"

DIALECT = XmlParameters(
    name="step3",
    models=("Step3",),
    sample="<｜tool_calls_begin｜>\n<｜tool_call_begin｜>\nfunction<｜tool_sep｜>"
    '<steptml:invoke name="get_weather"><steptml:parameter name="city">Tokyo</steptml:parameter></steptml:invoke>'
    "<｜tool_call_end｜>\n<｜tool_calls_end｜>",
    calls=CallTemplate(
        f"<｜tool_call_begin｜>\nfunction<｜tool_sep｜>{INVOKE}{{params}}{END}<｜tool_call_end｜>",
        before="<｜tool_calls_begin｜>\n",
        between="\n",
        after="\n<｜tool_calls_end｜>",
        param='<steptml:parameter name="{key}">{value}</steptml:parameter>',
        also_spelled=("str",),
    ),
    separator=" ",
    turn_tokens=("<|EOT|>", *TURN_TOKENS),
    functions=((f"<｜tool_call_begin>｜>\nfunction<｜tool_sep｜>{INVOKE}", f"{END}<｜tool_call_end｜>"),),
    function_slips=((f"<｜tool_call_begin｜>\n{INVOKE}", END), (INVOKE, "<｜tool_call_end｜>")),
    json=JsonBlocks(
        name="step3",
        opens=("<tool_call>", "<function_call>"),
        closes=("</tool_call>", "</function_call>"),
        bare="never",
    ),
    json_slips=JsonBlocks(
        name="step3",
        opens=("<｜tool_call_begin｜>\nfunction<｜tool_sep｜>", "<｜tool_call_begin｜>function<｜tool_sep｜>"),
        closes=("<｜tool_call_end｜>",),
        bare="never",
    ),
    chat=ChatFormat(
        tools_open="# Tools \nYou may call one or more tools to assist with the user query. You are provided with tool "
        "schemas within <tools></tools> XML tags: <tools>",
        tools_close="""
</tools> When making tool calls, use XML format to invoke tools and pass parameters: <｜tool_calls_begin｜>
<｜tool_call_begin｜>
function<｜tool_sep｜><steptml:invoke name="tool_name0"><steptml:parameter name="parameter_name0">[parameter value]\
</steptml:parameter>...</steptml:invoke><｜tool_call_end｜>
<｜tool_call_begin｜>
function<｜tool_sep｜><steptml:invoke name="tool_name1"><steptml:parameter name="parameter_name1">[parameter value]\
</steptml:parameter>...</steptml:invoke><｜tool_call_end｜>
<｜tool_calls_end｜>
Note: * You can invoke one or more tools in parallel. * Each tool call must be complete and self-contained within a \
single <steptml:toolcall></steptml:toolcall> block.""",
        response_role="tool_response",
        response="<｜tool_output_begin｜>\n {content} <｜tool_output_end｜>",
        responses_open="<｜tool_outputs_begin｜>\n",
        responses_between="",
        responses_close="<｜tool_outputs_end｜>",
        one_turn=True,
    ),
)
