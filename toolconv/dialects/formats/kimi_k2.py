"""Kimi K2: a token section; each call is an id, ``functions.NAME:INDEX``, and its bare arguments.

The name is only in the id. ``INDEX`` counts the calls of the whole conversation from 0. Other forms of ids are read if
they are unambiguous: without ``functions.`` or without the index, with ``_`` for ``:`` before the index of a declared
tool, and a bare counter if exactly one declared tool has the call's argument names.

Source: moonshotai/Kimi-K2-Instruct chat template and tool-call guide; vLLM ``kimi_k2``.
"""

from __future__ import annotations

from toolconv.core import jsontext
from toolconv.core.calls import NotACall
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.reading.turn_parser import TurnParser

ARGUMENTS = "<|tool_call_argument_begin|>"
CALL_ID = lazy_re(r"(?:functions\.)?(?P<name>.+):(?P<index>[0-9]+)")


class KimiK2(NameThenJson):
    """Calls in a section. The name of the tool is part of the id."""

    def header(self, text: str) -> tuple[str, str | None] | None:
        call_id, found, rest = text.partition(ARGUMENTS)
        call_id = call_id.strip()
        return (call_id, call_id) if found and call_id and "\n" not in call_id and not rest.strip() else None

    def name_for(self, parser: TurnParser, name: str, arguments: dict[str, object], repairs: list[str]) -> str:
        if (match := CALL_ID.fullmatch(name)) is not None:
            if not name.startswith("functions."):
                repairs.append("call_id_form")
            return match["name"]
        repairs.append("call_id_form")
        bare = name.removeprefix("functions.")
        if bare.isdigit():
            fitting = [tool for tool in parser.tools.functions if self._fits(parser, tool, arguments)]
            if len(fitting) != 1:
                raise NotACall(f"the id {name!r} names no tool, and {len(fitting) or 'no'} declared tools fit")
            return fitting[0]
        stem, _, index = bare.rpartition("_")
        if bare not in parser.tools and stem in parser.tools and index.isdigit():
            return stem
        return bare

    @staticmethod
    def _fits(parser: TurnParser, tool: str, arguments: dict[str, object]) -> bool:
        schema = parser.tools.parameters(tool) or {}
        known, required = schema.get("properties") or {}, schema.get("required") or []
        return set(arguments) <= set(known) and set(required) <= set(arguments)


DIALECT = KimiK2(
    name="kimi_k2",
    aliases=("kimi-k2", "moonshot-k2"),
    models=("Kimi-K2-Instruct", "Kimi-K2-Thinking", "Kimi-K2.5", "Kimi-K2.6", "Kimi-Linear"),
    sample="<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"
    '{"city": "Tokyo"}<|tool_call_end|><|tool_calls_section_end|>',
    calls=CallTemplate(
        f"<|tool_call_begin|>{{id}}{ARGUMENTS}{{args}}<|tool_call_end|>",
        before="<|tool_calls_section_begin|>",
        after="<|tool_calls_section_end|>",
        id="functions.{name}:{index}",
    ),
    carries_ids=True,
    fallback_dialects=("hermes",),
    section_opens=("<|tool_call_section_begin|>",),
    section_closes=("<|tool_call_section_end|>",),
    chat=ChatFormat(
        tools_open="[",
        tools_between=",",
        tools_close="]",
        tool=jsontext.compact,
        tools_first=True,
        response_role="tool",
        response="## Return of {id}\n{content}",
        one_turn=False,
    ),
)
