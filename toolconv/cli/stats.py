"""``stats``: print statistics of a dataset."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.inspect.stats.counts import DatasetCounts


@cli.command(
    examples=(
        ("Print statistics of a dataset", "toolconv stats fixtures/conversations.jsonl"),
        (
            "Print them as JSON and write an HTML page",
            "toolconv stats fixtures/teacher.jsonl --json --html stats.html",
        ),
    ),
    statuses={1: "a row was rejected, or a call could not be read"},
    see=("toolconv-lint(1)", "toolconv-schema(1)"),
)
@cli.files
@cli.section(
    "Input", cli.source, cli.from_layout, cli.from_template, cli.each_call, cli.declare, *cli.outputs, *cli.places
)
@cli.section(
    "Output",
    cli.option("--tokenizer", type=cli.FILE, help="Count tokens, too, with this tokenizer.json."),
    cli.option("--json", "as_json", is_flag=True, help="Print all counts as one JSON object."),
    cli.option("--card", is_flag=True,
               help="Print the section of a Hugging Face dataset card, with lines to complete."),
    cli.option("--html", type=cli.OUTPUT, help="Also write an HTML page with charts to this file."),
)  # fmt: skip
@cli.section("Run", cli.jobs, cli.max_line, cli.no_progress, cli.quiet)
def stats(**given: Any) -> int:
    """Count rows, turns, calls per tool and the arguments passed.

    Reads standard input if no FILES are given.
    """
    from toolconv import __version__
    from toolconv.io.inputs import STDIN
    from toolconv.io.outputs import Output

    if given["as_json"] and given["card"]:
        raise click.UsageError("use either --card or --json, not both")
    names = list(given["files"]) or [STDIN]
    labels = ["<stdin>" if name == STDIN else name for name in names]
    html: Output | None = None
    try:
        if given["html"]:
            html = Output(given["html"])
        counts = _counted(names, given)
        if html is not None:
            from toolconv.inspect.stats.html import html_page

            html.write(html_page(counts, __version__, labels).encode("utf-8"))
            html.finish()
    finally:
        if html is not None:
            html.abandon()
    if given["as_json"]:
        _print_json(counts, __version__, labels)
    elif given["card"]:
        from toolconv.inspect.stats.card import card

        click.echo(card(counts, __version__).encode("utf-8", "backslashreplace"), nl=False)
    else:
        _print_table(counts)
    return 0 if counts.receipt.clean else 1


def _counted(names: list[str], given: dict[str, Any]) -> DatasetCounts:
    """Count the rows of the inputs."""
    from toolconv.cli.messages import log, log_nothing
    from toolconv.cli.progress import Progress
    from toolconv.cli.reading import read_options
    from toolconv.inspect.stats.run import count_rows

    options = read_options(given["source"], given["from_layout"], given)
    with Progress(names, hidden=given["no_progress"] or given["quiet"]) as progress:
        shown = log_nothing if given["quiet"] else log
        tokenizer, jobs = given["tokenizer"], given["jobs"]
        return count_rows(names, options, jobs=jobs, tokenizer=tokenizer, progress=progress, log=shown)


def _print_json(counts: DatasetCounts, version: str, labels: list[str]) -> None:
    from toolconv.core import jsontext
    from toolconv.core.terminal import escaped_json

    click.echo(escaped_json(jsontext.dumps(counts.as_json(version, labels))))


def _print_table(counts: DatasetCounts) -> None:
    from toolconv.inspect.stats.table import Table

    encoding = sys.stdout.encoding or "ascii"
    plain = not encoding.lower().replace("-", "").startswith("utf8")
    table = Table(shutil.get_terminal_size().columns, plain=plain)
    for line in table.lines(counts):
        click.echo(line.encode(encoding, "backslashreplace"))
