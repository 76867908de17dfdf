"""``score``: compare a model's calls with gold calls."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.score.run import Gold, ScoreOptions, Scores

RECEIPT_OPTIONS = (
    "source", "from_layout", "target", "to_layout", "declare", "text_key", "prompt_key", "lines", "level", "turns",
    "key", "by", "names", "ordered", "ignore", "missing", "answers",
)  # fmt: skip


@cli.command(
    examples=(
        ("Score the outputs of a model", "toolconv score fixtures/score/gold.jsonl fixtures/score/outputs.jsonl"),
        (
            "Compare two models, and write why each row is wrong",
            "toolconv score fixtures/score/gold.jsonl fixtures/score/outputs.jsonl fixtures/score/newer.jsonl "
            "-o verdicts.jsonl",
        ),
        (
            "Fail if less than 80 % of the rows are right",
            "toolconv score fixtures/score/gold.jsonl fixtures/score/outputs.jsonl --fail-under rows.ast.rate=0.8",
        ),
    ),
    statuses={1: "a figure is too low, OTHER is worse, or rows could not be scored"},
    see=("toolconv-diff(1)", "toolconv-stats(1)"),
)
@click.argument("gold", metavar="GOLD", type=cli.ROWS)
@click.argument("outputs", metavar="OUTPUTS", type=cli.ROWS)
@click.argument("other", metavar="[OTHER]", type=cli.ROWS, required=False)
@cli.section(
    "Input",
    cli.option("--from", "source", default="auto", type=cli.SOURCE, show_default=True,
               help="Dialect of the texts in GOLD."),
    cli.option("--from-layout", type=cli.LAYOUT, help="Layout of the rows in GOLD.  [default: detected]"),
    cli.option("--to", "target", default="auto", type=cli.SOURCE, show_default=True,
               help="Dialect of the texts in OUTPUTS and OTHER."),
    cli.option("--to-layout", type=cli.LAYOUT, help="Layout of the rows in OUTPUTS and OTHER.  [default: detected]"),
    cli.option("--answers", type=cli.FILE,
               help="What is right for the rows of GOLD, by id: BFCL's answer file, or a folder of them."),
    cli.declare,
    cli.text_key,
    cli.prompt_key,
    cli.lines,
    cli.max_line,
)  # fmt: skip
@cli.section(
    "Scoring",
    cli.option("--level", type=click.Choice(["exact", "ast", "lenient"]), default="ast", show_default=True,
               help="The level at which a row counts as right."),
    cli.option("--turns", type=click.Choice(["auto", "each", "whole"]), default="auto", show_default=True,
               help="What an output stands for: a turn after the gold's history, or a run through all turns."),
    cli.option("--key", default="id", metavar="KEY", show_default=True,
               help="Key that pairs rows; 'prompt' for the messages before the output, which also pair rows without "
               "the key."),
    cli.option("--by", default="category", metavar="KEY", show_default=True,
               help="Key of GOLD for figures by category."),
    cli.option("--names", type=click.Choice(["exact", "api"]), default="exact", show_default=True,
               help="Whether '.' in a gold name is '_', as several APIs demand."),
    cli.option("--ordered", is_flag=True, help="The order of the calls in a turn counts."),
    cli.option("--ignore", multiple=True, metavar="TOOL.ARGUMENT", help="Don't compare this argument. Repeatable."),
    cli.option("--missing", type=click.Choice(["wrong", "skip"]), default="wrong", show_default=True,
               help="What a gold row without output is: wrong, or left out."),
    cli.option("--k", "ks", metavar="N,N", help="Also print pass@k and pass^k for these numbers of samples."),
)  # fmt: skip
@cli.section(
    "Output",
    cli.option("--json", "as_json", is_flag=True, help="Print all figures as one JSON object."),
    cli.option("-o", "--output", type=cli.OUTPUT, help="Write a row with the verdict on each output of the last file."),
    cli.option("--html", type=cli.OUTPUT, help="Also write a page that shows wrong rows next to gold."),
    cli.option("--pairs", type=cli.OUTPUT,
               help="Write preference rows: gold chosen, the output of the last file rejected, where one call "
               "differs."),
    cli.option("--fail-under", multiple=True, metavar="FIGURE=VALUE",
               help="Exit with 1 if a figure, such as rows.ast.low, is smaller. Repeatable."),
    cli.receipt,
    cli.option("--fail-if-worse", is_flag=True, help="Exit with 1 if OTHER is worse, with p below 0.05."),
)  # fmt: skip
@cli.section("Run", cli.no_progress, cli.quiet)
def score(**given: Any) -> int:
    """Compare a model's calls with gold calls, at three levels.

    GOLD holds what is right: conversations in any layout and dialect, or questions with accepted answers in BFCL's
    shape. OUTPUTS and OTHER, the newer run, hold what a model wrote. Each is a file or a folder; '-' is standard input.

    \f
    Rows are paired by ``id`` if both files have one, else by position. Only the names and the arguments of calls are
    compared. A row is right at the level ``exact`` if the JSON values are equal, at ``ast`` by the rules of BFCL's
    checker, and at ``lenient`` also if what differs is case, white space, punctuation, or a default. ``toolconv help
    score`` lists the rules.

    ``--pairs`` writes canonical rows with ``prompt``, ``chosen`` and ``rejected``, of outputs that are wrong at every
    level in one call, or in one of its arguments, which ``difference`` names. ``toolconv convert --trainer`` writes
    them for each trainer.
    """
    from toolconv.cli.messages import log, log_nothing
    from toolconv.cli.reading import read_options
    from toolconv.convert.pipeline import conversations
    from toolconv.convert.receipt import Receipt
    from toolconv.core import jsontext
    from toolconv.core.plural import plural
    from toolconv.core.terminal import escaped_json
    from toolconv.io.folders import files_in
    from toolconv.io.outputs import Output
    from toolconv.score.answers import read_answers
    from toolconv.score.comparison import RunComparison
    from toolconv.score.html import PageRows, page
    from toolconv.score.pairs import preference_row
    from toolconv.score.report import document, shortfalls
    from toolconv.score.run import Gold, Scores
    from toolconv.score.table import lines

    ks = _numbers(given["ks"])
    limits = [_limit(each) for each in given["fail_under"]]
    names = [name for name in (given["gold"], given["outputs"], given["other"]) if name is not None]
    if names.count("-") > 1:
        raise click.UsageError("only one input can be '-'")
    for each in given["ignore"]:
        if not all(each.rpartition(".")[::2]):
            raise click.UsageError(f"--ignore {each}: give a tool and its argument, such as get_weather.days")
    if given["fail_if_worse"] and given["other"] is None:
        raise click.UsageError("--fail-if-worse compares OUTPUTS with OTHER: name both")
    shown = log_nothing if given["quiet"] else log
    of_gold = {name: given[name] for name in ("max_line", "declare")}
    gold_options = read_options(given["source"], given["from_layout"], of_gold)
    output_options = read_options(given["target"], given["to_layout"], given)
    options = _options(given)
    digests: dict[str, str] = {}
    receipt = Receipt()
    gold_options = replace(gold_options, account=bool(given["receipt"]))
    answers = read_answers(given["answers"]) if given["answers"] else None
    inputs = [[file.name for file in files_in([name])] for name in names]
    if given["answers"]:  # BFCL keeps them in a folder inside that of the questions
        own = {file.name for file in files_in([given["answers"]])}
        inputs[0] = [name for name in inputs[0] if name not in own]
    gold = Gold.read(conversations(inputs[0], gold_options, receipt, log=shown, digests=digests), options, answers)
    output_options = replace(output_options, tools_of=partial(gold.tools_of, key=options.key))
    runs: list[Scores] = []
    shown_rows = PageRows()
    pairs = 0
    with ExitStack() as stack:
        writers: dict[str, Output] = {}
        for kind in ("output", "pairs", "html"):
            if given[kind]:
                writers[kind] = Output(given[kind])
                stack.callback(writers[kind].abandon)
        for at, files in enumerate(inputs[1:], 2):
            scores = Scores(gold, options)
            readings = conversations(files, output_options, Receipt(), log=shown, digests=digests)
            for scored in scores.score(readings):
                if not writers or at < len(names):
                    continue
                if "output" in writers:
                    writers["output"].write(jsontext.dumps_line(scored.as_json()))
                if "html" in writers:
                    shown_rows.add(scored.as_json())
                if "pairs" in writers and (pair := preference_row(scored, gold)) is not None:
                    pairs += 1
                    writers["pairs"].write(jsontext.dumps_line(pair))
            runs.append(scores)
        comparison = RunComparison.of(*runs) if len(runs) > 1 else None
        if "html" in writers:
            text = page(shown_rows, list(lines(runs[-1], comparison, ks)), " and ".join(names))
            writers["html"].write(text.encode("utf-8", "replace"))
        for writer in writers.values():
            writer.finish()
    if not any(run.figures.samples for run in runs):
        for message in () if given["quiet"] else _unscored(gold, runs):
            click.echo(message, err=True)
        raise click.ClickException("no output could be paired with a gold row that says what is right")
    report = document(runs, comparison, names, digests, ks)
    short = list(shortfalls(report["figures"], limits))
    if given["receipt"]:
        from toolconv import __version__
        from toolconv.cli.receipt import options_of, write_account

        document_of_run = receipt.as_json(__version__, options_of(given, RECEIPT_OPTIONS), digests)
        write_account(given, document_of_run | {"score": {key: report[key] for key in ("figures", "comparison")}}, {})
    if given["as_json"]:
        click.echo(escaped_json(jsontext.dumps(report)))
    else:
        for line in lines(runs[-1], comparison, ks):
            click.echo(line)
    if given["pairs"] and not given["quiet"]:
        click.echo(f"{plural(pairs, 'pair')} written", err=True)
    if not given["quiet"]:
        for message in (*_not_found(given, runs[-1]), *_unscored(gold, runs), *_unreadable(runs), *short):
            click.echo(message, err=True)
    worse = given["fail_if_worse"] and comparison is not None and comparison.is_worse
    return 1 if short or worse or _unscored(gold, runs) else 0


def _options(given: dict[str, Any]) -> ScoreOptions:
    from toolconv.cli.reading import source_name
    from toolconv.score.run import ScoreOptions

    return ScoreOptions(
        level=given["level"],
        turns=given["turns"],
        key=given["key"],
        by=given["by"],
        api_names=given["names"] == "api",
        ordered=given["ordered"],
        ignored=frozenset(given["ignore"]),
        skip_missing=given["missing"] == "skip",
        dialect=None if given["target"] == "auto" else source_name(given["target"]),
        hold=bool(given["pairs"]),
    )


def _numbers(text: str | None) -> list[int]:
    """The numbers of samples that ``--k`` gives."""
    try:
        found = [int(each) for each in text.split(",")] if text else []
    except ValueError:
        found = [0]
    if any(k < 1 for k in found):
        raise click.UsageError(f"--k {text}: give numbers of samples, such as 1,5")
    return found


def _limit(text: str) -> tuple[str, float]:
    """A figure and the lowest value that it may have."""
    figure, _, value = text.partition("=")
    try:
        return figure, float(value)
    except ValueError:
        raise click.UsageError(f"--fail-under {text}: give a figure and a value, such as rows.ast.rate=0.8") from None


def _not_found(given: dict[str, Any], scores: Scores) -> list[str]:
    """Keys that were asked for and that rows don't have, a line each."""
    asked = click.get_current_context().get_parameter_source
    found = []
    if asked("key") is not ParameterSource.DEFAULT and scores.pairing not in ("key", given["key"]):
        found.append(f"--key {given['key']}: not in the rows of both files, which are paired by {scores.pairing}")
    if asked("by") is not ParameterSource.DEFAULT and not scores.figures.categories:
        found.append(f"--by {given['by']}: no gold row has this key")
    return found


def _unscored(gold: Gold, runs: list[Scores]) -> list[str]:
    """What was not scored, a line each."""
    found = [f"{place}: {reason}" for place, reason in gold.unscorable]
    found += [f"gold: {key} comes twice; the first one counts" for key in gold.repeated]
    for each in (each for run in runs for each in run.unpaired):
        why = f"rejected: {each.reason}" if each.reason else f"no gold row for {each.key}" if each.key else "no key"
        found.append(f"{each.place}: {why}")
    return _shortened(found)


def _unreadable(runs: list[Scores]) -> list[str]:
    """What could not be read, and so is wrong, a line each."""
    return _shortened([f"{place}: unreadable: {reason}" for run in runs for place, reason in run.unreadable])


def _shortened(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _SHOWN else [*lines[:_SHOWN], f"and {len(lines) - _SHOWN:,} more"]


_SHOWN = 10
"""How many messages of a kind are printed."""
