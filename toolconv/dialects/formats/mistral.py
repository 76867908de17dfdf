"""Mistral: ``[TOOL_CALLS]name[ARGS]{…}`` per call, and the older ``[TOOL_CALLS] [{"name": …, "arguments": …}]``.

What follows the marker distinguishes three generations: a list or an object up to tokenizer v7; a name since v11, with
``[CALL_ID]`` and nine characters between name and ``[ARGS]`` in histories of v11. All are read under each of the names.
``mistral`` is written as since v13, without ids. Where ids are written, ids of other origin are cut to their last nine
letters and digits and padded with zeros; the responses get the same ids.

Tools are in ``[AVAILABLE_TOOLS]``; the templates of v3 do not escape their descriptions and leave out ``return``.

Source: mistral-common, chat templates of Mistral-7B-Instruct-v0.3, Mistral-Nemo, Mistral-Small-3.2 and Devstral-2; vLLM
``mistral``.
"""

from __future__ import annotations

import re
from dataclasses import replace

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Tool
from toolconv.core.tools import function_of
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import ChatFormat, read_tools
from toolconv.dialects.grammars.fences import JSON_BODY
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.reading.turn_parser import Reasoning, TurnParser

MARKER = "[TOOL_CALLS]"
NAME = lazy_re(
    r"\s*([\w.\-/:]{1,128}|[^\[\]{}\"\n]{0,127}[^\s\[\]{}\"](?=\[))"
    r"(?:\[CALL_ID\]\s*([A-Za-z0-9_\-]+))?(?:\s*\[ARGS\])?\s*"
)
ID_LENGTH = 9
LIST_CALL = '{"name": {name|json}, "arguments": {args}, "id": {id|json}}'
"""A call as the templates up to tokenizer v7 write it, in a list."""
RESULT_WITH_ID = lazy_re(
    r'\s*\[TOOL_RESULTS\] ?\{"content": (?P<content>.*), "call_id": "(?P<id>[^"\n]*)"\}\[/TOOL_RESULTS\]\s*', re.DOTALL
)

_list_form = JsonBlocks(
    name="mistral", opens=(MARKER,), closes=("[/TOOL_CALLS]",), closing="never", bare="never", listed=True
)


class Mistral(NameThenJson):
    """The marker before each call, or once before a list; tokenizers before Tekken write a space after it."""

    def header(self, text: str) -> tuple[str, str | None] | None:
        match = NAME.fullmatch(text)
        return (match[1], match[2]) if match else None

    def read_call(self, parser: TurnParser, start: int, at: int) -> int | None:
        if JSON_BODY.match(parser.text, at):
            _list_form.read_block(parser, start, at)
            return parser.at if parser.at > at else None
        return super().read_call(parser, start, at)

    def find_unopened(self, parser: TurnParser, until: int) -> None:
        _list_form.find_unopened(parser, until)

    @property
    def all_markers(self) -> tuple[str, ...]:
        return (*super().all_markers, *_list_form.all_closes)


class ResultsWithIds(ChatFormat):
    """Results that are followed by the ids of their calls."""

    def write_response(self, message: Message, text: str) -> str:
        before, after = self.response.split("{content}")
        return before + text + after.replace("{id}", str(message.get("tool_call_id") or ""))

    def read_responses(self, role: str, text: str) -> list[Message] | None:
        match = RESULT_WITH_ID.fullmatch(text)
        if match is None:
            return None
        return [{"role": "tool", "tool_call_id": match["id"], "content": match["content"]}]


def unescaped(tool: Tool) -> str:
    """A tool as the templates of v3 write it: name and description without escapes."""
    members = [
        f'"{key}": ' + (f'"{value}"' if isinstance(value, str) else jsontext.spaced(value))
        for key, value in (function_of(tool) or tool).items()
        if key != "return"
    ]
    return '{"type": "function", "function": {' + ", ".join(members) + "}}"


def read_unescaped(text: str) -> list[Tool]:
    """The tools that :func:`unescaped` wrote, as far as they can be read."""
    return read_tools(text)


V13 = Mistral(
    name="mistral",
    models=("Devstral 2", "Ministral 3", "Mistral Large 3, Small 4, Medium 3.5"),
    sample='[TOOL_CALLS]get_weather[ARGS]{"city": "Tokyo"}[TOOL_CALLS]ping[ARGS]{}',
    reasoning=Reasoning("[THINK]", "[/THINK]", "[THINK]", "[/THINK]"),
    calls=CallTemplate("[TOOL_CALLS]{name}[ARGS]{args}", id_length=ID_LENGTH),
    chat=ChatFormat(
        tools_open="[AVAILABLE_TOOLS][",
        tools_between=", ",
        tools_close="][/AVAILABLE_TOOLS]",
        response_role="tool",
        response="[TOOL_RESULTS]{content}[/TOOL_RESULTS]",
        one_turn=False,
    ),
)
V11 = replace(
    V13,
    name="mistral_v11",
    models=("Mistral-Small-3.2", "Devstral-Small-2507", "Magistral"),
    sample='[TOOL_CALLS]get_weather[CALL_ID]a1B2c3D4e[ARGS]{"city": "Tokyo"}',
    calls=CallTemplate("[TOOL_CALLS]{name}[CALL_ID]{id}[ARGS]{args}", id_length=ID_LENGTH),
    carries_ids=True,
    chat=replace(V13.chat, response="[TOOL_RESULTS]{id}[TOOL_CONTENT]{content}[/TOOL_RESULTS]"),
)


V3_TEKKEN = Mistral(
    name="mistral_v3_tekken",
    aliases=("mistral_nemo", "ministral"),
    models=("Mistral-Nemo-Instruct-2407",),
    sample='[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Tokyo"}, "id": "a1B2c3D4e"}]',
    calls=CallTemplate(LIST_CALL, before="[TOOL_CALLS][", between=", ", after="]", id_length=ID_LENGTH),
    carries_ids=True,
    chat=ResultsWithIds(
        tools_open="[AVAILABLE_TOOLS][",
        tools_between=", ",
        tools_close="][/AVAILABLE_TOOLS]",
        tool=unescaped,
        read=read_unescaped,
        response_role="tool",
        response='[TOOL_RESULTS]{"content": {content}, "call_id": "{id}"}[/TOOL_RESULTS]',
        one_turn=False,
    ),
)
V3 = replace(
    V3_TEKKEN,
    name="mistral_v3",
    aliases=(),
    models=("Mistral-7B-Instruct-v0.3", "Mixtral-8x22B-Instruct-v0.1", "Mistral-Small-Instruct-2409"),
    sample='[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Tokyo"}, "id": "a1B2c3D4e"}]',
    calls=CallTemplate(LIST_CALL, before="[TOOL_CALLS] [", between=", ", after="]", id_length=ID_LENGTH),
    chat=replace(
        V3_TEKKEN.chat,
        tools_open="[AVAILABLE_TOOLS] [",
        response='[TOOL_RESULTS] {"content": {content}, "call_id": "{id}"}[/TOOL_RESULTS]',
    ),
)

DIALECTS = (V13, V11, V3_TEKKEN, V3)
