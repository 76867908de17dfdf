"""``dialects``: list the dialects, or describe one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from toolconv.cli import options as cli
from toolconv.cli import page as pages

if TYPE_CHECKING:
    from toolconv.dialects.base import Dialect


@cli.command(
    examples=(
        ("List all dialects with their models", "toolconv dialects"),
        ("Describe one dialect", "toolconv dialects hermes"),
    ),
    see=("toolconv-dialects(7)",),
)
@click.argument("name", required=False, type=cli.DIALECT)
def dialects(name: str | None) -> None:
    """List the dialects, or describe the dialect NAME."""
    from toolconv.dialects import all_dialects, get

    if name is None:
        for dialect in all_dialects():
            click.echo(f"{dialect.name:16} {', '.join(dialect.models)}")
        return
    dialect = get(name)
    click.echo(page(dialect))


def page(dialect: Dialect) -> str:
    """A dialect's page: facts, description, losses, sample."""
    from toolconv.dialects.losses import LOSSES

    facts = {
        "name": dialect.name,
        "aliases": ", ".join(dialect.aliases),
        "models": ", ".join(dialect.models),
        "also reads": ", ".join(dialect.fallback_dialects),
    }
    losses = [f"{name:15} {LOSSES.get(name, '')}" for name in dialect.losses]
    described = [pages.module_text(dialect.module), "", *(["possible losses:", "", *losses, ""] if losses else [])]
    return pages.page(facts.items(), "\n".join([*described, "sample:", "", dialect.sample]))
