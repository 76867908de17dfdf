"""What assistant turns lose in a chat template: each is cut out of what the template writes, and read back.

The template writes a conversation up to a turn twice: as it is, and with a known word in place of the turn. What both
texts begin and end with is the template's own; the rest is the turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from toolconv.core.messages import Message, text_of
from toolconv.dialects.base import Dialect, RenderError
from toolconv.dialects.read_back import lost_in
from toolconv.dialects.reading.turn_parser import Reasoning
from toolconv.templates.chat_view import ChatView
from toolconv.templates.jinja.adapter import Turns
from toolconv.templates.jinja.marks import Slot

WORD: Final = "qzturnz"
"""A word that no template writes on its own."""


class WrittenDialect(NamedTuple):
    """The dialect of the calls that a template writes; ``exact`` if it writes the same turns to the byte."""

    dialect: Dialect
    exact: bool


def count_lost(
    chat: ChatView,
    written: WrittenDialect | None,
    left_out: Iterable[Slot],
    text: Callable[[Turns], str],
    stops: Sequence[str],
) -> None:
    """Record what the assistant turns of a conversation lose when they are read back from a template's text.

    Args:
        chat: the conversation.
        written: the dialect that the template writes; with ``None`` no turn is read back, which is recorded.
        left_out: the texts that the template leaves out; they are recorded elsewhere.
        text: writes turns with the template.
        stops: what ends a turn.
    """
    answers = [index for index, role in enumerate(chat.roles) if role == "assistant"]
    if written is None:
        chat.notes.not_read_back += len(answers)
        return
    missing = set(left_out)
    for index in chat.doubtful(written.dialect) if written.exact else answers:
        turn = _cut_out(Turns.of(chat), index, written.dialect.reasoning, text, stops)
        if turn is None:
            chat.notes.not_read_back += 1
            continue
        message = chat.messages[index]
        chat.notes.losses += lost_in(
            turn,
            written.dialect,
            "" if Slot("prose", index) in missing else text_of(message.get("content"))[0],
            "" if Slot("reasoning", index) in missing else chat.reasoning(index),
            [call for place, call in enumerate(chat.calls(index)) if Slot("call", index, place) not in missing],
            chat.declared,
        )


def _cut_out(
    turns: Turns, index: int, mark: Reasoning, text: Callable[[Turns], str], stops: Sequence[str]
) -> str | None:
    """An assistant turn as a template writes it, without what opens and ends it; ``None`` if that is not clear."""
    word: Message = {"role": "assistant", "content": WORD}
    calls = {place: some for place, some in turns.calls.items() if place < index}
    try:
        whole = text(turns.until(index + 1))
        before, found, after = text(Turns([*turns.messages[:index], word], calls)).rpartition(WORD)
    except RenderError:
        return None
    if not found:
        return None
    start = common_start(before, whole)
    if start < len(before):
        start = start_of_token(before, start)
    opened = before.rfind(mark.open, 0, start) if mark.open else -1
    if opened >= 0 and not before[opened + len(mark.open) : start].strip():
        start = opened
    end = len(whole) - len(whole[start:]) + len(whole[start:].rstrip())
    for stop in (after, *stops):
        if stop.strip() and whole.endswith(stop.rstrip(), start, end):
            end -= len(stop.rstrip())
            break
    return whole[start:end]


def common_start(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginnings."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def start_of_token(text: str, at: int) -> int:
    """The place itself, or the beginning of the token that it is inside of."""
    if text[at : at + 1] in ("<", "[", "\n"):
        return at
    while at > 0 and text[at - 1] not in ">\n]":
        at -= 1
    return at
