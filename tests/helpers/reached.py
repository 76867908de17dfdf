"""The lines of some files that run."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


@contextmanager
def reached(files: Collection[str]) -> Iterator[set[tuple[str, int]]]:
    """Yield a set that is filled with the lines which run: each with the path of its file."""
    lines: set[tuple[str, int]] = set()

    def entered(frame: FrameType, event: str, given: Any) -> Any:
        return line if frame.f_code.co_filename in files else None

    def line(frame: FrameType, event: str, given: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return line

    before = sys.gettrace()
    sys.settrace(entered)
    try:
        yield lines
    finally:
        sys.settrace(before)
