"""What a reading finds that a canonical row has no place for: it is kept elsewhere or left out, and counted by name."""

from __future__ import annotations

from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import DISTINCTIVE, Dialect
from toolconv.dialects.choice.best_reading import best_reading
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.markers import begins_calls, marked_dialects
from toolconv.dialects.lexing.masking import masked, shown_places
from toolconv.dialects.lexing.mentions import TAG
from toolconv.dialects.reading.parts import KEPT, TurnPart
from toolconv.dialects.reading.turn_parser import Parsed


def displaced(parsed: Parsed, text: str, tools: ToolIndex, dialect: Dialect) -> tuple[str, ...]:
    """The names of what a row can't hold at its place in ``text``, one for each stretch.

    - ``prose_after_call``: words after a call, which a row has in front of all calls; not where the dialect writes
      them there.
    - ``other_turn``: what another role says after a call; it is left out.
    - ``call_in_reasoning``: a call in the reasoning, where nobody makes it.
    - ``shown_call``: a call that the text shows as an example, in code.
    """
    found: list[str] = []
    parts = parsed.parts or ()
    is_after = in_words = False  # after a call, and in words that are counted
    moved = 0
    for part in parts:
        if part.kind == "call":
            is_after = True
        elif part.kind == "other_turn":
            found.append("other_turn")
        elif part.kind == "shown" and _holds_call(part, text, tools):
            found.append("shown_call")
        begins = is_after and not in_words and part.kind == "prose" and bool(part.text.strip())
        moved += begins
        in_words = (in_words or begins) and part.kind in KEPT
    if moved and not dialect.round_trips(text, parsed):
        found += ["prose_after_call"] * moved
    if parsed.reasoning and _may_hold_calls(parsed.reasoning, tools, dialect):
        thoughts = masked(parsed.reasoning, shown_places(parsed.reasoning, tools))
        found += ["call_in_reasoning"] * len(unread_calls(thoughts, tools))
    return tuple(found)


def _may_hold_calls(thoughts: str, tools: ToolIndex, dialect: Dialect) -> bool:
    """Whether reasoning may hold a call: a marker, what a dialect without markers writes, or a declared tool's call."""
    return begins_calls(thoughts) or _writes_bare_calls(dialect) or _may_name(thoughts, tools)


def _writes_bare_calls(dialect: Dialect) -> bool:
    """Whether no marker, or only a word, begins the calls of a dialect."""
    return getattr(dialect, "bare", "") == "always" or not any(map(DISTINCTIVE.search, dialect.markers))


def _may_name(text: str, tools: ToolIndex) -> bool:
    """Whether a text may hold a call without a marker: the name of a declared tool, and what opens arguments."""
    return ("{" in text or "(" in text) and any(name in text for name in tools.functions)


def _holds_call(part: TurnPart, text: str, tools: ToolIndex) -> bool:
    """Whether code that a text shows is read as a call by itself."""
    inside = text[part.start : part.end].strip("`")
    if not any(map(str.isalnum, TAG.sub("", inside))):  # a tag alone
        return False
    best = best_reading(inside, Readings(inside, tools, None), marked_dialects(inside))
    return best is not None and bool(best.parsed.calls)
