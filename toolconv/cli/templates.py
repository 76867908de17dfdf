"""``templates``: list the chat templates, or describe one."""

from __future__ import annotations

import textwrap

import click

from toolconv.cli import options as cli
from toolconv.cli.page import module_text, page


@cli.command(
    examples=(
        ("List all templates with their dialects and models", "toolconv templates"),
        ("Describe one template", "toolconv templates qwen3"),
    ),
    see=("toolconv-templates(7)",),
)
@click.argument("name", required=False, type=cli.TEMPLATE)
def templates(name: str | None) -> None:
    """List the chat templates for --template, or describe the template NAME."""
    from toolconv.templates import all_templates, get
    from toolconv.templates.originals import effects

    if name is None:
        for template in all_templates():
            click.echo(f"{template.name:20} {template.dialect.name:16} {', '.join(template.models)}")
        return
    template = get(name)
    facts = {
        "name": template.name,
        "aliases": ", ".join(template.aliases),
        "models": ", ".join(template.models),
        "dialect": template.dialect.name,
        "variables": ", ".join(template.variables),
        "system": _default_system(template.default_system or ""),
    }
    original = [("original", f"{each}; toolconv doesn't") for each in effects(template.name)]
    click.echo(page([*facts.items(), *original], module_text(template.module)))


def _default_system(text: str) -> str:
    """The fact that a template has a default system text; empty if it has none."""
    beginning = textwrap.shorten(text, 60, placeholder="…")
    return f'"{beginning}" if there is none; --system gives another' if text else ""
