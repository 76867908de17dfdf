"""Where the messages of a conversation are in the row that it was read from."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from toolconv.core.messages import Message


class Unit(NamedTuple):
    """The smallest part of a row that holds whole messages: some pieces, and the messages in them."""

    messages: list[Message]
    pieces: list[Any]


class RowField(NamedTuple):
    """A field of a row that holds messages, and the mapping between its pieces and these messages.

    Attributes:
        pointer: JSON pointer of the field; ``""``, the whole row, if the messages are not separate values in it.
        size: how many messages it holds.
        pieces: the items of its list; ``None`` for a field in one piece, such as a system text.
        starts: for each message, the index of the first piece that holds it; messages with the same start share a
            unit. ``None`` if each piece holds one message.
        places: for each piece, where it is below the field; ``None`` if that is its index in the list.
    """

    pointer: str
    size: int
    pieces: Sequence[Any] | None = None
    starts: Sequence[int] | None = None
    places: Sequence[str] | None = None

    def pointers(self) -> list[str]:
        """The pointer of each message."""
        if self.pieces is None:
            return [self.pointer] * self.size
        prefix = f"{self.pointer}/"
        starts = range(self.size) if self.starts is None else self.starts[: self.size]
        if self.places is not None:
            return [prefix + self.places[start] for start in starts]
        return [prefix + str(start) for start in starts]

    def pieces_of(self, message: int) -> list[str]:
        """The pointers of all pieces of the unit of a message, given by its index in the field."""
        if self.pieces is None:
            return [self.pointer]
        starts = range(self.size) if self.starts is None else self.starts
        start = starts[message]
        end = next((later for later in starts[message:] if later > start), len(self.pieces))
        return [f"{self.pointer}/{self._place(at)}" for at in range(start, end)]

    def _place(self, piece: int) -> str:
        return str(piece) if self.places is None else self.places[piece]

    def units(self, messages: list[Message]) -> list[Unit]:
        """The units of a field with pieces, given its messages."""
        pieces = list(self.pieces or ())
        if self.starts is None:
            return [Unit([message], [piece]) for message, piece in zip(messages, pieces, strict=True)]
        starts = self.starts
        first = [at for at in range(self.size) if at == 0 or starts[at] != starts[at - 1]]
        ends = [*(starts[at] for at in first[1:]), len(pieces)]
        return [
            Unit(messages[at:after], pieces[starts[at] : end])
            for (at, after), end in zip(pairwise([*first, self.size]), ends, strict=True)
        ]
