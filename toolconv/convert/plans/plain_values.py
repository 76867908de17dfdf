"""Which texts and JSON values of a row are plain: no reader takes them for anything but themselves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, TypeGuard

import orjson

from toolconv.convert.unread.signs import BLOCKS
from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.turn_tokens import TURN_HEADERS, TURN_TOKENS
from toolconv.dialects.vocabulary import Vocabulary, vocabulary

_SIGNS: Final = ("<", ">", "|", "`", "\\", "｜", "✿", "＜", "＞")
"""No text with one of these is plain: it may be markup or code. Without a backslash a quotation mark ends a string."""
_BRACKETS: Final = ("{", "}", "[", "]")
"""The same for prose: with one of these it may be JSON, or a call."""
_ANSWER_SIGNS: Final = ("=", "&")
"""The same for answers in rows whose calls are structure, where only what is between tags is read as a call."""
_ONLY_TEXT_SIGNS: Final = ("(", ")", "\n")
"""The same for answers in rows without a call, where calls are looked for in the text."""
_SWITCHES: Final = ("think",)
"""Prose with one of these may be a template's switch, such as ``/no_think`` or ``detailed thinking off``."""
_RARE: Final = ("：", "=", "(", "/", ":")
"""Characters of words that dialects write, the rarest first."""
_PLAIN_ASCII: Final = bytes({10, *range(32, 127)} - set("".join(_SIGNS[:5]).encode()))
"""The characters, of ASCII, that plain texts may have."""
_TAG: Final = lazy_re(r"\[[A-Za-z/_]")
"""The beginning of a tag like ``[INST]``, which no JSON list of texts, numbers or objects has."""
_EXPONENT: Final = lazy_re(rb"e(?<=[0-9]e)[-0-9]")  # begins with the letter because that is fast to find
_SMALL: Final = b"0.0000"
"""What orjson writes in numbers that ``json.dumps`` writes otherwise: with an exponent, or below 0.0001."""
_CONSTANTS: Final = frozenset({"true", "false", "null", "NaN", "Infinity"})


@lru_cache(maxsize=1)
def _words(vocabulary: Vocabulary) -> list[tuple[str, re.Pattern[str], list[str]]]:
    """What dialects write that has none of the signs.

    Most has a character that is rare in prose: by this character the words with it, and a pattern that it is in one of
    them. A pattern that begins with a character is fast, one with a choice is not.
    """
    written = (*TURN_HEADERS, *TURN_TOKENS, *vocabulary.markers, *vocabulary.tokens, *vocabulary.reasoning)
    tokens = {token.strip() for token in written}
    signs = (*_SIGNS, "[")
    words = [each for each in tokens if len(each) > 2 and not any(sign in each for sign in signs)]
    words = [each for each in words if not any(other in each for other in words if other != each)]
    found: dict[str, list[str]] = {}
    for word in sorted(words):
        found.setdefault(next((mark for mark in _RARE if mark in word), word), []).append(word)
    return [(mark, lazy_re(_ending(mark, group)), group) for mark, group in found.items()]


def _ending(mark: str, words: list[str]) -> str:
    """The pattern of a mark after one of the characters that precede it in some words."""
    before = {word[word.index(mark) - 1] for word in words if not word.startswith(mark)}
    letters = "".join(map(re.escape, sorted(before)))
    is_first = any(word.startswith(mark) for word in words)
    return re.escape(mark) + ("" if is_first else f"(?<=[{letters}]{re.escape(mark)})")


class JsonText:
    """A JSON value as lines spell it.

    Attributes:
        compact: without spaces.
        spaced: as ``json.dumps`` writes it.
    """

    __slots__ = ("compact", "spaced")

    def __init__(self, compact: bytes, spaced: bytes) -> None:
        self.compact = compact
        self.spaced = spaced


NO_ARGUMENTS: Final = JsonText(b"{}", b"{}")


def read_json(raw: bytes) -> tuple[Any, JsonText]:
    """Read strict JSON without repeated keys or numbers that orjson rounds, like :func:`jsontext.loads_plain`.

    Nor has it numbers that are not always written in the same way.

    Raises:
        ValueError: the text is anything else.
    """
    try:
        value = orjson.loads(raw)
        compact = orjson.dumps(value)
    except TypeError as error:
        raise ValueError("nested too deep") from error
    if compact.find(_SMALL) >= 0 or _EXPONENT.search(compact) is not None:
        raise ValueError("a number with an exponent")
    text = raw if raw.find(b"\\u") < 0 else _unescaped(raw)
    if is_spaced(text, compact):
        return value, JsonText(compact, text)  # with what it is to the letter, nothing of it can have been lost
    if text != compact:
        value = jsontext.loads_plain(raw)
    return value, JsonText(compact, jsontext.spaced(value).encode())


