"""White space between the parts of a turn."""

from __future__ import annotations

from typing import Final

from toolconv.core.lazy_re import end_of, lazy_re

BLANKS: Final = lazy_re(r"\s*")


def after_blanks(text: str, at: int) -> int:
    """The first place from ``at`` on that holds no white space."""
    return end_of(BLANKS, text, at)
