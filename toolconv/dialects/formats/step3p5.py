"""Step-3.5 and Step 3.7 (``step3p5``), Step 5 (``step5``): Qwen3-Coder's calls with nothing between prose and calls.

A call is ``<function=name>`` and ``<parameter=key>`` with each value on separate lines, in a wrapper ``<tool_call>``,
without a line break before the first call or between calls. ``True``, ``False`` and ``None`` are written as in Python,
lists and objects as JSON. Python's and JSON's forms are read for all of them. Some tools use the same name for JSON in
``<tool_call>`` or ``<function_call>``, which is read too. Without a schema, a string that spells a number, a
literal, a list or an object can't be distinguished from one. Keys can't hold ``<``, ``>`` or a line break.

Source: stepfun-ai/Step-3.5-Flash chat template; vLLM ``step3p5``, ``step5`` (whose template is not known: the layout of
Step 3.5 is written).
"""

import dataclasses

from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.formats.qwen3_xml import CALL_FORMAT, QWEN3_CALLS
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.reading.turn_parser import Reasoning

STEP3P5 = XmlParameters(
    name="step3p5",
    aliases=("step3.5",),
    models=("Step-3.5-Flash", "Step-3.7-Flash"),
    sample="<tool_call>\n<function=get_weather>\n<parameter=city>\nTokyo\n</parameter>\n</function>\n</tool_call>",
    calls=dataclasses.replace(QWEN3_CALLS, between=""),
    reasoning=Reasoning(after="\n</think>\n"),
    json=JsonBlocks(
        name="step3p5",
        opens=("<tool_call>", "<function_call>"),
        closes=("</tool_call>", "</function_call>"),
        bare="never",
    ),
    chat=ChatFormat(
        tools_open="# Tools\n\nYou have access to the following functions in JSONSchema format:\n\n<tools>\n",
        tools_close=f"""{CALL_FORMAT}
...
</function> block must be nested within <tool_call>
...
</tool_call> XML tags
- Required parameters MUST be specified
</IMPORTANT>""",
        response_role="tool_response",
        response="<tool_response>{content}</tool_response>",
        responses_between="",
        one_turn=True,
    ),
)

DIALECTS = (STEP3P5, dataclasses.replace(STEP3P5, name="step5", aliases=(), models=("Step 5",)))
