"""The engine: takes rows, fixes them if requested, and returns findings in file order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from toolconv.core.conversation import Tool
from toolconv.core.errors import FileError
from toolconv.lint.engine.baseline import Baseline
from toolconv.lint.engine.config import Config, ConfigError, rule_options
from toolconv.lint.engine.failures import Failures
from toolconv.lint.engine.habits import Habits
from toolconv.lint.engine.prefilter import Prefilter
from toolconv.lint.engine.selection import Selection, UnknownRule, all_rules, find, get, named, selected
from toolconv.lint.model.finding import Finding, Level, Safety
from toolconv.lint.model.overview import RowSignature
from toolconv.lint.model.purposes import Purpose
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import OWN_KEY, ComparingRule, DatasetRule, Firsts, Rule, SignatureRule
from toolconv.lint.rules.tc0_failed import RuleFailed
from toolconv.lint.rules.tc0_ignores import UnusedIgnore

if TYPE_CHECKING:
    from toolconv.lint.engine.marking import Marked
    from toolconv.lint.engine.summary import Summary

MAX_ROUNDS: Final = 1000
"""How often a row is fixed and checked again; each round may allow further fixes."""

MAX_IN_ROW: Final = 1000
"""How many findings of a rule in a row are kept, except when fixing: a row may have a million calls."""

BATCH_ROWS: Final = 32
BATCH_BYTES: Final = 50_000
"""How many rows, and bytes of them, go through the steps of a check together."""

MAX_SIGNATURES: Final = 256
"""For how many signatures rows are counted before the rules get the numbers."""

_OWN_KEY: Final = f'"{OWN_KEY}"'.encode()

_NOTHING: Final = Counter[str]()


class Checked:
    """The outcome of checking a row.

    Attributes:
        row: the row, fixed if it was.
        findings: the remaining findings.
        fixed: the findings that were fixed, by code.
        dropped: the finding for which the row was dropped; ``None`` for a row that stays.
        marked: the turns that were marked as not trained on; ``None`` if none of the findings asks for it.
        ignored: how many findings the row now ignores itself.
    """

    __slots__ = ("dropped", "findings", "fixed", "ignored", "marked", "row")

    def __init__(
        self,
        row: LintRow,
        findings: list[Finding],
        fixed: Counter[str] = _NOTHING,
        dropped: Finding | None = None,
        marked: Marked | None = None,
        ignored: int = 0,
    ) -> None:
        self.row = row
        self.findings = findings
        self.fixed = fixed
        self.dropped = dropped
        self.marked = marked
        self.ignored = ignored

    @property
    def is_changed(self) -> bool:
        """Whether the row differs from what was read, or was dropped."""
        return bool(self.fixed or self.ignored) or (self.marked is not None and self.marked.turns > 0)

    @property
    def has_error(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.level == "error" for finding in self.findings)


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
        rules: the enabled rules; ``dataset_rules`` and ``comparing_rules`` are subsets.
        unchecked: the rules that the selections name, but that need an option which is not set.
        reported_codes: codes of the rules for the dataset that reported findings in rows.
        failures: the rules for the dataset that failed, other than on a row.
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
        self._prefilter = Prefilter([rule for rule in rows_only if not isinstance(rule, UnusedIgnore)])
        self._unused = next((rule for rule in rows_only if isinstance(rule, UnusedIgnore)), None)
        self._in_rows = frozenset(rule.code for rule in rows_only)
        self.reported_codes: set[str] = set()
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
        self.dataset_rules = [*found, self.habits]
        self._answer_rules = [rule for rule in self.dataset_rules if rule.each_answer]
        self.comparing_rules = [rule for rule in self.dataset_rules if isinstance(rule, ComparingRule)]
        self._signature_rules = [rule for rule in self.dataset_rules if isinstance(rule, SignatureRule)]
        self._repeated: dict[tuple[Any, ...], int] = {}  # rows that rules still have to count, by the row's signature
        self._observe_with: list[tuple[Rule, Callable[[LintRow], Iterable[Finding] | None]]] = [
            (rule, rule.observe if type(rule).find is DatasetRule.find else rule.find)
            for rule in found
            if not isinstance(rule, SignatureRule) or type(rule).find is not DatasetRule.find
        ]
        self.failures = Failures()
        for rule in self.comparing_rules:
            rule.files = dict(files or {})
            rule.firsts = rule.store() if firsts is None else dict(firsts.get(rule.code, {}))
        self.reported_codes = set()

    def add_counts(self, file: str, rules: Sequence[DatasetRule], failures: Failures) -> None:
        """Add the counts of an equivalent linter for the next rows of a file, and its failures to count."""
        self._off(file)  # notes the order of the files
        self.failures.update(failures)
        for mine, theirs in zip(self.dataset_rules, rules, strict=True):
            try:
                mine.merge(theirs)
            except Exception as error:
                self.failures.add(mine, error)

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
            overviews = list(map(prefilter.walk, few))
            yield from map(self._check, few, list(map(prefilter.concerned_by, overviews)))

    def _check(self, row: LintRow, rules: Sequence[Rule]) -> Checked:
        """Check a row with the rules that it concerns."""
        if row.file not in self._ignored:
            self._off(row.file)  # notes the order of the files
        if row.file not in self.habits.settled:
            overview = row.overview
            if row.file not in self.habits.waiting or overview is None or overview.counts.calls:
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

    def count_repeated(self) -> None:
        """Pass the numbers of rows with known signatures to the rules, before their counts are used."""
        for parts, rows in self._repeated.items():
            signature = RowSignature(*parts)
            for rule in self._signature_rules if rows else ():
                try:
                    rule.count_rows(signature, 0, rows)
                except Exception as error:
                    self.failures.add(rule, error)
        self._repeated.clear()

    def finish(self) -> list[Finding]:
        """The findings about the dataset, after all rows; ordered by file, line and code."""
        self.count_repeated()
        found: list[Finding] = []
        for rule in self.dataset_rules:
            try:
                found.extend(rule.finish())
            except Exception as error:
                self.failures.add(rule, error)
        files = self.files
        found += self.failures.in_file(next(iter(files), ""))
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

    def _observe(self, row: LintRow) -> list[Finding]:
        """Let the rules for the dataset observe a row; the findings that they report for it."""
        found: list[Finding] = []
        failures: Failures | None = None
        if self._signature_rules:
            failures = self._count(row)
        for rule, visit in self._observe_with:
            try:
                if more := visit(row):
                    found.extend(more)
            except Exception as error:
                failures = failures or Failures()
                failures.add(rule, error)
        for other in row.other_answers():
            for rule in self._answer_rules:
                try:
                    rule.observe(other)
                except Exception as error:
                    failures = failures or Failures()
                    failures.add(rule, error)
        if found:
            self.reported_codes.update(finding.code for finding in found)
        if failures is not None:
            found += failures.in_row(row)
        if found:
            off = self._off_in(row)
            return [finding for finding in found if finding.code not in off]
        return found

    def _count(self, row: LintRow) -> Failures | None:
        """Count the signature of a row; the rules that failed, if any did."""
        overview = row.overview
        parts = (row.file, overview.layout, bool(overview.toolset.names), overview.counts) if overview else ()
        repeated = self._repeated.get(parts)
        if repeated is not None:
            self._repeated[parts] = repeated + 1
            return None
        failures: Failures | None = None
        for rule in self._signature_rules:
            try:
                rule.count_rows(row.signature, row.line, 1)
            except Exception as error:
                failures = failures or Failures()
                failures.add(rule, error)
        if len(self._repeated) >= MAX_SIGNATURES:
            self.count_repeated()
        if parts and failures is None:
            self._repeated[parts] = 0
        return failures

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
        return [finding for finding in found if finding.code not in off] if off else found

    def _in_other_answers(self, row: LintRow, found: Sequence[Finding]) -> list[Finding]:
        """The findings in the answers of a row after the first; those about what they share are ``found`` already."""
        seen = {(finding.code, finding.pointer, finding.message) for finding in found}
        more: list[Finding] = []
        for other in row.other_answers():
            for finding in self._run(self._prefilter.concerned(other), other):
                if (key := (finding.code, finding.pointer, finding.message)) not in seen:
                    seen.add(key)
                    more.append(finding)
        return more

    def _fixed(self, row: LintRow, found: list[Finding]) -> Checked:
        """Fix the findings in a row, including those of the rules for the dataset."""
        checked = Checked(row, [])
        found = self._rounds(checked, found)
        if checked.dropped:
            return checked
        more = self._observe(checked.row)
        if more:
            before = checked.row
            more = self._rounds(checked, more, again=False)
            if checked.row is not before and not checked.dropped:
                found = self._found_again(checked.row)
        checked.findings = self._reported([*self.habits.kept(found), *more], checked.row.raw)
        return checked

    def _rounds(self, checked: Checked, found: Iterable[Finding], *, again: bool = True) -> list[Finding]:
        """Fix and check a row until nothing is left to fix; the remaining findings."""
        from toolconv.lint.model import fixes

        found = list(found)
        seen = {checked.row.raw}
        for _ in range(MAX_ROUNDS):
            chosen = fixes.compatible(
                finding for finding in found if self.fixable(finding) and not self._is_known(finding, checked.row.raw)
            )
            done = self._apply(checked, chosen)
            if not done:
                break
            if checked.dropped:
                return []
            if not again:
                return [finding for finding in found if finding not in done]
            found = self._found_again(checked.row)
            if checked.row.raw in seen:  # fixes undo each other
                break
            seen.add(checked.row.raw)
        return found

    def _found_again(self, row: LintRow) -> list[Finding]:
        """The findings in a row that was changed."""
        found = self._run(self._prefilter.concerned(row), row)
        return found + self._in_other_answers(row, found)

    def _apply(self, checked: Checked, chosen: list[Finding]) -> list[Finding]:
        """Apply the fixes of findings; the findings that were fixed."""
        from toolconv.lint.model import fixes

        row = checked.row
        if any(finding.drop_row for finding in chosen):
            checked.dropped = chosen[0]
            checked.fixed = checked.fixed + Counter([chosen[0].code])
            return chosen
        text = row.raw.decode("utf-8", "surrogatepass") if chosen else ""
        for attempt in [chosen, *([finding] for finding in chosen)] if len(chosen) > 1 else [chosen]:
            edits = [edit for finding in attempt for edit in finding.edits or ()]
            try:
                fixed = fixes.apply(text, edits) if edits else text
            except fixes.CannotEdit:
                continue  # one of them fails: apply the others alone
            if fixed != text:
                checked.fixed = checked.fixed + Counter(finding.code for finding in attempt)
                raw = fixed.encode("utf-8", "surrogatepass")
                checked.row = row.with_text(raw)
                return attempt
        return []

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
            off |= _ignored_by(row.row)
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


def _ignored_by(row: Mapping[str, Any]) -> frozenset[str]:
    """The codes under ``_toolconv.ignore`` of a row; TC010 reports other words."""
    own = row.get(OWN_KEY)
    words = own.get("ignore") if isinstance(own, dict) else None
    found: set[str] = set()
    for word in words if isinstance(words, list) else ():
        with suppress(UnknownRule):
            found.update(find(word) if isinstance(word, str) else ())
    return frozenset(found)


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


def linter_of(
    select: Sequence[str] | None = None,
    extend_select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    options: Mapping[str, Mapping[str, Any]] | None = None,
) -> Linter:
    """The linter for these arguments of :func:`toolconv.lint_rows`."""
    selection = Selection(tuple(select) if select is not None else None, tuple(extend_select), tuple(ignore))
    settings = {
        code: found
        for word, given in (options or {}).items()
        for code, found in rule_options(get(word).code, given, "options").items()
    }
    return Linter(selections=[selection], options=settings)


__all__ = [
    "Checked", "ConfigError", "Linter", "UnknownRule", "linter_of",
]  # fmt: skip
