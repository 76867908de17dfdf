"""A turn that the named dialect does not read whole: what it reads in it, and what other dialects do."""

from __future__ import annotations

from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.best_reading import DialectReading
from toolconv.dialects.choice.detected import detected
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.choice.remainder import with_remainder
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.markers import first_marker
from toolconv.dialects.lexing.mentions import kind_of
from toolconv.dialects.reading.turn_parser import Parsed


def with_others(named: Dialect, parsed: Parsed, text: str, readings: Readings) -> Parsed:
    """The reading of a turn by the ``named`` dialect and others; ``parsed`` is what the named one alone reads."""
    best = detected(text, readings, named)
    own = _read_between_markers(named, text, readings)
    if own is not None and not (best is not None and all(call in best.parsed.calls for call in own.calls)):
        return with_remainder(DialectReading(named, own), text, readings, named)
    if best is None or not best.parsed.calls or not _keeps_reasoning(best.parsed, parsed):
        best = DialectReading(named, parsed)
    same = (best.parsed.calls, best.parsed.content) == (parsed.calls, parsed.content)
    by_fallback = best.dialect.name in named.fallback_dialects  # parsed may be its reading, too
    if same and not by_fallback and len(best.parsed.dropped) == len(parsed.dropped):
        best = DialectReading(named, parsed)
    return with_remainder(best, text, readings, named)


def _read_between_markers(named: Dialect, text: str, readings: Readings) -> Parsed | None:
    """The named dialect's own reading, if its markers hold calls that need no repair: these are calls of its own.

    Whatever else the text holds, in another dialect or damaged, does not change what they are.
    """
    if not any(marker in text for marker in named.markers):
        return None
    own = readings.of(named, text)
    if not own.calls or own.repairs or named.leaves_reasoning(own):
        return None
    left = [own.content[sign.start : sign.end] for sign in unread_calls(own.content, readings.tools)]
    only_closes = bool(left) and not own.dropped and all(kind_of(tag) == "close" for tag in left)
    return None if only_closes else own  # a tag too many, which another dialect may know


def _keeps_reasoning(parsed: Parsed, own: Parsed) -> bool:
    """Whether a reading by another dialect has the reasoning that the named dialect found, up to a marker in it."""
    thoughts = own.reasoning or ""
    marker = first_marker(thoughts)
    return (parsed.reasoning or "").startswith(thoughts if marker < 0 else thoughts[:marker].rstrip())
