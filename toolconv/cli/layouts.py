"""``layouts``: list the layouts, or describe one."""

from __future__ import annotations

import inspect
import sys

import click

from toolconv.cli import options as cli


@cli.command(
    examples=(
        ("List all layouts", "toolconv layouts"),
        ("Describe one layout", "toolconv layouts anthropic"),
        ("Print the LLaMA-Factory configuration for a file", "toolconv layouts llamafactory --dataset-info train.json"),
    ),
    see=("toolconv-layouts(7)",),
)
@click.argument("name", required=False, type=cli.LAYOUT)
@cli.section(
    "Output",
    cli.option("--dataset-info", type=cli.ROW_FILE,
               help="For llamafactory: print the entry of dataset_info.json for FILE."),
)  # fmt: skip
def layouts(name: str | None, dataset_info: str | None) -> None:
    """List the layouts, or describe the layout NAME."""
    from toolconv.layouts import get, names

    if name is None:
        for known in names():
            summary = (inspect.getdoc(sys.modules[get(known).__module__]) or "").partition("\n")[0]
            click.echo(f"{known:16} {summary}")
        return
    layout = get(name)
    if dataset_info is not None:
        _print_dataset_info(layout.name, dataset_info)
        return
    click.echo(f"name        {layout.name}")
    if layout.aliases:
        click.echo(f"aliases     {', '.join(layout.aliases)}")
    click.echo(f"\n{inspect.getdoc(sys.modules[layout.__module__])}\n\nsample:\n\n{layout.sample}")


def _print_dataset_info(layout: str, file: str) -> None:
    """Print the entry of LLaMA-Factory's ``dataset_info.json`` that describes the columns and tags of a file."""
    from pathlib import Path

    from toolconv.core import jsontext
    from toolconv.layouts.formats.llamafactory import dataset_info

    if layout != "llamafactory":
        raise click.UsageError("--dataset-info works only with the layout llamafactory")
    click.echo(jsontext.pretty(dataset_info(Path(file).name.partition(".")[0], Path(file).name)))
