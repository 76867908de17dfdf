"""Outputs: what a model called in each of its turns, and how its text read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolconv.convert.result import Reading
from toolconv.core import jsontext
from toolconv.core.messages import Message
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
        key: what pairs it with a gold row; ``None`` if it has no such key.
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

    key: str | None
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
    def prompt(self) -> bytes:
        """A digest of the messages before its last turn; of all, if it has none."""
        return self.histories.before(self.turns[-1].at if self.turns else len(self.histories))

    @property
    def whole(self) -> bytes:
        """A digest of all its messages."""
        return self.histories.before(len(self.histories))


def output_row(reading: Reading, key: str) -> OutputRow:
    """The output in a row."""
    conversation, place = reading.conversation, RowPlace(reading.file, reading.line)
    if conversation is None:
        return OutputRow(_key_of_text(reading.text, key), place, reason=reading.reason)
    messages, notes = conversation.messages, conversation.notes
    turns = [
        OutputTurn(number, at, tuple(calls_in(messages[at])), messages[at])
        for number, segment in enumerate(segments(messages))
        for at in segment.answers
    ]
    turn = conversation.row.get("turn")
    return OutputRow(
        key_of(conversation.row.get(key)),
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


def key_of(value: Any) -> str | None:
    """The value of a key as text, if it is a text or a number."""
    return str(value) if isinstance(value, str | int) and not isinstance(value, bool) else None


def _key_of_text(text: bytes, key: str) -> str | None:
    try:
        row = jsontext.loads(text)
    except ValueError:
        return None
    return key_of(row.get(key)) if isinstance(row, dict) else None
