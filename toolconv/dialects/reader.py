"""Reads assistant turns of unknown or mixed origin: each by itself, each block by the dialect that it is in.

A turn that the named dialect reads whole is read by it. Otherwise the markers in the text and the tools that it names
decide. What still looks like a call after that is a dropped call, so that no call is lost without being counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from toolconv.core.calls import is_plain_name, is_schema
from toolconv.core.conversation import Dropped, ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import TURN_TOKENS, Dialect
from toolconv.dialects.damaged_markup import literals_left, python_calls
from toolconv.dialects.detection import OPENINGS
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.markers import (
    CallSign,
    marked_dialects,
    markerless_dialects,
    mask_shown,
    may_show_calls,
    plain_dialect,
    reasoning_dialect,
    unmasked,
    unread_calls,
    untagged_calls,
    without_shown,
)
from toolconv.dialects.turn_parser import Parsed, TurnParser

UNREAD: Final = "call markup that no dialect reads"
"""Why a call is dropped whose marker, or whose tool's name, is all that could be read of it."""

MANY: Final = 200
"""More dropped calls of a turn than this are compared by number with what its prose shows, not one by one."""

TRIED_CHARACTERS: Final = 300_000
"""How much text is read to find the best dialect: all candidates of a text of usual length, two of a huge one."""


@dataclass(frozen=True)
class TurnReader:
    """Reads the assistant turns of rows.

    Attributes:
        named: the dialect that the user names; ``None`` to decide for each turn.
        default: with no dialect named, the one for texts that don't show theirs: they are read in it. ``None`` for
            texts without calls.
        infer: whether values whose type nothing settles get one by their looks; otherwise they stay texts.
    """

    named: Dialect | None = None
    default: Dialect | None = None
    infer: bool = True

    @property
    def dialect(self) -> Dialect:
        """The dialect of what does not show its own."""
        return self.named or self.default or plain_dialect()

    def read(self, text: str, tools: ToolIndex = NO_TOOLS, *, in_reasoning: bool | None = None) -> Parsed:
        """Read one assistant turn; never raises.

        Args:
            text: the turn as the model wrote it.
            tools: the tools declared to the model.
            in_reasoning: whether the prompt ended inside an opened reasoning block; with ``None`` the text decides.
        """
        parsed, alone = self._read_turn(text, tools, in_reasoning)
        if alone or self.named is None:
            return parsed
        from toolconv.dialects.live_turn import LiveTurn, settle

        turn = LiveTurn(self.named, tools, in_reasoning, self.read_alone)
        turn.feed(text)
        return settle(parsed, turn, text, lambda left, opened: self._read_turn(left, tools, opened)[0])

    def read_alone(self, text: str, tools: ToolIndex, in_reasoning: bool | None) -> Parsed | None:
        """The reading of a turn in the named dialect; ``None`` if that leaves anything unread."""
        parsed, alone = self._read_turn(text, tools, in_reasoning)
        return parsed if alone else None

    def _read_turn(self, text: str, tools: ToolIndex, in_reasoning: bool | None) -> tuple[Parsed, bool]:
        """A turn, and whether the named dialect reads all of it."""
        if not self.infer and tools.infer:
            tools = ToolIndex(tools.tools, infer=False)
        first = self.named or self.default
        if first is not None and not in_reasoning:
            exact = first.parse_exact(text, tools)
            if exact is not None and (exact.calls or self.named) and not unread_calls(exact.content, tools):
                if self.named is None:
                    exact.dialect, exact.assumed = first.name, _shows_nothing(text, exact, first, tools)
                for call in exact.calls:
                    if not (call.name.isidentifier() and all(map(str.isidentifier, call.arguments))):
                        return _as_declared(exact, tools), self.named is not None
                return exact, self.named is not None
        masked = mask_shown(text, tools, plain_fences=self.named is None)
        parsed, alone = self._read(masked, tools, in_reasoning)
        dropped = len(parsed.dropped)
        parsed = _accounted(parsed, tools, first)
        alone = alone and len(parsed.dropped) == dropped
        return _as_declared(parsed if masked is text else _unmasked(parsed), tools), alone

    def _read(self, text: str, tools: ToolIndex, in_reasoning: bool | None) -> tuple[Parsed, bool]:
        named, default = self.named, self.default
        if named is not None:
            parsed = named.parse(text, tools, in_reasoning=in_reasoning)
            if not parsed.dropped and not unread_calls(parsed.content, tools):
                return parsed, True
            best = _best(text, tools, in_reasoning, marked_dialects(text), named)
            if best is None or not best.parsed.calls:
                best = _TurnReading(named, parsed)
            return _whole(best, text, tools, in_reasoning, named), False
        if may_show_calls(text):
            best = _detected(text, tools, in_reasoning)
            if best is not None:
                return _whole(best, text, tools, in_reasoning, None), False
        parsed = (
            _plain(text, in_reasoning) if default is None else default.parse(text, tools, in_reasoning=in_reasoning)
        )
        if parsed.calls and default is not None:
            parsed.dialect, parsed.assumed = default.name, True
        elif unread_calls(text, tools):
            return _whole(_TurnReading(plain_dialect(), Parsed(text)), text, tools, in_reasoning, None), False
        return parsed, False


