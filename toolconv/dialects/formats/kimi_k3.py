"""Kimi K3: channels and calls built from three tokens, ``<|open|>``, ``<|close|>`` and ``<|sep|>``; typed arguments.

A turn is a ``think`` channel, a ``response`` channel (always present), a ``tools`` channel and the end of the message.
Calls are numbered from 1 within the turn. Each argument states its JSON type: a string is verbatim, everything else is
JSON, so no schema is needed or used. Attributes escape ``&`` and ``"`` as entities. The opening marker of the first
channel may be missing, since the prompt ends in it. The template's other form of the arguments, one JSON object in
``<|open|>json type="object"<|sep|>``, is read as well. The format can't carry a string that holds
``<|close|>argument<|sep|>`` where an argument may end, nor keys with ``<`` or a line break.

Source: moonshotai/Kimi-K3 XTML encoder; vLLM ``kimi_k3``.
"""

from __future__ import annotations

import re
from typing import Any

from toolconv.core import jsontext, lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.calls import arguments_from
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.call_template import CallTemplate, sorted_keys
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.grammars.tags import TagMatch
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.reading.turn_parser import Reasoning, TurnParser


def opening(name: str) -> str:
    """The marker that opens an element."""
    return f"<|open|>{name}<|sep|>"


def closing(name: str) -> str:
    """The marker that closes an element."""
    return f"<|close|>{name}<|sep|>"


def marker(kind: str, names: str) -> str:
    """A pattern of a marker with any spaces in it."""
    return rf"<\|{kind}\|>\s*(?:{names})\s*<\|sep\|>"


RESPONSE = lazy_re(marker("open", "response"))
RESPONSE_END = lazy_re(marker("close", "response"))
AFTER_RESPONSE = lazy_re(rf"{marker('open', 'tools')}|{marker('close', 'message')}|<\|end_of_msg\|>")
JSON_ARGUMENTS = lazy_re(r'<\|open\|>\s*json(?: type="object")?\s*<\|sep\|>')
JSON_END = lazy_re(marker("close", "json"))


def sorted_json(value: Any) -> str:
    """Compact JSON with the keys of every object in alphabetical order, ignoring case."""
    return jsontext.compact(sorted_keys(value))


class KimiK3(XmlParameters):
    """Channels around prose and calls; arguments that state their type."""

    def read_markup(self, parser: TurnParser, found: re.Match[str]) -> None:
        text, start = parser.text, found.end()
        if RESPONSE.fullmatch(found[0]) is None:
            parser.accept(found.start(), start)
            return
        if text[parser.at : found.start()].strip():  # not the beginning of the turn: only mentioned
            parser.at = start
            return
        close = RESPONSE_END.search(text, start)
        stop = close or AFTER_RESPONSE.search(text, start)
        end = stop.start() if stop is not None else len(text)
        parser.accept(found.start(), close.end() if close is not None else end, prose=text[start:end])

    def named(self, name: str, parser: TurnParser, repairs: list[str]) -> str:
        import html

        return super().named(html.unescape(name), parser, repairs)

    def key_of(self, head: TagMatch) -> str:
        import html

        return html.unescape(head.fields["key"])

    def read_arguments(self, parser: TurnParser, at: int, call: ToolCall, repairs: list[str]) -> int:
        whole = JSON_ARGUMENTS.match(parser.text, after_blanks(parser.text, at))
        if whole is None:
            return super().read_arguments(parser, at, call, repairs)
        reading = lenient_json.read(parser.text, whole.end(), stops=("<|close|>",))
        call.arguments.update(arguments_from(reading.value, repairs))
        repairs.extend(reading.repairs)
        end = JSON_END.match(parser.text, after_blanks(parser.text, reading.end))
        if end is None:
            raise lenient_json.Unreadable("text behind the arguments", reading.end)
        return end.end()


DIALECT = KimiK3(
    name="kimi_k3",
    aliases=("kimi-k3",),
    models=("Kimi K3",),
    sample='<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" '
    'index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>Tokyo<|close|>argument<|sep|><|close|>call<|sep|>'
    "<|close|>tools<|sep|><|close|>message<|sep|>",
    calls=CallTemplate(
        opening('call tool="{name|attribute}" index="{index}"') + "{params}" + closing("call"),
        before=opening("tools"),
        after=closing("tools"),
        param=opening('argument key="{key|attribute}" type="{type}"') + "{value}" + closing("argument"),
        first_index=1,
        turn=opening("response") + "{prose}" + closing("response") + "{calls}" + closing("message"),
        turn_without_prose=opening("response") + closing("response") + "{calls}" + closing("message"),
        turn_without_calls=opening("response") + "{prose}" + closing("response") + closing("message"),
    ),
    reasoning=Reasoning(opening("think"), closing("think"), opening("think"), closing("think")),
    markup=(marker("open", "response"), marker("close", "response|message"), r"<\|end_of_msg\|>"),
    chat=ChatFormat(
        tools_open="# Tools\nHere are the available tools, described in JSONSchema.\n\n```json\n[",
        tools_between=",",
        tools_close="]\n```",
        tools_first=True,
        tool=sorted_json,
        response_role="tool",
        response="{content}",
        one_turn=False,
    ),
)
