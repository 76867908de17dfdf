"""``schema``: print a JSON Schema or a structural tag for the tools that rows declare."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.convert.receipt import Receipt


@cli.command(
    examples=(
        ("Print the JSON Schema of all calls in a dataset", "toolconv schema fixtures/teacher.jsonl"),
        (
            "Print the structural tag that makes vLLM write such calls in the dialect hermes",
            "toolconv schema fixtures/teacher.jsonl --structural-tag --to hermes",
        ),
    ),
    statuses={1: "a row was rejected", 2: "wrong usage, unreadable input, or nothing to print"},
    see=("toolconv-dialects(7)", "toolconv-convert(1)"),
)
@cli.files
@cli.section("Input", cli.source, cli.from_layout, cli.max_line)
@cli.section(
    "Output",
    cli.option("--structural-tag", "as_tag", is_flag=True,
               help="Print a structural tag, which forces a model to write valid calls."),
    cli.option("--to", "target", type=cli.DIALECT,
               help="Dialect of the structural tag; 'toolconv dialects' lists the dialects."),
)  # fmt: skip
def schema(
    files: tuple[str, ...], source: str, from_layout: str | None, max_line: int | None, as_tag: bool, target: str | None
) -> int:
    """Print a JSON Schema for the calls of all declared tools.

    The schema has a branch for each tool, more if rows declare it in several ways, and the tool_schema_hash that a
    receipt for the same rows has. --structural-tag --to D prints a response_format for vLLM, SGLang and xgrammar that
    makes a model call these tools in dialect D. Reads standard input if no FILES are given.
    """
    from toolconv import dialects
    from toolconv.cli.messages import log
    from toolconv.core import jsontext
    from toolconv.core.terminal import escaped_json
    from toolconv.schema.structural_tag import structural_tag
    from toolconv.schema.tools import signatures, union

    if as_tag != bool(target):
        raise click.UsageError("--structural-tag and --to must be used together: --structural-tag --to DIALECT")
    dialect = dialects.get(target) if target else None
    receipt = _account(files, source, from_layout, max_line)
    tools = signatures(receipt.tools)
    if not tools:
        raise click.ClickException("no row declares a tool; 'toolconv lint' lists the rows that call undeclared tools")
    if corrected := list(dict.fromkeys(tool.name for tool in tools if tool.corrected)):
        log(f"corrected declarations that are not valid JSON Schema: {', '.join(corrected)}")
    if dialect is None:
        document = {"tool_schema_hash": receipt.tool_schema_hash, **union(tools)}
    else:
        document = structural_tag(dialect, tools)
    click.echo(escaped_json(jsontext.dumps(document)))
    return 1 if receipt.rejects else 0


def _account(files: tuple[str, ...], source: str, from_layout: str | None, max_line: int | None) -> Receipt:
    """Read the declarations of the inputs; logs a message for each rejected row."""
    from toolconv.cli.messages import log
    from toolconv.cli.reading import read_options
    from toolconv.convert.pipeline import conversations
    from toolconv.convert.receipt import Receipt
    from toolconv.io.inputs import STDIN

    receipt = Receipt()
    options = replace(read_options(source, from_layout, {"max_line": max_line}), account=True)
    for _ in conversations(files or [STDIN], options, receipt):
        pass
    for place in receipt.reject_places:
        log(f"{place.file}:{place.line}: rejected: {place.reason}")
    return receipt
