"""Regular expressions that are compiled when they are first used."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _LazyPattern:
    """A pattern's text. Each attribute of the compiled pattern is looked up once and kept."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self.pattern, self._flags), name)
        self.__dict__[name] = value
        return value


def lazy_re(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Like :func:`re.compile`, for the constants of modules.

    A run uses a tenth of the patterns of the modules it imports, and to compile all took a quarter of the start-up.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where a match of ``pattern`` at ``at`` ends; ``at`` if there is none."""
    match = pattern.match(text, at)
    return match.end() if match else at
