"""Which dialect a text is in: by its markers, by how well each dialect reads it, and by what it would write."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.core.work import TooMuchWork, Work
from toolconv.dialects.base import Dialect, mendings_of_all
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.markers import marked_dialects
from toolconv.dialects.lexing.plain_text import is_plain, may_hold_bare_call
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.registry import CATCH_ALL, rank, registered
from toolconv.dialects.vocabulary import vocabulary


class Detection(NamedTuple):
    """What a text is.

    Attributes:
        name: the dialect, or ``None`` when the text holds no call that any of them reads.
        confidence: from 0 to 1: how much better the text fits this dialect than the next.
        runner_up: the next, or ``None``.
    """

    name: str | None
    confidence: float
    runner_up: str | None


NOTHING = Detection(None, 0.0, None)

WINDOW: Final = 1 << 18
"""How much of a text is looked at, from its first marker on: every dialect reads it."""


def detect(text: str, tools: ToolIndex = NO_TOOLS) -> Detection:
    """Say which dialect ``text`` is in."""
    return detect_all([(text, tools)])


def detect_all(texts: Iterable[tuple[str, ToolIndex]]) -> Detection:
    """Say which dialect most of ``texts`` are in; texts without calls have no say.

    The runner-up is the next dialect that reads some of the texts otherwise: one that reads them all the same is no
    rival. Without a rival the confidence is 1.
    """
    votes: Counter[str] = Counter()
    read: list[dict[str, str]] = []
    for text, tools in texts:
        window = _window(text)
        try:
            with Work(window):
                points, readings = _scores(window, tools)
        except TooMuchWork:
            continue  # it has no say; reading it says so
        votes.update(points)
        read.append(readings)
    if not votes:
        return NOTHING
    best, *others = sorted(votes, key=lambda name: (-votes[name], rank(name), name))
    rivals = (name for name in others if any(one.get(name) != one.get(best) for one in read))
    rival = next(rivals, None)
    share = votes[best] / (votes[best] + votes[rival]) if rival else 1.0
    return Detection(best, round(share, 2), rival)


def _window(text: str) -> str:
    """The part of a text that is looked at; nearly always all of it."""
    if len(text) <= WINDOW:
        return text
    places = (text.find(marker) for marker in vocabulary().markers)
    start = min((place for place in places if place >= 0), default=0)
    return text[start : start + WINDOW]


def _scores(text: str, tools: ToolIndex) -> tuple[dict[str, int], dict[str, str]]:
    """Points of the dialects that read a text best, and what each of them reads in it.

    Args:
        text: the text.
        tools: those declared to the model.
    """
    if is_plain(text, tools) or not (marked_dialects(text) or may_hold_bare_call(text, tools)):
        return {}, {}
    points, readings = _read_all(text, tools)
    if max(points.values(), default=0) < READS + WHOLE + UNREPAIRED:
        for mending in mendings_of_all(registered()).of(text, Parsed(text)):
            again, others = _read_all(mending.text, tools)
            again = {name: score - 1 for name, score in again.items()}
            if max(again.values(), default=0) > max(points.values(), default=0):
                points, readings = again, others
    best = max(points.values(), default=0)
    return {name: score for name, score in points.items() if score > best - READS}, readings


READS, WHOLE, UNREPAIRED, OWN_MARKER, SAME = 4, 1, 3, 3, 4
"""Points for reading a call, for dropping none, for repairing nothing (each kind of repair takes one of them), for
holding the marker that the dialect writes, for being what it would write."""


def _read_all(text: str, tools: ToolIndex) -> tuple[dict[str, int], dict[str, str]]:
    """Points and readings of the dialects whose markers a text has; if these read no call, of all others."""
    marked = marked_dialects(text)
    points, readings = _read_each(text, tools, marked)
    if not points:
        asked = {*CATCH_ALL, *(each.name for each in marked)}
        points, readings = _read_each(text, tools, tuple(each for each in registered() if each.name not in asked))
    return points, readings


def _read_each(text: str, tools: ToolIndex, candidates: tuple[Dialect, ...]) -> tuple[dict[str, int], dict[str, str]]:
    """Points of those candidates that read a call in a text as it stands, and their readings."""
    points: dict[str, int] = {}
    readings: dict[str, str] = {}
    from toolconv.dialects.choice.best_reading import is_likely, score_of
    from toolconv.dialects.choice.candidates import fitting

    for dialect in fitting(text, candidates):
        parsed = dialect.parse_own(text, tools, mend=False)
        if not parsed.calls:
            continue
        if dialect.markers and not all(is_likely(call, tools) for call in parsed.calls):
            continue  # a text between tags, not a name
        unread = len(unread_calls(parsed.content, tools))
        whole, _, _, _, repairs, _, written, own = score_of(text, dialect, parsed, tools, False, unread)
        score = READS + OWN_MARKER * own + SAME * (written and parsed.has_plain_edges)
        if whole and not parsed.dropped:
            score += WHOLE + max(0, UNREPAIRED + repairs)
        points[dialect.name] = score
        readings[dialect.name] = repr([(call.name, call.arguments) for call in parsed.calls])
    return points, readings
