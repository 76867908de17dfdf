"""The parts of an assistant turn, and the state of reading one with a tolerant grammar."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from toolconv.core.blanks import after_blanks
from toolconv.core.calls import lists_calls
from toolconv.core.facts import Facts
from toolconv.core.lazy_re import lazy_re
from toolconv.core.notes import Dropped
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.core.work import ATTEMPT, spend
from toolconv.dialects.lexing.mentions import is_mention, without_code
from toolconv.dialects.reading.parts import Kind, TurnPart

GAVE_UP = "gave up: too much broken markup in one text"
"""Why the rest of a text was not read once :meth:`TurnParser.charge` returned false."""


class Reasoning(Facts, kw_only=False):
    """How a family marks reasoning.

    Attributes:
        open, close: the markers it is found by.
        before, after: what is written before and after it.
        own_close: the closing marker ends nothing but reasoning, so it ends reasoning that the prompt opened, too.
        repeats: a turn that goes on after the results of its calls may hold reasoning again, between its prose.
    """

    open: str = "<think>"
    close: str = "</think>"
    before: str = "<think>\n"
    after: str = "\n</think>\n\n"
    own_close: bool = True
    repeats: bool = False

    def render(self, reasoning: str) -> str:
        return f"{self.before}{reasoning}{self.after}"


THINK = Reasoning()
"""``<think>`` tags, as most families write them."""


@dataclass(slots=True)
class Parsed:
    """One assistant turn, read.

    Attributes:
        content: the prose, with the calls cut out; the text of dropped calls stays in it.
        reasoning: the reasoning, or ``None``.
        calls: in the order of the text.
        repairs: a name for each repair made (``trailing_comma``, …), in order, repeated when made again.
        dropped: calls that could not be read, and why.
        dialect: the dialect it was read in, where that is another than was asked for.
        assumed: the text shows no dialect, so it was read in the one that the first rows of its input show.
        displaced: the names of what a row has no place for where the text has it, one for each: see
            :data:`toolconv.dialects.losses.LOSSES`.
        parts: what each stretch of the text is; ``None`` for a text that is just what the family writes, whose parts
            :func:`parts_of` finds.
    """

    content: str
    reasoning: str | None = None
    calls: list[ToolCall] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    dialect: str | None = None
    assumed: bool = False
    displaced: tuple[str, ...] = ()
    parts: list[TurnPart] | None = field(default=None, compare=False, repr=False)

    @property
    def has_plain_edges(self) -> bool:
        """Whether the prose has no white space around it, which is more likely a family's than a part of the prose."""
        return self.content == self.content.strip()


def parts_of(parsed: Parsed, text: str) -> list[TurnPart]:
    """The parts of a text that was read.

    Where a reading does not say them, the text is what the family writes: reasoning, prose, then calls.
    """
    if parsed.parts is not None:
        return parsed.parts
    parts: list[TurnPart] = []
    at = 0
    for kind, words in (("reasoning", parsed.reasoning or ""), ("prose", parsed.content)):
        place = text.find(words, at) if words else -1
        if place >= 0:
            end = place + len(words)
            if kind == "reasoning":
                parts.append(TurnPart(at, end, "reasoning", words))
            else:
                parts += [TurnPart(at, place, "markup")] if place > at else []
                parts.append(TurnPart(place, end, "prose", words))
            at = end
    if parsed.calls:
        first, *others = parsed.calls
        parts.append(TurnPart(at, len(text), "call", "", first))
        parts += [TurnPart(len(text), len(text), "call", "", call) for call in others]
    elif at < len(text):
        parts.append(TurnPart(at, len(text), "markup"))
    return parts


WORD = lazy_re(r"[\w.\-]+")
OPENED = lazy_re(r"[\s\[(]*+(?:```\w*+\s*+)?")
"""What may stand between a marker and its call: the bracket of a list, or a code block."""
MENTION = lazy_re(r"[^<>\[\]\n]{0,80}[>\]]")
"""The rest of a tag of which a marker is the beginning."""


class Cut(NamedTuple):
    """A stretch of a turn that is not prose as it stands.

    Attributes:
        start, end: its place.
        prose: the words in it.
        parts: the parts it consists of.
    """

    start: int
    end: int
    prose: str
    parts: tuple[TurnPart, ...]


