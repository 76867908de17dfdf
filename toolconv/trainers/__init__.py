"""The registry of trainers: one file of this folder per trainer or upload API.

A trainer's file holds ``TRAINER``, and its docstring is the trainer's page. No other registration is needed. Other
packages add theirs through the entry point group ``toolconv.trainers``.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from dataclasses import replace
from functools import cache
from typing import ClassVar, Final

from toolconv.core.errors import UnknownName
from toolconv.core.plugins import plugins
from toolconv.trainers.base import Trainer

ENTRY_POINTS: Final = "toolconv.trainers"
_NOT_TRAINERS: Final = {"arrow", "base", "checks", "repairs"}


class UnknownTrainer(UnknownName):
    """No trainer has the given name."""

    kind: ClassVar[str] = "trainer"


def get(name: str) -> Trainer:
    """The trainer with a name or an alias, in any case.

    Raises:
        UnknownTrainer: there is none.
    """
    trainers = _by_name()
    found = trainers.get(name.strip().lower())
    if found is None:
        near = difflib.get_close_matches(name.lower(), trainers, n=1)
        raise UnknownTrainer(name, trainers[near[0]].name if near else None, names())
    return found


def names() -> list[str]:
    """The names of all trainers, without aliases, sorted."""
    return [trainer.name for trainer in all_trainers()]


def all_trainers() -> list[Trainer]:
    """All trainers, by name."""
    return sorted({trainer.name: trainer for trainer in _by_name().values()}.values(), key=lambda each: each.name)


@cache
def _by_name() -> dict[str, Trainer]:
    found: dict[str, Trainer] = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name not in _NOT_TRAINERS:
            page = importlib.import_module(f"{__name__}.{module.name}")
            trainer = replace(page.TRAINER, module=page.__name__)
            found.update(dict.fromkeys((trainer.name, *trainer.aliases), trainer))
    for plugin in plugins(ENTRY_POINTS):
        trainer = replace(plugin.value, module=plugin.module)
        found.update(dict.fromkeys((trainer.name, *trainer.aliases), trainer))
    return found
