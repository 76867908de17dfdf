"""Reads the calls that a dialect leaves in its prose by other dialects, or counts them as dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.accounting import UNREAD, ends_of
from toolconv.dialects.choice.best_reading import DialectReading, best_reading
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.lexing.call_signs import CallSign, unread_calls, untagged_calls
from toolconv.dialects.lexing.markers import marked_dialects, plain_dialect
from toolconv.dialects.reading.turn_parser import Parsed, TurnParser


def with_remainder(best: DialectReading, text: str, readings: Readings, named: Dialect | None) -> Parsed:
    """A reading with what its dialect leaves as prose read by other dialects, or counted as dropped."""
    dialect, parsed = best.dialect, best.parsed
    if unread_calls(parsed.content, readings.tools):
        rest = _rest_reader(dialect, readings)
        parsed = dialect.parse_own(text, readings.tools, readings.in_reasoning, rest=rest)
    if named is None:
        parsed.dialect = dialect.name
    elif dialect is not named:
        parsed.dialect = dialect.name
        parsed.repairs.append("other_dialect")
    return parsed


def _rest_reader(dialect: Dialect, readings: Readings) -> Callable[[TurnParser], None]:
    """What reads the rest of a turn, whose calls in ``dialect`` were found."""

    def read(parser: TurnParser) -> None:
        accounted = _Spans([(part.start, part.end) for part in parser.left])
        for start, end in parser.gaps():
            _read_gap(parser, start, end, dialect, readings, accounted)

    return read


class _Spans:
    """Parts of a text, which may overlap. They are asked for in ascending order, so all answers take one pass."""

    __slots__ = ("_far", "_next", "_spans")

    def __init__(self, spans: list[tuple[int, int]]) -> None:
        self._spans = sorted(spans)
        self._next = 0
        self._far = 0

    def overlap(self, start: int, end: int) -> bool:
        """Whether one of the parts shares a character with ``text[start:end]``."""
        spans = self._spans
        while self._next < len(spans) and spans[self._next][0] < end:
            self._far = max(self._far, spans[self._next][1])
            self._next += 1
        return start < self._far


def _read_gap(
    parser: TurnParser,
    start: int,
    end: int,
    dialect: Dialect,
    readings: Readings,
    accounted: _Spans,
) -> None:
    """Read the calls that ``dialect`` leaves in ``text[start:end]``, or count them as dropped.

    What is in ``accounted``, the parts that ``dialect`` dropped or leaves as prose on purpose, is not counted again.
    """
    text, tools = parser.text[start:end], readings.tools
    hits = unread_calls(text, tools)
    if not hits:
        return
    candidates = marked_dialects(text)
    marked = [other for other in candidates if other is not dialect]
    was_read = text == readings.turn and dialect in candidates  # with all others that have a marker in it
    best = None if was_read else best_reading(text, readings, marked)
    if best is None and not marked and (text.rstrip().endswith("}") or ("}" in text and not parser.has_dropped)):
        best = best_reading(text, readings, (plain_dialect(),))
    if best is not None and best.parsed.calls:
        parsed = best.parsed
        parsed.repairs.append("other_dialect")
        for call in parsed.calls:
            call.dialect = best.dialect.name
        parser.accept_reading(start, end, parsed)
        text, hits = parsed.content, unread_calls(parsed.content, tools)
        _drop_left(parser, text, hits, len(parsed.dropped))
        return
    untagged = untagged_calls(text, tools)
    if untagged is not None:
        parsed = Parsed(untagged[1], None, untagged[0], ["missing_tags"] * len(untagged[0]))
        parser.accept_reading(start, end, parsed)
        _drop_left(parser, parsed.content, unread_calls(parsed.content, tools))
        return
    for hit, until in zip(hits, ends_of(hits, len(text)), strict=True):
        begin, stop = start + hit.start, start + until
        if not accounted.overlap(begin, stop):
            parser.reject(begin, stop, UNREAD)


def _drop_left(parser: TurnParser, text: str, hits: Sequence[CallSign], known: int = 0) -> None:
    """Count the calls that a reading leaves in its prose as dropped, except the first ``known``: it dropped these."""
    for hit, until in list(zip(hits, ends_of(hits, len(text)), strict=True))[known:]:
        parser.drop(UNREAD, text[hit.start : until].rstrip())
