"""The engine: takes rows, fixes them if requested, and returns findings in file order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from toolconv.core.errors import FileError
from toolconv.core.messages import Tool
from toolconv.lint.engine.baseline import Baseline
from toolconv.lint.engine.checked import Checked
from toolconv.lint.engine.config import Config, ConfigError, rule_options
from toolconv.lint.engine.dataset_rules import DatasetRules
from toolconv.lint.engine.failures import Failures
from toolconv.lint.engine.habits import Habits
from toolconv.lint.engine.prefilter import Prefilter
from toolconv.lint.engine.selection import Selection, UnknownRule, all_rules, get, named, selected
from toolconv.lint.model.finding import Finding, Level, Safety
from toolconv.lint.model.purposes import Purpose
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import OWN_KEY, DatasetRule, Firsts, Rule
from toolconv.lint.rules.tc0_failed import RuleFailed
from toolconv.lint.rules.tc0_ignores import UnusedIgnore

if TYPE_CHECKING:
    from toolconv.lint.engine.summary import Summary

MAX_IN_ROW: Final = 1000
"""How many findings of a rule in a row are kept, except when fixing: a row may have a million calls."""

BATCH_ROWS: Final = 32
BATCH_BYTES: Final = 50_000
"""How many rows, and bytes of them, go through the steps of a check together."""

_OWN_KEY: Final = f'"{OWN_KEY}"'.encode()


class Linter:
    """Checks rows, in order, and finally the dataset as a whole.

    Args:
        config: the enabled rules, their levels and options, and the rules ignored for some files.
        selections: the command line's selections of rules, applied after the config's.
        options: the rules' own options, by code; they override the config's.
        baseline: known findings, which are not reported.
        fix: kinds of fixes to make.
        given_tools: tools for rows that declare none; calls are checked against them, the tools themselves are not.
        unfixable: codes of the rules whose findings are not fixed.
        removable: codes of the rules that may drop rows as a fix, with those that the selections name in full.
        summarise: also count what the dataset is made of.
        mark: codes of the rules whose findings mark a turn as not trained on.
        purpose: what the dataset is for; ``None`` to ask each row.
        preview: also enable the rules of the preview tier.
        add_ignores: write the rules of the findings into their rows, as rules to ignore.

    Attributes:
        summary: those counts; ``None`` without them.
        rules: the enabled rules.
        dataset: those for the dataset.
        unchecked: the rules that the selections name, but that need an option which is not set.
    """

    def __init__(
        self,
        config: Config | None = None,
        selections: Sequence[Selection] = (),
        options: Mapping[str, Mapping[str, Any]] | None = None,
        baseline: Baseline | None = None,
        fix: frozenset[Safety] = frozenset(),
        given_tools: Sequence[Tool] = (),
        unfixable: frozenset[str] = frozenset(),
        summarise: bool = False,
        removable: frozenset[str] = frozenset(),
        mark: frozenset[str] = frozenset(),
        purpose: Purpose | None = None,
        add_ignores: bool = False,
        preview: bool = False,
    ) -> None:
        self.mark = mark
        self.add_ignores = add_ignores
        self.purpose = purpose
        self._summarise = summarise
        self.unfixable = unfixable
        self.config = config or Config()
        self.baseline = baseline
        self.fix = fix
        self.given_tools = given_tools
        known = all_rules()
        words = [word for each in (self.config.selection, *selections) for word in each.named_words]
        by_name = named(words)
        self.removable = (removable | by_name) & {code for code, rule in known.items() if rule.drops_rows}
        self.rules: list[Rule] = [
            known[code]({**self.config.options.get(code, {}), **(options or {}).get(code, {})})
            for code in selected([self.config.selection, *selections], preview=preview or self.config.preview)
        ]
        self.unchecked = [rule for rule in self.rules if rule.is_idle and rule.code in by_name]
        rows_only = [rule for rule in self.rules if not isinstance(rule, DatasetRule) and not rule.is_idle]
        self._prefilter = Prefilter([rule for rule in rows_only if not isinstance(rule, UnusedIgnore | RuleFailed)])
        self._unused = next((rule for rule in rows_only if isinstance(rule, UnusedIgnore)), None)
        self._in_rows = frozenset(rule.code for rule in rows_only)
        self._silent = frozenset({RuleFailed.code}.difference(rule.code for rule in self.rules))
        self._ignored: dict[str, frozenset[str]] = {}
        self.start()

    def start(self, files: Mapping[str, int] | None = None, firsts: Firsts | None = None) -> None:
        """Start another dataset, or another part of one.

        Args:
            files: numbers of the files, starting at 0 in a whole dataset.
            firsts: the first rows from before the part, of the kinds in it; ``None`` for a whole dataset.
        """
        self.rules = [type(rule)(rule.settings) if isinstance(rule, DatasetRule) else rule for rule in self.rules]
        self.summary: Summary | None = None
        if self._summarise:
            from toolconv.lint.engine.summary import Summary

            self.summary = Summary({})
        self.habits = Habits()
        found = [each for each in (*self.rules, self.summary) if isinstance(each, DatasetRule)]
        self.dataset = DatasetRules(found, self.habits, files or {}, firsts)

    def add_counts(self, file: str, rules: Sequence[DatasetRule], failures: Failures) -> None:
        """Add the counts of an equivalent linter for the next rows of a file, and its failures to count."""
        self._off(file)  # notes the order of the files
        self.dataset.merge(rules, failures)

    def check(self, row: LintRow) -> Checked:
        """Check a row, and fix it if requested; the rows of a dataset must be passed in order, each once."""
        row.given_tools = self.given_tools
        return self._check(row, self._prefilter.concerned(row))

    def check_all(self, rows: Iterable[LintRow]) -> Iterator[Checked]:
        """Check rows like :meth:`check`, a few at a time, step by step.

        While a step repeats, the processor has its code in the cache, which saves a tenth of the time.
        """
        given_tools, prefilter = self.given_tools, self._prefilter
        for few in _batches(rows):
            for row in few:
                row.given_tools = given_tools
                prefilter.load(row)
            for row in few:
                prefilter.walk(row)
            yield from map(self._check, few, list(map(prefilter.concerned_by, few)))

    def _check(self, row: LintRow, rules: Sequence[Rule]) -> Checked:
        """Check a row with the rules that it concerns."""
        if row.file not in self._ignored:
            self._off(row.file)  # notes the order of the files
        if row.file not in self.habits.settled:
            overview = row.overview
            if (
                row.file not in self.habits.waiting
                or overview is None
                or overview.counts.calls
                or "malformed" in overview.facts
            ):
                self.habits.note(row)
        found = self._run(rules, row) if rules else []
        found += self._in_other_answers(row, found)
        if self._unused is not None and _OWN_KEY in row.raw:
            found += self._unused_ignores(row, self._unused)
        if self.fix:
            checked = self._fixed(row, found)
        else:
            found = [*self.habits.kept(found), *self._observe(row)]
            checked = Checked(row, self._reported(found, row.raw) if found else found)
        if self.mark and checked.findings and not checked.dropped:
            self._mark(checked)
        if self.add_ignores and checked.findings:
            self._ignore(checked)
        return checked

    def _ignore(self, checked: Checked) -> None:
        """Write the rules of a row's findings into the row, as rules to ignore."""
        from toolconv.lint.engine.suppressions import with_ignores

        row = with_ignores(checked.row, dict.fromkeys(finding.code for finding in checked.findings))
        if row is not None:
            checked.row, checked.ignored, checked.findings = row, len(checked.findings), []

    def _unused_ignores(self, row: LintRow, rule: UnusedIgnore) -> list[Finding]:
        """The findings about words of a row's own list that keep nothing quiet."""
        rules = [each for each in self._prefilter.rules if each.code not in self._off(row.file)]
        quiet = {finding.code for each in rules for finding in _found_by(each, row)}
        others = {each.code for each in self.rules}.difference(self._in_rows)
        return [] if rule.code in self._off_in(row) else list(rule.unused(row, quiet, self._in_rows, others))

    def _mark(self, checked: Checked) -> None:
        """Mark the turns of a row whose findings ask for it."""
        from toolconv.lint.engine import marking

        if found := [finding for finding in checked.findings if finding.code in self.mark]:
            checked.row, checked.marked = marking.mark(checked.row, found)

    def finish(self, cut: bool = False) -> list[Finding]:
        """The findings about the dataset, after all rows, or where it was cut; ordered by file, line and code."""
        found = self.dataset.finish(cut)
        files = self.files
        found += self.dataset.failures.in_file(next(iter(files), ""))
        found.sort(key=lambda finding: (files.get(finding.file, len(files)), finding.line, finding.code))
        return self._reported(found, None)

    @property
    def files(self) -> dict[str, int]:
        """The numbers of the files, in the order in which they came."""
        return {file: place for place, file in enumerate(self._ignored)}

    def fixable(self, finding: Finding) -> bool:
        """Whether ``--fix`` would fix a finding, with the requested kinds of fixes."""
        return finding.fixable and (
            finding.safety in self.fix
            and (not finding.drop_row or finding.code in self.removable)
            and finding.code not in self.unfixable
            and finding.code not in self._off(finding.file)
        )

    def _run(self, rules: Iterable[Rule], row: LintRow) -> list[Finding]:
        """The findings of rules in a row. If a rule has very many, the later ones are summed up, if the row stays."""
        row.purpose, row.habits = self.purpose, self.habits
        found: list[Finding] = []
        failures: Failures | None = None
        for rule in rules:
            try:
                if self.fix or self.mark:
                    found.extend(rule.find(row))
                    continue
                more = iter(rule.find(row))
                before = len(found)
                found.extend(islice(more, MAX_IN_ROW))
                if len(found) == before + MAX_IN_ROW:
                    found.extend(_summed(more))
            except Exception as error:
                failures = failures or Failures()
                failures.add(rule, error)
        if failures is not None:
            found += failures.in_row(row)
        off = self._off_in(row)
        return [finding for finding in found if finding.code not in off]

    def _in_other_answers(self, row: LintRow, found: Sequence[Finding]) -> list[Finding]:
        """The findings in the answers of a row after the first; those about what they share are ``found`` already."""
        more: list[Finding] = []
        others = row.other_answers()
        seen = {(finding.code, finding.pointer, finding.message) for finding in found} if others else set()
        for other in others:
            for finding in self._run(self._prefilter.concerned(other), other):
                if (key := (finding.code, finding.pointer, finding.message)) not in seen:
                    seen.add(key)
                    more.append(finding)
        return more

    def _observe(self, row: LintRow) -> list[Finding]:
        """Let the rules for the dataset observe a row; the findings that they report for it."""
        found = self.dataset.observe(row)
        if found:
            off = self._off_in(row)
            return [finding for finding in found if finding.code not in off]
        return found

    def _fixed(self, row: LintRow, found: list[Finding]) -> Checked:
        """Fix the findings in a row, including those of the rules for the dataset."""
        from toolconv.lint.engine.fixing import fix

        checked = Checked(row, [])
        found = fix(checked, found, self._is_fixed, self._found_again)
        if checked.dropped:
            return checked
        more = self._observe(checked.row)
        if more:
            before = checked.row
            more = fix(checked, more, self._is_fixed, None)
            if checked.row is not before and not checked.dropped:
                found = self._found_again(checked.row)
        checked.findings = self._reported([*self.habits.kept(found), *more], checked.row.raw)
        return checked

    def _is_fixed(self, finding: Finding, row: LintRow) -> bool:
        return self.fixable(finding) and not self._is_known(finding, row.raw)

    def _found_again(self, row: LintRow) -> list[Finding]:
        """The findings in a row that was changed."""
        found = self._run(self._prefilter.concerned(row), row)
        return found + self._in_other_answers(row, found)

    def _reported(self, found: Iterable[Finding], raw: bytes | None) -> list[Finding]:
        """The findings to report: the unknown ones, at their configured levels, in the order of their places."""
        severity = self.config.severity
        reported = []
        for finding in found:
            if raw is None and finding.code in self._off(finding.file):
                continue
            if self._is_known(finding, raw):
                continue
            if finding.code in self.unfixable:
                finding = replace(finding, edits=None, safety=None, drop_row=False)
            level = severity.get(finding.code)
            reported.append(replace(finding, level=level) if level and level != finding.level else finding)
        if raw is not None and len(reported) > 1:
            reported.sort(key=lambda finding: (_natural(finding.pointer), finding.code))
        return reported

    def _is_known(self, finding: Finding, raw: bytes | None) -> bool:
        return self.baseline is not None and self.baseline.knows(finding, raw)

    def _off_in(self, row: LintRow) -> frozenset[str]:
        """The codes that are off for a row: for its file, by its id in the configuration, or in the row itself."""
        off = self._off(row.file)
        if self.config.per_row_ignores and row.id is not None:
            off |= self.config.per_row_ignores.get(row.id, frozenset())
        if _OWN_KEY in row.raw and row.row is not None:
            from toolconv.lint.engine.suppressions import ignored_by

            off |= ignored_by(row.row)
        return off

    def _off(self, file: str) -> frozenset[str]:
        off = self._ignored.get(file)
        if off is None:
            off = self._ignored[file] = self.config.ignored(file) | self._silent
        return off


