"""Gemma's calls: ``call:name{key:<d>text<d>,other:3,tags:[<d>a<d>]}`` between two tokens.

Strings stand raw between two delimiters, as :mod:`toolconv.dialects.values.delimited` reads them. A bare number that
JSON spells otherwise, such as ``1.10``, is text unless the tool's schema asks for a number. The two Gemma formats
differ by their tokens and their delimiter.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from toolconv.core.calls import NotACall
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import TemplateError
from toolconv.dialects.grammars.name_then_json import NameThenJson
from toolconv.dialects.reading.turn_parser import Parsed, TurnParser
from toolconv.dialects.values.by_schema import TypingNotes, shape_of
from toolconv.dialects.values.delimited import Delimited, plain, read_members

HEAD = lazy_re(
    r"\s*+(?:(call)\s*+)?:\s*+"
    r"((?:[^\s{}()\[\]\"',:<>|]{1,128}:){0,8}[^\s{}()\[\]\"',:<>|]{1,256}"
    r"(?:(?: [^\s{}()\[\]\"',:<>|]{1,64}){1,4}(?=\{))?)\s*"
)
BARE_VALUE = lazy_re(r":\s*+[^\s,})\"']")
"""A bare value in a call whose delimited strings are taken out."""


class DelimitedValues(NameThenJson):
    """Calls whose strings stand between delimiters.

    Attributes:
        all_delimited: prompt builders of the family delimit all values: where a call has no bare one, its values are
            typed by the schema.
    """

    all_delimited: bool = False
    losses: tuple[str, ...] = ("argument_key", "argument_order", "argument_type", "argument_value", "call")

    def __post_init__(self) -> None:
        if not all(map(str.strip, self.written_markers)):
            borders = " … ".join(self.written_markers)
            raise TemplateError(f"text that is not white space must open and close a call: {borders!r}")

    @cached_property
    def written_markers(self) -> tuple[str, str]:
        return self.calls.head.removesuffix("call:"), self.calls.closing

    def parse_exact(self, text: str, tools: ToolIndex) -> Parsed | None:
        parsed = super().parse_exact(text, tools)
        if parsed is not None and self.all_delimited:
            breaks = parsed.content.endswith("\n")
            if any(has_no_bare_value(call) and (call.arguments or breaks) for call in parsed.calls):
                return None
        return parsed

    def certainly_round_trips_call(self, call: ToolCall, tools: ToolIndex) -> bool:
        return not (self.all_delimited and has_no_bare_value(call)) and super().certainly_round_trips_call(call, tools)

    # ── reading ──

    def read_call(self, parser: TurnParser, start: int, at: int) -> int | None:
        text = parser.text
        head = HEAD.match(text, at)
        if head is None or not parser.charge(0):
            return None
        if not text.startswith(("{", "("), head.end()) and not (head[1] and head.end() == len(text)):
            return None
        taken = len(parser.calls)
        if start > parser.at and text[start - 1] == "\n" and self._delimits_all(parser, head.end()):
            start -= 1  # such prompt builders write a line break after the prose
        end = self.read_body(parser, start, head.end(), head[2])
        if len(parser.calls) > taken and not head[1]:
            parser.repair("missing_call_word")
        return end

    def read_object(self, parser: TurnParser, at: int, name: str, repairs: list[str]) -> tuple[dict[str, Any], int]:
        text = parser.text
        if at == len(text):
            raise NotACall("the text ends behind the name")
        reading = read_members(text, at, self.calls.delimiter, (*self.all_closes, *self.all_opens))
        repairs += reading.repairs
        if text[at] == "(":
            repairs.append("wrong_bracket")
        return reading.value, reading.end

    def goes_on(self, parser: TurnParser, at: int) -> bool:
        return self.calls.delimiter in parser.text[at : self.end_of_broken(parser, at)]

    def _delimits_all(self, parser: TurnParser, at: int) -> bool:
        """Whether no value of the call whose arguments are at ``at`` is bare, where some prompts delimit all values."""
        if not self.all_delimited:
            return False
        body = parser.text[at : self.end_of_broken(parser, at)]
        return BARE_VALUE.search("".join(body.split(self.calls.delimiter)[::2])) is None

    def typed(self, parser: TurnParser, call: ToolCall, repairs: list[str]) -> ToolCall:
        """The call with delimited text read as another type where the schema admits no text."""
        shape = shape_of(call.name, parser.tools, self.calls.looks)
        notes = TypingNotes(repairs)
        by_schema = self.all_delimited and all(isinstance(value, Delimited) for value in call.arguments.values())
        for key, value in call.arguments.items():
            member = shape[key]
            if not isinstance(value, Delimited):
                call.arguments[key] = plain(value, member, notes)
            elif member.allowed is None or ("string" in member.allowed and not by_schema):
                call.arguments[key] = str(value)
            else:
                call.arguments[key] = notes.typed(str(value), member)
        call.untyped = notes.untyped
        return call


def has_no_bare_value(call: ToolCall) -> bool:
    """Whether all arguments of a call stand between delimiters."""
    return all(type(value) is str for value in call.arguments.values())
