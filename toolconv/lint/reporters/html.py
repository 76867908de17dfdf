"""A page to hand to a colleague: how many rows are good, the causes of the findings with their rows, and what the
dataset is made of.

It is one file without fonts or images. It can be read without scripts; its own script, which the page's policy allows
by its hash, filters the causes. Nothing in the data is run or loaded. Causes are folded, so that few pages print it.
"""

from __future__ import annotations

import html
import inspect
import json
import os
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Final

from toolconv.core.command import COMMAND
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import calls_of
from toolconv.core.page import bar, page, tag, text
from toolconv.core.plural import percent, plural
from toolconv.core.transcript import CSS, Note, markup, turns_of
from toolconv.lint.engine.causes import LEVELS, Cause, by_rule
from toolconv.lint.engine.selection import all_rules
from toolconv.lint.engine.summary import Summary
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow
from toolconv.lint.reporters.base import ByCause
from toolconv.lint.reporters.places import message_at
from toolconv.lint.rule import Rule
from toolconv.lint.texts.behaviour import BEHAVIOURS

MAX_SHOWN: Final = 500
"""How many causes are shown, unless the user names another number."""

MAX_WITH_EXAMPLES: Final = 2_000
EXAMPLES: Final = 3
"""For how many causes examples are kept, and how many of each."""

MOST_NAMES: Final = 3
"""How many files are named in the title."""

TOOLS: Final = 40
FILES: Final = 100
"""How many tools, and how many files, are listed."""

MAX_LINES: Final = 2_000
MAX_ALL_LINES: Final = 200_000
"""The rows of so many findings of a cause, and of all causes, are kept for the commands that select them."""

LONGEST_CONDITION: Final = 1_500
"""The longest condition that names rows, in characters; longer ones name the rule."""

AROUND: Final = 2
LONGEST_TEXT: Final = 600
"""Of a conversation, so many turns are shown before and after the one with a finding, and so much of each text."""

BEFORE: Final = 160
VALUE: Final = 240
AFTER: Final = 80
"""How much of a row is shown: characters before the place of the finding, at that place, and after it."""

_WORDS: Final = {"error": "errors", "warning": "warnings", "info": "notes"}
_CSS: Final = """
.figures { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
.level { border-radius: 4px; padding: .05rem .4rem; font-size: .8rem; border: 1px solid var(--line); }
.level { white-space: nowrap; }
.error { background: var(--bad-paper); color: var(--bad); }
.cause { border-top: 1px solid var(--line); padding: .45rem 0; }
.cause > summary { cursor: pointer; overflow-wrap: anywhere; }
.cause > summary small { display: block; margin-left: 1.1rem; }
.cause > *:not(summary) { margin-left: 1.1rem; }
.cause p { overflow-wrap: anywhere; margin-top: .4rem; }
.cause details { margin-top: .4rem; }
.why { margin: .15rem 0 .5rem; }
pre { margin: .35rem 0 0; padding: .5rem .6rem; background: var(--paper); border: 1px solid var(--line);
  border-radius: 6px; font-size: .8rem; line-height: 1.45; white-space: pre-wrap; overflow-wrap: anywhere; }
pre.command { user-select: all; }
mark { background: #ffe08a; color: #1c1b19; border-radius: 2px; }
a { color: inherit; }
#filter { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; position: sticky; top: 0; z-index: 1; }
#filter[hidden], #filter label[hidden] { display: none; }
#filter input, #filter select, #filter button { font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: 6px; padding: .2rem .4rem; max-width: 14rem; }
.run dt { color: var(--soft); font-size: .85rem; } .run dd { margin: 0 0 .4rem; overflow-wrap: anywhere; }
@media print {
  body { background: none; font-size: 11px; } main { max-width: none; padding: 0; }
  section, .figures > div { border-color: #ccc; padding: .4rem .6rem; } .cause { padding: .15rem 0; }
  #filter { display: none; } .cause > summary small { display: inline; }
}
@media (max-width: 40rem) {
  #filter { position: static; }
  .cause > *:not(summary), .cause > summary small { margin-left: 0; }
}
"""


