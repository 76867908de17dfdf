"""Chooses among the readings of a text by several dialects."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from toolconv.core.calls import is_likely_name, is_schema
from toolconv.core.conversation import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_signs import unread_calls
from toolconv.dialects.turn_parser import THINK, Parsed

TRIED_CHARACTERS: Final = 300_000
"""How much text is read to find the best dialect: all candidates of a text of usual length, two of a huge one."""


WEIGHTS: Final = {"unopened_reasoning": 0, "markup_in_value": 2}
"""What repairs count that are not just one: no dialect reads such a text without the first; the second is a guess."""


@dataclass(frozen=True)
class DialectReading:
    """A text, read in a dialect; ``exact`` if the text is what the dialect writes."""

    dialect: Dialect
    parsed: Parsed
    exact: bool = False


def best_reading(
    text: str, tools: ToolIndex, in_reasoning: bool | None, candidates: Iterable[Dialect], named: Dialect | None = None
) -> DialectReading | None:
    """The reading that leaves least unread; of equals, the one with the fewest repairs, then the first candidate's.

    ``None`` if no candidate finds anything but prose. Calls with odd names count only in the ``named`` dialect.
    """
    candidates = list(dict.fromkeys(candidates if named is None else [named, *candidates]))
    if text.lstrip().startswith(THINK.open):  # reasoning comes first in the turns of whoever wrote this
        candidates = [each for each in candidates if each is named or each.leads_with_reasoning]
    for dialect in () if in_reasoning else candidates:
        parsed = dialect.parse_exact(text, tools)
        if parsed is None or not parsed.calls or unread_calls(parsed.content, tools):
            continue
        if dialect is named or all(_is_likely(call, tools) for call in parsed.calls):
            return DialectReading(dialect, parsed, exact=True)
    best: DialectReading | None = None
    best_score: tuple[int, ...] = ()
    plain: list[str | None] = []
    for number, dialect in enumerate(candidates):
        if number > 1 and number * len(text) > TRIED_CHARACTERS:
            break
        parsed = dialect.parse_own(text, tools, in_reasoning)
        if not parsed.calls and not parsed.dropped and parsed.content == text:
            continue
        if dialect is not named and not all(_is_likely(call, tools) for call in parsed.calls):
            continue
        if not parsed.calls:
            if parsed.reasoning in plain:  # the first that reads no call says what is left of the text
                continue
            plain.append(parsed.reasoning)
        score = _score(text, dialect, parsed, tools, dialect is named)
        if best is None or score > best_score:
            best, best_score = DialectReading(dialect, parsed), score
    return best


def _is_likely(call: ToolCall, tools: ToolIndex) -> bool:
    """Whether a call has a usual name, and its arguments are no schema: a text may repeat the declarations of tools."""
    return (call.name in tools or is_likely_name(call.name)) and not is_schema(call.arguments, call.name, tools)


def _score(text: str, dialect: Dialect, parsed: Parsed, tools: ToolIndex, is_named: bool) -> tuple[int, ...]:
    """How well a reading fits its text: higher is better, compared from left to right."""
    unknown = sum(call.name not in tools for call in parsed.calls) if tools else 0
    unread = max(len(parsed.dropped), len(unread_calls(parsed.content, tools)))  # a dropped call is still in the prose
    repairs = sum(WEIGHTS.get(name, 1) for name in parsed.repairs)
    written = not parsed.repairs and _is_written(text, dialect, parsed)
    own = bool(dialect.markers) and dialect.markers[0] in text
    return (-unread, bool(parsed.calls), -unknown, -repairs, is_named, written, own)


def _is_written(text: str, dialect: Dialect, parsed: Parsed) -> bool:
    """Whether a text is what a dialect writes for a turn."""
    return dialect.calls is not None and dialect.render_turn(parsed.content, parsed.reasoning, parsed.calls) == text
