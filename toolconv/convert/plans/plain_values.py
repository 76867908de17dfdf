"""Which texts and JSON values of a row are plain: no reader takes them for anything but themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice, repeat
from typing import Any, Final, TypeGuard

import orjson

from toolconv.convert.unread.signs import BLOCKS
from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.dialects.lexing.turn_tokens import TURN_HEADERS, TURN_TOKENS
from toolconv.dialects.vocabulary import Vocabulary, vocabulary

_SIGNS: Final = ("<", ">", "|", "`", "\\")
"""No text with one of these is plain: it may be markup or code. Without a backslash a quotation mark ends a string."""
_WIDE_SIGNS: Final = ("｜", "✿", "＜", "＞")
"""The same beyond ASCII."""
_NOT_IN_PROSE: Final = ("{", "}", "[", "]", "think")
"""The same for prose: it may be JSON, a call, or a template's switch, as ``/no_think`` or ``detailed thinking off``."""
_ANSWER_SIGNS: Final = ("=", "&")
"""The same for answers in rows whose calls are structure, where only what is between tags is read as a call."""
_ONLY_TEXT_SIGNS: Final = ("(", ")", "\n")
"""The same for answers in rows without a call, where calls are looked for in the text."""
_SIGNS_WITHOUT_CALLS: Final = _ANSWER_SIGNS + _ONLY_TEXT_SIGNS
_RARE: Final = ("\xef\xbc\x9a", "=", "(", "/", ":")
"""Characters of words that dialects write, the rarest first; the first one is the wide colon's UTF-8."""
_PLAIN_ASCII: Final = bytes({10, *range(32, 127)} - set("".join(_SIGNS).encode()))
"""The characters, of ASCII, that plain texts may have."""
_NOT_ASCII: Final = bytes(range(128, 256))
_TAG: Final = lazy_re(r"\[[A-Za-z/_]")
"""The beginning of a tag like ``[INST]``, which no JSON list of texts, numbers or objects has."""
_DIGITS: Final = bytes.maketrans(b"123456789-", b"0000000000")
_EXPONENT: Final = b"0e0"
"""What an exponent is once digits and signs are zeros: to look for it so is several times faster than a pattern."""
_SMALL: Final = b"0.0000"
"""What orjson writes in numbers that ``json.dumps`` writes otherwise: with an exponent, or below 0.0001."""
_JOINT: Final = ', "|", '
_COMPACT_JOINT: Final = b',"|",'
_OF_MESSAGES: Final = frozenset(begin[2:-1] for begin in BLOCKS if begin.startswith('{"'))
"""The first keys of objects that may be calls, or messages."""
_CONSTANTS: Final = frozenset({"true", "false", "null", "NaN", "Infinity"})


def as_bytes(text: str) -> str:
    """A text whose characters are the bytes of another in UTF-8: to look for something in it is faster."""
    return text.encode().decode("latin-1")


