"""Rows as a page: no scripts, fonts or images from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from toolconv.core.page import page, tag, text
from toolconv.core.plural import plural
from toolconv.core.transcript import CSS, markup, note_markup
from toolconv.inspect.view.rows import ShownRow

MAX_ROWS: Final = 500
"""How many rows a page has, unless the user names another number."""

_CSS: Final = """
.level { border-radius: 4px; padding: .05rem .4rem; font-size: .8rem; border: 1px solid var(--line); }
.error { background: var(--bad-paper); color: var(--bad); }
"""


def html_page(rows: Iterable[ShownRow], names: Sequence[str], version: str) -> str:
    """The page of some rows."""
    sections = [_section(row) for row in rows]
    named = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
    main = tag(
        "main",
        tag("header", tag("h1", text(named)), tag("p", plural(len(sections), "row"), class_="soft")),
        *sections,
        tag("footer", f"Shown by toolconv {text(version)}."),
    )
    return page(f"{text(named)} – toolconv view", main, CSS + _CSS)


def _section(row: ShownRow) -> str:
    return tag(
        "section",
        tag("h2", text(row.place), " ", tag("small", text("; ".join(row.facts)))),
        markup(row.turns, row.notes),
        *(note_markup(note) for note in row.about),
    )
