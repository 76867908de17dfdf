"""Step3-VL: ChatML, Hermes' calls in ``<tool_calls>``, results in turns with the role ``tool_response``.

Assistant turns after the last user turn have a ``<think>`` block, which may be empty; in earlier turns reasoning is
left out. The generation prompt opens the block.

Source: chat template of stepfun-ai/Step3-VL-10B.
"""

from dataclasses import replace

from toolconv.dialects.chat import QWEN_RESPONSE, ChatFormat
from toolconv.dialects.formats.hermes import DIALECT, HERMES_CALLS
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.templates.step_3_5 import Step35Template

CHAT = ChatFormat(
    tools_open="# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with "
    "function signatures within <tools></tools> XML tags:\n<tools>\n",
    tools_close="""
</tools>

Always adhere to this exact format for tool use:
<tool_calls>
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>
{additional_tool_calls}</tool_calls>

Note:
- For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags.
- `<function-name>` must be an exact match to one of the available tools.
- `<args-json-object>` must be valid JSON that strictly follows the tool's parameters schema.""",
    response_role="tool_response",
    response=QWEN_RESPONSE,
    one_turn=True,
)

TEMPLATE = Step35Template(
    name="step3-vl",
    dialect=replace(
        DIALECT,
        calls=replace(HERMES_CALLS, before="<tool_calls>\n", after="\n</tool_calls>"),
        opens=("<tool_call>",),
        closes=("</tool_call>",),
        reasoning=Reasoning(after="\n</think>\n"),
        chat=CHAT,
    ),
    models=("Step3-VL-10B",),
    always_apart=True,
)
