"""What is made of schemas, once for each distinct one of a run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Final, Generic, TypeVar

from toolconv.core import jsontext

MAX_MADE: Final = 1024
MAX_BYTES: Final = 2 << 20
"""How many values are remembered, and how much JSON they have together: what is made of it takes ten times as much."""

Made = TypeVar("Made")


class Remembered(Generic[Made]):
    """What was made of JSON values, by their text; the least recently used are forgotten first.

    Args:
        make: makes it of a value, which is given with its text.
    """

    def __init__(self, make: Callable[[Any, bytes], Made]) -> None:
        self._make = make
        self._made: OrderedDict[bytes, Made] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def of(self, value: Any) -> Made:
        """What is made of a value: the same object for an equal value."""
        key = jsontext.dumps(value)
        with self._lock:
            known = self._made.get(key)
            if known is not None:
                self._made.move_to_end(key)
                return known
            key = jsontext.trimmed(key)
            made = self._made[key] = self._make(value, key)
            self._size += len(key)
            while len(self._made) > MAX_MADE or (self._size > MAX_BYTES and len(self._made) > 1):
                oldest, _ = self._made.popitem(last=False)
                self._size -= len(oldest)
            return made
