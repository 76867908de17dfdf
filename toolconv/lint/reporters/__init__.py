"""How findings are written: one file per output format, each holding ``REPORTER``."""

from __future__ import annotations

import importlib
from typing import Final

from toolconv.lint.reporters.base import Reporter

NAMES: Final = ("full", "concise", "grouped", "html", "json", "jsonl", "github", "gitlab", "sarif", "junit")

BY_SUFFIX: Final = {
    ".html": "html",
    ".json": "json",
    ".jsonl": "jsonl",
    ".sarif": "sarif",
    ".xml": "junit",
    ".txt": "full",
}
"""The formats of reports by the ends of their files' names."""


def get(name: str) -> type[Reporter]:
    """The reporter of a format's name."""
    reporter: type[Reporter] = importlib.import_module(f"{__name__}.{name}").REPORTER
    return reporter
