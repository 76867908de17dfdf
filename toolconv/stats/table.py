"""The counts as a table with bars, for a terminal of any width."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from toolconv.stats.tally import Argument, Tally, Tool
from toolconv.terminal import escape

TOOLS: Final = 20
"""How many tools are shown."""

ARGUMENTS: Final = 30
"""How many arguments of a tool are shown."""

PLACES: Final = 5
"""How many places of rejects and dropped calls are shown."""

NARROWEST: Final = 40
EIGHTHS: Final = " ▏▎▍▌▋▊▉"


class Bar(NamedTuple):
    """A line: what is counted, how often, out of how many."""

    label: str
    count: int
    of: int
    note: str = ""


class Table:
    """Writes lines of at most ``width`` columns.

    Args:
        width: of the terminal.
        plain: write ASCII only, but for what comes from the data.
    """

    def __init__(self, width: int, *, plain: bool) -> None:
        self._width = max(width, NARROWEST)
        self._plain = plain
        self._more = "..." if plain else "…"

    def lines(self, tally: Tally) -> Iterator[str]:
        """The whole table."""
        yield from self._summary(tally)
        turns = tally.receipt.assistant_turns
        yield from self._bars("assistant turns", _shares(tally.turns_by_calls, turns))
        yield from self._bars("turns by role", _shares(dict(tally.roles.most_common()), tally.roles.total()))
        called = tally.called
        yield from self._bars(
            "calls per tool", [Bar(name, tool.calls, tally.calls) for name, tool in called[:TOOLS]], most=True
        )
        if rest := called[TOOLS:]:
            calls = sum(tool.calls for _, tool in rest)
            yield self._fitted(f"  {self._more} and {_many(len(rest), 'more tool')} with {_many(calls, 'call')}")
        if called:
            yield from self._arguments(called[:TOOLS])

    def _summary(self, tally: Tally) -> Iterator[str]:
        receipt = tally.receipt
        yield from self._fact("rows", f"{receipt.rows_in:,}", f"{tally.with_calls:,} with calls")
        yield from self._fact("layouts", *_counts(tally.layouts))
        structured = {"structured": tally.structured} if tally.structured else {}
        yield from self._fact("calls", f"{tally.calls:,}", *_counts({**structured, **tally.dialects}))
        never = len(tally.never_called)
        yield from self._fact(
            "tools", f"{len(tally.called):,} called", f"{never:,} declared and never called" if never else ""
        )
        yield from self._fact("repairs", f"{receipt.repairs.total():,}", *_counts(receipt.repairs))
        yield from self._fact("losses", *_counts(receipt.losses))
        for name, count, places in (
            ("dropped calls", receipt.dropped_calls, receipt.dropped_places),
            ("rejected rows", receipt.rejects, receipt.reject_places),
        ):
            yield from self._fact(name, f"{count:,}")
            for place in places[:PLACES]:
                yield self._fitted(f"  {escape(place.file)}:{place.line}: {escape(place.reason)}")
            if count > PLACES:
                yield f"  {self._more} and {count - PLACES:,} more; --json lists them"

    def _fact(self, name: str, *parts: str) -> Iterator[str]:
        """A name and what is to say of it, wrapped; nothing where there is nothing to say."""
        line = f"{name:15}"
        said = [part for part in parts if part]
        for index, part in enumerate(said):
            part = escape(part) + ("," if 0 < index < len(said) - 1 else ":" if index == 0 and len(said) > 1 else "")
            if line.strip() and _columns(line) + 1 + _columns(part) > self._width:
                yield line.rstrip()
                line = " " * 15
            line += f" {part}"
        if said:
            yield self._fitted(line)

    def _bars(self, title: str, bars: Iterable[Bar], *, most: bool = False) -> Iterator[str]:
        """A heading and a bar for each count; the longest is the whole, or with ``most`` the largest count."""
        shown = list(bars)
        if not shown:
            return
        yield ""
        yield self._fitted(escape(title))
        whole = max(bar.count for bar in shown) if most else 0
        label = min(max(_columns(escape(bar.label)) for bar in shown), max(16, self._width // 3))
        count = max(len(f"{bar.count:,}") for bar in shown)
        note = max(len(bar.note) for bar in shown)
        room = min(self._width - label - count - note - 14, 60)
        for bar in shown:
            drawn = self._bar(bar.count / (whole or bar.of or 1), room) if room > 4 else ""
            share = f"{bar.count / bar.of:6.1%}" if bar.of else " " * 6
            line = f"  {self._fitted(escape(bar.label), label)}  {drawn}  {bar.count:>{count},}  {share}  {bar.note}"
            yield line.rstrip()

    def _bar(self, share: float, room: int) -> str:
        if self._plain:
            return ("#" * max(round(share * room), share > 0)).ljust(room)
        eighths = max(round(share * room * 8), share > 0)
        return ("█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()).ljust(room)

    def _arguments(self, called: Iterable[tuple[str, Tool]]) -> Iterator[str]:
        yield ""
        yield "arguments given, of all calls of the tool"
        for name, tool in called:
            arguments = list(tool.arguments.items())
            yield from self._bars(
                f"{name} ({_many(tool.calls, 'call')})",
                [Bar(key, argument.given, tool.calls, note(argument)) for key, argument in arguments[:ARGUMENTS]],
            )
            if len(arguments) > ARGUMENTS:
                yield f"  {self._more} and {len(arguments) - ARGUMENTS:,} more"

    def _fitted(self, text: str, width: int | None = None) -> str:
        """``text`` cut to a width; with one given, padded to it as well."""
        room = self._width if width is None else width
        if _columns(text) > room:
            while _columns(text) > room - len(self._more):
                text = text[:-1]
            text += self._more
        return text if width is None else text + " " * (width - _columns(text))


def note(argument: Argument) -> str:
    """What stands out about an argument."""
    if argument.missing:
        return f"required, missing in {argument.missing:,}"
    if argument.undeclared:
        return "undeclared" if argument.undeclared == argument.given else f"undeclared in {argument.undeclared:,}"
    return "required" if argument.required else ""


def _shares(counts: Mapping[str, int], of: int) -> list[Bar]:
    return [Bar(name, count, of) for name, count in counts.items()] if of else []


def _counts(counts: Mapping[str, int]) -> list[str]:
    return [f"{name} {count:,}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _many(count: int, one: str) -> str:
    return f"{count:,} {one}" if count == 1 else f"{count:,} {one}s"


def _columns(text: str) -> int:
    """How many columns a terminal gives to ``text``: none to marks that combine, two to wide characters."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text
    )
