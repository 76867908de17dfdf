"""Show the counts as a self-contained HTML page with charts: no scripts, fonts or images from elsewhere.

Every chart has its numbers beside it, so that no information depends on lengths or colours alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from toolconv.convert.receipt import Place
from toolconv.core.page import bar, drawing, page, tag, text
from toolconv.core.plural import percent, plural
from toolconv.inspect.stats.counts import ArgumentCounts, DatasetCounts, ToolCounts
from toolconv.inspect.stats.lengths import QUANTILES, Distribution, FileCounts, short_names

TOOLS: Final = 30
"""The maximum number of tools to show."""

ARGUMENTS: Final = 60
"""The maximum number of arguments of a tool to show."""

PARTS: Final = 6
"""The maximum number of parts in a stacked bar; the last one may combine the rest."""

FILES: Final = 20
"""The maximum number of inputs to name."""

HEAT: Final = ("none", "below 25%", "below 50%", "below 75%", "below 100%", "all")
"""The meaning of the cell colours."""


def html_page(counts: DatasetCounts, version: str, inputs: Sequence[str]) -> str:
    """The HTML page."""
    named = _listed([Path(name).name for name in inputs], 3)
    rows, calls, tools = counts.receipt.rows_in, counts.calls, len(counts.called)
    summary = f"{plural(rows, 'row')}, {plural(calls, 'call')} of {plural(tools, 'tool')}"
    main = tag(
        "main",
        tag("header", tag("h1", text(named)), tag("p", summary, class_="soft")),
        *_sections(counts),
        tag("footer", f"Counted by toolconv {text(version)} in {text(_listed(inputs, FILES))}."),
    )
    return page(f"{text(named)} – toolconv stats", main)


def _listed(names: Sequence[str], most: int) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def _sections(counts: DatasetCounts) -> Iterator[str]:
    receipt = counts.receipt
    yield _figures(counts)
    structured = {"structured": counts.structured} if counts.structured else {}
    yield tag(
        "div",
        _section("Assistant turns", "by how many calls they make", _shares(counts.turns_by_calls, "order")),
        _section("Behaviour", "what the assistant does in its turns", _shares(dict(counts.behaviours.most_common()))),
        _section("All turns", "by role", _shares(dict(counts.roles.most_common()))),
        _section("Calls", "by the dialect of their text", _shares({**structured, **counts.dialects})),
        _section("Rows", "by layout", _shares(dict(counts.layouts.most_common()))),
        class_="grid",
    )
    if shown := counts.lengths.shown():
        yield _section("Length of rows", "numbers of more than three digits are rounded", _lengths(shown))
    if len(counts.files) > 1:
        yield _section("Files", "", _files(counts.files))
    if called := counts.called:
        yield _section("Calls per tool", "", _calls(called, counts.calls))
        yield _section("Arguments", "how many of a tool's calls give each", _arguments(called))
    for title, note, kinds in (
        ("Repairs", "changes that made malformed text readable", receipt.repairs),
        ("Losses", "what reading could not keep", receipt.losses),
    ):
        if kinds:
            bars = (_bar(kind, times, kinds.total(), kinds.total()) for kind, times in kinds.most_common())
            yield _section(title, note, _bars("Kind", "Times", bars))
    for title, note, count, places in (
        ("Dropped calls", "unreadable; their text stays prose", receipt.dropped_calls, receipt.dropped_places),
        ("Rejected rows", "not counted above", receipt.rejects, receipt.reject_places),
    ):
        if count:
            yield _section(title, note, _places(count, places))


def _section(title: str, note: str, content: str) -> str:
    return tag("section", tag("h2", title, " ", tag("small", note) if note else ""), content)


def _figures(counts: DatasetCounts) -> str:
    """The key figures."""
    receipt, turns = counts.receipt, counts.turns_by_calls
    whole, never = receipt.assistant_turns, len(counts.never_called)
    return tag(
        "dl",
        _figure("Rows", f"{receipt.rows_in:,}", f"{counts.with_calls:,} with calls"),
        _figure("Calls", f"{counts.calls:,}", f"in {plural(receipt.turns_with_calls, 'turn')}"),
        _figure("Tools called", f"{len(counts.called):,}", f"{never:,} only declared" if never else ""),
        _figure("No-call share", percent(turns["no call"], whole) if whole else "–", "of assistant turns"),
        _figure("Parallel share", percent(turns["several calls"], whole) if whole else "–", "of assistant turns"),
        _figure("Repairs", f"{receipt.repairs.total():,}"),
        _figure("Dropped calls", f"{receipt.dropped_calls:,}", bad=receipt.dropped_calls > 0),
        _figure("Rejected rows", f"{receipt.rejects:,}", bad=receipt.rejects > 0),
        class_="figures",
    )


def _figure(name: str, value: str, more: str = "", *, bad: bool = False) -> str:
    return tag(
        "div", tag("dt", name), tag("dd", value, " ", tag("small", more) if more else ""), class_="bad" if bad else ""
    )


# ── charts ──────────────────────────────────────────────────────────────────────────────────────


def _shares(counts: Mapping[str, int], colours: str = "series") -> str:
    """One stacked bar, and a line for each of its parts.

    Args:
        colours: ``series`` for unordered parts, ``order`` for ordered ones.
    """
    whole = sum(counts.values())
    if not whole:
        return tag("p", "none", class_="soft")
    parts = list(counts.items())
    if len(parts) > PARTS:
        rest = parts[PARTS - 1 :]
        parts = [*parts[: PARTS - 1], (f"{len(rest):,} others", sum(times for _, times in rest))]
    drawn, lines, at = "", "", 0
    for index, (name, times) in enumerate(parts):
        colour, share = f"{colours}-{index}", percent(times, whole)
        title = tag("title", f"{text(name)}: {times:,} ({share})")
        drawn += tag("rect", title, class_=colour, x=f"{at / whole:.3%}", width=f"{times / whole:.3%}", height="100%")
        at += times
        swatch = drawing("swatch", tag("rect", class_=colour, width="100%", height="100%", rx="2"))
        lines += tag("tr", tag("th", swatch, text(name), scope="row"), _numbers(times, share))
    title = ", ".join(f"{text(name)} {percent(times, whole)}" for name, times in parts)
    return tag("svg", tag("title", title), drawn, class_="stack", role="img") + tag("table", lines)


def _lengths(shown: Mapping[str, Distribution]) -> str:
    """A line for each measure: its quantiles, and a bar for each between them."""
    lines = []
    for measure, each in shown.items():
        cells = (tag("td", f"{number:,}", class_="number") for number in each.numbers.values())
        lines.append(tag("tr", tag("th", measure, scope="row"), tag("td", _spread(each), class_="drawn"), *cells))
    head = tag("tr", tag("th", "Of a row", scope="col"), tag("td"), *_heads(("min", *QUANTILES, "max")))
    return tag("table", tag("thead", head), tag("tbody", *lines), class_="bars lengths")


STEPS: Final = 24
"""How many columns the drawing of a distribution has."""


def _spread(each: Distribution) -> str:
    """The distribution as columns from the least to the 99% quantile; the longest rows are in the last one."""
    least, end = each.least, max(each.at(0.99), each.least + 1)
    steps = min(STEPS, end - least + 1)
    edges = [least + (end - least) * (step + 1) // steps for step in range(steps)]
    within = [each.within(edge) for edge in edges[:-1]] + [each.total]
    heights = [now - before for before, now in zip((0, *within), within, strict=False)]
    highest = max(heights)
    drawn = (
        tag(
            "rect", class_="column", x=f"{at / steps:.2%}", width=f"{0.86 / steps:.2%}",
            y=f"{1 - height / highest:.1%}", height=f"{height / highest:.1%}",
        )
        for at, height in enumerate(heights) if height
    )  # fmt: skip
    return drawing("spread", *drawn)


def _files(files: Mapping[str, FileCounts]) -> str:
    """A line for each file."""
    lines = []
    for name, each in islice(zip(short_names([*files]), files.values(), strict=True), FILES):
        numbers = (each.rows, each.with_calls, each.calls, each.rejects, each.median)
        cells = (tag("td", f"{number:,}", class_="number") for number in numbers)
        lines.append(tag("tr", tag("th", text(name), scope="row", class_="name"), *cells))
    head = tag("tr", tag("th", "File", scope="col"), *_heads(("Rows", "With calls", "Calls", "Rejected", "Characters")))
    more = f"and {len(files) - FILES:,} more; --json lists all" if len(files) > FILES else ""
    note = tag("p", more, class_="soft more") if more else ""
    return tag("table", tag("thead", head), tag("tbody", *lines), class_="files") + note


def _heads(words: Iterable[str]) -> Iterator[str]:
    return (tag("th", word, scope="col", class_="number") for word in words)


def _calls(called: Sequence[tuple[str, ToolCounts]], calls: int) -> str:
    """A bar for each tool, and a line for the remaining calls."""
    shown, rest = called[:TOOLS], called[TOOLS:]
    lines = [_bar(name, tool.calls, shown[0][1].calls, calls) for name, tool in shown]
    if rest:
        times = sum(tool.calls for _, tool in rest)
        name = tag("th", f"and {plural(len(rest), 'more tool')}", scope="row", class_="soft")
        lines.append(tag("tr", name, tag("td"), _numbers(times, percent(times, calls))))
    return _bars("Tool", "Calls", lines)


def _bars(what: str, of_what: str, lines: Iterable[str]) -> str:
    head = tag("thead", tag("tr", tag("th", what, scope="col"), tag("td"), *_heads((of_what, "Share"))))
    return tag("table", head, tag("tbody", *lines), class_="bars")


def _bar(name: str, times: int, largest: int, whole: int) -> str:
    head = tag("th", text(name), scope="row", class_="name")
    return tag("tr", head, tag("td", bar(times / largest), class_="drawn"), _numbers(times, percent(times, whole)))


def _numbers(times: int, share: str) -> str:
    return tag("td", f"{times:,}", class_="number") + tag("td", share, class_="number share")


def _arguments(called: Sequence[tuple[str, ToolCounts]]) -> str:
    """For each tool, a cell for each argument; the more calls pass it, the darker the cell."""
    scale = tag("ul", *(tag("li", words, class_=f"heat-{level}") for level, words in enumerate(HEAT)), class_="scale")
    parts = [scale]
    for name, tool in called[:TOOLS]:
        arguments = list(tool.arguments.items())
        cells = "".join(_cell(key, argument, tool.calls) for key, argument in arguments[:ARGUMENTS])
        if len(arguments) > ARGUMENTS:
            cells += tag("li", f"and {len(arguments) - ARGUMENTS:,} more")
        heading = tag("h3", tag("span", text(name), class_="name"), " ", tag("small", tool.note))
        listed = tag("ul", cells, class_="heat") if cells else tag("p", "no arguments", class_="soft")
        parts.append(tag("div", heading, listed, class_="tool"))
    rest = len(called) - TOOLS
    if rest > 0:
        parts.append(tag("p", f"and {plural(rest, 'more tool')}; --json lists all", class_="soft more"))
    return "".join(parts)


def _cell(name: str, argument: ArgumentCounts, calls: int) -> str:
    level = 5 if argument.given == calls else 1 + argument.given * 4 // calls if argument.given else 0
    mark = " missing" if argument.missing else " undeclared" if argument.undeclared else ""
    words = argument.note
    return tag(
        "li",
        tag("span", text(name), class_="name"),
        tag("b", percent(argument.given, calls)),
        tag("small", f"{argument.given:,} of {calls:,}"),
        tag("em", words) if words else "",
        class_=f"heat-{level}{mark}",
    )


def _places(count: int, places: Iterable[Place]) -> str:
    lines = [
        tag(
            "tr",
            tag("th", f"{text(place.file)}:{place.line}", scope="row", class_="name"),
            tag("td", text(place.reason)),
        )
        for place in places
    ]
    more = tag("p", f"and {count - len(lines):,} more", class_="soft more") if count > len(lines) else ""
    return tag("table", *lines, class_="places") + more
