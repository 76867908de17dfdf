"""TC0xx: a row's own list of rules to ignore."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from toolconv.lint.engine.selection import UnknownRule, find
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import listed, shown
from toolconv.lint.rule import OWN_KEY, RowRule, ignored_words, rule


def _has_own_key(overview: Overview) -> bool:
    """A guard: the row has settings of its own."""
    return OWN_KEY in overview.value


@rule("TC010", "invalid-ignore", "warning", guards=(_has_own_key,))
class InvalidIgnore(RowRule):
    """A row's own list of rules to ignore that has no effect, in whole or in part.

    Anti-pattern: ``"ignore": "TC101"`` instead of a list; a code with a typo; a rule that no longer exists.

    Why it hurts: the findings stay, or a filter drops a row that was meant to be kept.

    Best practice: a list of codes, prefixes of codes or names, as for ``--ignore``.

    Bad: ``{"_toolconv": {"ignore": "TC101"}}``

    Good: ``{"_toolconv": {"ignore": ["TC101"]}}``

    Source: toolconv; ruff's RUF102 does the same for ``noqa``.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        own = row.row.get(OWN_KEY) if row.row is not None else None
        if not isinstance(own, dict) or "ignore" not in own:
            return
        words, pointer = own["ignore"], f"/{OWN_KEY}/ignore"
        if not isinstance(words, list):
            yield self.finding(row, pointer, f"the rules to ignore are {shown(words)}, expected a list of codes")
            return
        for at, word in enumerate(words):
            try:
                find(word if isinstance(word, str) else str(word))
            except UnknownRule as error:
                yield self.finding(row, f"{pointer}/{at}", str(error).rpartition(";")[0])


@rule("TC013", "unused-ignore", "warning", guards=(_has_own_key,), fix="safe")
class UnusedIgnore(RowRule):
    """A row's own list of rules to ignore with a rule that finds nothing there.

    Anti-pattern: a fault was mended, and the list that hid it stayed.

    Why it hurts: the next fault of that kind stays hidden.

    Best practice: remove the rule from the list.

    Only rules that are enabled and look at rows are named, not those that compare rows or count over a dataset.

    Bad: ``{"_toolconv": {"ignore": ["TC101"]}}`` in a row whose calls are all declared

    Good: the row without that key

    Fix: takes the rule out of the list, and the list and its key if nothing is left in them.

    Source: toolconv; ruff's RUF100 does the same for ``noqa``.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        return iter(())  # what the other rules find decides: see unused()

    def unused(
        self, row: LintRow, quiet: Collection[str], known: Collection[str], others: Collection[str]
    ) -> Iterator[Finding]:
        """The findings about words that select enabled rules, none of which finds anything.

        Args:
            row: the row.
            quiet: the codes of the rules that find something in it.
            known: the codes of the enabled rules that look at rows.
            others: those of the other enabled rules, of which it is not known yet what they find.
        """
        words = ignored_words(row.row)
        unused = []
        for word in words:
            try:
                codes = find(word) if isinstance(word, str) else []
            except UnknownRule:
                continue  # reported by TC010
            if any(code in known for code in codes) and not any(code in quiet or code in others for code in codes):
                unused.append(word)
        if unused:
            left = [word for word in words if word not in unused]
            is_all = not left and len(row.at(f"/{OWN_KEY}")) == 1
            edit = Edit(f"/{OWN_KEY}{'' if is_all else '/ignore'}", left or None, remove=not left)
            message = f"the row ignores {listed(unused)}, which would report nothing"
            yield self.finding(row, f"/{OWN_KEY}/ignore", message, edit)
