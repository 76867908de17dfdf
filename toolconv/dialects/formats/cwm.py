"""Meta's Code World Model: ``<tool: NAME>``, JSON on the next lines, ``</tool>``.

The generation prompt opens the reasoning.

Source: ``serve/tools.py`` of facebookresearch/cwm.
"""

from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.reading.turn_parser import Reasoning

DIALECT = NameThenJson(
    name="cwm",
    models=("Code World Model",),
    sample='<tool: get_weather>\n{"city": "Tokyo"}\n</tool>',
    calls=CallTemplate("<tool: {name}>\n{args}\n</tool>", between="\n"),
    separator="\n",
    reasoning=Reasoning(after="\n</think>\n"),
)
