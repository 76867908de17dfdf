"""LFM2 and LFM2.5: the pythonic list between ``<|tool_call_start|>`` and ``<|tool_call_end|>``, prose around it.

Read: both quotes, several blocks, calls without brackets, the documented JSON mode
(``[{"name": …, "arguments": …}]`` between the same tokens), leading zeros, a body that is said twice with one start
token, a missing end token if the call is whole. The history template of LFM2.5 escapes nothing inside its quotes:
what it wrote is read where one reading is left; a backslash in it can't be told from an escape.

Written as LFM2 models write: double quotes, Python's words. Lost: a name that holds a bracket; nesting deeper than 200.

Source: model cards of LiquidAI/LFM2-1.2B-Tool and LFM2.5, their chat templates; vLLM ``lfm2``.
"""

from toolconv.dialects.chatform import ChatForm
from toolconv.dialects.cores.json_blocks import JsonBlocks
from toolconv.dialects.cores.python_calls import PythonCalls
from toolconv.dialects.cores.python_values import spell_double

OPEN, CLOSE = "<|tool_call_start|>", "<|tool_call_end|>"

DIALECT = PythonCalls(
    name="lfm2",
    aliases=("lfm", "liquid"),
    models=("LFM2", "LFM2-Tool", "LFM2.5"),
    sample='<|tool_call_start|>[get_weather(city="Tokyo"), ping()]<|tool_call_end|>',
    opens=(OPEN,),
    closes=(CLOSE,),
    before=OPEN + "[",
    after="]" + CLOSE,
    spell=spell_double,
    json=JsonBlocks(name="lfm2", opens=(OPEN,), closes=(CLOSE,), bare="never", listed=True),
    chat=ChatForm(
        tools_open="List of tools: <|tool_list_start|>[",
        tools_between=", ",
        tools_close="]<|tool_list_end|>",
        response_role="tool",
        response="<|tool_response_start|>{content}<|tool_response_end|>",
        one_turn=False,
    ),
)
