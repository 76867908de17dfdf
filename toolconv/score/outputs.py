"""Outputs: what a model called in each of its turns, and how its text read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolconv.convert.result import Reading
from toolconv.core import jsontext
from toolconv.score.expected import Call, calls_in
from toolconv.score.history import digest, segments


@dataclass(frozen=True, slots=True)
class OutputTurn:
    """A turn of a model.

    Attributes:
        segment: the number of the user's turn that it answers, from 0.
        history: a digest of the messages before it.
        calls: what it calls.
    """

    segment: int
    history: bytes
    calls: tuple[Call, ...]


@dataclass(frozen=True, slots=True)
class OutputRow:
    """An output of a model.

    Attributes:
        key: what pairs it with a gold row; ``None`` if it has no such key.
        line: its place in the file.
        turns: its turns.
        turn: the number of the gold turn that it stands for, if it says so.
        reason: why it can't be read; empty for one that was read.
        dropped: the texts of calls that can't be read.
        repairs: the names of what was repaired.
        dialects: the dialects of its calls, if they were read from text.
    """

    key: str | None
    line: int
    turns: tuple[OutputTurn, ...] = ()
    turn: int | None = None
    reason: str = ""
    dropped: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    dialects: frozenset[str] = field(default=frozenset())


def output_row(reading: Reading, key: str) -> OutputRow:
    """The output in a row.

    Args:
        reading: the row.
        key: the key that pairs rows; ``prompt`` for the messages before the output.
    """
    conversation = reading.conversation
    if conversation is None:
        return OutputRow(_key_of_text(reading.text, key), reading.line, reason=reading.reason)
    messages, notes = conversation.messages, conversation.notes
    turns = tuple(
        OutputTurn(number, digest(messages[:at]), tuple(calls_in(messages[at])))
        for number, segment in enumerate(segments(messages))
        for at in segment.answers
    )
    turn = conversation.row.get("turn")
    if key == "prompt":
        found: str | None = (turns[-1].history if turns else digest(messages)).hex()
    else:
        found = key_of(conversation.row.get(key))
    return OutputRow(
        found,
        reading.line,
        turns,
        turn if type(turn) is int else None,
        dropped=tuple(dropped.text for dropped in notes.dropped),
        repairs=tuple(dict.fromkeys(notes.repairs)),
        dialects=frozenset(notes.text_dialects),
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
