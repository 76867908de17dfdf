"""The command that runs, for reports that say how they came to be."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

COMMAND: Final[ContextVar[str]] = ContextVar("COMMAND", default="")
"""The command line as a shell takes it; empty where the library is used."""
