"""Replaces the secrets in a row by placeholders: ``--redact``.

A placeholder has the shape of what it stands for: ``user1@example.com``, ``/home/user1``, ``ghp_XXXXXXXXXX1`` of the
same length. A model is trained to copy values from a question to a call, and to write calls that their schemas accept;
marks such as ``<EMAIL>`` would teach it to write marks, and look like the markup of calls.

The same secret has the same placeholder throughout a row, and is numbered by its first appearance in it. Numbers
depend on nothing but the row: they are the same for any number of processes and shards, after ``--resume``, and in any
order of the rows. Nothing of a secret is in its placeholder but its length and its well-known prefix, where a hash
could be guessed. No placeholder is a text that the row has already, so that two different values stay different.

All texts of a row are searched: keys, too, and JSON inside a text, which stays JSON.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any

from toolconv.convert import secrets
from toolconv.core.conversation import Row


@lru_cache(maxsize=1)
def _hints() -> dict[str, tuple[tuple[str, ...], tuple[bytes, ...]]]:
    return {name: (words, tuple(word.encode() for word in words)) for name, words in secrets.hints().items()}


def redact(row: Row, line: bytes) -> tuple[Row, Counter[str]]:
    """A row without its secrets, and how many places were replaced, by kind.

    Args:
        row: the row; it is not changed.
        line: its text.
    """
    searches = _searches(line)
    if not searches:
        return row, Counter()
    redaction = _Redaction(line.decode("utf-8", "replace"), searches)
    redacted: Row = redaction.value(row)
    return redacted, redaction.counts


def _searches(line: bytes) -> dict[str, tuple[str, ...]]:
    """The searches that may find something in a line, with their hints."""
    escaped = b"\\/" in line or b"\\u00" in line  # may hide a hint
    return {
        name: words for name, (words, encoded) in _hints().items() if escaped or any(word in line for word in encoded)
    }


class _Redaction:
    """The placeholders of one row.

    Args:
        text: the text of the row.
        searches: what to look for.
    """

    def __init__(self, text: str, searches: dict[str, tuple[str, ...]]) -> None:
        self.counts: Counter[str] = Counter()
        self._text = text
        self._searches = searches
        self._placeholders: dict[tuple[str, str], str] = {}
        self._numbers: Counter[str] = Counter()

    def value(self, value: Any) -> Any:
        """A JSON value without secrets; the same object if it has none."""
        if isinstance(value, str):
            return self._redacted(value)
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            return value if all(map(_is_same, items, value)) else items
        if not isinstance(value, dict):
            return value
        members = {self._redacted(key): self._member(key, member) for key, member in value.items()}
        same = all(map(_is_same, members, value)) and all(map(_is_same, members.values(), value.values()))
        return value if same else members

    def _member(self, key: str, member: Any) -> Any:
        """The value of a member, whose name may tell that it is a secret."""
        redacted = self.value(member)
        if redacted is not member or not isinstance(member, str) or "assigned" not in self._searches:
            return redacted
        if len(member) < 16 or not secrets.SECRET_NAME.search(key) or not secrets.is_random(member):
            return redacted
        self.counts["assigned_secret"] += 1
        return self._placeholder(member, "key")

    def _redacted(self, text: str) -> str:
        """A text without what the searches find; where two find something, the first of them counts."""
        found = [
            (each.start, order, each)
            for order, (search, words) in enumerate(self._searches.items())
            if any(word in text for word in words)
            for each in secrets.find(text, search)
        ]
        if not found:
            return text
        pieces: list[str] = []
        done = 0
        for start, _, secret in sorted(found):
            start = max(start, done)
            if start >= secret.end:
                continue
            if secret.kind:
                self.counts[secret.kind] += 1
            pieces += text[done:start], self._placeholder(text[start : secret.end], secret.shape)
            done = secret.end
        return "".join([*pieces, text[done:]])

    def _placeholder(self, secret: str, shape: str) -> str:
        known = self._placeholders.get((shape, secret))
        while known is None:
            self._numbers[shape] += 1
            made = _made(secret, shape, self._numbers[shape])
            if made not in self._text:
                known = self._placeholders[shape, secret] = made
        return known


def _made(secret: str, shape: str, number: int) -> str:
    """A placeholder; that of a key has the signs between its letters in the same places."""
    if shape == "email":
        return f"user{number}@example.com"
    if shape == "user":
        return f"user{number}"
    letters = [at for at, char in enumerate(secret) if char.isalnum()]
    digits = str(number)
    if len(letters) < len(digits):
        return "X" + digits
    chars = ["X" if char.isalnum() else char for char in secret]
    for at, digit in zip(letters[-len(digits) :], digits, strict=True):
        chars[at] = digit
    return "".join(chars)


def _is_same(one: Any, other: Any) -> bool:
    return one is other
