"""The levels at which a call can be right, from the strictest to the most lenient."""

from __future__ import annotations

from enum import IntFlag
from typing import Final


class Levels(IntFlag):
    """The levels at which something is right, as a set.

    - ``EXACT``: the same JSON values; ``1`` is not ``1.0``.
    - ``AST``: right by the rules of BFCL's checker.
    - ``LENIENT``: right, or different only in ways that most tools don't notice: case, white space, defaults.
    """

    NONE = 0
    EXACT = 1
    AST = 2
    LENIENT = 4
    ALL = 7


NAMES: Final = {"exact": Levels.EXACT, "ast": Levels.AST, "lenient": Levels.LENIENT}
"""The levels by name, the strictest first."""


def strictest(levels: Levels) -> str | None:
    """The name of the strictest of some levels; ``None`` if there is none."""
    return next((name for name, level in NAMES.items() if level in levels), None)
