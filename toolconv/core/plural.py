"""Counts and percentages in messages."""

from __future__ import annotations


def plural(count: int, one: str, more: str = "") -> str:
    """A count with its noun: ``1 call``, ``1,234 calls``; ``more`` is the plural if it takes more than an ``s``."""
    return f"{count:,} {one}" if count == 1 else f"{count:,} {more or f'{one}s'}"


def percent(count: int, of: int) -> str:
    """A share in percent; ``100.0%`` means all and ``0.0%`` none, never a rounded value."""
    share = count / of
    return f"{share if share in (0, 1) else min(max(share, 0.001), 0.999):.1%}"