def _found_by(rule: Rule, row: LintRow) -> Iterable[Finding]:
    """The findings of a rule in a row; none if it fails."""
    try:
        return list(islice(rule.find(row), MAX_IN_ROW))
    except Exception:  # reported where the row is checked
        return []


def _batches(rows: Iterable[LintRow]) -> Iterator[list[LintRow]]:
    """Rows in lists of a few, also those before an error."""
    few: list[LintRow] = []
    room = BATCH_BYTES
    try:
        for row in rows:
            few.append(row)
            room -= len(row.raw)
            if room <= 0 or len(few) == BATCH_ROWS:
                yield few
                few, room = [], BATCH_BYTES
    except FileError:
        yield few
        raise
    yield few


def _summed(found: Iterable[Finding]) -> Iterator[Finding]:
    """One finding of each kind, with their number."""
    first: dict[tuple[Level, Safety | None], Finding] = {}
    counts: Counter[tuple[Level, Safety | None]] = Counter()
    for finding in found:
        kind = finding.level, finding.safety
        first.setdefault(kind, finding)
        counts[kind] += 1
    for kind, finding in first.items():
        count = counts[kind]
        message = f"and {count:,} more from here on in this row"
        yield replace(finding, message=message, count=count) if count > 1 else finding


def _natural(pointer: str) -> list[tuple[int, str]]:
    """A key that sorts pointers in the order of the row: ``/messages/2`` before ``/messages/10``."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in pointer.split("/")]


def _words(words: Sequence[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)  # a text is a sequence of letters, for types as well


def linter_of(
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Linter:
    """The linter for these arguments of :func:`toolconv.lint_rows`."""
    chosen = None if select is None else _words(select)
    selection = Selection(chosen, _words(extend_select), _words(ignore))
    settings = {
        code: found
        for word, given in (options or {}).items()
        for code, found in rule_options(get(word).code, given, "options").items()
    }
    return Linter(selections=[selection], options=settings)


__all__ = ["ConfigError", "Linter", "UnknownRule", "linter_of"]
