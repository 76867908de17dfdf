"""``receipts``: show the receipts of several runs, check the chain, and add up those of shards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.inspect.receipts.chain import Chain, ChainCheck


@cli.command(
    examples=(
        (
            "Check that what was converted is what was chosen",
            "toolconv select -q fixtures/conversations.jsonl -o chosen.jsonl --receipt 1.json && "
            "toolconv convert -q chosen.jsonl --trainer trl -o train.jsonl --receipt 2.json && "
            "toolconv receipts 1.json 2.json",
        ),
    ),
    statuses={1: "something is wrong"},
    see=("toolconv-score(1)", "toolconv-select(1)", "toolconv-convert(1)"),
)
@click.argument("files", nargs=-1, required=True, metavar="FILES...", type=cli.FILE)
@cli.section(
    "Output",
    cli.option("--json", "as_json", is_flag=True, help="Print runs and checks as one JSON object."),
    cli.option("-o", "--output", type=cli.OUTPUT, help="Write the receipts of shards, added up to one, to this file."),
)
def receipts(**given: Any) -> int:
    """Check how runs follow on each other, by their receipts.

    FILES are receipts, as --receipt writes them, or folders with receipts. The runs are shown with what they read and
    wrote. A file that is here must have the contents that the receipts say, and a run must have read what another one
    wrote. The receipts of the shards of a run count as one.

    For each score and each training set (a file that was written and that no other run read): no prompt of the gold
    rows is in the training set, and it declares the same tools for them. What can't be checked is named.

    \f
    Files are known by their SHA-256. Whether prompts are shared is read from the files, if they are here unchanged, by
    the rule TC510; else it follows from receipts, if both were made from parts of one ``select --split``, or if ``lint
    --eval`` found nothing. Receipts are no proof against someone who writes them by hand.
    """
    from toolconv.core import jsontext
    from toolconv.core.terminal import escaped_json
    from toolconv.inspect.receipts.chain import Chain
    from toolconv.inspect.receipts.documents import read_all, with_shards_added
    from toolconv.inspect.receipts.scores import score_checks
    from toolconv.io.outputs import write_file

    documents = with_shards_added(read_all(given["files"]))
    if given["output"]:
        if len(documents) != 1 or not documents[0].shards:
            raise click.UsageError("-o takes the receipts of the shards of one run, and no others")
        write_file(given["output"], jsontext.dumps_indented(documents[0].content))
    chain = Chain(documents)
    checks = [*chain.checks(), *score_checks(chain)]
    if given["as_json"]:
        click.echo(escaped_json(jsontext.dumps(_as_json(chain, checks))))
    else:
        for line in _lines(chain, checks):
            click.echo(line)
    return 1 if any(check.status == "wrong" for check in checks) else 0


def _as_json(chain: Chain, checks: Sequence[ChainCheck]) -> Mapping[str, Any]:
    """The runs and the checks as JSON data."""
    runs = [
        {
            "receipt": each.name,
            "command": each.command,
            "shards": each.shards,
            "inputs": {name: writer and writer.name for name, writer in chain.sources(each)},
            "outputs": list(each.outputs),
        }
        for each in chain.documents
    ]
    return {"runs": runs, "checks": [check._asdict() for check in checks]}


def _lines(chain: Chain, checks: Sequence[ChainCheck]) -> Iterator[str]:
    """The runs and the checks, for a terminal."""
    from toolconv.core.terminal import escape

    for each in chain.documents:
        shards = f" ({each.shards} shards)" if each.shards else ""
        yield escape(f"{each.name}: {each.command}{shards}{f', {each.rows}' if each.rows else ''}")
        for name, writer in chain.sources(each):
            yield escape(f"  read {name}{f', written by {writer.command} ({writer.name})' if writer else ''}")
        for name in each.outputs:
            yield escape(f"  wrote {name}")
    for check in checks:
        yield escape(f"{check.status}: {check.about}: {check.message}")
    counts = {status: sum(check.status == status for check in checks) for status in ("ok", "wrong", "unknown")}
    yield f"{counts['ok']:,} ok, {counts['wrong']:,} wrong, {counts['unknown']:,} can't be checked"
