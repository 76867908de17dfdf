"""Where the turns of a conversation are, and a digest of the messages that lead to them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from toolconv.core import jsontext
from toolconv.core.conversation import Message, text_of
from toolconv.score.expected import calls_in


class Answered(NamedTuple):
    """A turn of the user with what follows it.

    Attributes:
        answers: the places of the assistant's messages.
        end: the place after its last message.
    """

    answers: list[int]
    end: int


def segments(messages: Sequence[Message]) -> list[Answered]:
    """A conversation, divided at the messages of the user; at least one segment."""
    found = [Answered([], len(messages))]
    asked = False
    for at, message in enumerate(messages):
        role = message.get("role")
        if role == "user" and (asked and found[-1].answers):
            found[-1] = found[-1]._replace(end=at)
            found.append(Answered([], len(messages)))
        asked = asked or role == "user"
        if role == "assistant":
            found[-1].answers.append(at)
    return found


def digest(messages: Sequence[Message]) -> bytes:
    """A digest of what messages say: their roles, texts and calls."""
    parts = [
        [
            message.get("role"),
            text_of(message.get("content"))[0].strip(),
            [call.as_json() for call in calls_in(message)] if "tool_calls" in message else [],
        ]
        for message in messages
        if message.get("role") != "system"
    ]
    return blake2b(jsontext.dumps_sorted(parts), digest_size=16).digest()
