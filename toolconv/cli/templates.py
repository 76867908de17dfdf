"""``templates``: the list, or the page of one."""

from __future__ import annotations

import inspect
import sys

import click


@click.command()
@click.argument("name", required=False)
def templates(name: str | None) -> None:
    """List the chat templates that --template takes; with a NAME, show its page."""
    from toolconv.templates import UnknownTemplate, all_templates, get

    if name is None:
        for template in all_templates():
            click.echo(f"{template.name:20} {template.dialect.name:16} {', '.join(template.models)}")
        return
    try:
        template = get(name)
    except UnknownTemplate as error:
        raise click.UsageError(str(error)) from None
    facts = {
        "name": template.name,
        "aliases": ", ".join(template.aliases),
        "models": ", ".join(template.models),
        "dialect": template.dialect.name,
        "variables": ", ".join(template.variables),
    }
    lines = [f"{key:11} {value}" for key, value in facts.items() if value]
    click.echo("\n".join([*lines, "", inspect.getdoc(sys.modules[template.module]) or ""]))
