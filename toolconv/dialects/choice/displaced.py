"""What a reading finds that a canonical row has no place for: it is kept elsewhere or left out, and counted by name."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.best_reading import best_reading
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.damaged_markup import calls_by_object, names_in
from toolconv.dialects.lexing.documents import has_keys_of_call
from toolconv.dialects.lexing.markers import first_marker, marked_dialects
from toolconv.dialects.lexing.masking import masked, shown_places
from toolconv.dialects.lexing.mentions import DISTINCTIVE, FENCE, TAG, Brackets
from toolconv.dialects.reading.parts import KEPT
from toolconv.dialects.reading.turn_parser import Parsed, parts_of
from toolconv.dialects.registry import get

_BLOCK: Final = lazy_re(r"^(?=[ \t]{0,8}(?:[\w ]{1,20}: ?)?(?:```|[\[{]))", re.MULTILINE)
"""The beginning of a line that a code block, an object or a list begins on."""

_PYTHON: Final = lazy_re(r"([^\W\d][\w.]{0,127}+) ?\(")
"""The name of a call in Python."""


def displaced(
    parsed: Parsed, text: str, tools: ToolIndex, dialect: Dialect, read: Callable[[str], Parsed]
) -> tuple[str, ...]:
    """The names of what a row can't hold at its place in ``text``, one for each stretch.

    - ``prose_after_call``: words after a call, which a row has in front of all calls; not where the dialect writes
      them there.
    - ``other_turn``: what another role says after a call; it is left out.
    - ``call_in_reasoning``: a call in the reasoning, where nobody makes it.
    - ``shown_call``: a call that the text shows as an example, in code or between paragraphs, or that it tells of.

    ``read`` reads a turn.
    """
    found: list[str] = []
    parts = parts_of(parsed, text) if parsed.calls else parsed.parts or ()
    is_after = in_words = False  # after a call, and in words that are counted
    moved = in_blocks = 0
    for part in parts:
        if part.kind == "call":
            is_after = True
        elif part.kind == "other_turn":
            found.append("other_turn")
        elif part.kind == "shown" and (part.reason or _holds_call(part.start, part.end, text, tools, read)):
            found.append("shown_call")
        elif part.kind == "prose" and parsed.calls and "```" in part.text:
            blocks = (block.span() for block in FENCE.finditer(text, part.start, part.end))
            in_blocks += sum(_holds_call(*block, text, tools, read) for block in blocks)
        begins = is_after and not in_words and part.kind == "prose" and bool(part.text.strip())
        moved += begins
        in_words = (in_words or begins) and part.kind in KEPT
    if moved and not dialect.round_trips(text, parsed):
        found += ["prose_after_call"] * moved
    mentioned = 0 if "shown_call" in found else _mentioned(parsed, text, tools)
    found += ["shown_call"] * max(mentioned, in_blocks)
    if parsed.reasoning:
        found += ["call_in_reasoning"] * _calls_in(parsed.reasoning, tools, dialect, read)
    return tuple(found)


def _mentioned(parsed: Parsed, text: str, tools: ToolIndex) -> int:
    """How many calls of declared tools the words of a turn tell of, other than those that are read or dropped."""
    places = calls_told_of(text, tools)
    if not places:
        return 0
    others = [part for part in parts_of(parsed, text) if part.kind not in ("prose", "shown")]
    starts = [part.start for part in others]
    ends = [0, *(part.end for part in others)]  # neither ever gets less: parts don't overlap
    outside = sum(ends[bisect_left(starts, end)] <= start for start, end in places)
    return max(0, outside - len(parsed.dropped))


def calls_told_of(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places where a text names a declared tool, and an object, or Python, gives it arguments."""
    return [*calls_by_object(text, tools), *_calls_in_python(text, tools)]


