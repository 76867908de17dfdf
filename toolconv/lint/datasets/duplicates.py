"""When two rows are nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import SYSTEM_ROLES, Message
from toolconv.lint.model.turns import text_of

_WORD = lazy_re(r"\w+")
_DIGITS = lazy_re(r"\d+")
_SPACELESS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""The letters of Thai, Lao, Burmese, Khmer, Japanese and Chinese, which no space separates into words."""

_UNIT = lazy_re(rf"[{_SPACELESS}]|[^\s{_SPACELESS}]+")

MIN_PROMPT = 16
"""A shorter prompt, such as a greeting, does not show that two conversations belong together."""

_POLITE = frozenset(
    {"a", "an", "and", "can", "could", "for", "hello", "hey", "hi", "i", "just", "kindly", "like", "me", "my", "need"}
    | {"now", "please", "pls", "tell", "thank", "thanks", "the", "to", "want", "would", "you", "your"}
    | {"请", "请问", "帮", "帮我", "我", "你", "您", "谢谢", "的", "吗", "呢"}
)
"""Words that requests with the same meaning have or lack."""


def normalised(text: str) -> str:
    """A text with case, punctuation and whitespace normalised."""
    return " ".join(_WORD.findall(text.casefold()))


def units(text: str) -> list[str]:
    """The words of a normalised text; in scripts without spaces, its characters."""
    return text.split() if text.isascii() else _UNIT.findall(text)


def essential(text: str) -> list[str]:
    """The words of a normalised text without those that don't change what is asked, such as ``please``."""
    return [word for word in units(text) if word not in _POLITE]


def varying(messages: Sequence[Message]) -> list[Message]:
    """The messages without system texts, which most rows of a dataset share."""
    return [message for message in messages if message.get("role") not in SYSTEM_ROLES]


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
