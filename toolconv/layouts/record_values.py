"""Ids, counts and single values of the records that make up a session or a trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def identifier(value: Any) -> str | int | None:
    """An id; ``None`` for a value that can't be one."""
    return value if isinstance(value, str | int) else None


def added(total: Any, counts: Any) -> Any:
    """Two counts, or two objects of counts, added; anything else is left out."""
    if isinstance(counts, dict):
        result = dict(total) if isinstance(total, dict) else {}
        for key, value in counts.items():
            if isinstance(value, dict) or _is_number(value):
                result[key] = added(result.get(key), value)
        return result
    return counts + total if _is_number(total) else counts


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def only(values: Iterator[Any]) -> Any:
    """The values, each once: ``None`` if there are none, the value if there is one, otherwise a list."""
    found: list[Any] = []
    for value in values:
        if value not in (None, "") and value not in found:
            found.append(value)
    return found[0] if len(found) == 1 else found or None
