"""ToolACE data: the pythonic list in double quotes, with names that are free text.

``[Market Trends API(trend_type="MARKET_INDEXES"), /madlibs-diceware(nphrase=2)]``: a name goes from the bracket or
comma to the bracket that opens its arguments, and may hold blanks, slashes, dots and dashes. Otherwise as ``pythonic``.

Lost: a name that holds a bracket, a quote, a comma, a colon or a line break; nesting deeper than 200.

Source: dataset card of Team-ACE/ToolACE, model card of ToolACE-8B.
"""

from toolconv.dialects.cores.python_calls import PythonCalls
from toolconv.dialects.cores.python_values import spell_double
from toolconv.dialects.pythonic import TOOLS

DIALECT = PythonCalls(
    name="toolace",
    models=("ToolACE-8B", "ToolACE-2", "the ToolACE data set"),
    sample='[Market Trends API(trend_type="MARKET_INDEXES", country="us")]',
    separator="\n\n",
    reads=("canonical",),
    bare="always",
    spell=spell_double,
    chat=TOOLS,
)
