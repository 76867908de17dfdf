"""The short way to read: what a family's template writes around its calls, found out by letting it write some.

Nearly all texts of a dataset are exactly what the template writes: prose, then calls, each in the same few characters.
Those need no search for markup. A text that differs in anything is not read here but the long way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from toolconv import jsonlike, jsontext
from toolconv.conversation import ToolCall
from toolconv.toolindex import NO_TOOLS

if TYPE_CHECKING:
    from toolconv.dialects.base import Dialect

PROSE = "Let me look."
EDGED = tuple(f"{blanks}{PROSE}" for blanks in ("\n", "\n\n", " ", "\t")) + tuple(
    f"{PROSE}{blanks}" for blanks in ("\n", "\n\n", " ", " \n", "\n ", "\t")
)
PROBE = ToolCall("probe", {})
MAX_DEPTH = jsonlike.MAX_TEXT_DEPTH - 2
"""Of arguments that have room in an object in a list."""
DEEP = 2 * MAX_DEPTH
"""The length of the shortest text that can nest deeper."""


class Frame(NamedTuple):
    """What stands around the calls of a turn.

    Attributes:
        opening: the pattern of all that stands before the first call; its group is the prose, if there is any.
        between: what stands between two calls.
        close, close_said: what stands behind the last in a turn without prose, and with it.
        telling: what the prose must not hold, since it may be markup, where ``opening`` does not see to that.
        edged: prose may have blanks at its edges, and keeps them.
    """

    opening: re.Pattern[str]
    between: str
    close: str
    close_said: str
    telling: re.Pattern[str] | None
    edged: bool

    def split(self, text: str) -> tuple[str, str] | None:
        """The prose and the calls of a text, without what stands around them; ``None`` where it is not so written."""
        opening, _, close, close_said, telling, edged = self
        found = opening.match(text)
        if found is None:
            return None
        prose, start = found[1] or "", found.end()
        if prose:
            close = close_said
            bare = prose.strip()
            if not bare or (bare != prose and not edged) or (telling is not None and telling.search(prose) is not None):
                return None
        if not text.endswith(close, start):
            return None
        return prose, text[start : len(text) - len(close)]


def frame_of(dialect: Dialect, telling: Sequence[str]) -> Frame | None:
    """What a dialect writes around its calls; ``None`` where not all of its texts are so, or are not read so.

    Args:
        dialect: says with :meth:`Dialect.places` where calls stand in a text that it writes.
        telling: what prose must not hold; of what begins with no letter, not even the first character.
    """
    calls = [PROBE, PROBE]
    said = dialect.render_turn(PROSE, None, calls)
    text = dialect.render_turn("", None, calls)
    places, again = dialect.places(text), dialect.places(said)
    if len(places) != 2 or len(again) != 2:
        return None
    (start, end), (second, stop) = places
    opening, between, close, close_said = text[:start], text[end:second], text[stop:], said[again[1][1] :]
    before, _, after = said[: again[0][0]].partition(PROSE)
    if PROBE.name in opening + between + close + before + after:
        return None
    texts = {marker.strip() or marker for marker in telling}
    marks = "".join(sorted({marker[0] for marker in texts if not marker[0].isalnum()}))
    words = [re.escape(marker) for marker in sorted(texts) if marker[0].isalnum()]
    frame = Frame(
        _opening(opening, before, after, marks, lazy=bool(words) and set(after).isdisjoint(marks)),
        between,
        close,
        close_said,
        re.compile("|".join(words)) if words else None,
        edged=True,
    )
    if not _reads(dialect, frame, "", PROSE):
        return None
    return frame if _reads(dialect, frame, *EDGED) else frame._replace(edged=False)


def _reads(dialect: Dialect, frame: Frame, *prose: str) -> bool:
    """Whether both ways read turns that begin with such prose, and read the same."""
    for content in prose:
        for count in (1, 2, 3):
            text = dialect.render_turn(content, None, [PROBE] * count)
            read = dialect.as_written(frame, text, NO_TOOLS)
            if read is None or read != dialect.parse_own(text, NO_TOOLS):
                return False
    return True


def json_places(text: str) -> list[tuple[int, int]]:
    """Where the outermost JSON objects stand in a text, if they are JSON to the letter."""
    places = []
    at = text.find("{")
    while at >= 0:
        reading = jsonlike.read(text, at)
        if reading.repairs:
            return []
        places.append((at, reading.end))
        at = text.find("{", reading.end)
    return places


def is_deep(calls: Sequence[ToolCall]) -> bool:
    """Whether calls nest so deep that the long way may refuse them."""
    return any(jsontext.deeper_than(MAX_DEPTH, call.arguments) for call in calls)


def _opening(alone: str, before: str, after: str, marks: str, *, lazy: bool) -> re.Pattern[str]:
    """The pattern of what stands before the first call: ``alone``, or prose between ``before`` and ``after``."""
    said = f"([^{re.escape(marks)}]+{'?' if lazy else ''})"
    prose = f"{re.escape(before)}{said}{re.escape(after)}"
    ways = [prose, re.escape(alone)] if before.startswith(alone) else [re.escape(alone), prose]
    return re.compile("|".join(ways))