def _as_declared(parsed: Parsed, tools: ToolIndex) -> Parsed:
    """A reading without the damage in names of tools and of arguments that the declarations make certain."""
    if not tools:
        return parsed
    for call in parsed.calls:
        if "<" in call.name and call.name not in tools and (bare := _bare(call.name)) in tools:
            call.name = bare
            parsed.repairs.append("leaked_token")
        for key in call.arguments:
            if not key.isidentifier():
                break
        else:
            continue
        declared = (tools.parameters(call.name) or {}).get("properties")
        if not isinstance(declared, dict):
            continue
        for key in list(call.arguments):
            bare = _bare(key)
            if key not in declared and bare in declared and bare not in call.arguments:
                call.arguments = {bare if each == key else each: value for each, value in call.arguments.items()}
                parsed.repairs.append(
                    "leaked_token" if any(token in key for token in TURN_TOKENS) else "marker_spelling"
                )
    return parsed


def _bare(name: str) -> str:
    """A name without the turn tokens in it, and without what is left of a tag around it."""
    for token in TURN_TOKENS:
        name = name.replace(token, "")
    return name.strip("<>|=\"'")


def _accounted(parsed: Parsed, tools: ToolIndex, expected: Dialect | None) -> Parsed:
    """A reading in which each call that its prose still shows is a dropped one.

    ``expected`` is the dialect that calls are written in if the text says nothing else.
    """
    content = parsed.content
    hits = unread_calls(content, tools)
    if not hits and not parsed.dropped and expected is not None and expected.calls is not None:
        hits = [CallSign(*span) for span in literals_left(without_shown(content), expected.calls.literals)]
    if len(parsed.dropped) > MANY:
        parsed.dropped += [Dropped(UNREAD, content[hit.start : hit.end]) for hit in hits[len(parsed.dropped) :]]
        return parsed
    spans, at = [], 0
    for each in parsed.dropped:
        place = max(content.find(each.text, at), content.find(each.text))
        if place >= 0:
            at = place + 1
            spans.append((place, place + len(each.text)))
            hits += [CallSign(*span) for span in python_calls(content, *spans[-1])]
    unplaced = len(parsed.dropped) - len(spans)
    ends = [*(hit.start for hit in hits), len(content)]
    for hit in sorted(set(hits)):
        own = next((span for span in reversed(spans) if span[0] < hit.end and hit.start < span[1]), None)
        if own is not None:
            spans.remove(own)
        elif unplaced:
            unplaced -= 1
        else:
            until = min(end for end in ends if end > hit.start)
            parsed.dropped.append(Dropped(UNREAD, content[hit.start : until].rstrip()))
    return parsed


def _shows_nothing(text: str, parsed: Parsed, dialect: Dialect, tools: ToolIndex) -> bool:
    """Whether a text with calls holds neither a marker of its dialect nor the name of a declared tool."""
    return not any(marker in text for marker in dialect.markers) and parsed.calls[0].name not in tools


