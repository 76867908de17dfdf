"""Pair the rows of two files.

Rows are paired by position: the first readable row with the first readable row, and so on. If two rows at the same
position have different ids, each is paired with the row that has its id, wherever that is. A row that can't be read has
no partner, because no conversion writes it.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import chain

from toolconv.convert.result import Reading

Pair = tuple[Reading | None, Reading | None]
"""A row of each file; ``None`` if a file has no such row."""


def paired(one: Iterator[Reading], other: Iterator[Reading]) -> Iterator[Pair]:
    """Pair the rows of two files; rows are held until their partner is read."""
    waiting = _Waiting(), _Waiting()
    while True:
        a, unreadable = _next(one)
        yield from ((reading, None) for reading in unreadable)
        b, unreadable = _next(other)
        yield from ((None, reading) for reading in unreadable)
        if a is None and b is None:
            break
        if a is not None and b is not None and (id_of(a) is None or id_of(b) is None or id_of(a) == id_of(b)):
            yield a, b
            continue
        for side, reading in enumerate((a, b)):
            if reading is None:
                continue
            if (partner := waiting[1 - side].take(id_of(reading))) is None:
                waiting[side].add(reading)
            else:
                yield (partner, reading) if side else (reading, partner)
    yield from ((reading, None) for reading in waiting[0].rows())
    yield from ((None, reading) for reading in waiting[1].rows())


def id_of(reading: Reading) -> str | None:
    """A row's ``id`` if it is a string or an integer, as a string."""
    if reading.conversation is None:
        return None
    row_id = reading.conversation.row.get("id")
    return str(row_id) if isinstance(row_id, str | int) else None


def _next(readings: Iterator[Reading]) -> tuple[Reading | None, list[Reading]]:
    """The next readable row, and the unreadable rows before it."""
    unreadable: list[Reading] = []
    for reading in readings:
        if reading.conversation is not None:
            return reading, unreadable
        unreadable.append(reading)
    return None, unreadable


class _Waiting:
    """Rows without a partner so far, by id."""

    def __init__(self) -> None:
        self._rows: defaultdict[str | None, deque[Reading]] = defaultdict(deque)

    def add(self, reading: Reading) -> None:
        self._rows[id_of(reading)].append(reading)

    def take(self, row_id: str | None) -> Reading | None:
        """Remove and return the first row with this id; ``None`` if there is none."""
        rows = self._rows.get(row_id) if row_id is not None else None
        if not rows:
            return None
        found = rows.popleft()
        if not rows:
            del self._rows[row_id]
        return found

    def rows(self) -> list[Reading]:
        """All waiting rows, in file order."""
        return sorted(chain.from_iterable(self._rows.values()), key=lambda reading: reading.line)
