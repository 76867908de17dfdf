"""Llama 4: the pythonic list in double quotes, with optional ``<|python_start|>`` and ``<|python_end|>`` around it.

It is read like ``pythonic``, with or without the tokens, which may occur inside a string. The tokens also wrap JSON
calls (read) and code for the interpreter (left as prose). ``<|python_tag|>f(k="v")``, the form that Hamr calls by this
name, is read too.

Calls are written as the bare list. Lost: a name that holds a bracket; nesting deeper than 200.

Source: model cards of Llama-4-Scout and Maverick; vLLM ``llama4_pythonic`` with its chat template.
"""

from dataclasses import replace

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.formats.command_r import indented
from toolconv.dialects.formats.llama3_json import LLAMA_CHAT
from toolconv.dialects.formats.pythonic import PYTHON_TAG, Pythonic
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

OPENS = ("<|python_start|>", PYTHON_TAG)
CLOSES = ("<|python_end|>",)
TOKENS = (*TURN_TOKENS, "<|eot|>", "<|eom|>")

DOUBLE_QUOTED_CALLS = CallTemplate(
    "{name}({params})",
    before="[",
    between=", ",
    after="]",
    param="{key}={value|python_double}",
    param_between=", ",
    odd_param="**{{key|python_double}: {value|python_double}}",
)

DIALECT = Pythonic(
    name="llama4_pythonic",
    aliases=("llama4",),
    models=("Llama-4-Scout", "Llama-4-Maverick"),
    sample='[get_weather(city="Tokyo"), ping()]',
    calls=DOUBLE_QUOTED_CALLS,
    separator="\n\n",
    fallback_dialects=("canonical",),
    turn_tokens=TOKENS,
    opens=OPENS,
    closes=CLOSES,
    bare="always",
    json=JsonBlocks(
        name="llama4_pythonic",
        opens=OPENS,
        closes=CLOSES,
        argument_key="parameters",
        bare="never",
        listed=True,
        turn_tokens=TOKENS,
    ),
    chat=replace(
        LLAMA_CHAT,
        tools_open="Here is a list of functions in JSON format that you can invoke. Use exact format: "
        "[func_name1(param1=value1, param2=value2), func_name2(...)]\n[\n    ",
        tools_between=",\n    ",
        tools_close="\n]",
        tool=indented,
    ),
)
