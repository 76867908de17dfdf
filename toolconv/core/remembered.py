"""What was made before, by what it was made of: rows share most of it, such as tools, names and shapes."""

from __future__ import annotations

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(dict[K, V]):
    """A dictionary that forgets all it holds before it grows beyond its bounds.

    Args:
        most: how many values it holds.
        room: how much those take together, counted in the ``size`` they are added with. One that takes more is held
            until the next one comes.
    """

    __slots__ = ("_most", "_room", "_taken")

    def __init__(self, most: int, room: int = 1 << 22) -> None:
        super().__init__()
        self._most = most
        self._room = room
        self._taken = 0

    def add(self, key: K, value: V, size: int = 0) -> V:
        """Remember a value that is new, and return it."""
        if len(self) >= self._most or self._taken + size > self._room:
            self.clear()
        self._taken += size
        self[key] = value
        return value

    def clear(self) -> None:
        super().clear()
        self._taken = 0
