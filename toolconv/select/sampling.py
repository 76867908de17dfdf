"""Draws rows at random, in the order of the input; the same seed draws the same rows."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from toolconv.core.spill import SpillFile


class Drawn(NamedTuple):
    """A row to write.

    Attributes:
        text: its line.
        part: the number of its part.
        has_calls: whether it has calls.
        groups: the values of ``--by``.
        source: the number of its input.
        keys: the values to sort it by.
    """

    text: bytes
    part: int
    has_calls: bool
    groups: tuple[str, ...] = ()
    source: int = 0
    keys: tuple[Any, ...] = ()


class Reservoir:
    """A sample of ``size`` rows, of which each subset is as likely as any other; only these are held in memory.

    Source: Vitter, Random sampling with a reservoir, algorithm R.
    """

    def __init__(self, size: int, seed: int) -> None:
        from random import Random

        self._size = size
        self._random = Random(seed)
        self._held: list[tuple[int, Drawn]] = []
        self._seen = 0

    def add(self, row: Drawn) -> None:
        """The next row."""
        self._seen += 1
        if len(self._held) < self._size:
            self._held.append((self._seen, row))
        elif (at := self._random.randrange(self._seen)) < self._size:
            self._held[at] = (self._seen, row)

    def rows(self) -> Iterator[Drawn]:
        """The sample, in the order of the rows."""
        self._held.sort(key=lambda held: held[0])
        for _, row in self._held:
            yield row

    def close(self) -> None:
        """Forget the rows."""
        self._held.clear()


class BalancedSample:
    """As many rows as possible of which a given share has no calls.

    The rows wait in a temporary file until the numbers of both kinds are known; memory does not grow.

    Args:
        share: of rows without calls, between 0 and 1.
        size: how many rows, at most; ``None`` for no limit.
        seed: of the choice.
    """

    _head: Final = struct.Struct("<?HQ")

    def __init__(self, share: float, size: int | None, seed: int) -> None:
        from random import Random

        self._share = share
        self._size = size
        self._random = Random(seed)
        self._counts = {True: 0, False: 0}
        self._file = SpillFile()

    def add(self, row: Drawn) -> None:
        """The next row.

        Raises:
            FileError: the temporary file can't be written.
        """
        self._counts[row.has_calls] += 1
        self._file.add(self._head.pack(row.has_calls, row.part, len(row.text)) + row.text)

    def rows(self) -> Iterator[Drawn]:
        """The sample, in the order of the rows.

        A row is taken with the probability that makes each subset as likely as any other: Knuth, The Art of Computer
        Programming, volume 2, algorithm S.
        """
        left = dict(self._counts)
        calls, no_calls = balanced(left[True], left[False], self._share, self._size)
        wanted = {True: calls, False: no_calls}
        place = 0
        while head := self._file.read(place, self._head.size):
            has_calls, part, size = self._head.unpack(head)
            text = self._file.read(place + self._head.size, size)
            place += self._head.size + size
            if self._random.random() * left[has_calls] < wanted[has_calls]:
                wanted[has_calls] -= 1
                yield Drawn(text, part, has_calls)
            left[has_calls] -= 1

    def close(self) -> None:
        """Delete the temporary file."""
        self._file.close()


def balanced(calls: int, no_calls: int, share: float, size: int | None) -> tuple[int, int]:
    """How many rows with calls, and without calls, to keep.

    Args:
        calls, no_calls: how many there are.
        share: which share of the rows shall have no calls.
        size: how many rows to keep at most.
    """
    total = min(calls / (1 - share), no_calls / share)
    if size is not None:
        total = min(total, size)
    return min(calls, round(total * (1 - share))), min(no_calls, round(total * share))


def shares_of(counts: Sequence[int], weights: Sequence[float], size: int | None) -> list[int]:
    """How many rows of each source to take, so that their numbers are as the weights, and as large as possible.

    Args:
        counts: how many rows each source has.
        weights: of the sources, all above 0.
        size: how many rows to take at most.
    """
    whole = sum(weights)
    total = int(min(count * whole / weight + 1e-9 for count, weight in zip(counts, weights, strict=True)))
    total = total if size is None else min(total, size)
    exact = [total * weight / whole for weight in weights]
    taken = [min(count, int(share)) for count, share in zip(counts, exact, strict=True)]
    by_remainder = sorted(range(len(taken)), key=lambda source: taken[source] - exact[source])
    for source in by_remainder[: total - sum(taken)]:
        taken[source] += taken[source] < counts[source]
    return taken
