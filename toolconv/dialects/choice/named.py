"""A turn that the named dialect does not read whole: what it reads in it, and what other dialects do."""

from __future__ import annotations

from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.best_reading import DialectReading
from toolconv.dialects.choice.detected import detected
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.choice.remainder import with_remainder
from toolconv.dialects.lexing.markers import first_marker
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.registry import get


def with_others(named: Dialect, parsed: Parsed, text: str, readings: Readings) -> Parsed:
    """The reading of a turn by the ``named`` dialect and others; ``parsed`` is what the named one alone reads."""
    best, own = detected(text, readings, named), DialectReading(_reader_of(parsed, named, text, readings), parsed)
    if best is None or not _keeps(best.parsed, parsed):
        best = own
    same = (best.parsed.calls, best.parsed.content) == (parsed.calls, parsed.content)
    if same and len(best.parsed.dropped) == len(parsed.dropped):
        best = own
    return with_remainder(best, text, readings, named)


def _reader_of(parsed: Parsed, named: Dialect, text: str, readings: Readings) -> Dialect:
    """The dialect that reads what the named one does: itself, or one that it falls back on."""
    own = (named, *map(get, named.fallback_dialects))
    return next((each for each in own if readings.of(each, text).calls == parsed.calls), named)


def _keeps(parsed: Parsed, own: Parsed) -> bool:
    """Whether a reading by another dialect has what the named dialect found: calls that need no repair, and reasoning.

    Of the reasoning, it has to have what precedes a marker in it.
    """
    if not parsed.calls or (not own.repairs and any(call not in parsed.calls for call in own.calls)):
        return False
    thoughts = own.reasoning or ""
    marker = first_marker(thoughts)
    return (parsed.reasoning or "").startswith(thoughts if marker < 0 else thoughts[:marker].rstrip())
