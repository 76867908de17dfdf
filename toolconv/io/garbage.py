"""How often Python looks for garbage."""

from __future__ import annotations

import gc


def collect_less() -> None:
    """Look for garbage less often: neither rows nor what a module defines are garbage, and rows hold no cycles."""
    gc.set_threshold(50_000, 50, 100)


def collect_no_more() -> None:
    """Leave all that there is to the end of the process, which need not look through it."""
    gc.freeze()
