"""``layouts``: the list, or the page of one."""

from __future__ import annotations

import inspect
import sys

import click


@click.command()
@click.argument("name", required=False)
def layouts(name: str | None) -> None:
    """List the layouts; with a NAME, show its page."""
    from toolconv.layouts import NAMES, UnknownLayout, get

    if name is None:
        for known in sorted(NAMES):
            summary = (inspect.getdoc(sys.modules[get(known).__module__]) or "").partition("\n")[0]
            click.echo(f"{known:16} {summary}")
        return
    try:
        layout = get(name)
    except UnknownLayout as error:
        raise click.UsageError(str(error)) from None
    click.echo(f"name        {layout.name}")
    if layout.aliases:
        click.echo(f"aliases     {', '.join(layout.aliases)}")
    click.echo(f"\n{inspect.getdoc(sys.modules[layout.__module__])}\n\nsample:\n\n{layout.sample}")
