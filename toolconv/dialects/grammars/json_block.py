"""What stands between the markers of a call block: JSON objects in any state, and what holds them together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from toolconv.core import lenient_json
from toolconv.core.calls import NotACall, arguments_from, call_rank, cut_off
from toolconv.core.inner_quotes import read_inner_quotes
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.one_slip import Ambiguous, read_one_slip
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.grammars.fences import OPENING, language_repairs
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser

BLANKS = lazy_re(r"\s*")
SEPARATORS = lazy_re(r"[ \t\r\n,;\u00a0\u200b\u2060\ufeff\uff0c]*")
BRACKETS = lazy_re(r"\[+")
FENCE = lazy_re(rf"{OPENING}\n?")
FENCE_END = lazy_re(r"```[ \t]*\n?")
NAME_LINE = lazy_re(r"([A-Za-z_][\w.\-]{0,127})[ \t]*\r?\n\s*(?=\{)")
MEMBER = lazy_re(r'"[^"\\\n]{1,100}"?\s*:')
"""How an object begins that lost its opening bracket."""
NEXT_MEMBER = lazy_re(r'\s*(?:\}|,\s*")')
ESCAPED_BLANKS = lazy_re(r"(?:\\[nrt]\s*)+")
"""Line breaks as a text shows them that was escaped twice."""
FAILED_READ_COST = 40
"""Characters charged for text that looked like a call and was not one."""
LIST_END = lazy_re(r"\]\s*(?![\]},\s])")
OBJECT = lazy_re(r"\{\s*(?:[\"'“„‘＂]{1,2}\w|[A-Za-z_]\w{0,40}[\"']?\s*:)")
"""How an object begins that may be a call."""


class Block:
    """What stands between an opening marker and whatever ends the block.

    Args:
        parser: the reading it belongs to.
        at: where it begins.
        stops: markers that end it.
        calls_in: the calls in a value, as :meth:`JsonBlocks.call` reads them.
        opening: the marker before it.

    Attributes:
        values: places and values of the JSON objects in it, lists taken apart.
        words: places of text that is neither JSON nor punctuation.
        broken: places of what could not be read, and why.
        listed: whether the objects stood in a list.
        emptied: whether they were in a list that opens, closes and holds nothing.
        repairs: what had to be repaired.
        end: where the marker that ends the block stands, or the end of the text.
    """

    __slots__ = ("broken", "calls_in", "emptied", "end", "listed", "parser", "repairs", "stops", "values", "words")

    def __init__(
        self,
        parser: TurnParser,
        at: int,
        stops: tuple[str, ...],
        calls_in: Callable[[Any, list[str]], list[ToolCall]],
        opening: str = "",
    ) -> None:
        self.parser = parser
        self.stops = stops
        self.calls_in = calls_in
        self.values: list[tuple[int, int, Any]] = []
        self.words: list[tuple[int, int]] = []
        self.repairs: list[str] = []
        self.broken: list[tuple[int, int, Exception]] = []
        lists = int(opening.endswith("["))  # how many are open
        fence = "```" in opening  # part of the markup, or a model's slip
        fenced = fence
        self.listed = lists > 0
        text = parser.text
        name: str | None = None
        name_at = at
        while True:
            at = end_of(SEPARATORS, text, at)
            if at >= len(text) or text.startswith(stops, at):
                break
            char = text[at]
            if char == "{" or (char == '"' and MEMBER.match(text, at)):
                start = at if name is None else name_at
                try:
                    reading = self._object(at, name, in_list=lists > 0)
                except lenient_json.Unreadable as error:
                    found = parser.first(stops, at)
                    end = found[0] if found else len(text)
                    at = rest_of(parser, at, end, stops, self._says_calls)
                    self.broken.append((start, start + len(text[start:at].rstrip(" \t\r\n,;")), error))
                else:
                    value = reading.value if name is None else {"name": name, "arguments": reading.value}
                    self.values.append((at, reading.end, value))
                    self.repairs.extend(reading.repairs)
                    at = reading.end
                name = None
            elif char == "[" and not text.startswith("[/", at):
                end = end_of(BRACKETS, text, at)
                self.listed = True
                lists += end - at
                at = end
            elif char in "]}":
                if char == "}" or lists == 0:
                    self.repairs.append("extra_bracket")
                else:
                    lists -= 1
                at += 1
            elif (edge := (FENCE_END if fenced else FENCE).match(text, at)) is not None and (
                fenced or not self.values or self._last(text, at, stops)
            ):
                if not fenced:
                    self.repairs.extend(language_repairs(edge))
                at = edge.end()
                fenced = not fenced
                if fence:
                    break
                if "markdown_fence" not in self.repairs:
                    self.repairs.append("markdown_fence")
            elif match := NAME_LINE.match(text, at):
                name, name_at = match[1], at
                self.repairs.append("name_line")
                at = match.end()
            elif match := ESCAPED_BLANKS.match(text, at):
                if "escaped_newline" not in self.repairs:
                    self.repairs.append("escaped_newline")
                at = match.end()
            else:
                found = parser.first(stops, at)
                end = found[0] if found else len(text)
                self.words.append((at, at + len(text[at:end].rstrip())))
                at = end
                break
        self.end = at
        self.emptied = self.listed and lists == 0 and not self.values
        if lists > 0 and self.values and not self.broken:
            self.repairs.append("truncated" if at >= len(text) else "missing_bracket")
        if fence and fenced and self.values and not self.broken:
            self.repairs.append("missing_close_tag")

    def _object(self, at: int, name: str | None, *, in_list: bool) -> lenient_json.LenientValue:
        """The object at ``at``; with a ``name`` it is the arguments of that tool.

        Raises:
            Unreadable: it can't be read with certainty, or it is cut off before all of its arguments are there.
        """
        parser, text = self.parser, self.parser.text
        try:
            if text[at] != "{":
                raise lenient_json.Unreadable("an object without its opening bracket", at)
            reading = lenient_json.read(text, at, stops=self.stops, cut=name is None)
        except lenient_json.Unreadable as error:
            charge_failure(parser, at, error)
            try:
                return self._slipped(at, name, in_list=in_list)
            except Ambiguous:
                raise
            except lenient_json.Unreadable:
                quoted = None if in_list else self._quoted(at, name)
                if quoted is None:
                    raise error from None
                return quoted
        if reading.unclosed:
            made: list[str] = []
            with suppress(NotACall):  # the caller finds the same error
                self.calls_in(reading.value, made)
            if cut_off(reading.unclosed, made):
                raise lenient_json.Unreadable(lenient_json.CUT_OFF, reading.end)
            refuse_ambiguous(text[at:], lambda value: self._rank(value, name))
        elif "missing_bracket" in reading.repairs or self._too_soon(reading, name):
            try:
                return self._slipped(at, name, in_list=in_list)
            except Ambiguous:
                raise
            except lenient_json.Unreadable:  # more than one character is missing
                return reading
        return reading

    def _too_soon(self, reading: lenient_json.LenientValue, name: str | None) -> bool:
        """Whether a closing bracket too many ended the object: it goes on, and what was read is not just a call."""
        return NEXT_MEMBER.match(self.parser.text, reading.end) is not None and not self._rank(reading.value, name)

    def _slipped(self, at: int, name: str | None, *, in_list: bool) -> lenient_json.LenientValue:
        """The object at ``at``, in which one character is missing or one too many.

        Raises:
            Unreadable: there is no reading of it, or more than one.
        """
        parser, text = self.parser, self.parser.text
        found = parser.first(self.stops, at)
        end = found[0] if found else len(text)
        until = rest_of(parser, at, end, self.stops, self._says_calls)
        if not text[at + 1 : until].strip():  # the same call: its bracket is doubled
            until = end
        body = text[at:until].rstrip(" \t\r\n,;`")
        if in_list and body.endswith("]"):
            body = body[:-1].rstrip()
        body = body[: before_escaped_blanks(body, 0, len(body))]
        ends_here = bool(text[at + len(body) :].strip())
        if not parser.charge(len(body)):
            raise lenient_json.Unreadable(GAVE_UP, at)
        reading = read_one_slip(body, lambda value: self._rank(value, name), ends_here=ends_here)
        reading.end = at + len(body)
        return reading

    def _quoted(self, at: int, name: str | None) -> lenient_json.LenientValue | None:
        """The object at ``at``, in whose strings quotes are not escaped, up to the end of the block."""
        parser, text = self.parser, self.parser.text
        found = parser.first(self.stops, at)
        body = text[at : found[0] if found else len(text)].rstrip()
        if body[-1:] != "}" or not parser.charge(len(body)):
            return None
        try:
            reading = read_inner_quotes(body)
        except lenient_json.Unreadable:
            return None
        reading.end = at + len(body)
        return reading if self._rank(reading.value, name) else None

    def _rank(self, value: Any, name: str | None) -> int:
        """How well a value suits as a call, see :func:`toolconv.core.calls.call_rank`."""
        made: list[str] = []
        try:
            if name is not None:
                calls = [ToolCall(name, arguments_from(value, made))]
            else:
                calls = self.calls_in(value, made)
        except NotACall:
            return 0
        return call_rank(calls, made, self.parser.tools)

    def _says_calls(self, value: Any) -> bool:
        """Whether a value is a call just as the family writes it."""
        repairs: list[str] = []
        try:
            return bool(self.calls_in(value, repairs)) and not repairs
        except NotACall:
            return False

    @staticmethod
    def _last(text: str, at: int, stops: tuple[str, ...]) -> bool:
        """Whether the fence at ``at`` is the last thing in the block: it closes one that was never opened."""
        after = end_of(BLANKS, text, end_of(FENCE_END, text, at))
        return after >= len(text) or text.startswith(stops, after)


def before_escaped_blanks(text: str, start: int, end: int) -> int:
    """Where the escaped line breaks and white space begin that end ``text[start:end]``; ``end`` if there are none."""
    at = end
    while True:
        while at > start and text[at - 1].isspace():
            at -= 1
        if at < start + 2 or text[at - 2 : at] not in ("\\n", "\\r", "\\t"):
            return end
        end = at = at - 2


def refuse_ambiguous(body: str, rank: Callable[[Any], int]) -> None:
    """Refuse a call that lacks a bracket, or has one too many at its end, if that may be another one.

    Raises:
        Ambiguous: it may.
    """
    try:
        read_one_slip(body, rank)
    except Ambiguous:
        raise
    except lenient_json.Unreadable:  # more than one bracket is missing: it is cut off
        return


def charge_failure(parser: TurnParser, start: int, error: lenient_json.Unreadable) -> None:
    """Account for a reading that failed: for its length, for having begun at all, and dearly for deep nesting."""
    parser.charge(FAILED_READ_COST + (error.at - start) * (16 if error.reason.startswith("nested") else 2))


def rest_of(parser: TurnParser, at: int, until: int, stops: tuple[str, ...], says_calls: Callable[[Any], bool]) -> int:
    """Where the calls begin that follow the one at ``at``, which can't be read; ``until`` where there are none.

    They are believed where nothing but calls stands from there on up to the end of their list, or ``until``: what is
    written inside of the broken one is not over there.
    """
    text = parser.text
    start = at + 1
    while parser.budget > 0 and (match := OBJECT.search(text, start, until)) is not None:
        first = start = match.start()
        if text.endswith((":", ": "), at, start):  # the value of a member
            start += 1
            continue
        while text.startswith("{", start):
            try:
                reading = lenient_json.read(text, start, stops=stops)
            except lenient_json.Unreadable as error:
                charge_failure(parser, start, error)
                start += 1
                break
            start = end_of(SEPARATORS, text, reading.end)
            if reading.repairs or not says_calls(reading.value):
                break
            if start >= until or LIST_END.match(text, start) is not None:
                return first
    return until


def cut_around(parser: TurnParser, opening: str, closing: str) -> None:
    """Cut out a tag directly before the first call and one directly after the last."""
    text, at = parser.text, parser.at
    first, last = min(parser.places), max(parser.places)
    before = text[:first].rstrip()
    if before.endswith(opening):
        parser.accept(len(before) - len(opening), first)
    end = max(end for start, end in parser.cut_places() if start == last)
    after = end_of(BLANKS, text, end)
    if text.startswith(closing, after):
        parser.accept(end, after + len(closing))
    parser.at = max(at, parser.at)
