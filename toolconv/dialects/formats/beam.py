"""Beam: Harmony's messages, with a call's arguments as ``<rfl:parameter name="…">`` tags around values, one per line.

A call is a message to the tool on the channel ``analysis`` with the content type ``xml``. A JSON object in place of the
tags is read too. ``<|call|>`` ends the last call, ``<|end|>`` those before it. Reasoning and prose are as in Harmony;
prose next to calls is on the channel ``final``. Values are verbatim, all but strings as JSON. The schema types them.

Arguments are written sorted by name, as the family writes them, so their order is lost. Without a schema, a string that
spells a number, a literal, a list or an object can't be distinguished from one. Keys can't hold ``<`` or a line
break.

Source: SGLang ``beam``; vLLM's response-template reader.
"""

from __future__ import annotations

from toolconv.core.calls import NotACall, declared_name
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.base import CallReader
from toolconv.dialects.call_readers.tag_calls import TagReader
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.formats.harmony import ENDS, PERSONS, STARTS, TOKENS, HarmonyMessages
from toolconv.dialects.grammars.messages import Header
from toolconv.dialects.grammars.xml_parameters import XmlParameters
from toolconv.dialects.reading.turn_parser import TurnParser

START = "<|start|>assistant"
OPENING = "<|channel|>analysis <|constrain|>xml<|message|>"

CALLS = CallTemplate(
    f" to={{name}}{OPENING}{{params|sorted}}",
    between=f"<|end|>{START}",
    after="<|call|>",
    param='<rfl:parameter name="{key}">\n{value}\n</rfl:parameter>',
    turn=f"<|channel|>final<|message|>{{prose}}<|end|>{START}{{calls}}",
    turn_without_calls="<|channel|>final<|message|>{prose}<|return|>",
)
TAGS = XmlParameters(
    name="beam",
    calls=CallTemplate(f"{START} to={{name}}{OPENING}{{params}}{ENDS[0]}", param=CALLS.param),
    functions=tuple((f"{start} to={{name}}{OPENING}", end) for start in (START, "") for end in ENDS),
)
"""Reads the arguments of a call."""


class MessageReader(TagReader):
    """The exact reader of calls in messages."""

    def read(self, body: str, tools: ToolIndex) -> list[ToolCall] | None:
        calls = super().read(body, tools)
        return None if calls is None or any(call.name in PERSONS for call in calls) else calls

    def certainly_round_trips(self, call: ToolCall, tools: ToolIndex) -> bool:
        in_order = list(call.arguments) == sorted(call.arguments)
        return in_order and call.name not in PERSONS and super().certainly_round_trips(call, tools)


class Beam(HarmonyMessages):
    """Harmony's messages, with the arguments of calls in tags."""

    @property
    def between(self) -> str:
        return START

    def call_reader(self, template: CallTemplate) -> CallReader:
        return MessageReader(template)

    def read_call(self, parser: TurnParser, header: Header, repairs: list[str]) -> tuple[ToolCall, int]:
        name = declared_name(header.name, parser.tools, repairs)
        call = ToolCall(name, {})
        end = TAGS.read_arguments(parser, header.end, call, repairs)
        declared = parser.tools.properties(name) or {}
        whole = bool(declared) and call.arguments.keys() >= declared.keys()
        if not whole and parser.text[end:].strip() in ("", "<"):  # only the end of the message ends the arguments
            raise NotACall("the text ends inside the call")
        return call, end


DIALECT = Beam(
    name="beam",
    models=("Beam",),
    sample=f' to=get_weather{OPENING}<rfl:parameter name="city">\nTokyo\n</rfl:parameter><|call|>',
    calls=CALLS,
    starts=STARTS,
    ends=ENDS,
    turn_tokens=TOKENS,
    call_ends=("<|call|>", "<|end|>"),
    losses=("argument_order", *TAGS.losses),
)
