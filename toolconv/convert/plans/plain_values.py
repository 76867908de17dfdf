"""Which texts and JSON values of a row are plain: no reader takes them for anything but themselves."""

from __future__ import annotations

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
_TAG: Final = lazy_re(r"\[[A-Za-z/_]")
"""The beginning of a tag like ``[INST]``, which no JSON list of texts, numbers or objects has."""
_EXPONENT: Final = lazy_re(rb"e(?<=[0-9]e)[-0-9]")  # begins with the letter because that is fast to find
_SMALL: Final = b"0.0000"
"""What orjson writes in numbers that ``json.dumps`` writes otherwise: with an exponent, or below 0.0001."""
_CONSTANTS: Final = frozenset({"true", "false", "null", "NaN", "Infinity"})


@lru_cache(maxsize=1)
def _words(vocabulary: Vocabulary) -> tuple[str, ...]:
    """What dialects write that has none of the signs."""
    written = (*TURN_HEADERS, *TURN_TOKENS, *vocabulary.markers, *vocabulary.tokens, *vocabulary.reasoning)
    tokens = {token.strip() for token in written}
    signs = (*_SIGNS, "[")
    return tuple(sorted(each for each in tokens if len(each) > 2 and not any(sign in each for sign in signs)))


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
    for sign in _SIGNS:
        if sign in text:
            return False
    for word in _words(vocabulary()):
        if word in text:
            return False
    return text.replace("\n", "").isprintable()


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