def _detected(text: str, tools: ToolIndex, in_reasoning: bool | None) -> _TurnReading | None:
    """The best reading by the dialects that the text shows; ``None`` if it shows none."""
    best = _best(text, tools, in_reasoning, marked_dialects(text))
    if best is not None:
        return best
    if tools and _names_tool(text, tools):
        best = _best(text, tools, in_reasoning, markerless_dialects())
        if best is not None and _is_meant(best, text, tools):
            return best
    dialect = None if in_reasoning else reasoning_dialect(text)
    return None if dialect is None else _TurnReading(dialect, dialect.parse_own(text, tools))


def _names_tool(text: str, tools: ToolIndex) -> bool:
    """Whether a text may hold a call of a declared tool that has no marker."""
    return any(opening in text for opening in OPENINGS) and any(name in text for name in tools.functions)


def _is_meant(best: _TurnReading, text: str, tools: ToolIndex) -> bool:
    """Whether calls without a marker are calls: of declared tools, and not a line of code in a sentence."""
    if not all(call.name in tools for call in best.parsed.calls):
        return False
    if best.exact or not best.parsed.content or isinstance(best.dialect, JsonBlocks):
        return True
    first = re.escape(best.parsed.calls[0].name) if best.parsed.calls else ""
    return re.search(rf"(?:^|>)[ \t\[]*{first}[(\n]", text, re.MULTILINE) is not None


def _plain(text: str, in_reasoning: bool | None) -> Parsed:
    """A text without calls, its reasoning split off."""
    if in_reasoning or "<" in text:
        parsed = plain_dialect().parse_own(text, NO_TOOLS, in_reasoning)
        if not parsed.calls and not parsed.dropped:
            return parsed
    return Parsed(text)


@dataclass(frozen=True)
class _TurnReading:
    """A text, read in a dialect; ``exact`` if the text is what the dialect writes."""

    dialect: Dialect
    parsed: Parsed
    exact: bool = False


def _best(
    text: str, tools: ToolIndex, in_reasoning: bool | None, candidates: Iterable[Dialect], named: Dialect | None = None
) -> _TurnReading | None:
    """The reading that leaves least unread; of equals, the one with the fewest repairs, then the first candidate's.

    ``None`` if no candidate finds anything but prose. Calls with odd names count only in the ``named`` dialect.
    """
    candidates = list(dict.fromkeys(candidates if named is None else [named, *candidates]))
    exact: list[_TurnReading] = []
    for dialect in () if in_reasoning else candidates:
        parsed = dialect.parse_exact(text, tools)
        if parsed is not None and parsed.calls and not unread_calls(parsed.content, tools):
            if _is_written(text, dialect, parsed):
                return _TurnReading(dialect, parsed, exact=True)
            exact.append(_TurnReading(dialect, parsed, exact=True))
    if exact:
        return exact[0]
    best: _TurnReading | None = None
    best_score: tuple[int, ...] = ()
    for number, dialect in enumerate(candidates):
        if number > 1 and number * len(text) > TRIED_CHARACTERS:
            break
        parsed = dialect.parse_own(text, tools, in_reasoning)
        if not parsed.calls and not parsed.dropped and parsed.content == text:
            continue
        if dialect is not named and not all(_is_likely(call, tools) for call in parsed.calls):
            continue
        score = _score(text, dialect, parsed, tools)
        if best is None or score > best_score:
            best, best_score = _TurnReading(dialect, parsed), score
    return best


def _is_likely(call: ToolCall, tools: ToolIndex) -> bool:
    """Whether a call has a usual name, and its arguments are no schema: a text may repeat the declarations of tools."""
    return (call.name in tools or is_plain_name(call.name)) and not is_schema(call.arguments, call.name, tools)


