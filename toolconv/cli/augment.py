"""``augment``: make more rows of rows, by changes that can be undone."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolconv.augment.augmenter import AugmentOptions
    from toolconv.augment.run import AugmentRun, UndoRun
    from toolconv.convert.receipt import Receipt
    from toolconv.convert.result import Reading

RECEIPT_OPTIONS = (
    "source", "from_layout", "from_template", "declare", "text_key", "prompt_key", "messages_key", "tools_key", "roles",
    "shuffle", "distractors", "tools", "mask", "rename", "drop_descriptions", "irrelevance", "declines", "replace",
    "undo", "seed",
)  # fmt: skip

KINDS = ("shuffle", "distractors", "mask", "rename", "drop_descriptions", "irrelevance")

SHARE = click.FloatRange(0, 1)


@cli.command(
    examples=(
        (
            "Add rows with other names, and rows without the right tool",
            "toolconv augment fixtures/conversations.jsonl --mask 0.5 --irrelevance 0.5 --seed 1",
        ),
        (
            "Shuffle the tools among three more, in place",
            "toolconv augment fixtures/conversations.jsonl --shuffle 1 --distractors 3 --replace",
        ),
        (
            "Turn augmented rows back into their sources",
            "toolconv augment fixtures/conversations.jsonl --rename 1 --replace | toolconv augment --undo",
        ),
    ),
    statuses={1: "a row could not be read"},
    see=("toolconv-select(1)", "toolconv-lint(1)"),
)
@cli.files
@cli.section(
    "Input", cli.source, cli.from_layout, cli.from_template, cli.declare, cli.text_key, cli.prompt_key, *cli.places
)
@cli.section(
    "Kinds",
    cli.option("--shuffle", type=SHARE, default=0.0, metavar="SHARE",
               help="Put the tools in another order, in this share of the rows."),
    cli.option("--distractors", type=click.IntRange(min=0), default=0, metavar="N",
               help="Add N tools of other rows, at random places."),
    cli.option("--tools", type=cli.FILE, help="Take the tools to add from this file instead."),
    cli.option("--mask", type=SHARE, default=0.0, metavar="SHARE",
               help="Give functions and parameters names that say nothing, in this share of the rows."),
    cli.option("--rename", type=SHARE, default=0.0, metavar="SHARE",
               help="Write their names in another style: get_weather, getWeather or GetWeather."),
    cli.option("--drop-descriptions", type=SHARE, default=0.0, metavar="SHARE",
               help="Leave out this share of the descriptions of parameters."),
    cli.option("--irrelevance", type=SHARE, default=0.0, metavar="SHARE",
               help="Add rows without the tools that were called, and with an answer that declines."),
    cli.option("--declines", type=cli.FILE, help="Take the answers that decline from this file, one a line."),
    cli.option("--seed", type=click.IntRange(min=0), metavar="N", default=0, show_default=True,
               help="Another seed makes other choices."),
)  # fmt: skip
@cli.section(
    "Output",
    cli.option("--replace", is_flag=True, help="Write a changed row in place of its source, not after it."),
    cli.option("--undo", is_flag=True, help="Write the sources of augmented rows, each once; other rows as they are."),
    cli.option("-o", "--output", type=cli.OUTPUT, help="Write to this file instead of standard output."),
    cli.receipt,
)
@cli.section("Run", cli.max_line, cli.no_progress, cli.quiet)
def augment(**given: Any) -> int:
    """Make more rows of rows: other tools, other names, requests that no tool fits.

    Writes canonical rows: each row, and after it the row that is made of it. Of several kinds, each is applied to its
    share of the rows, to the same copy; --irrelevance makes a row of its own. The key augmented says what a row was
    made from, and how. Reads standard input if no FILES are given.

    \f
    The same seed makes the same rows. What is made of a row depends on the row and the options, and for
    ``--distractors`` and ``--irrelevance`` on the tools of the input, of which the first 1,000 without findings of the
    linter are held. 256 rows are read ahead, so that the first ones have tools to choose from.

    ``--mask`` and ``--rename`` change the names in declarations, calls, the names and ids of results, ``ground_truth``,
    and in texts where they can only mean the tool: names such as ``get_weather`` and ``startDate`` wherever they are
    whole words, others in quotation marks or backquotes, before ``(`` or ``=``. Values of arguments never change: a row
    with one of the names among them keeps its names, and so does a row whose schemas name parameters elsewhere than in
    ``properties`` and ``required``.

    ``--irrelevance`` takes out the tools that a conversation calls, and ends it at the request before the first call;
    gold calls beside it become an empty list.
    It leaves out rows in which a text mentions such a tool, and, unless ``--declines`` is given, requests in another
    script than the Latin one. Whether another tool of the row could help nobody checks.

    The line on stderr counts the rows made of each kind, and those to which a kind could not be applied, with reasons.
    """
    from toolconv.cli.messages import log, log_nothing
    from toolconv.cli.progress import Progress, flushing
    from toolconv.cli.reading import read_options
    from toolconv.convert.pipeline import conversations
    from toolconv.convert.receipt import Receipt
    from toolconv.core import jsontext
    from toolconv.io.inputs import STDIN
    from toolconv.io.outputs import Output
    from toolconv.lint.engine.rewrite import Buffer

    if given["undo"] == any(given[kind] for kind in KINDS):
        raise click.UsageError("give one kind or more, or --undo: --help lists the kinds")
    if given["replace"] and not any(given[kind] for kind in KINDS if kind != "irrelevance"):
        other = "--undo" if given["undo"] else "--irrelevance"
        raise click.UsageError(f"--replace is for the kinds that change a row, and {other} is none of them")
    names = list(given["files"]) or [STDIN]
    options = read_options(given["source"], given["from_layout"], given)
    receipt, digests, rejected = Receipt(), dict[str, str](), list[str]()
    run = _run_of(given)
    with ExitStack() as unfinished:
        output = Output(given["output"], digest=bool(given["receipt"]))
        unfinished.callback(output.abandon)
        buffer = Buffer(output)
        with Progress(names, hidden=given["no_progress"] or given["quiet"]) as progress:
            shown = log_nothing if given["quiet"] else log
            step = flushing([buffer], progress)
            readings = _noting(
                conversations(names, options, receipt, progress=step, log=shown, digests=digests), rejected
            )
            for row in run.rows(readings):
                buffer.data(jsontext.dumps_line(row))
        buffer.flush()
        output.finish()
        if given["receipt"]:
            _write_receipt(given, receipt, run, digests, {output.name or "<stdout>": output.sha256()})
    if not given["quiet"]:
        for message in (*rejected[:_SHOWN], *output.notices, _summary(receipt, run)):
            log(message)
    return 1 if receipt.rejects else 0


_SHOWN = 10
"""How many rejected rows are listed."""


def _run_of(given: dict[str, Any]) -> AugmentRun | UndoRun:
    """The run that the options ask for."""
    from toolconv.augment.run import AugmentRun, UndoRun
    from toolconv.convert.declared_tools import read_declared, tools_of

    if given["undo"]:
        return UndoRun()
    return AugmentRun(_options(given), tools_of(read_declared(given["tools"])) if given["tools"] else None)


def _options(given: dict[str, Any]) -> AugmentOptions:
    from toolconv.augment.augmenter import AugmentOptions
    from toolconv.augment.kinds import DECLINES
    from toolconv.augment.run import declines_in
    from toolconv.core.errors import FileError, reason_of

    declines: tuple[str, ...] = DECLINES
    if given["declines"]:
        try:
            declines = tuple(declines_in(Path(given["declines"]).read_text(encoding="utf-8")))
        except OSError as error:
            raise FileError(f"{given['declines']}: {reason_of(error)}") from None
        except ValueError:
            raise click.UsageError(f"--declines {given['declines']}: one answer a line, as text or JSON") from None
        if not declines:
            raise click.UsageError(f"--declines {given['declines']}: the file holds no answer")
    return AugmentOptions(
        **{kind: given[kind] for kind in KINDS}, declines=declines, seed=given["seed"], replace=given["replace"]
    )


def _noting(readings: Iterator[Reading], rejected: list[str]) -> Iterator[Reading]:
    """The rows, of which those that can't be read are noted."""
    for reading in readings:
        if reading.conversation is None and len(rejected) < _SHOWN:
            rejected.append(f"{reading.file}:{reading.line}: rejected: {reading.reason}")
        yield reading


def _summary(receipt: Receipt, run: AugmentRun | UndoRun) -> str:
    """A line that says what was made."""
    from toolconv.augment.run import UndoRun
    from toolconv.core.plural import plural

    rows = plural(receipt.rows_in, "row")
    rejects = f"; {receipt.rejects:,} rejected" if receipt.rejects else ""
    if isinstance(run, UndoRun):
        again = f"; {plural(run.made_of_one, 'row')} of the source before" if run.made_of_one else ""
        return f"{rows} in, {run.rows_out:,} out{rejects}{again}"
    made = ", ".join(f"{kind} {count:,}" for kind, count in run.augmenter.made.items())
    kept = ", ".join(f"{kind}: {why} {count:,}" for (kind, why), count in run.augmenter.unchanged.most_common())
    return f"{rows} in, {run.rows_out:,} out{rejects}; {made or 'nothing made'}" + (
        f"; unchanged ({kept})" if kept else ""
    )


def _write_receipt(
    given: dict[str, Any],
    receipt: Receipt,
    run: AugmentRun | UndoRun,
    digests: dict[str, str],
    outputs: dict[str, str],
) -> None:
    from toolconv import __version__
    from toolconv.augment.run import AugmentRun
    from toolconv.cli.receipt import options_of, write_account

    document = receipt.as_json(__version__, options_of(given, RECEIPT_OPTIONS), digests)
    document["function_calling"] |= {"rows_out": run.rows_out, "train_examples": run.rows_out}
    if isinstance(run, AugmentRun):
        unchanged: dict[str, dict[str, int]] = {}
        for (kind, why), count in sorted(run.augmenter.unchanged.items()):
            unchanged.setdefault(kind, {})[why] = count
        made = dict(sorted(run.augmenter.made.items()))
        document["augmentation"] = {"rows_out": run.rows_out, "made": made, "unchanged": unchanged}
    write_account(given, document, outputs)
