"""Gemma's calls: ``call:name{key:<d>text<d>,other:3,tags:[<d>a<d>]}`` between two tokens.

Strings stand raw between two delimiters, nothing in them is escaped; keys, numbers and words are bare. A bare number
that JSON spells otherwise, such as ``1.10``, is text unless the tool's schema asks for a number. A string ends at the
first delimiter after which the call goes on. The two Gemma formats differ by their tokens and their delimiter.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Any

from toolconv.core import lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.calls import declared_name
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import WORDS, Unreadable
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_template import CallTemplate, TemplateError
from toolconv.dialects.grammars.marked_calls import MarkedCalls
from toolconv.dialects.reading.turn_parser import Parsed, TurnParser
from toolconv.dialects.values.by_schema import Shape, TypingNotes, reader_of_untyped

HEAD = lazy_re(
    r"\s*+(?:(call)\s*+)?:\s*+"
    r"((?:[^\s{}()\[\]\"',:<>|]{1,128}:){0,8}[^\s{}()\[\]\"',:<>|]{1,256}"
    r"(?:(?: [^\s{}()\[\]\"',:<>|]{1,64}){1,4}(?=\{))?)\s*"
)
BARE_KEY = lazy_re(r"[^\s/{}\[\]\"':,<>|][^{}\[\]\"':,<>|\n]{0,255}")
BARE_WORDS = lazy_re(r"[^{}\[\],<>\n]+(?>(?:,(?!\s*[\w.\-\"]+\s*:)[^{}\[\],<>\n]*)*)")
NUMBER = lazy_re(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?=\s*+[,}\])<])")
WORD = lazy_re(rf"(?:{'|'.join(WORDS)})(?=\s*+[,}}\])<])")


class Delimited(str):
    """A string that stood between delimiters; what that says about its type, the schema says."""

    __slots__ = ()


class BareNumber(str):
    """A bare number that JSON spells otherwise."""

    __slots__ = ()


class Reader:
    """Reads one call's body. ``at`` moves forward only, so reading is linear.

    Args:
        text: the text that holds the call.
        delimiter: what stands on both sides of a string.
        stops: markers that end the call.
    """

    __slots__ = ("at", "bare", "delimiter", "far", "repairs", "stops", "text")

    def __init__(self, text: str, delimiter: str, stops: tuple[str, ...]) -> None:
        self.text = text
        self.delimiter = delimiter
        self.stops = stops
        self.at = 0
        self.far = 0
        self.bare = False
        self.repairs: list[str] = []

    def over(self, at: int) -> bool:
        return at >= len(self.text) or self.text.startswith(self.stops, at)

    def members(self, at: int, close: str, depth: int) -> dict[str, Any]:
        """The members that begin at ``at``, up to the bracket ``close``."""
        if depth > lenient_json.MAX_TEXT_DEPTH:
            raise Unreadable(f"nested more than {lenient_json.MAX_TEXT_DEPTH} deep", at)
        text = self.text
        result: dict[str, Any] = {}
        at = after_blanks(self.text, at)
        while not text.startswith(close, at):
            if self.over(at):
                if at >= len(text) or not result:
                    raise Unreadable("the text ends inside the arguments", at)
                self.repairs.append("missing_bracket")
                self.at = at
                return result
            key = self.key(at)
            at = after_blanks(self.text, self.at)
            if not text.startswith(":", at):
                raise Unreadable("a key without a colon after it", at)
            value = self.value(at + 1, depth)
            if key in result:
                self.repairs.append("duplicate_key")
            result[key] = value
            at = self.after(self.at, close)
        self.at = at + 1
        return result

    def items(self, at: int, depth: int) -> list[Any]:
        if depth > lenient_json.MAX_TEXT_DEPTH:
            raise Unreadable(f"nested more than {lenient_json.MAX_TEXT_DEPTH} deep", at)
        result: list[Any] = []
        at = after_blanks(self.text, at)
        while not self.text.startswith("]", at):
            if self.over(at):
                raise Unreadable("the text ends inside a list", at)
            result.append(self.value(at, depth))
            at = self.after(self.at, "]")
        self.at = at + 1
        return result

    def after(self, at: int, close: str) -> int:
        at = after_blanks(self.text, at)
        if self.text.startswith(",", at):
            at = after_blanks(self.text, at + 1)
            if self.text.startswith(close, at):
                self.repairs.append("trailing_comma")
        elif not self.text.startswith(close, at) and not self.over(at):
            self.far = max(self.far, at)
            raise Unreadable(f"{self.text[at]!r} where a comma or {close!r} should stand", at)
        return at

    def key(self, at: int) -> str:
        if self.text.startswith((self.delimiter, '"', "'"), at):
            return str(self.string(at))
        match = BARE_KEY.match(self.text, at)
        if match is None:
            raise Unreadable(f"{self.text[at]!r} where a key should begin", at)
        self.at = match.end()
        return match[0].rstrip()

    def string(self, at: int) -> str:
        text, delimiter = self.text, self.delimiter
        if not text.startswith(delimiter, at):
            reading = lenient_json.read(text, at)
            self.at = reading.end
            self.repairs.append("json_body")
            return str(reading.value)
        start = at + len(delimiter)
        close = text.find(delimiter, start)
        if close < 0:
            self.far = len(text)
            raise Unreadable("a string that is never closed", at)
        self.at = close + len(delimiter)
        return Delimited(text[start:close])

    def value(self, at: int, depth: int) -> Any:
        at = after_blanks(self.text, at)
        text = self.text
        self.far = max(self.far, at)
        if self.over(at):
            raise Unreadable("the text ends where a value should begin", at)
        if text.startswith((self.delimiter, '"', "'"), at):
            return self.string(at)
        self.bare = True
        if text[at] == "{":
            return self.members(at + 1, "}", depth + 1)
        if text[at] == "[":
            return self.items(at + 1, depth + 1)
        if (word := WORD.match(text, at)) is not None:
            self.at = word.end()
            return WORDS[word[0]]
        if (number := NUMBER.match(text, at)) is not None:
            self.at = number.end()
            value = lenient_json.number(number[0], at)
            return value if repr(value) == number[0] else BareNumber(number[0])
        words = BARE_WORDS.match(text, at)
        if words is None or words.end() >= len(text):
            raise Unreadable("the text ends inside a value", at)
        self.at = words.end()
        written = words[0].strip()
        quoted = written[0] in "“„«＂" and written[-1] in "”“»＂" and len(written) > 1
        self.repairs.append("smart_quotes" if quoted else "unquoted_string")
        return written[1:-1] if quoted else written


class DelimitedValues(MarkedCalls):
    """Calls whose strings stand between delimiters.

    Attributes:
        all_delimited: prompt builders of the family delimit all values: where a call has no bare one, its values are
            typed by the schema.
    """

    calls: CallTemplate = field()
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

    def read_block(self, parser: TurnParser, start: int, at: int) -> None:
        text = parser.text
        head = HEAD.match(text, at)
        if head is None or not parser.charge(0):
            parser.at = at
            return
        repairs: list[str] = [] if head[1] else ["missing_call_word"]
        reader = Reader(text, self.calls.delimiter, (*self.all_closes, *self.all_opens))
        arguments: dict[str, Any] = {}
        end = head.end()
        try:
            if text.startswith(("{", "("), end):
                if text[end] == "(":
                    repairs.append("wrong_bracket")
                arguments = reader.members(end + 1, "}" if text[end] == "{" else ")", 0)
                end = after_blanks(text, reader.at)
            elif head[1] and end >= len(text):
                raise Unreadable("the text ends behind the name", end)
            else:
                parser.at = at
                return
            while text.startswith("}", end):
                repairs.append("extra_bracket")
                end = after_blanks(text, end + 1)
        except Unreadable as error:
            parser.charge(max(error.at, reader.far) - start)
            parser.reject(start, self.end_of_broken(parser, head.end()), str(error))
            return
        name = declared_name(head[2], parser.tools, repairs)
        notes = TypingNotes(repairs)
        arguments = self._typed(parser, name, arguments, reader.bare, notes)
        close = self.closer_at(text, end)
        if not close:
            repairs.append("missing_close_tag")
            end = max(reader.at, head.end())
        if self.all_delimited and not reader.bare and start > parser.at and text[start - 1] == "\n":
            start -= 1  # the builders that delimit all values write a line break after the prose
        parser.accept(start, end + len(close), (ToolCall(name, arguments, untyped=notes.untyped),))
        parser.repairs.extend([*dict.fromkeys(reader.repairs), *repairs])

    def _typed(
        self, parser: TurnParser, name: str, arguments: dict[str, Any], bare: bool, notes: TypingNotes
    ) -> dict[str, Any]:
        """The arguments with delimited text read as another type where the schema admits no text."""
        schema = parser.tools.parameters(name)
        shape = Shape(schema, schema, reader_of_untyped(parser.tools, self.calls.looks))
        for key, value in arguments.items():
            member = shape.member(key)
            if not isinstance(value, Delimited):
                arguments[key] = plain(value, member, notes)
            elif member.allowed is None or ("string" in member.allowed and (bare or not self.all_delimited)):
                arguments[key] = str(value)
            else:
                arguments[key] = member.typed(str(value), notes)
        return arguments


def has_no_bare_value(call: ToolCall) -> bool:
    """Whether all arguments of a call stand between delimiters."""
    return all(type(value) is str for value in call.arguments.values())


def plain(value: Any, shape: Shape, notes: TypingNotes) -> Any:
    """A value with plain strings for delimited ones, and with text for odd numbers where the schema asks for none."""
    if isinstance(value, Delimited):
        return str(value)
    if isinstance(value, BareNumber):
        if shape.allowed is not None and "string" not in shape.allowed:
            return shape.typed(str(value), notes)
        notes.repairs.append("unquoted_string")
        return str(value)
    if isinstance(value, dict):
        return {key: plain(member, shape.member(key), notes) for key, member in value.items()}
    return [plain(item, shape.items, notes) for item in value] if isinstance(value, list) else value
