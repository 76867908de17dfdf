"""A row's own list of rules to ignore: read, and written into the row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from toolconv.lint.engine.selection import UnknownRule, find
from toolconv.lint.model.finding import Edit
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import OWN_KEY, ignored_words


def ignored_by(row: Mapping[str, Any]) -> frozenset[str]:
    """The codes under ``_toolconv.ignore`` of a row; TC010 reports other words."""
    found: set[str] = set()
    for word in ignored_words(row):
        with suppress(UnknownRule):
            found.update(find(word) if isinstance(word, str) else ())
    return frozenset(found)


def with_ignores(row: LintRow, codes: Iterable[str]) -> LintRow | None:
    """The row with some rules added to those that it ignores; ``None`` if it has no place for them."""
    from toolconv.lint.model import fixes

    value = row.row
    if value is None:
        return None
    own = value.get(OWN_KEY, {})
    words: Any = own.get("ignore", []) if isinstance(own, dict) else None
    if not isinstance(words, list):
        return None
    more = [*words, *(code for code in codes if code not in words)]
    pointer, new = (f"/{OWN_KEY}/ignore", more) if OWN_KEY in value else (f"/{OWN_KEY}", {"ignore": more})
    try:
        text = fixes.apply(row.raw.decode("utf-8", "surrogatepass"), [Edit(pointer, new)])
    except (fixes.CannotEdit, UnicodeDecodeError):
        return None
    return row.with_text(text.encode("utf-8", "surrogatepass"))
