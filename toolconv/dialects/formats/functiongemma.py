"""FunctionGemma: ``<start_function_call>call:get_weather{city:<escape>Tokyo<escape>,days:3}<end_function_call>``.

Strings are raw between two ``<escape>``. Keys and other values are bare, and keys are sorted. Null is ``None`` in the
published template and ``null`` in other prompt builders. vLLM's example template puts every value between ``<escape>``:
if no value of a call is bare, the values get the types of the tool's schema. JSON bodies, ordinary quotes and missing
tokens are read with a repair. Prose before, between and after calls is kept. Tools are declared in the same grammar,
with the schema keys that the template knows.

Lost: the order of keys (they are sorted); a string that holds ``<escape>`` where a string may end; if all values of a
call are text, a text that spells null, a number or a list for a parameter that takes either, and a line break that ends
the prose.

Source: google/functiongemma-270m-it model card and chat template; vLLM ``functiongemma``.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.declarations.delimited_tools import DelimitedTools
from toolconv.dialects.grammars.delimited_values import DelimitedValues
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS

TOOLS = DelimitedTools(
    delimiter="<escape>",
    between="<end_function_declaration><start_function_declaration>",
    all_described=True,
)

DIALECT = DelimitedValues(
    name="functiongemma",
    aliases=("function_gemma",),
    models=("functiongemma-270m-it",),
    sample="<start_function_call>call:get_weather{city:<escape>Tokyo<escape>}<end_function_call>",
    calls=CallTemplate(
        "<start_function_call>call:{name}{args|delimited}<end_function_call>",
        delimiter="<escape>",
        null="None",
    ),
    fallback_dialects=("hermes",),
    turn_tokens=(*TURN_TOKENS, "<start_function_response>", "<end_of_turn>"),
    all_delimited=True,
    chat=ChatFormat(
        tools_open="<start_function_declaration>",
        tools_between=TOOLS.between,
        tools_close="<end_function_declaration>",
        tools_apart="",
        tool=TOOLS.write,
        read=TOOLS.read,
        response_role="tool",
        response="<start_function_response>response:{name}{value:<escape>{content}<escape>}<end_function_response>",
        responses_between="",
        one_turn=True,
    ),
)
