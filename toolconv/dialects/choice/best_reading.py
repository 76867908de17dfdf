"""Chooses among the readings of a text by several dialects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from toolconv.core.calls import is_likely_name, is_schema
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import SPELLING_REPAIRS
from toolconv.core.notes import Dropped
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.candidates import fitting, in_order
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.reading.turn_parser import Parsed

TRIED_CHARACTERS: Final = 300_000
"""How much text is read to find the best dialect: all candidates of a text of usual length, two of a huge one."""


_PLAIN_WORDS: Final = lazy_re(r"[^\W\d_]+(?: [^\W_]+){0,4}")
ODD_NAME: Final = "a name that no tool has"
"""Why a call is dropped whose name is more likely damaged than meant."""
_TAG: Final = lazy_re(r"[<>\[|#*✿].*[A-Za-z]|[A-Za-z].*[>\[|`]")
"""What a marker has that ordinary text has not."""


class DialectReading(NamedTuple):
    """A text, read in a dialect; ``exact`` if the text is what the dialect writes."""

    dialect: Dialect
    parsed: Parsed
    exact: bool = False


def best_reading(text: str, readings: Readings, candidates: Iterable[Dialect]) -> DialectReading | None:
    """The exact reading of a text, else the best tolerant one."""
    candidates = tuple(candidates)
    if not readings.opened(text) and (exact := exact_reading(text, readings.tools, candidates)) is not None:
        return exact
    return tolerant_reading(text, readings, candidates)


def tolerant_reading(
    text: str, readings: Readings, candidates: tuple[Dialect, ...], named: Dialect | None = None
) -> DialectReading | None:
    """The reading that leaves least unread; of equals, the one with the fewest repairs, then the first candidate's.

    ``None`` if no candidate finds anything but prose. Only the ``named`` dialect keeps calls with odd names in
    any case (:func:`_without_implausible`).
    """
    tools = readings.tools
    asked, others = in_order(text, candidates, named)
    best: DialectReading | None = None
    best_score: tuple[int, ...] = ()
    plain: list[tuple[str | None, str]] = []
    unread: dict[str, int] = {}  # many candidates leave the same prose
    for number, dialect in enumerate((*asked, *others)):
        if number > 1 and number * len(text) > TRIED_CHARACTERS:
            break
        if number == len(asked) and best_score > (True, 0, True):
            break
        if best is not None and best_score > (True, 0, True) and _highest_score(text, dialect, best) <= best_score:
            continue
        parsed = readings.of(dialect, text)
        if not parsed.calls and not parsed.dropped and parsed.content == text:
            continue
        if (
            dialect is not named
            and not all(is_likely(call, tools) for call in parsed.calls)
            and not _is_in_words(dialect, parsed, text, tools)
            and not _is_escaped(dialect, parsed, text)
        ):
            kept = _without_implausible(dialect, parsed, text, tools)
            if kept is None:
                continue
            parsed = kept
        if not parsed.calls and not parsed.dropped:
            if (parsed.reasoning, parsed.content) in plain:
                continue  # the first that reads no call says what is left of the text
            plain.append((parsed.reasoning, parsed.content))
        if parsed.content not in unread:
            unread[parsed.content] = len(unread_calls(parsed.content, tools))
        score = score_of(text, dialect, parsed, tools, dialect is named, unread[parsed.content])
        if best is None or score > best_score:
            best, best_score = DialectReading(dialect, parsed), score
    return best


def exact_reading(text: str, tools: ToolIndex, candidates: tuple[Dialect, ...]) -> DialectReading | None:
    """The reading of a text by a dialect that writes it; ``None`` if none of the candidates does.

    It is the first whose prose has plain edges, else the first.
    """
    first: DialectReading | None = None
    for dialect in fitting(text, candidates):
        parsed = dialect.parse_exact(text, tools) if dialect.may_round_trip(text) else None
        if parsed is None or not parsed.calls or unread_calls(parsed.content, tools):
            continue
        if all(is_likely(call, tools) for call in parsed.calls):
            first = first or DialectReading(dialect, parsed, exact=True)
            if parsed.has_plain_edges:
                return DialectReading(dialect, parsed, exact=True)
    return first


def _is_in_words(dialect: Dialect, parsed: Parsed, text: str, tools: ToolIndex) -> bool:
    """Whether calls have names in plain words, quoted at most, and arguments in the tags of their dialect."""
    opening = "" if dialect.calls is None else dialect.calls.param.partition("{")[0].strip()
    only_quoted = all(repair == "marker_spelling" for repair in parsed.repairs)
    if tools or not only_quoted or not opening.startswith("<") or opening not in text:
        return False
    return all(_PLAIN_WORDS.fullmatch(call.name) for call in parsed.calls)


def _is_escaped(dialect: Dialect, parsed: Parsed, text: str) -> bool:
    """Whether a dialect writes this very text, with escapes in the names of all calls: damage escapes nothing."""
    return not any(call.name in text for call in parsed.calls) and dialect.round_trips(text, parsed)


def _without_implausible(dialect: Dialect, parsed: Parsed, text: str, tools: ToolIndex) -> Parsed | None:
    """A reading without calls whose names are implausible: such as no tool has.

    Next to calls of usual names, they are likely damaged. On their own they are dropped calls if a tag of the dialect
    is in the text: another dialect may read them. ``None`` if the text shows no call of the dialect at all.
    """
    places = [text.find(marker) for marker in dialect.markers if _TAG.search(marker)]
    begin = min((place for place in places if place >= 0), default=-1)
    if begin < 0 or any(is_schema(call.arguments, call.name, tools) for call in parsed.calls):
        return None
    if any(is_likely(call, tools) for call in parsed.calls):
        return parsed
    rest = text[begin:].rstrip()
    return Parsed(text, dropped=[*parsed.dropped, *[Dropped(ODD_NAME, rest) for _ in parsed.calls]])


def is_likely(call: ToolCall, tools: ToolIndex) -> bool:
    """Whether a call has a usual name, and its arguments are no schema: a text may repeat the declarations of tools."""
    return (call.name in tools or is_likely_name(call.name)) and not is_schema(call.arguments, call.name, tools)


def score_of(
    text: str,
    dialect: Dialect,
    parsed: Parsed,
    tools: ToolIndex,
    is_named: bool,
    unread: int,
) -> tuple[int, ...]:
    """How well a reading fits its text: higher is better, compared from left to right."""
    unknown = sum(call.name not in tools for call in parsed.calls) if tools else 0
    unread = max(len(parsed.dropped), unread)  # a dropped call is still in the prose
    repairs = len(parsed.repairs) + 2 * sum(map(_is_wrapped, parsed.calls))
    written = not parsed.repairs and _round_trips_exactly(text, dialect, parsed)
    own = _has_own_marker(dialect, text)
    repairs += _is_foreign(dialect, text)
    whole = not dialect.leaves_reasoning(parsed)
    return (whole, -unread, bool(parsed.calls), -unknown, -repairs, is_named, written, own)


def _highest_score(text: str, dialect: Dialect, best: DialectReading) -> tuple[int, ...]:
    """The best that another dialect can score, given the best reading so far, which leaves nothing unread.

    A dialect of JSON that always closes its calls misses the tags that another such dialect misses.
    """
    repairs = best.parsed.repairs
    needed = _needed_by_all(repairs)
    if _closes_always(dialect) and _closes_always(best.dialect):
        needed += repairs.count("missing_close_tag")
    written = not needed and dialect.may_round_trip(text)
    own = _has_own_marker(dialect, text)
    return (True, 0, True, 0, -needed - _is_foreign(dialect, text), False, written, own)


def _closes_always(dialect: Dialect) -> bool:
    return isinstance(dialect, JsonBlocks) and dialect.closing == "always"


def _needed_by_all(repairs: list[str]) -> int:
    """How many of the repairs of a reading are of JSON, which every dialect needs."""
    return sum(name in SPELLING_REPAIRS for name in repairs)


def _is_wrapped(call: ToolCall) -> bool:
    """Whether an argument is a text between line breaks, as values in tags are written by some families."""
    texts = (value for value in call.arguments.values() if isinstance(value, str))
    return any(text.startswith("\n") and text.endswith("\n") and not text.isspace() for text in texts)


def _has_own_marker(dialect: Dialect, text: str) -> bool:
    """Whether a text holds the marker that a dialect writes."""
    return bool(dialect.markers) and dialect.markers[0] in text


def _is_foreign(dialect: Dialect, text: str) -> bool:
    """Whether a text holds a tag that a dialect reads, but another family writes."""
    return not _has_own_marker(dialect, text) and any(tag.startswith("<") and tag in text for tag in dialect.markers)


def _round_trips_exactly(text: str, dialect: Dialect, parsed: Parsed) -> bool:
    """Whether a text is what a dialect writes for a turn."""
    return dialect.calls is not None and dialect.render_turn(parsed.content, parsed.reasoning, parsed.calls) == text
