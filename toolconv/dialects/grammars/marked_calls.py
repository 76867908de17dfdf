"""The driver of calls between markers: it walks a turn from marker to marker, and a grammar reads what is between.

What opens and closes calls are facts of the dialect, and what the family writes follows from its call template.
"""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property

from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import with_first
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser


class MarkedCalls(Dialect):
    """Calls after an opening marker; a closing one may follow.

    Attributes:
        opens: opening markers that are read in place of the one that the family writes.
        closes: closing markers, likewise.
    """

    opens: tuple[str, ...] = ()
    closes: tuple[str, ...] = ()

    @cached_property
    def written_markers(self) -> tuple[str, str]:
        """The markers that the family writes before and after a call; empty where it writes none."""
        return (self.calls.marker, self.calls.closing) if self.calls else ("", "")

    @cached_property
    def all_opens(self) -> tuple[str, ...]:
        """The opening markers; the family's own comes first."""
        return with_first(self.written_markers[0], self.opens)

    @cached_property
    def all_closes(self) -> tuple[str, ...]:
        """The closing markers, likewise."""
        return with_first(self.written_markers[1], self.closes)

    @property
    def markers(self) -> tuple[str, ...]:
        return self.all_opens

    @property
    def all_markers(self) -> tuple[str, ...]:
        return (*self.all_opens, *self.all_closes)

    @property
    def prose_opening(self) -> str:
        return self.calls.prose_opening if self.calls else ""

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        return (*super().prose_stoppers, *self.all_closes)

    @cached_property
    def stops(self) -> tuple[str, ...]:
        """The markers that end the body of a call."""
        return (*self.all_closes, *self.all_opens, *self.turn_tokens)

    # ── what a grammar provides ──

    @abstractmethod
    def read_block(self, parser: TurnParser, start: int, at: int) -> None:
        """Read what follows the opening marker ``text[start:at]``: calls in any state, or prose that mentions it."""

    def read_before(self, parser: TurnParser, until: int) -> None:
        """Read calls without markers that begin before ``until``, where the next marker is."""

    def read_unopened(self, parser: TurnParser, close: int, end: int) -> bool:
        """Read the calls that the marker ``text[close:end]`` closes, and none opened; false where there are none."""
        return False

    # ── reading ──

    def find_calls(self, parser: TurnParser) -> None:
        while True:
            found = parser.first(self.all_opens, parser.at)
            start, opening = found or (len(parser.text), "")
            self.read_before(parser, start)
            if parser.at > start:  # the marker is part of a call without markers
                continue
            self.find_unopened(parser, start)
            if found is None:
                return
            if parser.budget <= 0:
                parser.reject(start, len(parser.text), GAVE_UP)
                return
            at = start + len(opening)
            if parser.text.startswith(self._lead, max(parser.at, start - len(self._lead))):
                start = max(parser.at, start - len(self._lead))
            self.read_block(parser, start, at)

    @cached_property
    def _lead(self) -> str:
        """White space that the family writes before its opening marker."""
        written = self.calls.head if self.calls else ""
        return written[: len(written) - len(written.lstrip())]

    def find_unopened(self, parser: TurnParser, until: int) -> None:
        """Read the calls up to ``until`` that a closing marker ends, and no opening marker announced."""
        while (found := parser.first(self.all_closes, parser.at)) is not None and found[0] < until:
            close, end = found[0], found[0] + len(found[1])
            if parser.budget <= 0:
                return
            if parser.text[parser.at : close].strip():
                if not self.read_unopened(parser, close, end):
                    parser.at = max(parser.at, end)
            elif parser.calls:
                parser.accept(close, end)
                parser.repair("extra_close_tag")
            else:
                parser.at = end

    def end_of_broken(self, parser: TurnParser, at: int) -> int:
        """Where a call that can't be read ends: after its closing marker, or before the next marker."""
        found = parser.first(self.stops, at)
        if found is None:
            return len(parser.text)
        return found[0] + len(found[1]) if found[1] in self.all_closes else found[0]

    def closer_at(self, text: str, at: int) -> str:
        """The closing marker at ``at``; empty if there is none."""
        for marker in self.all_closes:
            if text.startswith(marker, at):
                return marker
        return ""
