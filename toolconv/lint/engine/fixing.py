"""Fixes of a row: made and checked again, until nothing is left to fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from toolconv.lint.engine.checked import Checked
from toolconv.lint.model import fixes, pointers
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.row import LintRow

MAX_ROUNDS: Final = 1000
"""How often a row is fixed and checked again; each round may allow further fixes."""


def fix(
    checked: Checked,
    found: Iterable[Finding],
    is_fixed: Callable[[Finding, LintRow], bool],
    check: Callable[[LintRow], list[Finding]] | None,
) -> list[Finding]:
    """Fix a row and check it again until nothing is left to fix; the remaining findings.

    Args:
        checked: the row; what is fixed is added to it.
        found: the findings in it.
        is_fixed: whether a finding in a row is to be fixed.
        check: gives the findings in a changed row; ``None`` to fix once, and give those that are left of ``found``.
    """
    found = list(found)
    seen = {checked.row.raw}
    for _ in range(MAX_ROUNDS):
        found = [_within(finding, checked.row) for finding in found]
        fixable = [finding for finding in found if is_fixed(finding, checked.row)]
        chosen = fixes.compatible(fixable)
        done = _apply(checked, chosen)
        for finding in fixable if not done and len(chosen) < len(fixable) else ():
            done = done or _apply(checked, [finding])  # one that a fix which fails had kept from being chosen
        if not done:
            break
        if checked.dropped:
            return []
        if check is None:
            return [finding for finding in found if finding not in done]
        found = check(checked.row)
        if checked.row.raw in seen:  # fixes undo each other
            break
        seen.add(checked.row.raw)
    return found


def _within(finding: Finding, row: LintRow) -> Finding:
    """A finding whose edits are those of whole texts: one inside JSON text becomes one of that text."""
    if finding.edits is None:
        return finding
    edits = (pointers.edit(row.row, each.pointer, each.value, remove=each.remove) for each in finding.edits)
    return replace(finding, edits=tuple(edits))


def _apply(checked: Checked, chosen: list[Finding]) -> list[Finding]:
    """Apply the fixes of findings; the findings that were fixed."""
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
