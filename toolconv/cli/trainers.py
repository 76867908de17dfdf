"""``trainers``: list the trainers, or describe one."""

from __future__ import annotations

import click

from toolconv.cli import options as cli
from toolconv.cli.page import module_text, page


@cli.command(
    examples=(
        ("List all trainers", "toolconv trainers"),
        ("Describe one trainer", "toolconv trainers llamafactory"),
    ),
    see=("toolconv-trainers(7)", "toolconv-convert(1)", "toolconv-lint(1)"),
)
@click.argument("name", required=False, type=cli.TRAINER)
def trainers(name: str | None) -> None:
    """List the trainers and uploads for --trainer, or describe the trainer NAME."""
    from toolconv.trainers import all_trainers, get

    if name is None:
        for trainer in all_trainers():
            click.echo(f"{trainer.name:16} {trainer.layout:16} {trainer.checked_with}")
        return
    trainer = get(name)
    facts = {
        "name": trainer.name,
        "aliases": ", ".join(trainer.aliases),
        "layout": trainer.layout,
        "also reads": ", ".join(each for each in trainer.reads if each != trainer.layout),
        "repairs": ", ".join(trainer.repairs),
        "leaves out": ", ".join(trainer.removals),
        "checked": trainer.checked_with,
    }
    click.echo(page(facts.items(), module_text(trainer.module)))
