"""``view``: show rows as conversations."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.inspect.view.rows import ShownRow
    from toolconv.select.run import SelectRun


@cli.command(
    examples=(
        ("Read a dataset, page by page", "toolconv view fixtures/glaive.jsonl"),
        ("Show one row", "toolconv view fixtures/conversations.jsonl --id tokyo"),
        (
            "Show rows with wrong calls, as a page",
            "toolconv view fixtures/glaive.jsonl --where 'errors > 0' --html rows.html",
        ),
    ),
    statuses={1: "no row is shown, or a row could not be read"},
    environment={
        "PAGER": "The program that shows the rows on a terminal.",
        "NO_COLOR": "If set, show no colours.",
    },
    see=("toolconv-select(1)", "toolconv-lint(1)", "toolconv-stats(1)"),
)
@cli.files
@cli.section("Input", cli.source, cli.from_layout, cli.from_template, cli.each_call, *cli.outputs, *cli.places)
@cli.section(
    "Rows",
    cli.option("--id", "identity", metavar="ID", help="Show the rows with this id."),
    cli.option("--where", multiple=True, metavar="CONDITION",
               help="Show rows for which this holds, such as 'calls = ping and errors > 0': see 'toolconv select'."),
    cli.option("--limit", type=click.IntRange(min=1), metavar="N", help="Show only the first N of them."),
)  # fmt: skip
@cli.section(
    "Output",
    cli.option("--no-lint", is_flag=True, help="Don't check the rows: show them without findings."),
    cli.option("--html", type=cli.OUTPUT, help="Write the rows to this file, as an HTML page, and don't show them."),
    cli.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True,
               help="Whether rows are in colour."),
    cli.option("--no-pager", is_flag=True, help="Print all rows at once, also on a terminal."),
)  # fmt: skip
@cli.section("Run", cli.max_line, cli.quiet)
def view(**given: Any) -> int:
    """Show rows as conversations, with calls, results, findings and losses.

    The rows may be in any layout and dialect; what toolconv understands of them is what is shown. On a terminal, they
    are shown in the pager. Reads standard input if no FILES are given.
    """
    from toolconv.cli.messages import log
    from toolconv.io.inputs import STDIN
    from toolconv.lint.reporters.base import wants_colour

    run = _run_of(given)
    names = list(given["files"]) or [STDIN]
    count = 0

    def counted() -> Iterator[ShownRow]:
        nonlocal count
        for row in islice(_rows(run, names, given["identity"]), given["limit"]):
            count += 1
            yield row

    if given["html"]:
        _write_page(counted(), names, given)
    else:
        colour = wants_colour(sys.stdout, given["color"])
        if sys.stdout.isatty() and not given["no_pager"]:
            click.echo_via_pager(_text(counted(), colour=colour), color=colour)
        else:
            for part in _text(counted(), colour=colour):
                click.echo(part, nl=False, color=colour)
    if not given["quiet"]:
        for place in run.places:
            log(f"{place.file}:{place.line}: rejected: {place.reason}")
        for notice in run.notices():
            log(notice)
        if not count:
            log(f"none of the {run.rows_in:,} rows is shown" if run.rows_in else "there are no rows")
    return 0 if count and not run.rejects else 1


def _rows(run: SelectRun, names: list[str], identity: str | None) -> Iterator[ShownRow]:
    """The rows to show; with ``identity``, those with this id."""
    from toolconv.inspect.view.rows import shown

    for row in run.meeting(names):
        if identity is None or str(row.conversation.source.get("id")) == identity:
            yield shown(row)


def _text(rows: Iterator[ShownRow], *, colour: bool) -> Iterator[str]:
    from toolconv.inspect.view.terminal import lines

    for row in rows:
        yield "\n".join(lines(row, colour=colour)).encode("utf-8", "backslashreplace").decode() + "\n"


def _write_page(rows: Iterator[ShownRow], names: list[str], given: Mapping[str, Any]) -> None:
    """Write the page, with at most so many rows as it may have."""
    from toolconv import __version__
    from toolconv.cli.messages import log
    from toolconv.inspect.view.html import MAX_ROWS, html_page
    from toolconv.io.inputs import STDIN
    from toolconv.io.outputs import Output

    output = Output(given["html"])
    try:
        shown = rows if given["limit"] else islice(rows, MAX_ROWS)
        labels = ["<stdin>" if name == STDIN else name for name in names]
        output.write(html_page(shown, labels, __version__).encode("utf-8", "backslashreplace"))
        output.finish()
    finally:
        output.abandon()
    if not given["limit"] and next(rows, None) is not None and not given["quiet"]:
        log(f"the page has the first {MAX_ROWS:,} rows; --limit shows more, --where chooses others")


def _run_of(given: Mapping[str, Any]) -> SelectRun:
    """What reads the rows, and finds those that are asked for."""
    from toolconv.cli.linters import make_linter
    from toolconv.cli.messages import log_nothing
    from toolconv.cli.reading import read_options
    from toolconv.select.expression import parse
    from toolconv.select.facts import FACTS
    from toolconv.select.run import SelectRun

    conditions = [parse(text, FACTS) for text in given["where"]]
    return SelectRun(
        options=read_options(given["source"], given["from_layout"], given),
        conditions=conditions,
        linter=None if given["no_lint"] else make_linter({}),
        log=log_nothing,
    )
