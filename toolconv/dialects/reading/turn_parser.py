"""The parts of an assistant turn, and the state of reading one with a tolerant grammar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from toolconv.core.conversation import Dropped, ToolCall
from toolconv.core.facts import Facts
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.reading.mentions import is_mention, without_code

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
    """

    content: str
    reasoning: str | None = None
    calls: list[ToolCall] = field(default_factory=list)
    repairs: list[str] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    dialect: str | None = None
    assumed: bool = False

    @property
    def has_plain_edges(self) -> bool:
        """Whether the prose has no white space around it, which is more likely a family's than a part of the prose."""
        return self.content == self.content.strip()


WORD = lazy_re(r"[\w.\-]+")
MENTION = lazy_re(r"[^<>\[\]\n]{0,80}[>\]]")
"""The rest of a tag of which a marker is the beginning."""


class TurnParser:
    """The state of parsing one turn: what was cut out as a call, what was repaired, what was dropped.

    A grammar walks the text from ``at`` on and reports what it finds with :meth:`accept` and :meth:`reject`. Whatever
    it does not accept is prose.
    """

    __slots__ = (
        "_floor",
        "_found",
        "_kept",
        "at",
        "budget",
        "calls",
        "cuts",
        "dropped",
        "places",
        "prose_from",
        "reasoning",
        "rejected",
        "repairs",
        "skipped",
        "text",
        "tools",
    )

    def __init__(self, text: str, tools: ToolIndex) -> None:
        self.text = text
        self.tools = tools
        self.at = 0
        self.prose_from = 0
        self.calls: list[ToolCall] = []
        self.places: list[int] = []
        self.cuts: list[tuple[int, int, str]] = []
        self.reasoning: list[str] = []
        self._found: dict[str, tuple[int, int]] = {}
        self._kept: list[str] = []
        self.repairs: list[str] = []
        self.dropped: list[Dropped] = []
        self.rejected: list[tuple[int, int]] = []
        self.skipped: list[tuple[int, int]] = []
        self.budget = 4 * len(text) + 100_000
        self._floor = -self.budget

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

    def accept(self, start: int, end: int, calls: Sequence[ToolCall] = (), prose: str = "") -> None:
        """Cut ``text[start:end]`` out: markup that holds ``calls``, and ``prose`` if it has any."""
        if self._kept:
            prose = "\n".join(filter(None, [*self._kept, prose]))
            self._kept = []
        self.cuts.append((start, end, prose))
        self.calls.extend(calls)
        self.places.extend([start] * len(calls))
        self.at = end

    def keep(self, words: Sequence[str]) -> None:
        """Keep words inside of markup as prose, for when that markup is cut out."""
        self._kept.extend(words)

    def accept_reasoning(self, start: int, end: int, reasoning: str) -> None:
        """Cut ``text[start:end]`` out: it holds ``reasoning``, for formats that write it anywhere in a turn."""
        self.cuts.append((start, end, ""))
        self.reasoning.append(reasoning)
        self.at = end

    def reject(self, start: int, end: int, reason: str) -> None:
        """Record a call in ``text[start:end]`` that can't be read; its text stays in the prose."""
        self.dropped.append(Dropped(reason, self.text[start:end]))
        self.rejected.append((start, end))
        self._kept = []
        self.at = end

    def gaps(self) -> list[tuple[int, int]]:
        """The parts of the text that are prose: start and end of each, in order."""
        found = []
        start = self.prose_from
        for cut, end, _ in sorted(self.cuts):
            if cut > start:
                found.append((start, cut))
            start = max(start, end)
        return [*found, (start, len(self.text))] if start < len(self.text) else found

    def accept_reading(self, start: int, end: int, parsed: Parsed) -> None:
        """Replace what was found in ``text[start:end]``, which is prose so far, with another reading of it."""
        kept = [number for number, (begin, _) in enumerate(self.rejected) if not start <= begin < end]
        self.dropped = [*(self.dropped[number] for number in kept), *parsed.dropped]
        self.rejected = [*(self.rejected[number] for number in kept), *[(start, end)] * len(parsed.dropped)]
        self.repairs.extend(parsed.repairs)
        if parsed.reasoning:
            self.reasoning.append(parsed.reasoning)
        self.accept(start, end, parsed.calls, parsed.content)
        order = sorted(range(len(self.calls)), key=self.places.__getitem__)
        self.calls[:] = [self.calls[number] for number in order]
        self.places.sort()

    def drop(self, reason: str, text: str) -> None:
        """Record a call that can't be read, whose ``text`` was found in a reading that was taken over."""
        self.dropped.append(Dropped(reason, text))
        self.rejected.append((self.at, self.at))

    def skip(self, start: int, end: int) -> None:
        """Leave ``text[start:end]`` as prose whatever markers it holds: it is not the assistant's to call there."""
        self.skipped.append((start, end))
        self.at = end

    def reject_unread(self, start: int, markers: tuple[str, ...], closing: str) -> None:
        """Record each of ``markers`` that is left in the prose from ``start`` on as a call that can't be read.

        What is shown as code, between backquotes, is not one. ``closing`` is the marker that ends a call, if any.
        """
        text = self.text
        seen = sorted([(begin, end) for begin, end, _ in self.cuts] + self.rejected + self.skipped, reverse=True)
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
            close = text.find(closing, at, until) if closing else -1
            at = close + len(closing) if close >= 0 else until
            if seen and seen[-1][0] <= at:
                at = max(place + len(marker), seen[-1][0])
                if not text[place + len(marker) : at].strip():  # it belongs to what was cut out or dropped there
                    continue
            if self._is_mentioned(place, place + len(marker), at):
                continue
            self.dropped.append(Dropped("nothing that can be read follows the marker", text[place:at].rstrip()))
            self.rejected.append((place, at))

    def _is_mentioned(self, start: int, end: int, until: int) -> bool:
        """Whether a marker is a word of a sentence, and nothing up to ``until`` is the name of a declared tool."""
        text = self.text
        if text[end - 1] not in ">]" and (rest := MENTION.match(text, end)) is not None:
            end = rest.end()
        return is_mention(text, start, end) and not any(word in self.tools for word in WORD.findall(text[end:until]))

    def repair(self, name: str) -> None:
        """Record a repair."""
        self.repairs.append(name)

    def charge(self, characters: int) -> bool:
        """Count text that was read without result; false once that adds up to several times the text.

        Keeps reading linear for a text in which every opening marker leads to a search to the end of the text.
        """
        self.budget -= characters + 200  # an attempt costs something however short it is
        return self.budget > 0

    def budget_exhausted(self) -> bool:
        """Whether short attempts, too, add up to several times the text since :meth:`charge` returned false."""
        return self.budget <= self._floor