class Html(ByCause):
    """Causes under their rules, errors first."""

    def begin(self) -> None:
        super().begin()
        self._examples: dict[int, list[str]] = {}
        self._tools: dict[int, dict[str, None]] = {}
        self._lines: dict[int, dict[str, list[int]]] = {}
        self._kept = 0
        self._levels = Counter[str]()
        self._by_file: dict[str, Counter[str]] = {}
        self._rows_with = 0
        self._rows_with_errors = 0
        self._last: tuple[str, int] | None = None
        self._last_error: tuple[str, int] | None = None

    def finding(self, finding: Finding, row: LintRow | None) -> None:
        cause = self._causes.add(finding)
        self._levels[finding.level] += finding.count
        of_file = self._by_file.setdefault(finding.file, Counter())
        of_file[finding.level] += finding.count
        if row is None:
            return
        place = finding.file, finding.line
        if self._last != place:
            self._last = place
            self._rows_with += 1
            of_file["rows"] += 1
        if finding.level == "error" and self._last_error != place:
            self._last_error = place
            self._rows_with_errors += 1
        self._keep_line(id(cause), finding)
        shown = self._examples.get(id(cause))
        if shown is None and len(self._examples) < MAX_WITH_EXAMPLES and not cause.is_rest:
            shown = self._examples[id(cause)] = []
        if shown is not None and len(shown) < EXAMPLES:
            shown.append(self._example(finding, row, whole=not shown))
            self._tools.setdefault(id(cause), {}).update(dict.fromkeys(_tools_in(finding, row)))

    def _keep_line(self, cause: int, finding: Finding) -> None:
        """Keep the row of a finding for the command that selects the rows of its cause."""
        lines = self._lines.setdefault(cause, {}).setdefault(finding.file, [])
        if (not lines or lines[-1] != finding.line) and len(lines) < MAX_LINES and self._kept < MAX_ALL_LINES:
            lines.append(finding.line)
            self._kept += 1

    def _example(self, finding: Finding, row: LintRow, *, whole: bool) -> str:
        """The place of a finding, marked, with what is around it in the row; with ``whole``, as a conversation, too."""
        data, span = self.place_in(row, finding.pointer)
        start, end = (span.start, span.end) if span is not None and finding.pointer else (0, 0)
        first = max(0, start - BEFORE)
        stop = min(end, start + VALUE)
        last = min(len(data), stop + AFTER if end > start else VALUE)
        marked = text(data[start:stop]) + ("…" if stop < end else "")
        around = text(data[first:start]), text(data[stop:last].rstrip("\n"))
        where = f"{Path(finding.file).name}:{finding.line}" + (f" {finding.pointer}" if finding.pointer else "")
        shown = f"{'…' if first else ''}{around[0]}{_tag('mark', marked) if marked else ''}{around[1]}"
        excerpt = tag("p", text(where), class_="soft") + tag("pre", shown + ("…" if last < len(data.rstrip()) else ""))
        return (_conversation(finding, row) if whole else "") + excerpt

    def end(self) -> None:
        self.limit = MAX_SHOWN if self.limit is None else self.limit
        chosen = self.chosen()
        names = [Path(file).name for file in self.inputs] or ["rows"]
        name = ", ".join(names)
        if len(names) > MOST_NAMES:
            name = f"{', '.join(names[:2])} and {len(names) - 2} more files"
        hidden = sum(1 for _ in self._causes) - len(chosen)
        main = tag(
            "main",
            tag("header", tag("h1", text(name)), tag("p", self._title(), class_="soft")),
            self._figures(),
            *([self._by_rule(self._causes.by_weight())] if chosen else [tag("section", tag("p", "Nothing found."))]),
            *([_files(self._by_file)] if len(self.inputs) > 1 and self._by_file else ()),
            *([_FILTER] if chosen else ()),
            *self._rules(chosen),
            *([tag("p", f"… and {plural(hidden, 'more cause')}", class_="soft")] if hidden else ()),
            *self._summaries(),
            self._run(),
        )
        script = files("toolconv.lint.reporters").joinpath("filter.js").read_text(encoding="utf-8") if chosen else ""
        self.write(page(f"{text(name)} – toolconv lint", main, _CSS + CSS, script))

    def _title(self) -> str:
        known = self.summary.known if self.summary is not None else None
        since = ""
        if known is not None:
            since = f": what is new since the baseline, which has {known[0]:,}; {known[1]:,} of them are gone"
        return f"Findings of toolconv lint{since}"

    def _figures(self) -> str:
        rows = f"{percent(self._rows_with, self.rows)} of all" if self.rows else ""
        good = self.rows - self._rows_with_errors
        kept = f"{percent(good, self.rows)}; --filter keeps them" if self.rows else ""
        figures = [
            _figure("Rows without errors", f"{good:,}", kept),
            _figure("Rows", f"{self.rows:,}"),
            _figure("Rows with findings", f"{self._rows_with:,}", rows),
        ]
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

    def _run(self) -> str:
        """How the page came to be: the command, the version, the date, and the rules with their settings."""
        changed = [
            f"{rule.code}.{name}={rule.option(name)!r}"
            for rule in self.rules
            for name, value in rule.options.items()
            if rule.option(name) != value
        ]
        facts = {
            "Command": COMMAND.get(),
            "Written by": f"toolconv {version('toolconv')}, {_today()}",
            f"{plural(len(self.rules), 'rule')} checked": ", ".join(rule.code for rule in self.rules),
            "Settings": ", ".join(changed),
        }
        shown = (tag("dt", text(name)) + tag("dd", text(value)) for name, value in facts.items() if value)
        return tag("footer", tag("dl", *shown, class_="run"))

    def _by_rule(self, causes: Sequence[Cause]) -> str:
        head = _heads("Rule", "Level", "Causes", "Findings")
        lines = []
        for (code, level), group in by_rule(causes).items():
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
        for (code, level), group in by_rule(causes).items():
            heading = f"{text(code)} {text(group[0].first.name)} " + tag("span", level, class_=f"level {level}")
            why = _reasons(known[code]) if code in known else ""
            cards = map(self._cause, group)
            yield tag("section", tag("h2", heading, id=f"{text(code)}-{level}"), why, *cards, class_="rule")

    def _cause(self, cause: Cause) -> str:
        """A cause: its message and its rows; unfolded, the commands to copy, and examples."""
        first = cause.first
        often = f"{cause.count:,} times in " if cause.count > cause.rows > 0 else ""
        lines = self._lines.get(id(cause), {})
        facts = {
            "level": [first.level], "rule": [f"{first.code} {first.name}"],
            "file": [Path(name).name for name in lines] or [Path(first.file).name],
            "tool": list(self._tools.get(id(cause), ())),
        }  # fmt: skip
        data = {f"data-{name}": html.escape(json.dumps(values)) for name, values in facts.items()}
        return tag(
            "details",
            tag("summary", text(cause.message), tag("small", text(often + cause.share(self.rows)))),
            *self._commands(cause, lines),
            *self._examples.get(id(cause), ()),
            class_="cause",
            **data,
        )

    def _commands(self, cause: Cause, lines: Mapping[str, Sequence[int]]) -> Iterator[str]:
        """The commands that write the rows of a cause, show them, and fix them."""
        first = cause.first
        if cause.rows:
            every = sum(map(len, lines.values())) == cause.rows
            condition = rows_condition(lines) if every else ""
            if not condition or len(condition) > LONGEST_CONDITION:
                condition = f"findings = {first.code}"
            named = shlex.join(file for file in self.inputs if file in lines or len(self.inputs) == 1)
            yield tag("p", text(f"Rows: {cause.lines()}"), class_="soft")
            where = shlex.quote(condition)
            yield tag("pre", text(f"toolconv select {named} --where {where} -o rows.jsonl"), class_="command")
            yield tag("pre", text(f"toolconv view {named} --where {where}"), class_="command")
            if first.fixable:
                fix = f"toolconv lint {named} --select {first.code} {first.options}"
                yield tag("pre", text(fix), class_="command")


