"""How costs are compared: CPU time of one process, the two sides in turn, the best of several rounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

Figure = dict[str, Any]
"""One line of the report: ``what`` was measured, and a number under the name of its unit."""


def cost(work: Callable[[], object]) -> float:
    """Seconds of CPU."""
    start = time.process_time()
    work()
    return time.process_time() - start


def ratio(work: Callable[[], object], floor: Callable[[], object], rounds: int) -> float:
    """How many times as much as ``floor`` the ``work`` costs; in turn, so that a busy machine slows down both."""
    pairs = [(cost(work), cost(floor)) for _ in range(rounds)]
    return round(min(one for one, _ in pairs) / min(other for _, other in pairs), 2)