def _score(text: str, dialect: Dialect, parsed: Parsed, tools: ToolIndex) -> tuple[int, ...]:
    """How well a reading fits its text: higher is better, compared from left to right."""
    unknown = sum(call.name not in tools for call in parsed.calls) if tools else 0
    unread = max(len(parsed.dropped), len(unread_calls(parsed.content, tools)))  # a dropped call is still in the prose
    repairs = sum(name != "unopened_reasoning" for name in parsed.repairs)  # no dialect reads such a text without it
    written = not parsed.repairs and _is_written(text, dialect, parsed)
    own = bool(dialect.markers) and dialect.markers[0] in text
    return (-unread, bool(parsed.calls), -unknown, -repairs, written, own)


def _is_written(text: str, dialect: Dialect, parsed: Parsed) -> bool:
    """Whether a text is what a dialect writes for a turn."""
    return dialect.calls is not None and dialect.render_turn(parsed.content, parsed.reasoning, parsed.calls) == text


def _unmasked(parsed: Parsed) -> Parsed:
    """A reading of a text whose shown markers were masked, with the markers."""
    parsed.content, parsed.reasoning = unmasked(parsed.content), unmasked(parsed.reasoning)
    for call in parsed.calls:
        call.name, call.arguments = unmasked(call.name), unmasked(call.arguments)
    parsed.dropped = [Dropped(each.reason, unmasked(each.text)) for each in parsed.dropped]
    return parsed


def _whole(best: _TurnReading, text: str, tools: ToolIndex, in_reasoning: bool | None, named: Dialect | None) -> Parsed:
    """A reading with what its dialect leaves as prose read by other dialects, or counted as dropped."""
    dialect, parsed = best.dialect, best.parsed
    if unread_calls(parsed.content, tools):
        parsed = dialect.parse_own(text, tools, in_reasoning, rest=_rest_reader(dialect, tools, in_reasoning))
    if named is None:
        parsed.dialect = dialect.name
    elif dialect is not named:
        parsed.dialect = dialect.name
        parsed.repairs.append("other_dialect")
    return parsed


def _rest_reader(dialect: Dialect, tools: ToolIndex, in_reasoning: bool | None) -> Callable[[TurnParser], None]:
    def read(parser: TurnParser) -> None:
        accounted = _Spans([*parser.rejected, *parser.skipped])
        for start, end in parser.gaps():
            _read_gap(parser, start, end, dialect, tools, in_reasoning, accounted)

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
    tools: ToolIndex,
    in_reasoning: bool | None,
    accounted: _Spans,
) -> None:
    """Read the calls that ``dialect`` leaves in ``text[start:end]``, or count them as dropped.

    What is in ``accounted``, the parts that ``dialect`` dropped or leaves as prose on purpose, is not counted again.
    """
    text = parser.text[start:end]
    hits = unread_calls(text, tools)
    if not hits:
        return
    others = [other for other in marked_dialects(text) if other is not dialect]
    best = _best(text, tools, None if in_reasoning else in_reasoning, others)
    if best is not None and best.parsed.calls and not _restated(best.parsed.calls, parser.calls, others):
        parsed = best.parsed
        parsed.repairs.append("other_dialect")
        parser.accept_reading(start, end, parsed)
        text, hits = parsed.content, unread_calls(parsed.content, tools)
        for hit in hits[len(parsed.dropped) :]:
            parser.drop(UNREAD, text[hit.start :])
        return
    untagged = untagged_calls(text, tools)
    if untagged is not None:
        parsed = Parsed(untagged[1], None, untagged[0], ["missing_tags"] * len(untagged[0]))
        parser.accept_reading(start, end, parsed)
        for hit in unread_calls(parsed.content, tools):
            parser.drop(UNREAD, parsed.content[hit.start :])
        return
    for number, hit in enumerate(hits):
        until = hits[number + 1].start if number + 1 < len(hits) else len(text)
        begin, stop = start + hit.start, start + until
        if not accounted.overlap(begin, stop):
            parser.reject(begin, stop, UNREAD)


def _restated(calls: list[ToolCall], known: list[ToolCall], marked: list[Dialect]) -> bool:
    """Whether calls without a marker only repeat calls that were read."""
    return not marked and all(call in known for call in calls)
