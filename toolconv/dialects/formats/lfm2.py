"""LFM2 and LFM2.5: the pythonic list between ``<|tool_call_start|>`` and ``<|tool_call_end|>``, prose around it.

These are read: both quotes, several blocks, calls without brackets, the documented JSON mode
(``[{"name": …, "arguments": …}]`` between the same tokens), leading zeros, a body that is repeated after a single start
token, a missing end token if the call is whole. The history template of LFM2.5 escapes nothing inside its quotes. Its
output is read if it is unambiguous; a backslash in it can't be distinguished from an escape.

Calls are written as LFM2 models write them: double quotes, Python's words. Lost: a name that holds a bracket; nesting
deeper than 200.

Source: model cards of LiquidAI/LFM2-1.2B-Tool and LFM2.5, their chat templates; vLLM ``lfm2``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from toolconv.core import jsontext
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.python_calls import PythonCalls
from toolconv.dialects.reading.turn_parser import Reasoning

OPEN, CLOSE = "<|tool_call_start|>", "<|tool_call_end|>"


def spell_unescaped(value: Any) -> str:
    """A value as LFM2.5's template writes it: text verbatim, an object as JSON, others as Python prints them."""
    if isinstance(value, str):
        return f'"{value}"'
    return jsontext.spaced(value) if isinstance(value, dict) else str(value)


LFM2_CALLS = CallTemplate(
    "{name}({params})",
    before=f"{OPEN}[",
    between=", ",
    after=f"]{CLOSE}",
    param="{key}={value|python_double}",
    param_between=", ",
    odd_param="**{{key|python_double}: {value|python_double}}",
)

DIALECT = PythonCalls(
    name="lfm2",
    aliases=("lfm", "liquid", "openpangu_v2"),
    models=("LFM2", "LFM2-Tool", "LFM2.5"),
    sample='<|tool_call_start|>[get_weather(city="Tokyo"), ping()]<|tool_call_end|>',
    calls=LFM2_CALLS,
    json=JsonBlocks(name="lfm2", opens=(OPEN,), closes=(CLOSE,), bare="never", listed=True),
    chat=ChatFormat(
        tools_open="List of tools: <|tool_list_start|>[",
        tools_between=", ",
        tools_close="]<|tool_list_end|>",
        response_role="tool",
        response="<|tool_response_start|>{content}<|tool_response_end|>",
        one_turn=False,
    ),
)

LFM2_5 = replace(
    DIALECT,
    calls=replace(
        LFM2_CALLS,
        param="{key}={value|unescaped}",
        odd_param="**{{key|unescaped}: {value|unescaped}}",
        spellings={"unescaped": spell_unescaped},
    ),
    reasoning=Reasoning(before="<think>", after="</think>"),
    chat=replace(DIALECT.chat, tools_open="List of tools: [", tools_close="]", response="{content}"),
)
"""The format of LFM2.5's template, under the same name."""
