"""Outputs: what a model called in each of its turns, and how its text read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from toolconv.convert.result import Reading
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.score.expected import Call, calls_in
from toolconv.score.history import Histories, segments


class RowPlace(NamedTuple):
    """Where a row is: its file, and its line there."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class OutputTurn:
    """A turn of a model.

    Attributes:
        segment: the number of the user's turn that it answers, from 0.
        at: its place among the messages.
        calls: what it calls.
        message: it, as it was read.
    """

    segment: int
    at: int
    calls: tuple[Call, ...]
    message: Message


@dataclass(frozen=True, slots=True)
class OutputRow:
    """An output of a model.

    Attributes:
        keys: what may pair it with a gold row, the likeliest first; empty if it has no such key.
        place: where it is.
        turns: its turns.
        turn: the number of the gold turn that it stands for, if it says so.
        reason: why it can't be read; empty for one that was read.
        dropped: the texts of calls that can't be read.
        repairs: the names of what was repaired.
        dialects: the dialects of its calls, if they were read from text.
        in_reasoning: how many calls are in its reasoning, and so are none.
        histories: digests of its messages.
        own_tools: the tools that it declares itself.
        has_truth: it says itself what is right, as a gold row does.
    """

    keys: tuple[str, ...]
    place: RowPlace
    turns: tuple[OutputTurn, ...] = ()
    turn: int | None = None
    reason: str = ""
    dropped: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    dialects: frozenset[str] = field(default=frozenset())
    in_reasoning: int = 0
    histories: Histories = field(default_factory=lambda: Histories(()))
    own_tools: ToolIndex = NO_TOOLS
    has_truth: bool = False

    @property
    def key(self) -> str:
        """What pairs it, for a message; empty if nothing does."""
        return self.keys[0] if self.keys else ""

    @property
    def prompt(self) -> bytes:
        """A digest of the messages before its last turn; of all, if it has none."""
        return self.histories.before(self.turns[-1].at if self.turns else len(self.histories))

    @property
    def whole(self) -> bytes:
        """A digest of all its messages."""
        return self.histories.before(len(self.histories))


def output_rows(reading: Reading, key: str) -> list[OutputRow]:
    """The outputs in a row: each of several samples; of a pair, the preferred one."""
    conversation, place = reading.conversation, RowPlace(reading.file, reading.line)
    if conversation is None:
        return [OutputRow(_keys_of_text(reading.text, key), place, reason=reading.reason)]
    answers = conversation.answers
    others = answers.others if answers is not None and not answers.ranked else []
    keys = keys_of(conversation.row, key)
    first = _output_row(conversation, keys, place, _own_notes(conversation, others))
    return [first, *(_output_row(other, keys, place, other.notes) for other in others)]


def _own_notes(conversation: Conversation, others: Sequence[Conversation]) -> Notes:
    """The notes on the first of several answers; those of the conversation are on all of them."""
    if not others or conversation.answers is None:
        return conversation.notes
    notes, own = conversation.notes, Notes()
    ends = tuple(f" (in {place})" for place in conversation.answers.places[1:])
    own.dropped = [dropped for dropped in notes.dropped if not dropped.reason.endswith(ends)]
    for name in ("repairs", "losses", "text_dialects"):
        of_others = Counter(each for other in others for each in getattr(other.notes, name))
        setattr(own, name, list((Counter(getattr(notes, name)) - of_others).elements()))
    own.given_tools = notes.given_tools
    return own


def _output_row(conversation: Conversation, keys: tuple[str, ...], place: RowPlace, notes: Notes) -> OutputRow:
    messages = conversation.messages
    turns = [
        OutputTurn(number, at, tuple(calls_in(messages[at])), messages[at])
        for number, segment in enumerate(segments(messages))
        for at in segment.answers
    ]
    turn = conversation.row.get("turn")
    return OutputRow(
        keys,
        place,
        tuple(turns),
        turn if type(turn) is int else None,
        dropped=tuple(dropped.text for dropped in notes.dropped) if notes.dropped else (),
        repairs=tuple(dict.fromkeys(notes.repairs)),
        dialects=frozenset(notes.text_dialects),
        in_reasoning=notes.losses.count("call_in_reasoning"),
        histories=Histories(messages),
        own_tools=NO_TOOLS if notes.given_tools else conversation.declared,
        has_truth="ground_truth" in conversation.row,
    )


BATCH_KEY: Final = "custom_id"
"""The key of the id of a request in the answers of a batch, whose own id is that of the answer."""


def keys_of(row: Row, key: str) -> tuple[str, ...]:
    """What may pair a row: the value of a key, and that of the request's id in the answer of a batch."""
    names = (key, BATCH_KEY) if key == "id" else (key,)
    return tuple(found for name in names if (found := key_of(row.get(name))) is not None)


def key_of(value: Any) -> str | None:
    """The value of a key as text, if it is a text or a number."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _keys_of_text(text: bytes, key: str) -> tuple[str, ...]:
    try:
        row = jsontext.loads(text)
    except ValueError:
        return ()
    return keys_of(row, key) if isinstance(row, dict) else ()
