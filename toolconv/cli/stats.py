"""``stats``: count what a dataset holds."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from toolconv.stats.tally import Tally


@click.command()
@click.argument("files", nargs=-1, metavar="[FILES]...")
@click.option("--from", "source", default="auto", metavar="D", show_default=True, help="Dialect of the texts.")
@click.option("--from-layout", metavar="L", help="Layout of the rows.  [default: detected]")
@click.option("--text-key", metavar="PATH", help="Dotted path of the text in a completion row.")
@click.option("--json", "as_json", is_flag=True, help="Write all counts, as one JSON object.")
@click.option("--html", metavar="FILE", help="Write a page with charts there, too.")
@click.option("--no-progress", is_flag=True, help="Show no progress bar.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing on stderr but errors.")
def stats(**given: Any) -> int:
    """Count rows, turns, calls per tool and the arguments they give.

    Reads standard input when no FILES are named. Exit status: 0 all was read, 1 a row was rejected or a call could not
    be read, 2 wrong usage or unreadable input.
    """
    from importlib.metadata import version

    from toolconv.cli.reading import told_errors
    from toolconv.files import STDIN, Output
    from toolconv.stats.page import page

    names = list(given["files"]) or [STDIN]
    labels = ["<stdin>" if name == STDIN else name for name in names]
    html: Output | None = None
    try:
        with told_errors():
            if given["html"]:
                html = Output(given["html"])
            tally = _counted(names, given)
            if html is not None:
                html.write(page(tally, version("toolconv"), labels).encode("utf-8"))
                html.finish()
    finally:
        if html is not None:
            html.abandon()
    if given["as_json"]:
        _print_json(tally, version("toolconv"), labels)
    else:
        _print_table(tally)
    return 0 if tally.receipt.clean else 1


def _counted(names: list[str], given: dict[str, Any]) -> Tally:
    """What the inputs hold."""
    from toolconv.cli.progress import Progress
    from toolconv.cli.reading import read_options, say
    from toolconv.pipeline import conversations
    from toolconv.stats.tally import Tally

    options = read_options(given["source"], given["from_layout"], given["text_key"])
    said = None if given["quiet"] else say
    tally = Tally()
    with Progress(names, hidden=given["no_progress"] or given["quiet"]) as progress:
        for reading in conversations(names, options, tally.receipt, progress=progress, said=said):
            if reading.conversation is not None:
                tally.add(reading.conversation)
    return tally


def _print_json(tally: Tally, version: str, labels: list[str]) -> None:
    from toolconv import jsontext

    click.echo(jsontext.dumps(tally.as_json(version, labels)))


def _print_table(tally: Tally) -> None:
    from toolconv.stats.table import Table

    encoding = sys.stdout.encoding or "ascii"
    plain = not encoding.lower().replace("-", "").startswith("utf8")
    table = Table(shutil.get_terminal_size().columns, plain=plain)
    for line in table.lines(tally):
        click.echo(line.encode(encoding, "backslashreplace"))