_FILTER: Final = tag(
    "section",
    *(
        tag("label", f"{name.capitalize()} ", tag("select", tag("option", "all"), name=name))
        for name in ("level", "rule", "file", "tool")
    ),
    tag("label", "Search ", '<input type="search" name="search"/>'),
    tag("button", "Unfold or fold all", type="button", id="unfold"),
    tag("span", "", id="shown", class_="soft"),
    id="filter",
    hidden="hidden",
)
"""What filters the causes; it is shown by the script that it needs."""


def rows_condition(lines: Mapping[str, Sequence[int]]) -> str:
    """A condition of ``toolconv select`` that holds for these rows, by file, if these files are its inputs."""
    parts = []
    for file, numbers in lines.items():
        rows = " or ".join(_range(start, end) for start, end in _runs(numbers))
        parts.append(f"file = {json.dumps(file)} and ({rows})" if len(lines) > 1 else rows)
    return " or ".join(f"({part})" for part in parts) if len(parts) > 1 else "".join(parts)


def _range(start: int, end: int) -> str:
    return f"line = {start}" if start == end else f"(line >= {start} and line <= {end})"


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as runs without gaps: the first and the last of each."""
    start = before = numbers[0]
    for number in [*numbers[1:], -1]:
        if number != before + 1:
            yield start, before
            start = number
        before = number


def _conversation(finding: Finding, row: LintRow) -> str:
    """The turns around the one with a finding; nothing if it is about none."""
    at = message_at(row, finding.pointer)
    if at is None:
        return ""
    first, last = max(0, at - AROUND), at + AROUND + 1
    turns = [
        turn._replace(pieces=[piece._replace(text=_cut(piece.text)) for piece in turn.pieces])
        for turn in turns_of(row.messages[first:last])
    ]
    return markup(turns, {at - first: [Note(finding.level, finding.code, finding.message)]})


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST_TEXT else f"{words[:LONGEST_TEXT]}…"


def _tools_in(finding: Finding, row: LintRow) -> list[str]:
    """The tools that a finding is about: those that its turn calls, else those that its message names."""
    at = message_at(row, finding.pointer)
    called = [str(call["function"].get("name")) for call in calls_of(row.messages[at])] if at is not None else []
    return called or [name for name in row.index.functions if name in finding.message]


def _files(by_file: Mapping[str, Counter[str]]) -> str:
    """A line for each file with findings."""
    heads = (
        tag("th", name, scope="col", class_="number") for name in ("Errors", "Warnings", "Notes", "Rows with findings")
    )
    lines = []
    ordered = sorted(by_file.items(), key=lambda each: [-each[1][level] for level in LEVELS])
    for file, counts in ordered[:FILES]:
        numbers = (tag("td", f"{counts[name]:,}", class_="number") for name in (*LEVELS, "rows"))
        lines.append(tag("tr", tag("th", text(Path(file).name), scope="row", class_="name"), *numbers))
    more = len(by_file) - FILES
    note = tag("p", f"and {plural(more, 'more file')}", class_="soft") if more > 0 else ""
    head = tag("thead", tag("tr", tag("th", "File", scope="col"), *heads))
    return tag("section", tag("h2", "Files"), tag("table", head, tag("tbody", *lines)), note)


def _today() -> str:
    """The date, or that of ``SOURCE_DATE_EPOCH``, for pages that can be compared."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC)
    return now.strftime("%Y-%m-%d")


def _tag(name: str, content: str) -> str:
    """An element inside preformatted text, without a line break after it."""
    return f"<{name}>{content}</{name}>"


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
