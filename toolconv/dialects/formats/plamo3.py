"""PLaMo 3: a section of requests, each with the name and the arguments between markers.

The arguments follow ``<|plamo:constrain|>json<|plamo:msg|>``. All other markers end in ``:plamo|>``. The calls follow
each other and the prose directly. How tools are declared is not published.

Source: vLLM ``plamo3``.
"""

from __future__ import annotations

import re

from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.lexing.turn_tokens import TURN_TOKENS
from toolconv.dialects.reading.turn_parser import Reasoning, TurnParser


def begin(part: str) -> str:
    """The marker that opens a part."""
    return f"<|plamo:begin_{part}:plamo|>"


def end(part: str) -> str:
    """The marker that closes a part."""
    return f"<|plamo:end_{part}:plamo|>"


JSON = "<|plamo:constrain|>json<|plamo:msg|>"
HEADER = lazy_re(
    rf"\s*{re.escape(begin('tool_name'))}(?P<name>[^<]{{1,128}}){re.escape(end('tool_name'))}\s*"
    rf"{re.escape(begin('tool_arguments'))}(?:<\|plamo:constrain\|>json)?(?:<\|plamo:msg\|>)?\s*"
)


class Plamo3(NameThenJson):
    """Requests in a section, with markers around name and arguments."""

    def header(self, text: str) -> tuple[str, str | None] | None:
        match = HEADER.fullmatch(text)
        return (match["name"].strip(), None) if match else None

    def read_call(self, parser: TurnParser, start: int, at: int) -> int | None:
        before = len(parser.calls)
        place = super().read_call(parser, start, at)
        if len(parser.calls) > before and JSON not in parser.text[at : at + 400]:
            parser.repair("missing_open_tag")
        return place


DIALECT = Plamo3(
    name="plamo3",
    models=("PLaMo 3",),
    sample="<|plamo:begin_tool_requests:plamo|><|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>"
    "get_weather<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>"
    '{"city": "Tokyo"}<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>'
    "<|plamo:end_tool_requests:plamo|>",
    calls=CallTemplate(
        f"{begin('tool_request')}{begin('tool_name')}{{name}}{end('tool_name')}"
        f"{begin('tool_arguments')}{JSON}{{args}}{end('tool_arguments')}{end('tool_request')}",
        before=begin("tool_requests"),
        after=end("tool_requests"),
    ),
    reasoning=Reasoning(begin("think"), end("think"), begin("think"), end("think")),
    turn_tokens=("<|plamo:tag|>", *TURN_TOKENS),
    closes=(end("tool_arguments"), end("tool_request")),
)
