"""Verdicts as one HTML page that loads nothing: wrong rows first, gold and output side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.messages import Row
from toolconv.score.verdicts import VERDICTS

MOST: Final = 2000
"""How many rows a page shows at most."""

_STYLE: Final = """
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:75em;padding:0 1em;color:#222;background:#fff}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0;font:13px/1.4 ui-monospace,monospace}
table{border-collapse:collapse;width:100%;table-layout:fixed}
td,th{border:1px solid #ccc;padding:.4em;vertical-align:top;text-align:left}
mark{background:#ffd7d7}section{margin:1em 0}h2{margin-top:2em}.why{color:#555}label{margin-right:1em}
@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}td,th{border-color:#444}
mark{background:#722;color:#fff}.why{color:#aaa}}
"""
_SCRIPT: Final = """
function show(){const t=document.getElementById('tool').value,c=document.getElementById('category').value;
document.querySelectorAll('section').forEach(s=>{s.hidden=!!(t&&!JSON.parse(s.dataset.tools).includes(t))||
!!(c&&s.dataset.category!==c)})}
"""


class PageRows:
    """The rows of a page: as many as fit, wrong ones before right ones.

    Attributes:
        left_out: how many rows there is no room for.
    """

    def __init__(self) -> None:
        self._wrong: list[Row] = []
        self._right: list[Row] = []
        self._seen = 0

    def add(self, row: Row) -> None:
        """A row of ``-o``."""
        self._seen += 1
        rows = self._right if row["right"] else self._wrong
        if len(rows) < MOST:
            rows.append(row)

    @property
    def shown(self) -> list[Row]:
        """The rows to show, grouped by verdict."""
        order = {verdict: at for at, verdict in enumerate((*VERDICTS[1:], VERDICTS[0]))}
        return sorted([*self._wrong, *self._right][:MOST], key=lambda row: order[row["verdict"]])

    @property
    def left_out(self) -> int:
        """How many rows the page leaves out."""
        return self._seen - len(self.shown)


def page(rows: PageRows, table: Sequence[str], title: str) -> str:
    """The page."""
    return "".join(_parts(rows, table, title))


def _parts(rows: PageRows, table: Sequence[str], title: str) -> Iterator[str]:
    shown = rows.shown
    yield f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    yield f"<h1>{escape(title)}</h1><pre>{escape(chr(10).join(table))}</pre>"
    if rows.left_out:
        yield f"<p>{rows.left_out:,} more rows are left out."
    for name, values in (
        ("tool", sorted({tool for row in shown for tool in _tools(row)})),
        ("category", sorted({str(row["category"]) for row in shown if row["category"]})),
    ):
        options = "".join(f"<option>{escape(value)}</option>" for value in values)
        yield f'<label>{name} <select id="{name}" onchange="show()"><option value="">all</option>{options}'
        yield "</select></label>"
    yield f"<script>{_SCRIPT}</script>"
    verdict = None
    for row in shown:
        if row["verdict"] != verdict:
            verdict = row["verdict"]
            count = sum(other["verdict"] == verdict for other in shown)
            yield f"<h2>{escape(verdict)}: {count:,}</h2>"
        yield from _section(row)


def _tools(row: Row) -> list[str]:
    return sorted({str(call["name"]) for side in ("gold", "output") for call in row[side]})


def _section(row: Row) -> Iterator[str]:
    turn = "" if row["turn"] is None else f", turn {row['turn']}"
    sample = f", sample {row['sample']}" if row["sample"] else ""
    tools = escape(jsontext.compact(_tools(row)), quote=True)
    yield f'<section data-tools="{tools}" data-category="{escape(str(row["category"]), quote=True)}">'
    yield f"<b>{escape(str(row['id']))}</b>{turn}{sample} "
    yield f'<span class="why">{escape(", ".join([*map(_why, row["differences"]), *row["flags"]]))}</span>'
    yield "<table><tr><th>gold<th>output<tr>"
    paths = {each["path"] for each in row["differences"]}
    named = any(each["kind"] == "name" for each in row["differences"])
    expected = {"none": "no call", "any": "any call"}.get(row["expect"], "")
    yield f"<td><pre>{escape(expected)}{_calls(row['gold'], paths, named=named)}</pre>"
    yield f"<td><pre>{_calls(row['output'], paths, named=named) or 'no call'}</pre></table></section>"


def _why(difference: dict[str, Any]) -> str:
    return " ".join(filter(None, (difference["kind"], difference["path"])))


def _calls(calls: Sequence[Row], paths: set[str], *, named: bool) -> str:
    lines = []
    for call in calls:
        name = escape(str(call["name"]))
        lines.append(f"<mark>{name}</mark>" if named else name)
        arguments = call["arguments"]
        items = arguments.items() if isinstance(arguments, dict) else [("", arguments)]
        for key, value in items:
            line = escape(f"  {key} = {jsontext.compact(value)}")
            lines.append(f"<mark>{line}</mark>" if key in paths else line)
    return "\n".join(lines)
