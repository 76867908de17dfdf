"""Show the counts as a table with bars that fits the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from textwrap import wrap
from typing import Final, NamedTuple

from toolconv.core.plural import percent, plural
from toolconv.core.terminal import escape, width_of
from toolconv.inspect.stats.counts import DatasetCounts, ToolCounts
from toolconv.inspect.stats.lengths import short_names
from toolconv.lint.texts.behaviour import BEHAVIOURS

TOOLS: Final = 20
"""The maximum number of tools to show."""

BARS: Final = 30
"""The maximum number of bars to show in a group."""

FILES: Final = 20
"""The maximum number of files to compare."""

PLACES: Final = 5
"""The maximum number of rejects, and of dropped calls, to list."""

NARROWEST: Final = 40
EIGHTHS: Final = " ▏▎▍▌▋▊▉"


class Bar(NamedTuple):
    """A line of the table: what is counted, how often, and out of how many."""

    label: str
    times: int
    of: int
    note: str = ""


class Table:
    """Formats counts as lines of at most ``width`` columns.

    Args:
        plain: write only ASCII, except for text from the data.
    """

    def __init__(self, width: int, *, plain: bool) -> None:
        self._width = max(width, NARROWEST)
        self._plain = plain
        self._more = "..." if plain else "…"

    def lines(self, counts: DatasetCounts) -> Iterator[str]:
        """The lines of the table."""
        yield from self._summary(counts)
        yield from self._lengths(counts)
        turns, roles, called = counts.receipt.assistant_turns, counts.roles.total(), counts.called
        if turns:
            yield from self._bars({f"assistant turns: {turns:,}": _shares(counts.turns_by_calls, turns)})
            mix: dict[str, int] = {name: counts.behaviours[name] for name in BEHAVIOURS if counts.behaviours[name]}
            done = sum(mix.values())
            yield from self._bars({f"what they do: {done:,}": _shares(mix, done)})
        if roles:
            yield from self._bars({f"turns by role: {roles:,}": _shares(dict(counts.roles.most_common()), roles)})
        if called:
            bars = [Bar(name, tool.calls, counts.calls) for name, tool in called[:TOOLS]]
            yield from self._bars({f"calls per tool: {counts.calls:,}": bars}, largest=bars[0].times)
            if rest := called[TOOLS:]:
                calls = sum(tool.calls for _, tool in rest)
                yield f"  {self._more} and {plural(len(rest), 'more tool')} with {plural(calls, 'call')}"
            arguments = {f"{name} ({tool.note})": _arguments(tool) for name, tool in called[:TOOLS]}
            if any(arguments.values()):
                yield ""
                yield "arguments, and how many calls give them"
            yield from self._bars(arguments)

    def _summary(self, counts: DatasetCounts) -> Iterator[str]:
        receipt = counts.receipt
        yield from self._fact("rows", f"{receipt.rows_in:,} ({counts.with_calls:,} with calls)")
        if counts.layouts:
            yield from self._fact("layouts", _counts(counts.layouts))
        structured = {"structured": counts.structured} if counts.structured else {}
        yield from self._fact("calls", _total({**structured, **counts.dialects}))
        never = len(counts.never_called)
        yield from self._fact(
            "tools", f"{len(counts.called):,} called" + (f", {never:,} only declared" if never else "")
        )
        yield from self._fact("repairs", _total(receipt.repairs))
        if receipt.losses:
            yield from self._fact("losses", _total(receipt.losses))
        for name, count, places in (
            ("dropped calls", receipt.dropped_calls, receipt.dropped_places),
            ("rejected rows", receipt.rejects, receipt.reject_places),
            ("unread parts", receipt.unread.total(), receipt.unread_places),
        ):
            if not count and name == "unread parts":
                continue
            yield from self._fact(name, f"{count:,}")
            for place in places[:PLACES]:
                yield f"  {escape(place.file)}:{place.line}: {escape(place.reason)}"
            if count > PLACES:
                yield f"  {self._more} and {count - PLACES:,} more; --json lists them"

    def _lengths(self, counts: DatasetCounts) -> Iterator[str]:
        """How long rows are, and what each file holds, if there are several."""
        if shown := counts.lengths.shown():
            numbers = {measure: each.numbers for measure, each in shown.items()}
            heads = tuple(next(iter(numbers.values())))
            yield from self._numbers("a row has", heads, {name: (*each.values(),) for name, each in numbers.items()})
        if len(counts.files) > 1:
            heads = ("rows", "with calls", "calls", "rejected", "characters")
            lines = {
                escape(name): (each.rows, each.with_calls, each.calls, each.rejects, each.median)
                for name, each in zip(short_names([*counts.files]), counts.files.values(), strict=True)
            }
            yield from self._numbers("file", heads, dict(islice(lines.items(), FILES)))
            if len(counts.files) > FILES:
                yield f"  {self._more} and {plural(len(counts.files) - FILES, 'more file')}; --json lists them"

    def _numbers(self, title: str, heads: Sequence[str], lines: Mapping[str, Sequence[int]]) -> Iterator[str]:
        """A table of numbers, with a title over its first column; what does not fit is left out before the last one."""
        columns = [
            [head, *(f"{number:,}" for number in numbers)]
            for head, numbers in zip(heads, zip(*lines.values(), strict=True), strict=True)
        ]
        widths = [max(map(len, column)) + 2 for column in columns]
        while len(columns) > 2 and sum(widths) > self._width - 18:
            del columns[-2], widths[-2]
        label = min(max(map(width_of, lines)), self._width - sum(widths) - 2)
        yield ""
        for name, *shown in zip((title, *lines), *columns, strict=True):
            indent = "" if name == title else "  "
            cells = "".join(f"{cell:>{width}}" for cell, width in zip(shown, widths, strict=True))
            yield f"{indent}{self._fitted(name, label + 2 - len(indent))}{cells}"

    def _fact(self, name: str, text: str) -> list[str]:
        return wrap(text, self._width, initial_indent=f"{name:16}", subsequent_indent=" " * 16, break_on_hyphens=False)

    def _bars(self, groups: Mapping[str, Sequence[Bar]], *, largest: int = 0) -> Iterator[str]:
        """Groups of bars under headings, with columns aligned across groups.

        Args:
            groups: bars by heading.
            largest: the count of a bar at full length; by default, each bar's own total.
        """
        bars = [bar for group in groups.values() for bar in group]
        if not bars:
            return
        label = min(max(width_of(escape(bar.label)) for bar in bars), max(16, self._width // 3))
        count = max(len(f"{bar.times:,}") for bar in bars)
        room = min(self._width - label - count - max(len(bar.note) for bar in bars) - 16, 60)
        for heading, group in groups.items():
            if not group:
                continue
            yield ""
            yield self._fitted(escape(heading))
            for bar in group[:BARS]:
                drawn = self._bar(bar.times / (largest or bar.of), room) + "  " if room > 4 else ""
                numbers = f"{bar.times:>{count},}  {percent(bar.times, bar.of):>6}  {bar.note}"
                yield self._fitted(f"  {self._fitted(escape(bar.label), label)}  {drawn}{numbers}".rstrip())
            if len(group) > BARS:
                yield f"  {self._more} and {len(group) - BARS:,} more"

    def _bar(self, share: float, room: int) -> str:
        if self._plain:
            return ("#" * max(round(share * room), share > 0)).ljust(room)
        eighths = max(round(share * room * 8), share > 0)
        return ("█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()).ljust(room)

    def _fitted(self, text: str, width: int | None = None) -> str:
        """``text`` cut to the table's width; if ``width`` is given, cut and padded to it."""
        room = self._width if width is None else width
        if width_of(text) > room:
            text = text[: 4 * room]
            while width_of(text) > room - len(self._more):
                text = text[:-1]
            text += self._more
        return text if width is None else text + " " * (width - width_of(text))


def _arguments(tool: ToolCounts) -> list[Bar]:
    return [Bar(name, argument.given, tool.calls, argument.note) for name, argument in tool.arguments.items()]


def _shares(counts: Mapping[str, int], of: int) -> list[Bar]:
    return [Bar(name, count, of) for name, count in counts.items()]


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(
        f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def _total(counts: Mapping[str, int]) -> str:
    return f"{sum(counts.values()):,}" + (f" ({_counts(counts)})" if counts else "")