def _unescaped(text: bytes) -> bytes:
    """JSON without the escapes of letters; something else if it has other escapes."""
    try:
        return str(orjson.loads(b'"%b"' % text.replace(b'"', b'\\"'))).encode()
    except ValueError:
        return text


def begins_as_prose(text: Any) -> TypeGuard[str]:
    """Whether a value is a text that begins with a letter or a digit, and ends with no white space."""
    return type(text) is str and text[:1].isalnum() and not text[-1].isspace()


def is_not_json(text: str) -> bool:
    """Whether a text that begins as prose isn't a JSON value, either."""
    return text[0].isalpha() and text not in _CONSTANTS


class Texts:
    """The texts of a row.

    Attributes:
        asked: those of the user, the system and the results, and what is carried along; all begin as prose.
        answers: those of the assistant, which begin so, too.
        data: those in JSON.
    """

    __slots__ = ("answers", "asked", "data")

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answers: list[str] = []
        self.data: list[str] = []

    def are_plain(self, names: Sequence[str], has_calls: bool) -> bool:
        """Whether prose is nothing else, and JSON has nothing else in it.

        None has markup or invisible characters. Prose has no JSON, no switch of a template and no name of a tool.

        Args:
            names: the tools.
            has_calls: the row has calls.
        """
        text = "\n".join(self.answers)
        for sign in _ANSWER_SIGNS:
            if sign in text:
                return False
        if not has_calls:
            for answer in self.answers:
                for sign in _ONLY_TEXT_SIGNS:
                    if sign in answer:
                        return False
        text = "\n".join((text, *self.asked))
        for sign in _BRACKETS:
            if sign in text:
                return False
        for word in (*_SWITCHES, *names):
            if word in text:
                return False
        if self.data:
            data = "\n".join(self.data)
            if "[" in data and _TAG.search(data) is not None:
                return False
            text = f"{text}\n{data}"
        return is_without_signs(text)


def is_without_signs(text: str) -> bool:
    """Whether a text has nothing of markup, and no invisible character but line breaks."""
    if odd := text.encode().translate(None, _PLAIN_ASCII).decode():
        if not odd.isprintable():
            return False
        for sign in _SIGNS:
            if sign in odd:
                return False
    for mark, ends, words in _words(vocabulary()):
        if mark in text and ends.search(text) is not None:
            for word in words:
                if word in text:
                    return False
    return True


def read_object(text: str) -> tuple[dict[str, Any], JsonText] | None:
    """An object in JSON, as compact as possible or as ``json.dumps`` writes it; ``None`` for anything else.

    It has no key twice, no number that a double rounds and no null: all of it would be written back.
    """
    raw = text.encode()
    try:
        value, read = read_json(raw)
    except ValueError:
        return None
    if type(value) is not dict or read.compact.find(b"null") >= 0 or text.startswith(BLOCKS):
        return None
    return (value, read) if raw in (read.spaced, read.compact) else None


def read_objects(texts: list[str]) -> list[tuple[dict[str, Any], bool]] | None:
    """What :func:`read_object` reads in each of some texts without line breaks, and whether it has spaces.

    They are read at once: JSON strings hold no line breaks, so that none can go on in the next text.
    """
    try:
        values = orjson.loads("[" + ",\n".join(texts) + "]")
        compact = orjson.dumps(values)
    except (ValueError, TypeError):
        return None
    is_plain = compact.find(b"null") < 0 and compact.find(_SMALL) < 0 and _EXPONENT.search(compact) is None
    if is_plain and len(values) == len(texts) and is_spaced(("[" + ", ".join(texts) + "]").encode(), compact):
        for text in texts:
            if text[:1] != "{" or text.startswith(BLOCKS):
                return None
        return [(value, True) for value in values]
    found: list[tuple[dict[str, Any], bool]] = []
    for text in texts:
        if (read := read_object(text)) is None:
            return None
        found.append((read[0], text.encode() == read[1].spaced))
    return found


def is_spaced(text: bytes, compact: bytes) -> bool:
    """Whether a text certainly is what ``json.dumps`` writes for a value, whose compact JSON is given.

    Without a backslash, a quotation mark is the edge of a string, and a colon after one separates. A comma before one,
    or before a brace, may be part of a string, which then would be another one: the texts would differ. Before anything
    else, a comma may separate, too: if a space follows each, it doesn't in compact JSON.
    """
    return (
        text.find(b"\\") < 0
        and compact.replace(b'":', b'": ').replace(b',"', b', "').replace(b",{", b", {") == text
        and text.count(b",") == text.count(b", ")
    )
