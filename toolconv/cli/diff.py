"""``diff``: compare two files of rows, for example before and after a conversion."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.inspect.diff.report import Report


@cli.command(
    examples=(
        (
            "Show what a conversion changed",
            "toolconv convert fixtures/teacher.jsonl --from hermes --to qwen3_xml | "
            "toolconv diff fixtures/teacher.jsonl - --from hermes --to qwen3_xml",
        ),
        (
            "Print the differences between two files as JSON lines",
            "toolconv diff fixtures/teacher.jsonl fixtures/cut.jsonl --json",
        ),
    ),
    statuses={0: "no differences", 1: "differences found"},
    see=("toolconv-convert(1)", "toolconv-stats(1)"),
)
@click.argument("a", metavar="A", type=cli.ROWS)
@click.argument("b", metavar="B", type=cli.ROWS)
@cli.section(
    "Input",
    cli.option("--from", "source", default="auto", type=cli.SOURCE, show_default=True,
               help="Dialect of the texts in A; 'toolconv dialects' lists the dialects."),
    cli.option("--from-layout", type=cli.LAYOUT, help="Layout of the rows in A.  [default: detected]"),
    cli.option("--from-template", type=cli.TEMPLATE_OR_FILE,
               help="Chat template that wrote the texts in A: a name, or a file.  [default: detected]"),
    cli.option("--to", "target", default="auto", type=cli.SOURCE, show_default=True, help="Dialect of the texts in B."),
    cli.option("--to-layout", type=cli.LAYOUT, help="Layout of the rows in B.  [default: detected]"),
    cli.option("--to-template", type=cli.TEMPLATE_OR_FILE, help="Chat template that wrote the texts in B."),
    cli.text_key,
    cli.prompt_key,
    *cli.places,
    cli.max_line,
)  # fmt: skip
@cli.section(
    "Output",
    cli.option("--key-order", is_flag=True, help="Also compare the order of keys."),
    cli.option("--json", "as_json", is_flag=True, help="Print the differences as JSON objects, one per line."),
)
@cli.section("Run", cli.no_progress, cli.quiet)
def diff(**given: Any) -> int:
    """Compare the contents of two files of rows, or of two folders of them, in any layouts and dialects.

    Rows are paired by position, or by id if both have one. '-' is standard input.

    \f
    Both files are converted to canonical conversations, of which calls, arguments, prose, reasoning, roles, tools and
    other keys are compared. Values differ if their JSON texts differ: ``1`` is not ``1.0`` or ``"1"``. The order of
    keys is compared only with ``--key-order``. The ids of calls are not compared, since most dialects can't carry them,
    but which call a response answers is. A row without a partner, or that can't be read, is a difference.
    """
    from toolconv.inspect.diff.report import Report
    from toolconv.io.inputs import STDIN
    from toolconv.lint.reporters.base import wants_colour

    names = [given["a"], given["b"]]
    one, other = ("<stdin>" if name == STDIN else name for name in names)
    report = Report(one, other, colour=not given["as_json"] and wants_colour(sys.stdout))
    _compare(names, given, report)
    if not given["quiet"]:
        click.echo(report.summary(), err=True)
    return 1 if report.differing else 0


def _compare(names: list[str], given: dict[str, Any], report: Report) -> None:
    """Compare all rows and print the differences."""
    from toolconv.cli.messages import log, log_nothing
    from toolconv.cli.progress import Progress
    from toolconv.cli.reading import read_options
    from toolconv.convert.pipeline import conversations
    from toolconv.convert.receipt import Receipt
    from toolconv.core import jsontext
    from toolconv.core.terminal import escaped_json
    from toolconv.inspect.diff.changes import differences
    from toolconv.inspect.diff.pairs import paired
    from toolconv.inspect.diff.report import as_json
    from toolconv.io.folders import files_in
    from toolconv.lint.engine.rewrite import Buffer

    options = (
        read_options(given["source"], given["from_layout"], given),
        read_options(given["target"], given["to_layout"], {**given, "from_template": given["to_template"]}),
    )
    buffer = Buffer(sys.stdout.buffer)
    with Progress(names, hidden=given["no_progress"] or given["quiet"] or sys.stdout.isatty()) as progress:
        both = _CombinedProgress(progress)
        note = log_nothing if given["quiet"] else log
        a, b = (
            conversations(
                [file.name for file in files_in([name])], option, Receipt(), progress=both.side(side), log=note
            )
            for side, (name, option) in enumerate(zip(names, options, strict=True))
        )
        for mine, theirs in paired(a, b):
            found = list(differences(mine, theirs, key_order=given["key_order"]))
            report.count(found)
            for difference in found:
                if given["as_json"]:
                    buffer.text(escaped_json(jsontext.dumps_line(as_json(mine, theirs, difference))))
                else:
                    buffer.text(report.line(mine, theirs, difference) + "\n")
    buffer.flush()


class _CombinedProgress:
    """Adds up the progress of two inputs that are read in parallel."""

    def __init__(self, progress: Callable[..., None] | None) -> None:
        self._progress = progress
        self._read = [0, 0]

    def side(self, side: int) -> Callable[[int, int, int], None]:
        """The function that takes the progress of one of the inputs."""

        def update(read: int, rows: int, rejects: int) -> None:
            self._read[side] = read
            if self._progress is not None:
                self._progress(sum(self._read))

        return update
