"""The other answers of a conversation that has several, and how a step runs on each."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from toolconv.core.conversation import Conversation, Row
from toolconv.core.errors import ToolconvError
from toolconv.core.notes import Notes


@dataclass(slots=True)
class Answers:
    """The other answers of a conversation that has several.

    Attributes:
        others: for each, the whole conversation that ends with it.
        shared: how many messages all of them begin with: the prompt.
        ranked: the first answer is preferred to the second; otherwise they are samples of equal rank.
        places: the JSON pointer of each answer, the first one's too, in the row that they were read from.
        row: that row.
        extra_keys: how many keys its answers have that no message holds, such as scores.
    """

    others: list[Conversation]
    shared: int
    ranked: bool
    places: list[str]
    row: Row
    extra_keys: int = 0

    def share(self, first: Conversation) -> None:
        """Make the prompts of all answers the messages of the first one's, so that a change of one changes all."""
        for other in self.others:
            if other.messages[: self.shared] == first.messages[: self.shared]:
                other.messages[: self.shared] = first.messages[: self.shared]


def conversations_of(conversation: Conversation) -> list[Conversation]:
    """The conversation with each of its answers."""
    return [conversation, *(conversation.answers.others if conversation.answers else ())]


def _prompt_of(conversation: Conversation, size: int) -> Conversation:
    """The first messages of a conversation, the prompt of its answers, with an answer that has nothing to note."""
    messages = [dict(message) for message in conversation.messages[:size]]
    messages.append({"role": "assistant", "content": "-"})
    return Conversation({**conversation.row, "messages": messages}, prompt=conversation.prompt)


T = TypeVar("T")


def on_each_answer(conversation: Conversation, step: Callable[[Conversation], T]) -> tuple[list[T], T | None]:
    """Run a step on a conversation and, if it has several answers, on the conversation with each other answer.

    All notes go to those of ``conversation``; what the step notes about the prompt, which it also runs on, only once.

    Returns:
        What the step returns for each answer, and for the prompt with a short answer; ``None`` if it refuses that.
    """
    answers = conversation.answers
    if answers is None:
        return [step(conversation)], None
    prompt = _prompt_of(conversation, answers.shared)
    for other in answers.others:  # a step changes messages, and has to find those of the prompt as they were
        other.messages[: answers.shared] = [dict(message) for message in prompt.messages[:-1]]
    results = [step(conversation)]
    asked: T | None = None
    with suppress(ToolconvError):
        asked = step(prompt)
    for other, place in zip(answers.others, answers.places[1:], strict=True):
        other.notes = Notes()
        results.append(step(other))
        conversation.notes.add(other.notes, prompt.notes, place)
    answers.shared = len(prompt.messages) - 1
    answers.share(conversation)
    return results, asked
