"""A marker, a header that names the tool, then the bare arguments: ``<marker>name<marker>{…}<marker>``.

DeepSeek's and Kimi's token sections, Mistral's ``[TOOL_CALLS]name[ARGS]{…}``, ``## Calling: name`` and the like.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from toolconv import jsontext
from toolconv.conversation import ToolCall
from toolconv.dialects import callshape
from toolconv.dialects.base import Dialect, Scan
from toolconv.dialects.callshape import NotACall

MAX_HEADER = 400
BLANKS = re.compile(r"\s*")
FENCE = re.compile(r"```[ \t]*\w*\s*")
TAIL = re.compile(r"\s*(?:\n?```)?\s*")


@dataclass(frozen=True, kw_only=True, eq=False)
class HeadedJson(Dialect):
    """Calls whose name stands in a header before the arguments.

    Attributes:
        section_opens, section_closes: markers around all calls of a turn, if the family has them.
        call_opens: markers before each header. In all of these the first is what the family writes.
        call_closes: markers after each call's arguments; empty when the JSON's end is the call's end.
    """

    section_opens: tuple[str, ...] = ()
    section_closes: tuple[str, ...] = ()
    call_opens: tuple[str, ...] = ()
    call_closes: tuple[str, ...] = ()

    @property
    def markers(self) -> tuple[str, ...]:
        return (*self.section_opens, *self.call_opens)

    @abstractmethod
    def header(self, text: str) -> tuple[str, str | None] | None:
        """The name and the id that a header says, or ``None`` when it is no header: the marker was only mentioned.

        ``text`` is what stands between the opening marker and the arguments.
        """

    def name_for(self, scan: Scan, name: str, arguments: dict[str, object], repairs: list[str]) -> str:
        """The tool's name, given the one in the header."""
        return callshape.declared_name(name, scan.tools, repairs)

    @cached_property
    def _stops(self) -> tuple[str, ...]:
        return (*self.call_closes, *self.section_closes, *self.call_opens, *self.section_opens, *self.turn_tokens)

    @cached_property
    def _after_header(self) -> re.Pattern[str]:
        """Where a header ends: at the arguments, or at a marker when there are none."""
        return re.compile("|".join([r'[{"“]', "```", *map(re.escape, self._stops), r"\Z"]))

    # ── reading ──

    def scan(self, scan: Scan) -> None:
        section: tuple[int, int] | None = None  # an opened section none of whose calls was read yet
        while (found := scan.first(self.call_opens, scan.at)) is not None:
            start, opening = found
            section = self._section_before(scan, start) or section
            taken = len(scan.calls)
            end = self.read_call(scan, start, start + len(opening))
            if end is None:
                scan.at = start + len(opening)
                continue
            if len(scan.calls) > taken:
                if opening != self.call_opens[0]:
                    scan.repair("marker_spelling")
                if section is not None:
                    scan.take(*section)
                    section = None
                scan.at = self._close_section(scan, end)
            else:
                scan.at = end

    def _section_before(self, scan: Scan, start: int) -> tuple[int, int] | None:
        """The section marker that stands before a call, with nothing but blanks between."""
        before = scan.text[max(scan.at, start - MAX_HEADER) : start].rstrip()
        for marker in self.section_opens:
            if before.endswith(marker):
                end = max(scan.at, start - MAX_HEADER) + len(before)
                return end - len(marker), end
        return None

    def _close_section(self, scan: Scan, at: int) -> int:
        """Cut the marker that closes the section, if it stands at ``at``; the place to go on from."""
        end = end_of(BLANKS, scan.text, at)
        for marker in self.section_closes:
            if scan.text.startswith(marker, end):
                scan.take(end, end + len(marker))
                return end + len(marker)
        return at

    def read_call(self, scan: Scan, start: int, at: int) -> int | None:
        """Read the call whose marker stands at ``start``; where it ends, or ``None`` when it is none."""
        text = scan.text
        match = self._after_header.search(text, at, min(len(text), at + MAX_HEADER))
        if match is None:
            return None
        header = self.header(text[at : match.start()])
        if header is None:
            return None
        repairs: list[str] = []
        try:
            arguments, end = self._arguments(scan, match.start(), repairs)
            name = self.name_for(scan, header[0], arguments, repairs)
        except (NotACall, jsontext.Unreadable) as error:
            if isinstance(error, jsontext.Unreadable):
                scan.spend(error.at - start)
            end = self._end_of_broken(scan, match.end())
            scan.drop(start, end, str(error))
            return end
        scan.take(start, end, (ToolCall(name, arguments, header[1]),))
        scan.repairs.extend(repairs)
        return end

    def _arguments(self, scan: Scan, at: int, repairs: list[str]) -> tuple[dict[str, object], int]:
        """The arguments that begin at ``at``, and where the call ends."""
        text = scan.text
        fence = FENCE.match(text, at)
        if fence is not None:
            at = fence.end()
        if at >= len(text) or text.startswith(self._stops, at):
            repairs.append("empty_arguments")
            value: object = {}
            end = at
        else:
            if not scan.spend(0):
                raise NotACall("gave up: too much broken markup in one text")
            reading = jsontext.read(text, at, stops=self._stops)
            repairs.extend(reading.repairs)
            value, end = reading.value, reading.end
        arguments = callshape.arguments_from(value, repairs)
        after = end_of(TAIL, text, end)
        while self.call_closes and text.startswith("}", after):
            repairs.append("extra_bracket")
            after = end_of(TAIL, text, after + 1)
        for marker in self.call_closes:
            if text.startswith(marker, after):
                return arguments, after + len(marker)
        if self.call_closes:
            if after < len(text) and not text.startswith(self._stops, after):
                raise NotACall("text after the arguments")
            repairs.append("missing_close_tag")
        return arguments, after if fence is not None else end

    def _end_of_broken(self, scan: Scan, at: int) -> int:
        """Where a call that can't be read ends: behind its closing marker, or before the next marker."""
        found = scan.first(self._stops, at)
        if found is None:
            return len(scan.text)
        return found[0] + len(found[1]) if found[1] in self.call_closes else found[0]

    # ── writing ──

    def render(self, calls: Sequence[ToolCall]) -> str:
        section_open = self.section_opens[0] if self.section_opens else ""
        section_close = self.section_closes[0] if self.section_closes else ""
        return section_open + self.between.join(map(self.write_call, calls, range(len(calls)))) + section_close

    between: str = ""

    @abstractmethod
    def write_call(self, call: ToolCall, index: int) -> str:
        """One call with its markers; ``index`` counts the calls of the turn from 0."""


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a match of ``pattern`` at ``at`` ends; ``at`` if there is none."""
    match = pattern.match(text, at)
    return match.end() if match else at