@lru_cache(maxsize=1)
def _words(vocabulary: Vocabulary) -> list[tuple[str, re.Pattern[str], list[str]]]:
    """What dialects write that has none of the signs, in bytes.

    Most has a character that is rare in prose: by this character the words with it, and a pattern that it is in one of
    them. A pattern that begins with a character is fast, one with a choice is not.
    """
    written = (*TURN_HEADERS, *TURN_TOKENS, *vocabulary.markers, *vocabulary.tokens, *vocabulary.reasoning)
    tokens = {token.strip() for token in written}
    signs = (*_SIGNS, *_WIDE_SIGNS, "[")
    words = [as_bytes(each) for each in tokens if len(each) > 2 and not any(sign in each for sign in signs)]
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
        value: what it is.
        compact: without spaces.
    """

    __slots__ = ("_spaced", "compact", "value")

    def __init__(self, value: Any, compact: bytes, spaced: bytes | None) -> None:
        self.value = value
        self.compact = compact
        self._spaced = spaced

    @property
    def spaced(self) -> bytes:
        """As ``json.dumps`` writes it."""
        return jsontext.spaced(self.value).encode() if self._spaced is None else self._spaced


NO_ARGUMENTS: Final = JsonText({}, b"{}", b"{}")


def read_json(raw: bytes) -> JsonText:
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
    if compact.find(_SMALL) >= 0 or compact.translate(_DIGITS).find(_EXPONENT) >= 0:
        raise ValueError("a number with an exponent")
    text = raw if raw.find(b"\\u") < 0 else _unescaped(raw)
    if is_spaced(text, compact):
        return JsonText(value, compact, text)  # with what it is to the letter, nothing of it can have been lost
    return JsonText(value if text == compact else jsontext.loads_plain(raw), compact, None)


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


def plain_text(
    answers: list[str], asked: list[str], data: list[str], names: Iterable[str], has_calls: bool
) -> str | None:
    """All texts of a row, :func:`as_bytes`; ``None`` if its prose is anything else, or JSON has anything else in it.

    None has markup or invisible characters. Prose has no JSON, no switch of a template and no name of a tool.

    Args:
        answers: the prose of the assistant.
        asked: that of the user, the system and the results, and what is carried along.
        data: the texts in JSON.
        names: the tools.
        has_calls: the row has calls.
    """
    answered = " ".join(answers)
    for sign in _ANSWER_SIGNS if has_calls else _SIGNS_WITHOUT_CALLS:
        if sign in answered:
            return None
    text = as_bytes("\n".join([answered, *asked]))
    for word in (*_NOT_IN_PROSE, *names):
        if word in text:
            return None
    if data:
        values = as_bytes("\n".join(data))
        if "[" in values and _TAG.search(values) is not None:
            return None
        text = f"{text}\n{values}"
    return text if is_without_signs(text) else None


def is_without_signs(text: str) -> bool:
    """Whether a text, given :func:`as_bytes`, has nothing of markup, and no invisible character but line breaks."""
    if odd := text.encode("latin-1").translate(None, _PLAIN_ASCII):
        if odd.translate(None, _NOT_ASCII) or not (letters := odd.decode()).isprintable():
            return False
        for sign in _WIDE_SIGNS:
            if sign in letters:
                return False
    for mark, ends, words in _words(vocabulary()):
        if mark in text and ends.search(text) is not None:
            for word in words:
                if word in text:
                    return False
    return True


def read_objects(texts: list[str]) -> tuple[list[dict[str, Any]], list[bytes], list[bool]] | None:
    """The objects in some JSON texts, each without spaces, and whether each is as ``json.dumps`` writes it.

    ``None`` if any is not as compact as possible, either, or one has a key twice, a number that a double rounds or a
    null: all of it would be written back.
    """
    if (read := _read_at_once(texts)) is None:
        return None
    values, compact, are_spaced = read
    short = compact.split(_COMPACT_JOINT)
    spaced = [True] * len(texts)
    if not are_spaced:
        spaced = [text == jsontext.spaced(value) for text, value in zip(texts, values, strict=True)]
        for is_spaced, text, written in zip(spaced, texts, short, strict=True):
            if not is_spaced and text.encode() != written:
                return None
    return values, short, spaced


def objects_in(texts: list[str]) -> list[dict[str, Any]] | None:
    """The objects alone."""
    if (read := _read_at_once(texts)) is None:
        return None
    values, _, are_spaced = read
    return values if are_spaced or read_objects(texts) is not None else None


def _read_at_once(texts: list[str]) -> tuple[list[dict[str, Any]], bytes, bool] | None:
    """The objects in some JSON texts, all without spaces, and whether all are certainly as ``json.dumps`` writes them.

    They are read at once, with a text between each two that none of them has.
    """
    text = _JOINT.join(texts).encode()
    try:
        values = orjson.loads(b"[%b]" % text)
        compact = orjson.dumps(values)[1:-1]
    except (ValueError, TypeError):
        return None
    if compact.find(b"null") >= 0 or compact.find(_SMALL) >= 0 or compact.translate(_DIGITS).find(_EXPONENT) >= 0:
        return None
    joints = len(texts) - 1
    if len(values) != 2 * joints + 1 or not values[1::2].count("|") == text.count(b"|") == joints:
        return None
    values = values[::2]
    if [*map(type, values)].count(dict) <= joints:
        return None
    first_keys = chain.from_iterable(map(islice, values, repeat(1)))
    return (values, compact, is_spaced(text, compact)) if _OF_MESSAGES.isdisjoint(first_keys) else None


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
