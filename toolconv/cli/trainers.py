"""``trainers``: list the trainers, or describe one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolconv.cli import listing
from toolconv.cli import options as cli
from toolconv.cli import page as pages

if TYPE_CHECKING:
    from toolconv.trainers.base import Trainer


@cli.command(
    examples=(
        ("List all trainers", "toolconv trainers"),
        ("Describe one trainer", "toolconv trainers llamafactory"),
        ("List them for a script", "toolconv trainers --json"),
    ),
    see=("toolconv-trainers(7)", "toolconv-convert(1)", "toolconv-lint(1)"),
)
@click.argument("name", required=False, type=cli.TRAINER)
@listing.as_json
def trainers(name: str | None, as_json: bool) -> None:
    """List the trainers and uploads for --trainer, or describe the trainer NAME."""
    from toolconv.trainers import all_trainers, get

    def line(trainer: Trainer) -> str:
        return f"{trainer.name:16} {trainer.layout:16} {trainer.checked_with}"

    listing.show(name, as_json, all_trainers, get, line, facts, page)


def page(trainer: Trainer) -> str:
    """A trainer's page: facts and description."""
    named = {
        "name": trainer.name,
        "aliases": ", ".join(trainer.aliases),
        "layout": trainer.layout,
        "also reads": ", ".join(each for each in trainer.reads if each != trainer.layout),
        "marks": ", ".join(trainer.mark_keys) or "none",
        "answers": "several" if trainer.answer_forms else "the first",
        "templates": ", ".join(f"{own} for {student}" for student, own in trainer.templates.items()),
        "repairs": ", ".join(trainer.repairs),
        "leaves out": ", ".join(trainer.removals),
        "checked": trainer.checked_with,
    }
    return pages.page(named.items(), pages.module_text(trainer.module))


def facts(trainer: Trainer) -> dict[str, Any]:
    """What ``--json`` says of a trainer."""
    return {
        "name": trainer.name,
        "aliases": list(trainer.aliases),
        "layout": trainer.layout,
        "reads": list(trainer.reads),
        "marks": list(trainer.mark_keys),
        "several_answers": bool(trainer.answer_forms),
        "templates": dict(trainer.templates),
        "repairs": list(trainer.repairs),
        "leaves_out": list(trainer.removals),
        "checked_with": trainer.checked_with,
    }
