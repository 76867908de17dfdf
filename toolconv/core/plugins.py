"""What other installed packages add to toolconv, through entry points."""

from __future__ import annotations

import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple


class Plugin(NamedTuple):
    """An object that a package adds, and the module it is in, whose docstring is the object's page."""

    value: Any
    module: str


def plugins(group: str) -> list[Plugin]:
    """The objects of an entry point group, such as ``toolconv.layouts``, by name.

    One that can't be loaded is left out with a warning: what it is for fails, and everything else works.
    """
    if not _are_installed():
        return []
    entries = sorted(_installed().select(group=group), key=lambda entry: entry.name)
    found = []
    for entry in entries:
        try:
            found.append(Plugin(entry.load(), entry.module))
        except Exception as error:
            warnings.warn(f"{group}: {entry.value} is left out: {error}", RuntimeWarning, stacklevel=2)
    return found


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
