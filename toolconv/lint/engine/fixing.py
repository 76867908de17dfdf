"""Fixes of a row: made and checked again, until nothing is left to fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
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
        row = checked.row
        fixable = [finding for finding in found if is_fixed(finding, row)]
        done = _apply(checked, fixes.compatible(finding for finding in fixable if _can_be_made(finding, row)))
        if not done:
            break
        if checked.dropped:
            return []
        if check is None:
            made = set(map(id, done))
            return [finding for finding in found if id(finding) not in made]
        found = check(checked.row)
        if checked.row.raw in seen:  # fixes undo each other
            break
        seen.add(checked.row.raw)
    return found


def _can_be_made(finding: Finding, row: LintRow) -> bool:
    """Whether all edits of a finding lead somewhere; one that can't be made must not keep others from being made."""
    return finding.drop_row or all(pointers.leads_to(row.row, edit) for edit in finding.edits or ())


def _apply(checked: Checked, chosen: Sequence[Finding]) -> Sequence[Finding]:
    """Apply the fixes of findings, or if some can't be made together, of some of them; the findings that were fixed."""
    row = checked.row
    if any(finding.drop_row for finding in chosen):
        checked.dropped = chosen[0]
        checked.fixed = checked.fixed + Counter([chosen[0].code])
        return chosen
    if not chosen:
        return []
    text = row.raw.decode("utf-8", "surrogatepass")
    edits = [edit for finding in chosen for edit in finding.edits or ()]
    try:
        fixed = fixes.apply(text, pointers.outside_texts(row.row, edits))
    except fixes.CannotEdit:
        half = len(chosen) // 2
        return (_apply(checked, chosen[:half]) or _apply(checked, chosen[half:])) if half else []
    if fixed == text:
        return []
    checked.fixed = checked.fixed + Counter(finding.code for finding in chosen)
    checked.row = row.with_text(fixed.encode("utf-8", "surrogatepass"))
    return chosen
