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

_SIGN = lazy_re(f"[{_SPACELESS}]")
_UNIT = lazy_re(rf"[{_SPACELESS}]|[^\s{_SPACELESS}]+")

MIN_PROMPT = 16
"""A shorter prompt, such as a greeting, does not show that two conversations belong together."""

_SPACELESS_WEIGHT = 3
"""How many letters a character of these scripts counts for."""

_POLITE = frozenset(
    {"a", "an", "and", "can", "could", "for", "hello", "hey", "hi", "i", "is", "just", "kindly", "like", "me", "my"}
    | {"need", "now", "please", "pls", "s", "tell", "thank", "thanks", "the", "there", "to", "want", "would", "you"}
    | {"your", "bitte", "danke", "du", "guten", "hallo", "ich", "kannst", "können", "mir", "sagen", "sie", "tag"}
)
_POLITE_SIGNS = lazy_re("请问|麻烦|帮忙|帮我|一下|谢谢|[你您]好|[请帮我你您的吗呢看]")
"""Words that requests with the same meaning have or lack; the second in scripts without spaces."""


def normalised(text: str) -> str:
    """A text with case, punctuation and whitespace normalised."""
    return " ".join(_WORD.findall(text.casefold()))


def units(text: str) -> list[str]:
    """The words of a normalised text; in scripts without spaces, its characters."""
    return text.split() if text.isascii() else _UNIT.findall(text)


def essential(text: str) -> list[str]:
    """The words of a normalised text without those that don't change what is asked, such as ``please``."""
    rest = text if text.isascii() else _POLITE_SIGNS.sub(" ", text)
    return [word for word in units(rest) if word not in _POLITE]


def is_long(text: str, least: int) -> bool:
    """Whether a text has as many letters as a prompt needs to be more than a greeting."""
    missing = least - len(text)
    if missing <= 0 or text.isascii():
        return missing <= 0
    return len(_SIGN.findall(text)) * (_SPACELESS_WEIGHT - 1) >= missing


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
    return prompt if is_long(prompt, MIN_PROMPT) else near_text(messages)


def _bare(call: Any) -> Any:
    return call.get("function") if isinstance(call, dict) else call
