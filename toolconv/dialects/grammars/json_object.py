"""One JSON object of a turn, in any state: with a character missing or too many, with bare quotes in it, or cut off."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple

from toolconv.core import lenient_json
from toolconv.core.calls import NotACall, arguments_from, call_rank, cut_off
from toolconv.core.inner_quotes import read_inner_quotes
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.one_slip import Ambiguous, read_one_slip
from toolconv.core.tool_call import ToolCall
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser

FAILED_READ_COST: Final = 40
"""Characters charged for text that looked like a call and was not one."""
SEPARATORS = lazy_re(r"[ \t\r\n,;\u00a0\u200b\u2060\ufeff\uff0c]*")
OBJECT = lazy_re(r"\{\s*(?:[\"'“„‘＂]{1,2}\w|[A-Za-z_]\w{0,40}[\"']?\s*:)")
"""How an object begins that may be a call."""
NEXT_MEMBER = lazy_re(r'\s*(?:\}|,\s*")')
LIST_END = lazy_re(r"\]\s*(?![\]},\s])")

CallsIn = Callable[[Any, list[str]], list[ToolCall]]
"""The calls that a value holds; repairs are added to the list. There are none, or :class:`NotACall` is raised."""


class ObjectReader(NamedTuple):
    """Reads the objects of one stretch of a turn.

    Attributes:
        parser: the reading they belong to.
        stops: markers that end an object wherever they stand outside a string.
        calls_in: the calls in an object.
        is_arguments: whether an object is the arguments of one call, which are all that is left of it.
        is_bare: whether an object is surrounded by prose: nothing but its last bracket ends it.
    """

    parser: TurnParser
    stops: tuple[str, ...]
    calls_in: CallsIn
    is_arguments: bool = False
    is_bare: bool = False

    def read(self, at: int, *, in_list: bool = False, mend: bool = True) -> lenient_json.LenientValue:
        """The object at ``at``; without ``mend``, not one that lacks a character or has one too many.

        Raises:
            Unreadable: it can't be read with certainty, or it is cut off before all of its arguments are there.
        """
        text = self.parser.text
        try:
            reading = lenient_json.read(text, at, stops=self.stops, cut=not self.is_arguments)
        except lenient_json.Unreadable as error:
            charge_failure(self.parser, at, error)
            if not mend:
                raise
            return self._mended(at, error, in_list=in_list)
        if reading.unclosed:
            made: list[str] = []
            with suppress(NotACall):  # the caller finds the same error
                self.calls_in(reading.value, made)
            if cut_off(reading.unclosed, made):
                raise lenient_json.Unreadable(lenient_json.CUT_OFF, reading.end)
            refuse_ambiguous(text[at:], self.rank)
            return reading
        goes_on = NEXT_MEMBER.match(text, reading.end)
        too_soon = goes_on is not None and (self.is_arguments or not self.rank(reading.value))
        if not too_soon and "missing_bracket" not in reading.repairs:
            return reading
        try:
            return self._slipped(at, in_list=in_list)
        except Ambiguous:
            raise
        except lenient_json.Unreadable:  # more than one character is missing
            if self.is_arguments and goes_on is not None and not goes_on[0].endswith("}"):
                raise
            return reading

    def rank(self, value: Any) -> int:
        """How well a value suits as a call, see :func:`toolconv.core.calls.call_rank`."""
        made: list[str] = []
        try:
            calls = self.calls_in(value, made)
        except NotACall:
            return 0
        return call_rank(calls, made, self.parser.tools)

    def rest(self, at: int, until: int) -> int:
        """Where the calls begin that follow the one at ``at``, which can't be read; ``until`` where there are none.

        They are believed where nothing but calls stands from there on up to the end of their list, or ``until``: what
        is written inside of the broken one is not over there.
        """
        parser, text = self.parser, self.parser.text
        start = at + 1
        while parser.budget > 0 and (match := OBJECT.search(text, start, until)) is not None:
            first = start = match.start()
            if text.endswith((":", ": "), at, start):  # the value of a member
                start += 1
                continue
            while text.startswith("{", start):
                try:
                    reading = lenient_json.read(text, start, stops=self.stops)
                except lenient_json.Unreadable as error:
                    charge_failure(parser, start, error)
                    start += 1
                    break
                start = end_of(SEPARATORS, text, reading.end)
                if reading.repairs or not self.rank(reading.value):
                    break
                if start >= until or LIST_END.match(text, start) is not None:
                    return first
        return until

    def _mended(self, at: int, error: lenient_json.Unreadable, *, in_list: bool) -> lenient_json.LenientValue:
        """The object at ``at``, which can't be read as it is because of an ``error``."""
        try:
            return self._slipped(at, in_list=in_list)
        except Ambiguous:
            raise
        except lenient_json.Unreadable:
            if in_list or self.is_arguments or self.is_bare or (quoted := self._quoted(at)) is None:
                raise error from None
            return quoted

    def _end(self, at: int) -> int:
        """The end of the stretch that holds the object at ``at``."""
        stop = self.parser.first(self.stops, at)
        end = stop[0] if stop else len(self.parser.text)
        return self.parser.text.rfind("}", at, end) + 1 if self.is_bare else end

    def _slipped(self, at: int, *, in_list: bool) -> lenient_json.LenientValue:
        """The object at ``at``, in which one character is missing or one too many.

        Raises:
            Unreadable: there is no reading of it, or more than one.
        """
        parser, text = self.parser, self.parser.text
        end = self._end(at)
        until = end if self.is_arguments else self.rest(at, end)
        if not text[at + 1 : until].strip():  # the same call: its bracket is doubled
            until = end
        body = text[at:until].rstrip(" \t\r\n,;`[" if self.is_bare else " \t\r\n,;`")
        if in_list and body.endswith("]"):
            body = body[:-1].rstrip()
        if not parser.charge(len(body)):
            raise lenient_json.Unreadable(GAVE_UP, at)
        ends_here = not self.is_bare and bool(text[at + len(body) :].strip(" \t\r\n,;"))
        reading = read_one_slip(body, self.rank, ends_here=ends_here)
        reading.end = at + len(body)
        return reading

    def _quoted(self, at: int) -> lenient_json.LenientValue | None:
        """The object at ``at``, in whose strings quotes are not escaped, up to the end of its stretch.

        Only its name and the key of its arguments show that such a string does not hold more of the object.
        """
        body = self.parser.text[at : self._end(at)].rstrip()
        if body[-1:] != "}" or not self.parser.charge(len(body)):
            return None
        try:
            reading = read_inner_quotes(body)
        except lenient_json.Unreadable:
            return None
        reading.end = at + len(body)
        return reading if self.rank(reading.value) else None


def arguments_of(name: str) -> CallsIn:
    """The call of ``name`` whose arguments an object is."""
    return lambda value, made: [ToolCall(name, arguments_from(value, made))]


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
