"""The pythonic list: ``[get_weather(city='Tokyo'), ping()]``, as requested by Llama 3.2's and BFCL's prompts.

The whole answer is one list of calls with keyword arguments, without tokens around it. Strings are in single or double
quotes. Python's literals and JSON's are read, in any mix. Models also write other forms, which are read with a repair:
calls without brackets or in a fence, several lists, lists of strings that contain calls, positional arguments (named
after the declared parameters) or one object that holds them all, quotes inside a string that are not escaped if only
one reading is possible. Prose around a list is kept. A call in prose counts if its tool is declared. Nested calls,
comprehensions and names of unknown value can't be read: such a call is dropped and its text stays.

Llama's built-in tools are read too (``<|python_tag|>brave_search.call(query="x")``), and so is a JSON list of calls,
which the same prompt sometimes produces.

Calls are written with single quotes. Lost: a name that holds a bracket; nesting deeper than 200.

Source: model cards of Llama-3.2-1B/3B-Instruct and ToolACE-8B, BFCL prompts; vLLM and SGLang ``pythonic``, vLLM's chat
template for Llama 3.2.
"""

from __future__ import annotations

from dataclasses import replace

from toolconv.core import jsontext
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.python_calls import PythonCalls
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

PYTHON_TAG = "<|python_tag|>"

PYTHONIC_CALLS = CallTemplate(
    "{name}({params})",
    before="[",
    between=", ",
    after="]",
    param="{key}={value|python}",
    param_between=", ",
    odd_param="**{{key|python}: {value|python}}",
)

PYTHONIC_CHAT = ChatFormat(
    tools_open="You have access to the following functions. To call functions, please respond with a python list of "
    "the calls. Respond in the format [func_name1(params_name1=params_value1, params_name2=params_value2...), "
    "func_name2(params)] Do not use variables.\n\n",
    tools_between="\n\n",
    tools_close="",
    tool=jsontext.pretty,
    response_role="ipython",
    response='{"output": {content}}',
    one_turn=False,
    json_results=True,
)


class Pythonic(PythonCalls):
    """The list, and one call without brackets after Llama's ``<|python_tag|>``."""

    def call(self, call: ToolCall, opening: str) -> ToolCall:
        return replace(call, name=call.name.removesuffix(".call")) if opening == PYTHON_TAG else call

    def in_list(self, opening: str) -> bool:
        return opening != PYTHON_TAG


DIALECT = Pythonic(
    name="pythonic",
    aliases=("python", "bfcl", "llama32_pythonic", "granite_pythonic"),
    models=("Llama-3.2-1B/3B-Instruct", "ToolACE-8B", "Gemma 3 with a pythonic template", "any model on BFCL prompts"),
    sample="[get_weather(city='Tokyo'), ping()]",
    calls=PYTHONIC_CALLS,
    separator="\n\n",
    fallback_dialects=("canonical",),
    turn_tokens=(*TURN_TOKENS, "<end_of_turn>"),
    opens=(PYTHON_TAG,),
    bare="always",
    chat=PYTHONIC_CHAT,
)
