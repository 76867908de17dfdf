"""How a step runs on each answer of a conversation that has several."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from toolconv.core.conversation import Conversation
from toolconv.core.errors import ToolconvError
from toolconv.core.notes import Notes


def conversations_of(conversation: Conversation) -> list[Conversation]:
    """The conversation with each of its answers."""
    return [conversation, *(conversation.answers.others if conversation.answers else ())]


def _prompt_of(conversation: Conversation, size: int) -> Conversation:
    """The first messages of a conversation, the prompt of its answers, with an answer that has nothing to note."""
    messages = [dict(message) for message in conversation.messages[:size]]
    messages.append({"role": "assistant", "content": "-"})
    prompt = Conversation({**conversation.row, "messages": messages}, prompt=conversation.prompt)
    prompt.text_key = conversation.text_key  # a completion's tools are declared in no turn, here as there
    return prompt


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
