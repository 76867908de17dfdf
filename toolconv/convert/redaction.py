"""Replaces the secrets in a row by placeholders: ``--redact``.

A placeholder has the shape of what it stands for: ``user1@example.com``, ``/home/user1``, ``ghp_XXXXXXXXXX1`` of the
same length. A model is trained to copy values from a question to a call, and to write calls that their schemas accept;
marks such as ``<EMAIL>`` would teach it to write marks, and look like the markup of calls.

The same secret has the same placeholder throughout a row, and is numbered by its first appearance in it. Numbers
depend on nothing but the row: they are the same for any number of processes and shards, after ``--resume``, and in any
order of the rows. Nothing of a secret is in its placeholder but its length and its well-known prefix, where a hash
could be guessed. No placeholder is a text that the row has already, so that two different values stay different.

What is searched is the conversation that will be written, after its streams, its JSON texts and its calls were read:
all texts, keys too; each text as it is written and as its escapes are decoded (JSON inside a text stays JSON); the
values of members and parameters that have the name of a secret; and the adjacent text parts of a message as one text.
The row that it was read from is searched as well where parts of it may be written unchanged. Base64 is not decoded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final, cast

from toolconv.convert import secrets
from toolconv.convert.decoding import Decoded, layers
from toolconv.convert.secrets import SEARCHES, Found, Search
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.notes import Dropped

NAMES: Final = ("name", "Name", "key", "Key", "field", "parameter", "header", "variable")
VALUES: Final = ("value", "Value")
"""The members of an object that is a name and its value."""

TEXTS: Final = ("text", "thinking")
"""The members of content parts that are texts."""


def redact(conversation: Conversation, layout: str) -> None:
    """Replace the secrets of a conversation, and count them in its notes.

    Args:
        conversation: a conversation whose calls were read; it is changed.
        layout: the layout that will be written: unchanged parts of a row of this layout are copied from it.
    """
    origin = conversation.origin if conversation.origin is not None and conversation.origin[0] == layout else None
    answers = conversation.answers
    others = answers.others if answers is not None else []
    values = [conversation.row, conversation.prompt, origin and origin[1], *(other.row for other in others)]
    redaction = Redaction("\n".join(map(jsontext.compact, [*values, answers and answers.row])))
    conversation.row = redaction.value(conversation.row)
    conversation.prompt = redaction.value(conversation.prompt)
    for other in others:
        shared = answers.shared if answers is not None else 0
        own = redaction.value(other.messages[shared:])
        counts = redaction.counts.copy()  # what all answers share is one place
        other.row = {**redaction.value(other.row), "messages": [*conversation.messages[:shared], *own]}
        redaction.counts = counts
    counts = redaction.counts
    if origin is not None:  # what is in both is one place
        redaction.counts = Counter()
        conversation.origin = (origin[0], redaction.value(origin[1]))
        counts |= redaction.counts
    if answers is not None:
        answers.row = redaction.value(answers.row)
    notes = conversation.notes
    notes.redacted = counts
    if notes.dropped:
        notes.dropped = [Dropped(*map(redacted_text, dropped)) for dropped in notes.dropped]


def redacted_text(text: str) -> str:
    """A text, such as a message about a row, without secrets."""
    result: str = redacted_value(text)
    return result


def redacted_value(value: Any) -> Any:
    """A JSON value other than a row, such as the options of a run, without secrets."""
    return Redaction(jsontext.compact(value)).value(value)


class Redaction:
    """The placeholders of one row.

    Args:
        text: the text of the row: no placeholder is in it.

    Attributes:
        counts: how many places were replaced, by kind.
    """

    def __init__(self, text: str) -> None:
        self.counts: Counter[str] = Counter()
        self._text = text
        self._searches = [each for each in SEARCHES if _has_any(text, each.hints)]
        self._clean: set[str] = set()
        self._placeholders: dict[tuple[str, str], str] = {}
        self._numbers: Counter[str] = Counter()

    def value(self, value: Any, name: str = "") -> Any:
        """A JSON value without secrets, the member ``name`` of an object; the same object if it has none."""
        if isinstance(value, str):
            return self._redacted(value)
        if isinstance(value, list):
            items = [self.value(item) for item in value]
            parts = [(at, text) for at, item in enumerate(items) if (text := _text_in(item, name)) is not None]
            if len(parts) > 1:
                self._redact_across(items, parts)
            return value if all(map(_is_same, items, value)) else items
        if not isinstance(value, dict):
            return value
        named = _named_value(value)
        members = {
            self._redacted(key): self._member(key if named is None or key not in VALUES else named, member)
            for key, member in value.items()
        }
        same = all(map(_is_same, members, value)) and all(map(_is_same, members.values(), value.values()))
        return value if same else members

    def _member(self, name: str, member: Any) -> Any:
        """The value of a member, whose name may tell that it is a secret."""
        redacted = self.value(member, name)
        if redacted is not member or not isinstance(member, str) or len(member) < 16:
            return redacted
        if not secrets.SECRET_NAME.search(name) or not secrets.is_random(member):
            return redacted
        self.counts["assigned_secret"] += 1
        return self._placeholder(member, "key")

    def _redacted(self, text: str) -> str:
        """A text without what the searches find."""
        if text in self._clean:
            return text
        found = list(_found_in(text, self._searches))
        if not found:
            self._clean.add(text)
            return text
        return "".join(piece for piece, _, _ in self._pieces(text, found))

    def _redact_across(self, items: list[Any], parts: list[tuple[int, str]]) -> None:
        """Replace what is found only where the texts of some items, each with its place, are read as one."""
        whole = "".join(text for _, text in parts)
        if whole in self._clean:
            return
        ends, end = [], 0
        for _, text in parts:
            ends.append(end := end + len(text))
        found = [each for each in _found_in(whole, SEARCHES) if not _only_goes_on(whole, each, ends)]
        if not found:
            self._clean.add(whole)
            return
        pieces = self._pieces(whole, found)
        start = 0
        for (at, before), end in zip(parts, ends, strict=True):
            text = "".join(
                whole[max(first, start) : min(last, end)] if whole[first:last] == piece else piece
                for piece, first, last in pieces
                if first < end and (last > start if whole[first:last] == piece else first >= start)
            )
            if text != before:
                items[at] = text if isinstance(items[at], str) else {**items[at], _text_key(items[at]): text}
            start = end

    def _pieces(self, text: str, found: list[Found]) -> list[tuple[str, int, int]]:
        """The pieces of a text, some of them placeholders, each with the place in the text that it stands for.

        Where two searches find something, the first place counts, and of those that begin there, the longest.
        """
        pieces: list[tuple[str, int, int]] = []
        done = 0
        for each in sorted(found, key=lambda each: (each.start, -each.end)):
            start = max(each.start, done)
            if start >= each.end:
                continue
            if each.kind:
                self.counts[each.kind] += 1
            secret = each.secret if start == each.start and each.secret else text[start : each.end]
            pieces.append((text[done:start], done, start))
            pieces.append((self._placeholder(secret, each.shape), start, each.end))
            done = each.end
        return [*pieces, (text[done:], done, len(text))]

    def _placeholder(self, secret: str, shape: str) -> str:
        known = self._placeholders.get((shape, secret))
        while known is None:
            self._numbers[shape] += 1
            made = _made(secret, shape, self._numbers[shape])
            if made not in self._text:
                known = self._placeholders[shape, secret] = made
        return known


def _found_in(text: str, searches: Iterable[Search]) -> Iterator[Found]:
    """The secrets in a text as it is written, and in each layer of it, decoded."""
    for search in searches:
        if _has_any(text, search.hints):
            yield from search.find(text)
    above: list[Decoded] = []
    for layer in layers(text):
        above.append(layer)
        for search in SEARCHES:
            if not _has_any(layer.text, search.hints):
                continue
            for each in search.find(layer.text):
                start, end = each.start, each.end
                for decoded in reversed(above):
                    start, end = decoded.place(start, end)
                yield Found(start, end, each.kind, each.shape, layer.text[each.start : each.end])


def _only_goes_on(text: str, found: Found, ends: list[int]) -> bool:
    """Whether what is found in joined texts is a placeholder at the end of one, and words at the beginning of the next.

    ``user1@example.com`` and ``Hello`` are no address together. A key of which only the first part was found goes on
    with letters and digits.
    """
    at = next((end for end in ends if found.start < end < found.end), None)
    return (
        at is not None
        and secrets.is_placeholder(text[found.start : at])
        and not (found.shape == "key" and secrets.is_key(text[at : found.end]))
    )


def _text_in(part: Any, name: str) -> str | None:
    """The text of a part of the content; the list of the parts is the member ``name`` of an object.

    Parts may be texts; other lists of texts are values, which nothing joins.
    """
    if isinstance(part, str):
        return part if name == "content" else None
    key = _text_key(part) if isinstance(part, dict) else None
    return None if key is None else cast(str, part[key])


def _text_key(part: dict[str, Any]) -> str | None:
    return next((key for key in TEXTS if isinstance(part.get(key), str)), None)


def _named_value(value: dict[str, Any]) -> str | None:
    """The name in an object that may be a name and its value."""
    return next((name for key in NAMES if isinstance(name := value.get(key), str)), None)


def _has_any(text: str, words: tuple[str, ...]) -> bool:
    for word in words:  # noqa: SIM110 - faster than any()
        if word in text:
            return True
    return False


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