def _calls_in(thoughts: str, tools: ToolIndex, dialect: Dialect, read: Callable[[str], Parsed]) -> int:
    """How many calls reasoning holds: those that are read from its first marker on, or where a block begins.

    Where none is read, as many as markers and names show, or as can't be read although they have arguments.
    """
    marker, broken = first_marker(thoughts), 0
    if marker >= 0:
        parsed = read(thoughts[marker:])
        if parsed.calls:
            return len(parsed.calls) + len(parsed.dropped)
        broken = sum("{" in each.text for each in parsed.dropped)
    if marker >= 0 or _writes_bare_calls(dialect) or _may_name(thoughts, tools):
        signs = unread_calls(masked(thoughts, shown_places(thoughts, tools)), tools)
        if signs:
            return len(signs)
    if (block := _BLOCK.search(thoughts)) is None:
        return broken
    line = thoughts.rfind("\n", 0, max(0, block.start() - 1)) + 1  # which may hold the name, or the marker
    return max(broken, *(_made_or_shown(thoughts[start:], tools, read) for start in (line, block.start())))


def _made_or_shown(text: str, tools: ToolIndex, read: Callable[[str], Parsed]) -> int:
    """How many calls a text makes, or else shows: words may follow them."""
    parsed = read(text)
    shown = (part for part in parsed.parts or () if part.kind == "shown")
    return len(parsed.calls) or sum(_holds_call(part.start, part.end, text, tools, read) for part in shown)


def _writes_bare_calls(dialect: Dialect) -> bool:
    """Whether no marker, or only a word, begins the calls of a dialect."""
    return getattr(dialect, "bare", "") == "always" or not any(map(DISTINCTIVE.search, dialect.markers))


def _may_name(text: str, tools: ToolIndex) -> bool:
    """Whether a text may hold a call without a marker: the name of a declared tool, and what opens arguments."""
    return ("{" in text or "(" in text) and bool(names_in(text, tools))


def _holds_call(start: int, end: int, text: str, tools: ToolIndex, read: Callable[[str], Parsed]) -> bool:
    """Whether the code ``text[start:end]`` is read as a call, alone or with the line before it, which may name a tool.

    A block, each object, a list in Python that begins a line, and a declared tool's call in Python with arguments are
    read as turns of their own.
    """
    line = text.rfind("\n", 0, max(0, start - 1)) + 1
    shown = (text[start:end].strip("`"), text[line:end])
    for inside in shown if text.startswith("```", start) else shown[:1]:
        if not any(map(str.isalnum, TAG.sub("", inside))):  # a tag alone
            return False
        best = best_reading(inside, Readings(inside, tools, None), marked_dialects(inside))
        if best is not None and best.parsed.calls:
            return True
    if _objects_with_calls(shown[0], read) or any(_calls_in_python(shown[0], tools)):
        return True
    if text.startswith("{", start) and Brackets(shown[0]).end(0) == len(shown[0]) and has_keys_of_call(shown[0]):
        return False  # it was read as an object
    if not text.startswith(("{", "```"), start):
        end += text.startswith("]", end)
        start -= text.startswith("[", start - 1) if start else 0
        if not text.startswith("[", start) or text[max(0, start - 1) : start] not in ("", "\n"):
            return False
    return bool(read(text[start:end]).calls)


def _objects_with_calls(text: str, read: Callable[[str], Parsed]) -> bool:
    """Whether one of the objects in a text is a call."""
    brackets = Brackets(text)
    at = text.find("{")
    while at >= 0 and (end := brackets.end(at)) is not None:
        if has_keys_of_call(text[at:end]) and read(text[at:end]).calls:
            return True
        at = text.find("{", end)
    return False


def _calls_in_python(text: str, tools: ToolIndex) -> Iterator[tuple[int, int]]:
    """The places where a declared tool is called in Python, with arguments."""
    if "(" not in text or not any(f"{name}(" in text for name in names_in(text, tools)) or jsontext.is_object(text):
        return
    brackets, python = Brackets(text), get("pythonic")
    for match in _PYTHON.finditer(text):
        name = match[1] if match[1] in tools else match[1].rpartition(".")[2]
        end = brackets.end(match.end() - 1) if name in tools else None
        calls = [] if end is None else python.parse_own(f"[{name}{text[match.end(1) : end]}]", tools).calls
        if any(call.arguments for call in calls):
            yield match.span()
