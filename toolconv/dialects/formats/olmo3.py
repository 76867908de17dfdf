"""Olmo 3: ``<function_calls>`` around Python calls, one per line, with JSON's literals.

``<function_calls>get_weather(city="Paris", detailed=true)⏎ping()</function_calls>``, directly after the prose. The
published template writes values as JSON. vLLM's example template writes single quotes and Python's words, with the
calls on separate lines. Both are read, and so is a bracketed list. A text that consists only of calls is read without
the tags. Objects in ``<function_call>`` tags inside the block, the form that Hamr calls by this name, are read too.

Lost: a name that holds a bracket; nesting deeper than 200.

Source: allenai/Olmo-3-7B-Instruct and Olmo-3.1-32B-Instruct chat templates; vLLM ``olmo3``.
"""

from __future__ import annotations

from toolconv.core.blanks import after_blanks
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.python_calls import PythonCalls
from toolconv.dialects.reading.turn_parser import TurnParser

OPEN, CLOSE = "<function_calls>", "</function_calls>"
ITEM_OPEN, ITEM_CLOSE = "<function_call>", "</function_call>"

_items = JsonBlocks(name="olmo3", opens=(ITEM_OPEN,), closes=(ITEM_CLOSE, CLOSE), bare="never")


class Olmo3(PythonCalls):
    """Calls in tags, one per line; or JSON objects, each in separate tags."""

    def read_block(self, parser: TurnParser, start: int, at: int) -> None:
        text = parser.text
        if text.startswith("\n", at):  # calls on separate lines: the tag is, too, and the breaks before it are layout
            while start > parser.at and text[start - 1] == "\n":
                start -= 1
        item = after_blanks(text, at)
        if not text.startswith(ITEM_OPEN, item):
            super().read_block(parser, start, at)
            return
        parser.accept(start, item)
        while text.startswith(ITEM_OPEN, item):
            _items.read_block(parser, item, item + len(ITEM_OPEN))
            item = after_blanks(text, max(parser.at, item + len(ITEM_OPEN)))
        if text.startswith(CLOSE, item):
            parser.accept(item, item + len(CLOSE))


DIALECT = Olmo3(
    name="olmo3",
    aliases=("olmo",),
    models=("Olmo 3 Instruct and Think", "Olmo 3.1", "Olmo Hybrid"),
    sample='<function_calls>get_weather(city="Tokyo")\nping()</function_calls>',
    calls=CallTemplate(
        "{name}({params})",
        before=OPEN,
        between="\n",
        after=CLOSE,
        param="{key}={value|json}",
        param_between=", ",
        odd_param="**{{key|json}: {value|json}}",
    ),
    fallback_dialects=("hermes",),
    listed=False,
    chat=ChatFormat(
        tools_open="<functions>[",
        tools_between=", ",
        tools_close="]</functions>",
        response_role="environment",
        response="{content}",
        one_turn=False,
    ),
)
