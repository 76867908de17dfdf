"""``templates``: list the chat templates, or describe one."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import listing
from toolconv.cli import options as cli
from toolconv.cli import page as pages

if TYPE_CHECKING:
    from toolconv.templates.base import Template


@cli.command(
    examples=(
        ("List all templates with their dialects and models", "toolconv templates"),
        ("Describe one template", "toolconv templates qwen3"),
        ("List them for a script", "toolconv templates --json"),
    ),
    see=("toolconv-templates(7)",),
)
@click.argument("name", required=False, type=cli.TEMPLATE)
@listing.as_json
def templates(name: str | None, as_json: bool) -> None:
    """List the chat templates for --template, or describe the template NAME."""
    from toolconv.templates import all_templates, get

    def line(template: Template) -> str:
        return f"{template.name:20} {template.dialect.name:16} {', '.join(template.models)}"

    listing.show(name, as_json, all_templates, get, line, facts, page)


def page(template: Template) -> str:
    """A template's page: facts and description."""
    from toolconv.templates.originals import effects

    named = {
        "name": template.name,
        "aliases": ", ".join(template.aliases),
        "models": ", ".join(template.models),
        "dialect": template.dialect.name,
        "variables": ", ".join(template.variables),
        "system": _default_system(template.default_system or ""),
    }
    original = [("original", f"{each}; toolconv doesn't") for each in effects(template.name)]
    return pages.page([*named.items(), *original], pages.module_text(template.module))


def facts(template: Template) -> dict[str, Any]:
    """What ``--json`` says of a template."""
    from toolconv.templates.originals import effects

    return {
        "name": template.name,
        "aliases": list(template.aliases),
        "models": list(template.models),
        "dialect": template.dialect.name,
        "variables": list(template.variables),
        "original": list(effects(template.name)),
    }


def _default_system(text: str) -> str:
    """The fact that a template has a default system text; empty if it has none."""
    beginning = textwrap.shorten(text, 60, placeholder="…")
    return f'"{beginning}" if there is none; --system gives another' if text else ""
