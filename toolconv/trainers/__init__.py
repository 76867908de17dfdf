"""The registry of trainers: one file of this folder per trainer or upload API.

A trainer's file holds ``TRAINER``, and its docstring is the trainer's page. No other registration is needed. Other
packages add theirs through the entry point group ``toolconv.trainers``.
"""

from __future__ import annotations

from typing import ClassVar, Final

from toolconv.core.errors import UnknownName
from toolconv.core.registry import Registry
from toolconv.trainers.base import Trainer

ENTRY_POINTS: Final = "toolconv.trainers"


class UnknownTrainer(UnknownName):
    """No trainer has the given name."""

    kind: ClassVar[str] = "trainer"


_TRAINERS: Final = Registry[Trainer](
    "trainer",
    __name__,
    __path__,
    shared=(
        "arrow",
        "base",
        "checks",
        "exact",
        "forms",
        "one_turn",
        "parts",
        "removals",
        "repairs",
        "template_checks",
        "tools_for",
        "turn_by_turn",
    ),
    group=ENTRY_POINTS,
    error=UnknownTrainer,
)

get = _TRAINERS.get
all_trainers = _TRAINERS.all


def names() -> list[str]:
    """The names of all trainers, without aliases, sorted."""
    return [trainer.name for trainer in all_trainers()]
