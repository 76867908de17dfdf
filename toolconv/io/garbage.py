"""How often Python looks for garbage, and how long freed memory is kept."""

from __future__ import annotations

import gc
from functools import cache


def collect_less() -> None:
    """Look for garbage less often: neither rows nor what a module defines are garbage, and rows hold no cycles."""
    gc.set_threshold(50_000, 50, 100)


def collect_no_more() -> None:
    """Leave all that there is to the end of the process, which need not look through it."""
    gc.freeze()


@cache
def keep_memory() -> None:
    """Keep freed memory for the next block; once for a process, which takes two milliseconds.

    glibc keeps up to twice the size of the largest block that was freed (``M_MMAP_THRESHOLD`` in mallopt(3)).
    """
    bytes(8 << 20)
