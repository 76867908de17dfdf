"""Numbers that ``datasets`` changes when it loads JSON.

From version 4.7 on, ``datasets`` keeps structures whose types differ between rows as JSON (feature ``Json``), which
it writes and reads with pandas' copy of ujson at that library's default precision: ten decimals when it writes, and a
fraction that is multiplied by an inexact power of ten when it reads. So 0.7 becomes 0.7000000000000001 and 1e-12
becomes 0.0. Versions before that refuse such structures.

Source: datasets 5.2, ``datasets/utils/json.py``; pandas, ``ultrajsondec.c`` and ``ultrajsonenc.c``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

DECIMALS: Final = 10
BIGGEST_FIXED: Final = 1e16
"""Larger floats are written with an exponent."""


def loaded(number: float) -> float:
    """The number that ``datasets`` loads where ``number`` was written."""
    size = abs(number)
    if size >= BIGGEST_FIXED:
        text, _, exponent = f"{size:.{DECIMALS}e}".partition("e")
        power = int(exponent)
    else:
        text, power = f"{size:.{DECIMALS}f}", 0
    whole, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0")
    value = int(whole) + (int(fraction) * float(f"1e-{len(fraction)}") if fraction else 0.0)
    value = value * 10.0**power if power else value
    return -value if number < 0 else value  # so -0.0 becomes 0.0


def changed_numbers(value: Any) -> Iterator[str]:
    """The numbers in a JSON value that arrive changed: each with what it becomes, as text for users."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(reversed(item.values()))
        elif isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, float) and item - item == 0 and repr(back := loaded(item)) != repr(item):
            yield f"{item!r} becomes {back!r}"


def unloadable_number(value: Any) -> int | None:
    """The first integer in a JSON value at which ``datasets`` raises; ``None`` if there is none."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, (dict, list)):
            stack.extend(item.values() if isinstance(item, dict) else item)
        elif type(item) is int and not -(2**63) <= item < 2**64:
            return item
    return None


def holds_null(value: Any) -> bool:
    """Whether a key in a JSON value, or an item of a list, is null."""
    if isinstance(value, dict):
        return any(item is None or holds_null(item) for item in value.values())
    return isinstance(value, list) and any(map(holds_null, value))
