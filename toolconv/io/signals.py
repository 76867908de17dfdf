"""The signals that end a run, held back while it does what must not be interrupted."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

HANGUP: Final = getattr(signal, "SIGHUP", None)
"""The terminal was closed; ``None`` on systems without this signal (Windows)."""

ENDING: Final = (signal.SIGINT, signal.SIGTERM, *((HANGUP,) if HANGUP else ()))


@contextmanager
def later() -> Iterator[None]:
    """Hold the signals back until the block is done; on systems that can't (Windows), they arrive at once."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def as_worker() -> None:
    """Ignore Ctrl-C and a closed terminal, which the parent process handles, and end on SIGTERM."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if HANGUP:
        signal.signal(HANGUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)
