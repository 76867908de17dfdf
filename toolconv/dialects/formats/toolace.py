"""ToolACE data: the pythonic list in double quotes, with names that are free text.

``[Market Trends API(trend_type="MARKET_INDEXES"), /madlibs-diceware(nphrase=2)]``: a name extends from the bracket or
comma to the bracket that opens its arguments, and may hold spaces, slashes, dots and dashes. Otherwise the format is
``pythonic``. The system text declares the tools as the data does; results are verbatim.

Lost: a name that holds a bracket, a quote, a comma, a colon or a line break, unless it is declared; nesting deeper than
200.

Source: dataset card of Team-ACE/ToolACE, model card of ToolACE-8B.
"""

from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.formats.llama4_pythonic import DOUBLE_QUOTED_CALLS
from toolconv.dialects.grammars.python_calls import PythonCalls

DIALECT = PythonCalls(
    name="toolace",
    models=("ToolACE-8B", "ToolACE-2", "the ToolACE data set"),
    sample='[Market Trends API(trend_type="MARKET_INDEXES", country="us")]',
    calls=DOUBLE_QUOTED_CALLS,
    separator="\n\n",
    fallback_dialects=("canonical",),
    bare="always",
    chat=ChatFormat(
        tools_open="You are an expert in composing functions. You are given a question and a set of possible "
        "functions. \nBased on the question, you will need to make one or more function/tool calls to achieve "
        "the purpose. \nIf none of the function can be used, point it out. If the given question lacks the "
        "parameters required by the function,\nalso point it out. You should only return the function "
        "call in tools call sections.\nHere is a list of functions in JSON format that you can invoke:\n[",
        tools_between=", ",
        tools_close="]. \nShould you decide to return the function call(s). \nPut it in the format of "
        "[func1(params_name=params_value, params_name2=params_value2...), func2(params)]\n\n"
        "NO other text MUST be included.",
        bare_tools=True,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
