"""``dialects``: list the dialects, or describe one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import listing
from toolconv.cli import options as cli
from toolconv.cli import page as pages

if TYPE_CHECKING:
    from toolconv.dialects.base import Dialect


@cli.command(
    examples=(
        ("List all dialects with their models", "toolconv dialects"),
        ("Describe one dialect", "toolconv dialects hermes"),
        ("List them for a script", "toolconv dialects --json"),
    ),
    see=("toolconv-dialects(7)",),
)
@click.argument("name", required=False, type=cli.DIALECT)
@listing.as_json
def dialects(name: str | None, as_json: bool) -> None:
    """List the dialects, or describe the dialect NAME."""
    from toolconv.dialects import all_dialects, get

    listing.show(name, as_json, all_dialects, get, lambda each: f"{each.name:16} {', '.join(each.models)}", facts, page)


def facts(dialect: Dialect) -> dict[str, Any]:
    """What ``--json`` says of a dialect."""
    return {
        "name": dialect.name,
        "aliases": list(dialect.aliases),
        "models": list(dialect.models),
        "also_reads": list(dialect.fallback_dialects),
        "losses": list(dialect.losses),
        "sample": dialect.sample,
    }


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
