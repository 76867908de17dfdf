"""Where the turns of a conversation are, and a digest of the messages that lead to them."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from toolconv.core import jsontext
from toolconv.core.messages import Message, text_of
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


def first_of_last_segment(segments: Sequence[int]) -> int:
    """The number of the first turn that is in the segment of the last one; 0 without turns."""
    at = len(segments) - 1 if segments else 0
    while at > 0 and segments[at - 1] == segments[at]:
        at -= 1
    return at


class Histories:
    """The :func:`digests` of messages, made when one is asked for."""

    __slots__ = ("_found", "_messages")

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._found: list[bytes] | None = None

    def __len__(self) -> int:
        return len(self._messages)

    def before(self, at: int) -> bytes:
        """The digest of the messages before a place; before the place after the last one, of all."""
        if self._found is None:
            self._found = digests(self._messages)
        return self._found[at]


def digests(messages: Sequence[Message]) -> list[bytes]:
    """Digests of what messages say, their roles, texts and calls: of none, of the first one, and so on, up to all.

    System texts don't count.
    """
    running = blake2b(digest_size=16)
    found = [running.digest()]
    for message in messages:
        role, content = message.get("role"), message.get("content")
        if role != "system":
            text = content if isinstance(content, str) else text_of(content)[0]
            calls = [call.as_json() for call in calls_in(message)] if "tool_calls" in message else []
            running.update(jsontext.dumps_sorted([role, text.strip(), calls]))
        found.append(running.digest())
    return found
