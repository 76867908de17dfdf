"""What other installed packages add to toolconv, through entry points."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Plugin(NamedTuple):
    """An object that a package adds, and the module it is in, whose docstring is the object's page."""

    value: Any
    module: str


def plugins(group: str) -> list[Plugin]:
    """The objects of an entry point group, such as ``toolconv.layouts``, by name."""
    if not _are_installed():
        return []
    entries = sorted(_installed().select(group=group), key=lambda entry: entry.name)
    return [Plugin(entry.load(), entry.module) for entry in entries]


@cache
def _are_installed() -> bool:
    """Whether an installed package may have such entry points. To import :mod:`importlib.metadata` takes far longer."""
    for folder in map(Path, sys.path):
        if folder.is_file():  # a zip archive
            return True
        for file in folder.glob("*-info/entry_points.txt"):
            if file.read_bytes().find(b"toolconv.") >= 0 and not file.parent.name.startswith("toolconv-"):
                return True
    return False


@cache
def _installed() -> Any:
    """All entry points. Looking them up takes milliseconds, so it is done once for all groups."""
    from importlib.metadata import entry_points

    return entry_points()