class TurnParser:
    """The state of parsing one turn: what was cut out as a call, what was repaired, what was dropped.

    A grammar walks the text from ``at`` on and reports what it finds with :meth:`accept` and :meth:`reject`. Whatever
    it does not accept is prose.
    """

    __slots__ = (
        "_floor",
        "_found",
        "_kept",
        "_lists_calls",
        "at",
        "budget",
        "calls",
        "cuts",
        "left",
        "places",
        "prose_from",
        "repairs",
        "text",
        "tools",
    )

    def __init__(self, text: str, tools: ToolIndex) -> None:
        spend(ATTEMPT + len(text))
        self.text = text
        self.tools = tools
        self.at = 0
        self.prose_from = 0
        self.calls: list[ToolCall] = []
        self.places: list[int] = []
        self.cuts: list[Cut] = []
        self.left: list[TurnPart] = []  # what stays in the prose although it is something else
        self._found: dict[str, tuple[int, int]] = {}
        self._kept: list[str] = []
        self._lists_calls: bool | None = None
        self.repairs: list[str] = []
        self.budget = 4 * len(text) + 100_000
        self._floor = -self.budget

    @property
    def lists_calls(self) -> bool:
        """Whether the whole text, or the code block that it is, is a JSON list of calls, declared or not."""
        if self._lists_calls is None:
            self._lists_calls = lists_calls(self.text, self.tools)
        return self._lists_calls

    def find(self, marker: str, at: int) -> int:
        """``text.find(marker, at)``, remembered: repeated searches for a distant marker cost nothing."""
        known = self._found.get(marker)
        if known is not None and known[0] <= at and (at <= known[1] or known[1] < 0):
            return known[1]
        place = self.text.find(marker, at)
        self._found[marker] = (at, place)
        return place

    def first(self, markers: tuple[str, ...], at: int) -> tuple[int, str] | None:
        """The first place of any of ``markers`` from ``at`` on, and which; the longest where two begin there."""
        best: tuple[int, str] | None = None
        for marker in markers:
            place = self.find(marker, at)
            if place >= 0 and (best is None or (place, -len(marker)) < (best[0], -len(best[1]))):
                best = place, marker
        return best

    def accept(
        self, start: int, end: int, calls: Sequence[ToolCall] = (), prose: str = "", starts: Sequence[int] = ()
    ) -> None:
        """Cut ``text[start:end]`` out: markup that holds ``calls``, and ``prose`` if it has any.

        ``starts`` says where each call begins, if that is known of several.
        """
        if self._kept:
            prose = "\n".join(filter(None, [*self._kept, prose]))
            self._kept = []
        if calls:
            borders = [start, *[min(max(start, place), end) for place in starts[1:]]]
            borders += [end] * (len(calls) + 1 - len(borders))
            parts = tuple([TurnPart(borders[n], borders[n + 1], "call", "", call) for n, call in enumerate(calls)])
            parts[0].text = prose
        else:
            parts = (TurnPart(start, end, "prose" if prose else "markup", prose),)
        self.cuts.append(Cut(start, end, prose, parts))
        self.calls.extend(calls)
        self.places.extend([start] * len(calls))
        self.at = end

    def accept_around(
        self, start: int, end: int, kept: Iterable[tuple[int, int]], calls: Sequence[tuple[int, ToolCall]]
    ) -> None:
        """Cut ``text[start:end]`` out except what is ``kept``; ``calls`` come with their places, in order."""
        places, made = [place for place, _ in calls], [call for _, call in calls]
        for kept_start, kept_end in sorted(kept):
            number = bisect_left(places, kept_start)
            self.accept(start, kept_start, made[:number], starts=places[:number])
            places, made = places[number:], made[number:]
            start = kept_end
        self.accept(start, end, made, starts=places)

    def accept_again(self, closing: str) -> None:
        """Cut out each ``closing`` marker that follows a call once more, unless it is only a bracket or a fence."""
        if self.text.count(closing) < 2 or not any(map(str.isalpha, closing)):
            return
        ends = {cut.end for cut in self.cuts if cut.parts[-1].kind == "call"}
        for start, end in self.gaps():
            at = after_blanks(self.text, start)
            is_again = self.text.endswith(closing, 0, start) and self.text.startswith(closing, at, end)
            if start in ends and is_again:
                self.accept(start, at + len(closing))
                self.repair("extra_close_tag")

    def keep(self, words: Sequence[str]) -> None:
        """Keep words inside of markup as prose, for when that markup is cut out."""
        self._kept.extend(words)

    def accept_reasoning(self, start: int, end: int, reasoning: str) -> None:
        """Cut ``text[start:end]`` out: it holds ``reasoning``, for formats that write it anywhere in a turn."""
        self.cuts.append(Cut(start, end, "", (TurnPart(start, end, "reasoning", reasoning),)))
        self.at = end

    def accept_other_turn(self, start: int, end: int) -> None:
        """Cut ``text[start:end]`` out: only another role says it."""
        self.cuts.append(Cut(start, end, "", (TurnPart(start, end, "other_turn", self.text[start:end]),)))

    def reject(self, start: int, end: int, reason: str) -> None:
        """Record a call in ``text[start:end]`` that can't be read; its text stays in the prose."""
        self._drop(start, end, reason)
        self._kept = []
        self.at = end

    def _drop(self, start: int, end: int, reason: str) -> None:
        self.left.append(TurnPart(start, end, "dropped", self.text[start:end], None, reason))

    @property
    def has_dropped(self) -> bool:
        """Whether a call was found that can't be read."""
        return any(part.kind == "dropped" for part in self.left)

    def cut_places(self) -> list[tuple[int, int]]:
        """Where each cut begins and ends, in order."""
        return sorted([(cut.start, cut.end) for cut in self.cuts])

    def gaps(self) -> list[tuple[int, int]]:
        """The parts of the text that are prose: start and end of each, in order."""
        found = []
        start = self.prose_from
        for cut, end in self.cut_places():
            if cut > start:
                found.append((start, cut))
            start = max(start, end)
        return [*found, (start, len(self.text))] if start < len(self.text) else found

    def accept_reading(self, start: int, end: int, parsed: Parsed) -> None:
        """Replace what was found in ``text[start:end]``, which is prose so far, with another reading of it."""
        self.left = [part for part in self.left if not start <= part.start < end]
        self.repairs.extend(parsed.repairs)
        parts = tuple(part.moved(start) for part in parts_of(parsed, self.text[start:end]))
        content = parsed.content
        self.cuts.append(Cut(start, end, content if end == len(self.text) else content.removesuffix("\n"), parts))
        self.calls.extend(parsed.calls)
        self.places.extend([start] * len(parsed.calls))
        self.at = end

    def drop(self, reason: str, text: str) -> None:
        """Record a call that can't be read, whose ``text`` was found in a reading that was taken over."""
        self.left.append(TurnPart(self.at, self.at, "dropped", text, None, reason))

    def skip(self, start: int, end: int, kind: Kind = "other_turn") -> None:
        """Leave ``text[start:end]`` as prose whatever markers it holds: it is not the assistant's to call there."""
        self.left.append(TurnPart(start, end, kind, self.text[start:end]))
        self.at = end

    def reject_unread(self, start: int, markers: tuple[str, ...], closing: str) -> None:
        """Record each of ``markers`` that is left in the prose from ``start`` on as a call that can't be read.

        What is shown as code, between backquotes, is not one. ``closing`` is the marker that ends a call, if any.
        """
        if self.first(markers, start) is None:
            return
        text = self.text
        seen = sorted([*self.cut_places(), *[(part.start, part.end) for part in self.left]], reverse=True)
        prose = without_code(text)
        at = start
        while (found := self.first(markers, at)) is not None:
            place, marker = found
            at = place + len(marker)
            while seen and seen[-1][1] <= place:
                seen.pop()
            if (seen and seen[-1][0] <= place) or prose[place] != text[place]:
                continue
            following = self.first(markers, at)
            until = following[0] if following is not None else len(text)
            behind = self._end_of_tag(at)
            if following is not None and following[1] != marker and OPENED.fullmatch(text, behind, until):
                continue  # it is around the next one
            close = text.find(closing, at, until) if closing else -1
            at = close + len(closing) if close >= 0 else until
            if seen and seen[-1][0] <= at:
                at = max(place + len(marker), seen[-1][0])
                if OPENED.fullmatch(text, behind, at):  # it belongs to what was cut out or dropped there
                    continue
            if self._is_mentioned(place, place + len(marker), at):
                continue
            self._drop(place, place + len(text[place:at].rstrip()), "nothing that can be read follows the marker")

    def _is_mentioned(self, start: int, end: int, until: int) -> bool:
        """Whether a marker is a word of a sentence, and nothing up to ``until`` is the name of a declared tool."""
        text, end = self.text, self._end_of_tag(end)
        return is_mention(text, start, end) and not any(word in self.tools for word in WORD.findall(text[end:until]))

    def _end_of_tag(self, end: int) -> int:
        """Where the tag ends whose beginning is the marker that ends at ``end``."""
        rest = MENTION.match(self.text, end) if self.text[end - 1] not in ">]" else None
        return end if rest is None else rest.end()

    def repair(self, name: str) -> None:
        """Record a repair."""
        self.repairs.append(name)

    def charge(self, characters: int) -> bool:
        """Count text that was read without result; false once that adds up to several times the text.

        Keeps reading linear for a text in which every opening marker leads to a search to the end of the text.
        """
        self.budget -= characters + ATTEMPT
        spend(characters + ATTEMPT)
        return self.budget > 0

    def budget_exhausted(self) -> bool:
        """Whether short attempts, too, add up to several times the text since :meth:`charge` returned false."""
        return self.budget <= self._floor
