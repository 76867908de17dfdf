"""The page of a dialect, template, trainer or rule: facts, then the docstring of the module that defines it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from typing import Final

WIDTH: Final = 12
"""The column in which the values of facts begin."""


def page(facts: Iterable[tuple[str, str]], text: str) -> str:
    """A page: the facts that have a value, by name, and the description."""
    return "\n".join([*(f"{name:{WIDTH}}{value}" for name, value in facts if value), "", text])


def module_text(module: str) -> str:
    """The docstring of a module; empty if it is not loaded."""
    return inspect.getdoc(sys.modules[module]) or "" if module in sys.modules else ""
