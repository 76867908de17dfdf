"""What is made of schemas, once for each distinct one of a run."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

from toolconv.core import jsontext
from toolconv.core.remembered import Remembered

Made = TypeVar("Made")


class MadeOnce(Generic[Made]):
    """What was made of JSON values, by their text.

    Args:
        make: makes it of a value, which is given with its text.
    """

    def __init__(self, make: Callable[[Any, bytes], Made]) -> None:
        self._make = make
        self._made: Remembered[bytes, Made] = Remembered(1024, room=2 << 20)  # it takes ten times as much as the text
        self._lock = Lock()

    def of(self, value: Any) -> Made:
        """What is made of a value: the same object for an equal value, as long as it is remembered."""
        key = jsontext.dumps(value)
        with self._lock:
            known = self._made.get(key)
            if known is None:
                key = jsontext.trimmed(key)
                known = self._made.add(key, self._make(value, key), len(key))
            return known
