"""What ``convert --trainer`` would lose of a row in a layout that the trainer does not read: the row is converted.

So a run of ``lint --trainer`` names what a run of ``convert --trainer`` counts, whatever the step that loses it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Final

from toolconv import trainers
from toolconv.convert.converter import Converter
from toolconv.convert.options import Options
from toolconv.convert.row_checks import Rejected
from toolconv.core import jsontext
from toolconv.core.errors import FileError
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import RenderError
from toolconv.layouts.base import Layout, LayoutError
from toolconv.lint.model.row import LintRow
from toolconv.lint.target import PROVIDERS
from toolconv.templates.output import TextOptions
from toolconv.topics import names
from toolconv.trainers.base import Effect, Trainer

REJECTED: Final = "row_rejected"
"""The effect of a row that is not written at all; a run of ``convert`` counts it as a reject."""


def effects(row: LintRow, trainer: Trainer, target: str) -> list[Effect]:
    """The losses of converting a row, each with its reason; those without one are named once, by what they mean.

    Args:
        row: the row, with its first answer.
        trainer: the trainer that the row is converted for.
        target: the student's chat template, by name or as a file; empty if it is not known.
    """
    layout = row.layout or row.read_as
    if layout is None:
        return []
    declared = jsontext.dumps([*row.given_tools]).decode() if row.given_tools else ""
    line = row.raw if layout.name != "raw" or row.row is None else row.row["text"].encode("utf-8", "surrogatepass")
    command = f"convert --trainer {trainer.name}"
    try:
        converter = _converter(trainer.name, target, layout, row.reader, row.fixed, declared)
        conversation = converter.written(line)
    except FileError as error:  # a chat template without a token that it writes
        return [Effect(REJECTED, f"{command} stops: {error}")]
    except (Rejected, LayoutError, RenderError, jsontext.BeyondLimit) as error:
        return [Effect(REJECTED, f"{command} rejects the row: {error}")]
    notes = conversation.notes
    in_place = len(conversation.messages) == sum(field.size for field in conversation.fields)
    found = [Effect(name, why, at if in_place else None) for name, why, at in notes.reasons]
    explained = {effect.name for effect in found}
    return found + [
        Effect(name, f"{command} counts {name}: {_meaning(name)}")
        for name in dict.fromkeys(notes.losses)
        if name not in explained
    ]


def _meaning(name: str) -> str:
    """What a loss is, as the rest of a sentence."""
    meant = next(names.meanings(name), None)
    return "" if meant is None else f"{meant.what[0].lower()}{meant.what[1:].removesuffix('.')}"


@lru_cache(maxsize=16)
def _converter(
    trainer: str, target: str, layout: Layout, reader: TurnReader | None, fixed: bool, declared: str
) -> Converter:
    """What converts rows of a layout for a trainer."""
    to, student = trainers.get(trainer), None
    dialect = None if reader is None else reader.named or reader.default
    named = None if dialect is None else dialect.name
    if target and target not in PROVIDERS:
        student = TextOptions(file=target) if Path(target).is_file() else TextOptions(template=target)
    options = Options(
        source="auto" if reader is not None and reader.named is None else named,
        from_layout=layout.name if fixed else None,
        to_layout=to.layout,
        untyped="infer" if reader is None or reader.infer else "text",
        declared=declared,
        style=to.style,
        trainer=to.name,
        student=student,
    )
    return Converter(options, layout, dialect)
