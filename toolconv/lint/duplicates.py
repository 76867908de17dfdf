"""When two rows are nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolconv.core.conversation import Message
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.turns import text_of

_WORD = lazy_re(r"\w+")
_DIGITS = lazy_re(r"\d+")

MIN_PROMPT = 16
"""A shorter prompt, such as a greeting, does not show that two conversations belong together."""


def normalised(text: str) -> str:
    """A text with case, punctuation and whitespace normalised."""
    return " ".join(_WORD.findall(text.casefold()))


def near_words(messages: Sequence[Message]) -> list[str]:
    """The words of a row without ids, case and punctuation; digits are replaced by 0."""
    return near_text(messages).split()


def near_text(messages: Sequence[Message]) -> str:
    """The text that rows have in common which differ only in ids, case, punctuation, whitespace and digits."""
    parts = [(m.get("role"), text_of(m.get("content")), m.get("tool_calls")) for m in messages]
    words = " ".join(
        f"{role} {text} {[_bare(call) for call in calls] if isinstance(calls, list) else ''}"
        for role, text, calls in parts
    )
    return _DIGITS.sub("0", normalised(words))


def prompt_of(messages: Sequence[Message]) -> str:
    """The first user turn, normalised."""
    for message in messages:
        if message.get("role") == "user":
            return normalised(text_of(message.get("content")))
    return ""


def group_text(messages: Sequence[Message]) -> str:
    """The text that rows have in common which must not be divided between training and evaluation.

    These are rows with the same first prompt (except for digits), or else nearly the same rows.
    """
    prompt = _DIGITS.sub("0", prompt_of(messages))
    return prompt if len(prompt) >= MIN_PROMPT else near_text(messages)


def _bare(call: Any) -> Any:
    return call.get("function") if isinstance(call, dict) else call
