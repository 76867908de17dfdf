"""Cut long conversations into pieces that fit a window, each trained on the turns that no piece before it has.

A conversation is cut between turns: a call stays with its responses, and a request with the first answer to it. Each
piece begins with the system text, and with the request that its first turn belongs to; then come earlier turns, for up
to half of the room, which are marked as not trained on. So every turn is trained on once, as in the whole conversation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.marks import MARK_KEYS, InvalidMark, default_weight, weight_of
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, calls_of

Measure = Callable[[str], int]
"""The size of a text: in characters, or in tokens."""

KEY: Final = "window"
"""The key of a piece's place in the whole conversation."""


class Window(NamedTuple):
    """How long a piece may be.

    Attributes:
        size: in characters, or in tokens of a tokenizer.
        tokenizer: its ``tokenizer.json``; ``None`` to count characters.
    """

    size: int
    tokenizer: str | None = None

    @property
    def measure(self) -> Measure:
        """What measures a text.

        Raises:
            FileError: the tokenizer can't be read, or its extra is missing.
        """
        return len if self.tokenizer is None else _counter(self.tokenizer)


@lru_cache(maxsize=4)
def _counter(tokenizer: str) -> Measure:
    from toolconv.core.tokenizer import counter

    return counter(tokenizer)


class WrittenPiece(NamedTuple):
    """A piece of a conversation.

    Attributes:
        conversation: it.
        size: how long it is, as it is written.
        line: the line that is written.
    """

    conversation: Conversation
    size: int
    line: bytes


def pieces(
    conversation: Conversation, size: int, whole: int, measure: Measure, write: Callable[[Conversation], WrittenPiece]
) -> list[WrittenPiece]:
    """Cut a conversation that is longer than the window.

    Args:
        conversation: a canonical one, with one answer; it is not changed.
        size: of the window.
        whole: how long the whole conversation is, as it is written.
        measure: what measures a message; only the sizes of what ``write`` writes have to keep to the window.
        write: writes a piece.

    Returns:
        The pieces. One with a single new turn may be longer than the window.
    """
    cut = _Cut(conversation.row, measure, whole)
    found: list[WrittenPiece] = []
    done = 0
    while done < len(cut.units):
        room = size
        while True:
            start, end = cut.plan(done, room)
            piece = write(Conversation(cut.row(start, done, end, len(found) + 1)))
            if piece.size <= size or (start == done and end == done + 1):
                break
            room = min(room - 1, room * size // piece.size)
        found.append(piece)
        done = end
    return found


class _Cut:
    """A conversation as units that stay whole.

    Args:
        row: the canonical row.
        measure: what measures messages.
        whole: how long the row is as it is written; the messages are that long together.
    """

    def __init__(self, row: Row, measure: Measure, whole: int) -> None:
        self._row = row
        messages: list[Message] = row["messages"]
        self._head = next(
            (at for at, each in enumerate(messages) if each.get("role") not in SYSTEM_ROLES), len(messages)
        )
        self._messages = messages
        starts = list(_starts(messages, self._head))
        self.units = list(zip(starts, [*starts[1:], len(messages)], strict=True))
        self._requests = list(self._openers())
        sizes = [measure(jsontext.compact(message)) for message in messages]
        base = measure(jsontext.compact({key: value for key, value in row.items() if key != "messages"}))
        scale = whole / max(base + sum(sizes), 1)
        self._sums = [0.0]
        for each in sizes:
            self._sums.append(self._sums[-1] + each * scale)
        self._base = base * scale + self._sums[self._head]

    def _openers(self) -> Iterator[tuple[int, int]]:
        """For each unit, the request that it belongs to, if that is in an earlier unit; else an empty range."""
        request = (0, 0)
        for start, _ in self.units:
            if self._messages[start].get("role") == "user":
                end = start
                while end < len(self._messages) and self._messages[end].get("role") == "user":
                    end += 1
                request = (start, end)
                yield (0, 0)
            else:
                yield request

    def _size(self, start: int, end: int) -> float:
        """About how long a piece of units is."""
        first, last = self._requests[start]
        messages = self._sums[self.units[end - 1][1]] - self._sums[self.units[start][0]]
        return self._base + messages + self._sums[last] - self._sums[first]

    def plan(self, done: int, room: int) -> tuple[int, int]:
        """The first unit of the next piece, and the end of its units.

        Args:
            done: the first unit that no piece has yet.
            room: how long the piece may be.
        """
        start = done
        while start and self._size(start - 1, done) <= (room + self._base) / 2:
            start -= 1
        while start < done and self._size(start, done + 1) > room:
            start += 1
        end = done + 1
        while end < len(self.units) and self._size(start, end + 1) <= room:
            end += 1
        return start, end

    def row(self, start: int, done: int, end: int, number: int) -> Row:
        """A piece: units from ``start`` to ``end``, trained on from ``done``."""
        first, new, last = self.units[start][0], self.units[done][0], self.units[end - 1][1]
        messages = self._messages
        context = [*messages[: self._head], *messages[slice(*self._requests[start])], *messages[first:new]]
        if done:
            context = [_untrained(message) for message in context]
        row: Row = {}
        for key, value in self._row.items():
            row[key] = [*context, *messages[new:last]] if key == "messages" else value
        place: Row = {"from": row.get("id"), "piece": number, "messages": [0 if not done else new, last]}
        if KEY in row:
            place["of"] = row[KEY]
        row[KEY] = place
        if isinstance(row.get("id"), str | int):
            row["id"] = f"{row['id']}-{number}"
        return row


def _untrained(message: Message) -> Message:
    """A message that is not trained on."""
    marked = not MARK_KEYS.isdisjoint(message)
    try:
        weight = weight_of(message) if marked else None
    except InvalidMark:
        weight = None
    if not (default_weight(message) if weight is None else weight):
        return message
    return {**{key: value for key, value in message.items() if key not in MARK_KEYS}, "weight": 0}


def _starts(messages: Sequence[Message], first: int) -> Iterator[int]:
    """The places at which a conversation may be cut, beginning with ``first``."""
    if first == len(messages):
        return
    yield first
    answered = _last_answers(messages)
    open_until = first
    for at in range(first, len(messages)):
        role, before = messages[at].get("role"), messages[at - 1].get("role")
        turn = role == "user" if before == "assistant" else role != "tool" and before == "tool"
        if at > first and turn and at > open_until:
            yield at
        open_until = max(open_until, answered.get(at, 0))


def _last_answers(messages: Sequence[Message]) -> dict[int, int]:
    """For each message with calls, the place of the last response to one of them."""
    made: dict[str, int] = {}
    found: dict[int, int] = {}
    for at, message in enumerate(messages):
        for call in calls_of(message):
            made[str(call.get("id"))] = at
        if message.get("role") == "tool" and (caller := made.get(str(message.get("tool_call_id")))) is not None:
            found[caller] = at
    return found
