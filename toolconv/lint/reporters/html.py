"""A page to hand to a colleague: the causes, with examples from the rows, and what the dataset is made of.

It is one file without scripts, fonts or images from elsewhere; nothing in the data is run or loaded.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.page import bar, page, tag, text
from toolconv.core.plural import percent, plural
from toolconv.lint.behaviour import BEHAVIOURS
from toolconv.lint.causes import LEVELS, Cause, Causes
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.reporters.base import Reporter
from toolconv.lint.rule import Rule
from toolconv.lint.selection import all_rules
from toolconv.lint.summary import Summary

MAX_SHOWN: Final = 500
"""How many causes are shown, unless the user names another number."""

MAX_WITH_EXAMPLES: Final = 2_000
EXAMPLES: Final = 3
"""For how many causes examples are kept, and how many of each."""

MOST_NAMES: Final = 3
"""How many files are named in the title."""

TOOLS: Final = 40
"""How many tools are listed."""

BEFORE: Final = 160
VALUE: Final = 240
AFTER: Final = 80
"""How much of a row is shown: characters before the place of the finding, at that place, and after it."""

_WORDS: Final = {"error": "errors", "warning": "warnings", "info": "notes"}
_CSS: Final = """
.figures { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
.level { border-radius: 4px; padding: .05rem .4rem; font-size: .8rem; border: 1px solid var(--line); }
.error { background: var(--bad-paper); color: var(--bad); }
.cause { border-top: 1px solid var(--line); margin-top: .7rem; padding: .7rem 0 0; break-inside: avoid; }
.cause pre + p { margin-top: .5rem; }
.cause p { overflow-wrap: anywhere; }
.cause .bar { width: 8rem; display: inline-block; margin-right: .6rem; }
.why { margin-top: .3rem; }
pre { margin: .35rem 0 0; padding: .5rem .7rem; background: var(--track); border-radius: 6px; white-space: pre-wrap;
  overflow-wrap: anywhere; font: .8rem/1.45 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
mark { background: #ffe08a; color: #1c1b19; border-radius: 2px; }
a { color: inherit; }
@media print { body { background: none; } section, .figures > div { border-color: #ccc; } main { max-width: none; } }
"""


class Html(Reporter):
    """Causes under their rules, errors first."""

    by_cause = True

    def begin(self) -> None:
        self._causes = Causes()
        self._examples: dict[int, list[str]] = {}
        self._levels = Counter[str]()
        self._files: dict[str, None] = {}
        self._rows_with = 0
        self._last: tuple[str, int] | None = None

    def finding(self, finding: Finding, row: LintRow | None) -> None:
        cause = self._causes.add(finding)
        self._levels[finding.level] += finding.count
        self._files.setdefault(finding.file)
        if row is None:
            return
        if self._last != (finding.file, finding.line):
            self._last = (finding.file, finding.line)
            self._rows_with += 1
        shown = self._examples.get(id(cause))
        if shown is None and len(self._examples) < MAX_WITH_EXAMPLES and not cause.is_rest:
            shown = self._examples[id(cause)] = []
        if shown is not None and len(shown) < EXAMPLES:
            shown.append(self._example(finding, row))

    def _example(self, finding: Finding, row: LintRow) -> str:
        """The place of a finding, marked, with what is around it in the row."""
        data, span = self.place_in(row, finding.pointer)
        start, end = (span.start, span.end) if span is not None and finding.pointer else (0, 0)
        first = max(0, start - BEFORE)
        stop = min(end, start + VALUE)
        last = min(len(data), stop + AFTER if end > start else VALUE)
        marked = text(data[start:stop]) + ("…" if stop < end else "")
        around = text(data[first:start]), text(data[stop:last].rstrip("\n"))
        where = f"{Path(finding.file).name}:{finding.line}" + (f" {finding.pointer}" if finding.pointer else "")
        shown = f"{'…' if first else ''}{around[0]}{_tag('mark', marked) if marked else ''}{around[1]}"
        return tag("p", text(where), class_="soft") + tag("pre", shown + ("…" if last < len(data.rstrip()) else ""))

    def end(self) -> None:
        chosen = self._causes.chosen(MAX_SHOWN if self.limit is None else self.limit)
        self.shown += sum(cause.count for cause in chosen)
        names = [Path(file).name for file in self.inputs] or ["rows"]
        name = ", ".join(names)
        if len(names) > MOST_NAMES:
            name = f"{', '.join(names[:2])} and {len(names) - 2} more files"
        hidden = sum(1 for _ in self._causes) - len(chosen)
        main = tag(
            "main",
            tag("header", tag("h1", text(name)), tag("p", "Findings of toolconv lint", class_="soft")),
            self._figures(),
            *([self._by_rule(self._causes.by_weight())] if chosen else [tag("section", tag("p", "Nothing found."))]),
            *self._rules(chosen),
            *([tag("p", f"… and {plural(hidden, 'more cause')}", class_="soft")] if hidden else ()),
            *self._summaries(),
            tag("footer", f"Written by toolconv {text(version('toolconv'))}."),
        )
        self.write(page(f"{text(name)} – toolconv lint", main, _CSS))

    def _figures(self) -> str:
        rows = f"{percent(self._rows_with, self.rows)} of all" if self.rows else ""
        figures = [_figure("Rows", f"{self.rows:,}"), _figure("Rows with findings", f"{self._rows_with:,}", rows)]
        for level in LEVELS:
            bad = level == "error" and self._levels[level] > 0
            figures.append(_figure(_WORDS[level].capitalize(), f"{self._levels[level]:,}", bad=bad))
        return tag("dl", *figures, class_="figures")

    def _summaries(self) -> Iterator[str]:
        """What the dataset is made of."""
        summary = self.summary
        if summary is None or not summary.rows:
            return
        mix: dict[str, int] = {name: summary.behaviours[name] for name in BEHAVIOURS if summary.behaviours[name]}
        note = tag("small", "what the assistant does in its turns")
        yield tag("section", tag("h2", "Behaviour ", note), _table("Turn", "Turns", mix))
        if summary.declared or summary.called:
            yield tag("section", tag("h2", "Tools"), _tools(summary))

    def _by_rule(self, causes: Sequence[Cause]) -> str:
        head = _heads("Rule", "Level", "Causes", "Findings")
        lines = []
        for (code, level), group in _grouped(causes).items():
            name = tag("a", f"{text(code)} {text(group[0].first.name)}", href=f"#{text(code)}-{level}")
            count = sum(cause.count for cause in group)
            lines.append(
                tag(
                    "tr",
                    tag("th", name, scope="row"),
                    tag("td", tag("span", level, class_=f"level {level}")),
                    tag("td", f"{len(group):,}", class_="number"),
                    tag("td", f"{count:,}", class_="number"),
                )
            )
        return tag("section", tag("h2", "Rules"), tag("table", head, tag("tbody", *lines)))

    def _rules(self, causes: Sequence[Cause]) -> Iterator[str]:
        known = all_rules()
        for (code, level), group in _grouped(causes).items():
            heading = f"{text(code)} {text(group[0].first.name)} " + tag("span", level, class_=f"level {level}")
            why = _reasons(known[code]) if code in known else ""
            cards = map(self._cause, group)
            yield tag("section", tag("h2", heading, id=f"{text(code)}-{level}"), why, *cards)

    def _cause(self, cause: Cause) -> str:
        first = cause.first
        often = f"{cause.count:,} times in " if cause.count > cause.rows > 0 else ""
        share = bar(cause.rows / self.rows) if cause.rows and self.rows > 1 else ""
        facts = f"{share}{text(often + cause.share(self.rows))}: {text(cause.lines())}" + (
            f"; fixed by {first.options}" if first.fixable else ""
        )
        return tag(
            "div",
            tag("p", text(cause.message)),
            tag("p", facts, class_="soft"),
            *self._examples.get(id(cause), ()),
            class_="cause",
        )


def _tag(name: str, content: str) -> str:
    """An element inside preformatted text, without a line break after it."""
    return f"<{name}>{content}</{name}>"


def _grouped(causes: Sequence[Cause]) -> dict[tuple[str, str], list[Cause]]:
    groups: dict[tuple[str, str], list[Cause]] = {}
    for cause in causes:
        groups.setdefault((cause.first.code, cause.first.level), []).append(cause)
    return groups


_PARAGRAPH: Final = lazy_re(r"^(Why it hurts|Best practice): (.*?)(?:\n\n|\Z)", re.DOTALL | re.MULTILINE)


def _reasons(rule: type[Rule]) -> str:
    """Why a rule matters and what to do instead, from its page."""
    found = _PARAGRAPH.findall(inspect.getdoc(rule) or "")
    words = (f"{tag('b', head + ':')}{text(' '.join(body.split()).replace('``', ''))}" for head, body in found)
    return "".join(tag("p", each, class_="soft why") for each in words)


def _figure(name: str, value: str, more: str = "", *, bad: bool = False) -> str:
    shown = tag("dd", value, " ", tag("small", more) if more else "")
    return tag("div", tag("dt", name), shown, class_="bad" if bad else "")


def _heads(*names: str) -> str:
    """The head of a table whose last two columns are numbers."""
    cells = (tag("th", name, scope="col", class_="number" if name in names[2:] else "") for name in names)
    return tag("thead", tag("tr", *cells))


def _table(what: str, of_what: str, counts: Mapping[str, int]) -> str:
    whole, largest = sum(counts.values()), max(counts.values(), default=1)
    lines = (_line(name, count / largest, f"{count:,}", percent(count, whole)) for name, count in counts.items())
    return tag("table", _heads(what, "", of_what, "Share"), tag("tbody", *lines), class_="bars")


def _tools(summary: Summary) -> str:
    """The tools that are called most, then those that are only declared."""
    names = sorted(
        {**summary.called, **summary.declared}, key=lambda name: (-summary.called[name], -summary.declared[name], name)
    )
    largest = max(summary.called.values(), default=1)
    lines = [
        _line(name, summary.called[name] / largest, f"{summary.declared[name]:,}", f"{summary.called[name]:,}")
        for name in names[:TOOLS]
    ]
    more = tag("p", f"and {plural(len(names) - TOOLS, 'more tool')}", class_="soft") if len(names) > TOOLS else ""
    return tag("table", _heads("Tool", "", "Rows", "Calls"), tag("tbody", *lines), class_="bars") + more


def _line(name: str, share: float, *numbers: str) -> str:
    head = tag("th", text(name), scope="row", class_="name")
    return tag("tr", head, tag("td", bar(share), class_="drawn"), *(tag("td", n, class_="number") for n in numbers))


REPORTER = Html
