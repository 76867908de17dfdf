"""``schema``: print a JSON Schema or a structural tag for the declared tools, or declarations for the calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import options as cli

if TYPE_CHECKING:
    from toolconv.convert.receipt import Receipt
    from toolconv.core.conversation import Conversation
    from toolconv.core.messages import Tool

FORMS = ("openai", "anthropic", "mcp", "gemini", "typescript")


@cli.command(
    examples=(
        ("Print the JSON Schema of all calls in a dataset", "toolconv schema fixtures/teacher.jsonl"),
        (
            "Print the structural tag that makes vLLM write such calls in the dialect hermes",
            "toolconv schema fixtures/teacher.jsonl --structural-tag --to hermes",
        ),
        (
            "Work declarations out of the calls, for rows that have none",
            "toolconv schema --infer fixtures/teacher.jsonl --form mcp",
        ),
    ),
    statuses={1: "a row was rejected, or a tool left out", 2: "wrong usage, unreadable input, or nothing to print"},
    see=("toolconv-dialects(7)", "toolconv-convert(1)"),
)
@cli.files
@cli.section(
    "Input", cli.source, cli.from_layout, cli.from_template, cli.text_key, cli.prompt_key, *cli.places, cli.max_line
)
@cli.section(
    "Output",
    cli.option("--infer", is_flag=True,
               help="Work the tools out of the calls, and print their declarations, for --declare."),
    cli.option("--form", type=click.Choice(FORMS),
               help="With --infer: whose form the declarations have.  [default: openai]"),
    cli.option("--structural-tag", is_flag=True,
               help="Print a structural tag, with which vLLM and SGLang make a model write valid calls."),
    cli.option("--gbnf", is_flag=True,
               help="Print a GBNF grammar, with which llama.cpp makes a model write valid calls."),
    cli.option("--to", "target", type=cli.DIALECT,
               help="Dialect of the tag or grammar; 'toolconv dialects' lists the dialects."),
)  # fmt: skip
def schema(**given: Any) -> int:
    """Print a JSON Schema for the calls of all declared tools.

    The schema has a branch for each tool, more if rows declare it in several ways, and the tool_schema_hash that a
    receipt for the same rows has. --structural-tag --to D prints a response_format for vLLM, SGLang and xgrammar that
    makes a model call these tools in dialect D; --gbnf --to D prints a grammar for llama.cpp that does. Reads standard
    input if no FILES are given.

    --infer prints declarations for logs that hold none, such as agent sessions. Every call in the input is valid under
    them: a value has the types that were seen; a parameter is required if each of at least 3 calls gives it; texts are
    an enum if they are at most 8 different words, each given twice or more, and 10 times on average.

    \f
    ``--infer`` ignores what the rows declare. It describes nested objects and lists up to 10 levels. Objects with more
    than 64 different names are maps: any members are allowed. At most 1,000 tools and 50,000 places of values are
    described, so that memory is bounded; a message tells what is left out for that. Formats, bounds and descriptions
    are not guessed: add descriptions by hand.
    """
    from toolconv import dialects
    from toolconv.cli.messages import log
    from toolconv.core import jsontext
    from toolconv.core.terminal import escaped_json
    from toolconv.export.gbnf import gbnf
    from toolconv.export.structural_tag import structural_tag
    from toolconv.schema.tools import signatures, union

    grammar, target = given["structural_tag"] or given["gbnf"], given["target"]
    if given["structural_tag"] and given["gbnf"]:
        raise click.UsageError("use either --structural-tag or --gbnf, not both")
    if grammar != bool(target):
        option = "--gbnf" if given["gbnf"] else "--structural-tag"
        raise click.UsageError(f"{option} and --to must be used together: {option} --to DIALECT")
    if given["infer"] and grammar:
        raise click.UsageError("--infer prints declarations: leave out --structural-tag and --gbnf")
    if given["form"] and not given["infer"]:
        raise click.UsageError("--form needs --infer")
    dialect = dialects.get(target) if target else None
    if given["infer"]:
        return _infer(given)
    receipt = _read(given)
    tools = signatures(receipt.tools)
    if not tools:
        raise click.ClickException("no row declares a tool; --infer works declarations out of the calls")
    if corrected := list(dict.fromkeys(tool.name for tool in tools if tool.corrected)):
        log(f"corrected declarations that are not valid JSON Schema: {', '.join(corrected)}")
    if dialect is not None and given["gbnf"]:
        click.echo(gbnf(dialect, tools), nl=False)
        return 1 if receipt.rejects else 0
    if dialect is None:
        document = {"tool_schema_hash": receipt.tool_schema_hash, **union(tools)}
    else:
        document = structural_tag(dialect, tools)
    click.echo(escaped_json(jsontext.dumps(document)))
    return 1 if receipt.rejects else 0


def _infer(given: Mapping[str, Any]) -> int:
    """Print declarations for the calls of the inputs; the exit status."""
    from toolconv.cli.messages import log
    from toolconv.core.plural import plural
    from toolconv.core.terminal import escaped_json
    from toolconv.schema.forms import fits, written
    from toolconv.schema.infer import Inference

    inference = Inference()
    receipt = _read(given, inference.add)
    tools = inference.tools()
    if not tools:
        raise click.ClickException("no row calls a tool; without --infer, the declared tools are printed")
    form = given["form"] or "openai"
    declared: list[Tool] = []
    left: list[Tool] = []
    for tool in tools:
        (declared if fits(tool, form) else left).append(tool)
    if declared:
        click.echo(escaped_json(written(declared, form)), nl=False)
    log(f"{plural(len(tools), 'tool')} from {plural(inference.calls, 'call')} in {plural(receipt.rows_out, 'row')}")
    for why, count in inference.left_out.items():
        log(f"left out: {why} ({count:,})")
    for tool in left:
        name = tool["function"]["name"]
        log(f"left out: {name!r}, since TypeScript can't hold its name or a parameter's; another --form can")
    return 1 if receipt.rejects or left else 0


def _read(given: Mapping[str, Any], take: Callable[[Conversation], None] | None = None) -> Receipt:
    """Read the inputs; logs a message for each rejected row.

    Args:
        given: the options.
        take: called with each conversation; ``None`` to account for the declared tools.
    """
    from toolconv.cli.messages import log
    from toolconv.cli.reading import read_options
    from toolconv.convert.pipeline import conversations
    from toolconv.convert.receipt import Receipt
    from toolconv.io.inputs import STDIN

    receipt = Receipt()
    options = read_options(given["source"], given["from_layout"], given)
    for reading in conversations(given["files"] or [STDIN], replace(options, account=take is None), receipt):
        if take is not None and reading.conversation is not None:
            take(reading.conversation)
    for place in receipt.reject_places:
        log(f"{place.file}:{place.line}: rejected: {place.reason}")
    return receipt
