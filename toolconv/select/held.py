"""Rows that wait in a temporary file until all were read, and are then taken in another order."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, Final

from toolconv.core.spill import SpillFile
from toolconv.select.groups import GroupLimits
from toolconv.select.sampling import Drawn, shares_of


class HeldRows:
    """Rows in a temporary file; in memory are their places, groups and sources, and the keys to sort them by."""

    _head: Final = struct.Struct("<?HQ")

    def __init__(self) -> None:
        self._file = SpillFile()
        self._places = array("Q")
        self._sets: dict[tuple[str, ...], int] = {}
        self._groups = array("L")
        self._sources = array("H")
        self._keys: list[tuple[Any, ...]] = []

    def __len__(self) -> int:
        return len(self._places)

    def add(self, row: Drawn) -> None:
        """The next row.

        Raises:
            FileError: the temporary file can't be written.
        """
        self._groups.append(self._sets.setdefault(row.groups, len(self._sets)))
        self._sources.append(row.source)
        if row.keys:
            self._keys.append(row.keys)
        self._places.append(self._file.add(self._head.pack(row.has_calls, row.part, len(row.text)) + row.text))

    def rows(self, numbers: Iterable[int]) -> Iterator[Drawn]:
        """The rows of these numbers, which count from 0 in the order in which they came."""
        sets = list(self._sets)
        for number in numbers:
            place = self._places[number]
            has_calls, part, size = self._head.unpack(self._file.read(place, self._head.size))
            text = self._file.read(place + self._head.size, size)
            yield Drawn(text, part, has_calls, sets[self._groups[number]], source=self._sources[number])

    def taken(self, numbers: Iterable[int], limits: GroupLimits) -> Iterator[int]:
        """Those of these numbers, in order, whose rows the limits of their groups let through."""
        sets = list(self._sets)
        return (number for number in numbers if limits.takes(sets[self._groups[number]]))

    def by_keys(self, descending: Sequence[bool]) -> list[int]:
        """The numbers of the rows in the order of their keys, each ascending or not; equal ones in order of input.

        Numbers come before texts, and rows without a value last, in either direction.
        """
        numbers = list(range(len(self)))
        for place in reversed(range(len(descending))):
            reverse = descending[place]
            numbers.sort(key=lambda number: _rank(self._keys[number][place], reverse), reverse=reverse)
        return numbers

    def shuffled(self, seed: int) -> array[int]:
        """The numbers of the rows in an order that depends on the seed."""
        from random import Random

        numbers = array("Q", range(len(self)))
        Random(seed).shuffle(numbers)
        return numbers

    def mixed(self, weights: Sequence[float], size: int | None, seed: int) -> Iterator[int]:
        """Numbers of as many rows as possible of which each source has its share, drawn and mixed at random.

        Those of a source stay in their order.
        """
        from random import Random

        random = Random(seed)
        left = [0] * len(weights)
        for source in self._sources:
            left[source] += 1
        wanted = shares_of(left, weights, size)
        turns = array("H", (source for source, count in enumerate(wanted) for _ in range(count)))
        random.shuffle(turns)
        chosen: list[array[int]] = [array("Q") for _ in weights]
        for number, source in enumerate(self._sources):  # Knuth, algorithm S, for each source
            if random.random() * left[source] < wanted[source]:
                wanted[source] -= 1
                chosen[source].append(number)
            left[source] -= 1
        following = [iter(numbers) for numbers in chosen]
        return (next(following[source]) for source in turns)

    def close(self) -> None:
        """Delete the temporary file."""
        self._file.close()


@contextmanager
def holding(rows: Iterable[Drawn]) -> Iterator[HeldRows]:
    """All of some rows, once the last one was read."""
    with closing(HeldRows()) as held:
        for row in rows:
            held.add(row)
        yield held


def _rank(value: Any, reverse: bool) -> tuple[Any, ...]:
    """What a value is sorted by: booleans, then numbers, then texts; rows without a value last."""
    kind = 0 if isinstance(value, bool) else 1 if isinstance(value, int | float) else 2 if isinstance(value, str) else 3
    return (int(not reverse),) if kind == 3 else (int(reverse), kind, value)
