"""Read JSON as models write it: one value inside a larger text, tolerantly; each deviation is a named repair.

:func:`read` tries strict JSON first, by the rules of :mod:`toolconv.core.jsontext`, and repairs only if that fails.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from toolconv.core.errors import ToolconvError
from toolconv.core.jsontext import EXACT, TOO_LONG, BeyondLimit, JSONError, decimal, deeper_than, integer, repeated_keys
from toolconv.core.lazy_re import lazy_re
from toolconv.core.work import ATTEMPT, spend

MAX_TEXT_DEPTH: Final = 200
"""The deepest nesting of a value in a text; it leaves room for the row's own nesting."""

_TOO_DEEP_IN_TEXT: Final = f"nested more than {MAX_TEXT_DEPTH} deep"

CUT_OFF: Final = "the text ends inside of an object or list"
"""Why a value that is cut off is unreadable."""

SPELLING_REPAIRS: Final = frozenset(
    {"comment", "duplicate_key", "invalid_escape", "python_literal", "python_number", "single_quotes", "smart_quotes"}
    | {"trailing_comma", "unquoted_key"}
)
"""The repairs that a value needs for its spelling alone, whoever reads it."""

MAX_HEX_DIGITS: Final = 3500
"""An integer of this many hexadecimal digits stays within the limit on decimal digits."""

_SURROGATE = lazy_re("[\ud800-\udfff]")


class Unreadable(ToolconvError, ValueError):
    """There is no readable value at ``at``; ``reason`` is a message for users."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


class LenientValue:
    """A value read from a text.

    Attributes:
        value: the value.
        end: the index of its end.
        repairs: the names of the repairs made.
        unclosed: the objects and lists in it, the outermost first, that were still open where the text ended.
    """

    __slots__ = ("end", "repairs", "unclosed", "value")

    def __init__(self, value: Any, end: int, repairs: list[str], unclosed: list[Any] | None = None) -> None:
        self.value = value
        self.end = end
        self.repairs = repairs
        self.unclosed = unclosed or []


def read(text: str, at: int = 0, *, stops: tuple[str, ...] = (), cut: bool = False) -> LenientValue:
    """Read one JSON-like value at ``text[at]`` tolerantly and report the repairs.

    Args:
        text: any text; anything may follow the value.
        at: where the value starts (whitespace and comments may precede it).
        stops: markers that end the value anywhere outside a string (closing tags, turn tokens). Brackets still open at
            a stop are closed if the last value is complete.
        cut: whether to read a value that the end of the text cuts off after a complete member. What is still open is
            then in ``unclosed``, and it is for the caller to say whether anything is missing from it.

    Returns:
        The value with its end and repairs. The repairs include ``truncated`` when the text ended before the value did.

    Raises:
        Unreadable: the value can't be read with certainty. Nothing is made up: a value cut off in the middle, an
            expression (``1/6``) and an apostrophe that may or may not end a string are errors.
    """
    try:
        value, end = _read_strictly(text, at)
    except RecursionError:
        raise Unreadable(_TOO_DEEP_IN_TEXT, at + MAX_TEXT_DEPTH) from None
    except ValueError:
        pass
    else:
        if deeper_than(MAX_TEXT_DEPTH, value):
            raise Unreadable(_TOO_DEEP_IN_TEXT, at + MAX_TEXT_DEPTH)
        if end < len(text) or not isinstance(value, int | float) or isinstance(value, bool):
            return LenientValue(value, end, ["duplicate_key"] * len(repeated_keys(text[at:end], value)))
    reader = LenientParser(text, stops, cut)
    try:
        value = reader.value(at, 0)
    except Unreadable as error:
        error.at = max(error.at, reader.far)
        spend(ATTEMPT + error.at - at)
        plain = None if text.isascii() else with_ascii_delimiters(text)
        if plain is None:
            raise
        try:
            reading = read(plain, at, stops=stops, cut=cut)
        except Unreadable:
            raise error from None
        changed = {
            _NAMES[char]
            for char, put in zip(text[at : reading.end], plain[at : reading.end], strict=True)
            if char != put
        }
        reading.repairs[:0] = sorted(changed)
        return reading
    spend(ATTEMPT + max(reader.at, reader.far) - at)
    return LenientValue(value, reader.at, list(reader.repairs), reader.unclosed[::-1])


QUOTES: Final = "“”„‟‘’‚‛«»＂＇"
"""Quotation marks that stand for those of ASCII."""
_NAMES: Final = {
    **dict.fromkeys(QUOTES, "smart_quotes"),
    **dict.fromkeys("：，、；｛｝［］", "full_width"),
    **dict.fromkeys("\u00a0\u2002\u2003\u2009\u202f\u3000\u200b\u200c\u200d\u2060\ufeff", "odd_blank"),
}
"""Characters that stand for a delimiter of JSON, or for a blank, by the name of the repair."""
_DELIMITERS: Final = str.maketrans("：，、；｛｝［］", ":,,;{}[]") | dict.fromkeys(
    map(ord, "\u00a0\u2002\u2003\u2009\u202f\u3000\u200b\u200c\u200d\u2060\ufeff"), " "
)
_EDGE_QUOTE: Final = lazy_re(
    r"(?<=[{\[,:｛［，：])[“”„‟«»＂]|(?<=[{\[,:｛［，：]\s)[“”„‟«»＂]|[“”„‟«»＂](?=\s{0,20}[}\],:｝］，：])"
)
"""A quotation mark where only a delimiter can stand."""
_STRING: Final = lazy_re(r"\"(?:[^\"\\]++|\\.)*+(?:\"|\\?\Z)", re.DOTALL)


@lru_cache(maxsize=2)
def with_ascii_delimiters(text: str) -> str | None:
    """A text with ASCII for the delimiters that stand for those of JSON, place by place; ``None`` if it has none."""
    plain = _EDGE_QUOTE.sub('"', text)
    pieces: list[str] = []
    at = 0
    for match in _STRING.finditer(plain):
        pieces += plain[at : match.start()].translate(_DELIMITERS), match[0]
        at = match.end()
    plain = "".join([*pieces, plain[at:].translate(_DELIMITERS)])
    return plain if plain != text else None


def _read_strictly(text: str, at: int) -> tuple[Any, int]:
    """Read one value at ``text[at]`` strictly; returns the value and its end.

    A decoder that fails counts the lines of its whole input, so it gets a small piece first.
    """
    if len(text) - at > _PIECE:
        try:
            value, end = EXACT.raw_decode(text[at : at + _PIECE])
        except JSONError as error:
            if error.pos < _PIECE - 20 and not error.msg.startswith("Unterminated"):
                raise
        else:
            if end < _PIECE:
                return value, at + end
    return EXACT.raw_decode(text, at)


_PIECE: Final = 10_000


_BLANKS = lazy_re(r"[ \t\r\n\u00a0\ufeff]*")
_NUMBER = lazy_re(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PYTHON_NUMBER = lazy_re(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+(?:_[0-9]+)*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
)
_WORD = lazy_re(r"[A-Za-z_$][\w$]*")
_JSON_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
WORDS: Final[dict[str, Any]] = _JSON_WORDS | {"True": True, "False": False, "None": None}
"""The words of JSON and of Python that are values."""
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "„": "”", "‘": "’", "＂": "＂"}
_PLAIN: Final = {
    close: lazy_re(f"[^{close}\\\\\x00-\x1f]*") for close in ('"', "'", "”", "’", "＂")
}  # a run of characters in a string without its closing quote, escapes or control characters
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WINDOWS_PATH: Final = lazy_re(r"(?:[A-Za-z]:|\\\\[\w.$-]+)(?:\\[^\\/:*?\"'<>|\x00-\x1f]+)+\\?")
_PYTHON_ESCAPES: Final = {"'": "'", "a": "\a", "v": "\v", "0": "\0"}
_ENDS_EARLIER = lazy_re(r"\"\s{0,8}[:,}\]]")
_HEX4 = lazy_re(r"[0-9a-fA-F]{4}")
_HEX = {"x": lazy_re(r"[0-9a-fA-F]{2}"), "u": _HEX4, "U": lazy_re(r"[0-9a-fA-F]{8}")}


class LenientParser:
    """A recursive descent parser. ``at`` only moves forward, so parsing takes linear time.

    Attributes:
        at: where the value that was read last ends.
        comma: whether a comma follows the member that was read last.
        far: how far the text was looked at.
        unclosed: what was open where the text ended, the innermost first.
    """

    __slots__ = ("at", "comma", "cut", "far", "repairs", "stops", "text", "unclosed")

    def __init__(self, text: str, stops: tuple[str, ...], cut: bool) -> None:
        self.text = text
        self.stops = stops
        self.cut = cut
        self.unclosed: list[Any] = []
        self.at = 0
        self.comma = False
        self.far = 0
        self.repairs: dict[str, None] = {}

    def skip_blanks(self, at: int) -> int:
        text = self.text
        while True:
            match = _BLANKS.match(text, at)
            at = match.end() if match else at
            if text.startswith("//", at) or text.startswith("#", at):
                line_end = text.find("\n", at)
                at = len(text) if line_end < 0 else line_end + 1
            elif text.startswith("/*", at):
                close = text.find("*/", at + 2)
                if close < 0:
                    self.far = len(text)
                    raise Unreadable("a comment that is never closed", at)
                at = close + 2
            else:
                return at
            self.repairs["comment"] = None

    def at_end(self, at: int) -> bool:
        """Whether the text ends, or a stop begins, at ``at``."""
        return at >= len(self.text) or self.text.startswith(self.stops, at) if self.stops else at >= len(self.text)

    def close_early(self, container: Any, at: int, *, more: bool) -> None:
        """End an object or list that is still open where the value has to end; ``more``: after a comma."""
        if at >= len(self.text):
            if not self.cut:
                raise Unreadable(CUT_OFF, at)
            self.unclosed.append(container)
            self.repairs["truncated"] = None
        elif more or not container:
            raise Unreadable("an object or list that is never closed", at)
        else:
            self.repairs["missing_bracket"] = None
        self.at = at

    def value(self, at: int, depth: int) -> Any:
        at = self.skip_blanks(at)
        text = self.text
        self.far = max(self.far, at)
        if at >= len(text):
            raise Unreadable("the text ends where a value should begin", at)
        char = text[at]
        if char == "{":
            return self.object(at, depth + 1)
        if char == "[":
            return self.array(at, depth + 1)
        if char in _QUOTES:
            return self.string(at)
        return self.scalar(at)

    def object(self, at: int, depth: int, close: str = "}") -> dict[str, Any]:
        if depth > MAX_TEXT_DEPTH:
            raise Unreadable(_TOO_DEEP_IN_TEXT, at)
        text = self.text
        result: dict[str, Any] = {}
        at = self.skip_blanks(at + 1)
        while True:
            if text.startswith(close, at):
                self.at = at + 1
                return result
            if self.at_end(at):
                self.close_early(result, at, more=self.comma)
                return result
            key = self.key(at)
            at = self.skip_blanks(self.at)
            if not text.startswith(":", at):
                raise Unreadable("a key without a colon after it", at)
            value = self.value(at + 1, depth)
            if key in result:
                self.repairs["duplicate_key"] = None
            result[key] = value
            at = self.after_member(self.at, close)

    def array(self, at: int, depth: int) -> list[Any]:
        if depth > MAX_TEXT_DEPTH:
            raise Unreadable(_TOO_DEEP_IN_TEXT, at)
        text = self.text
        result: list[Any] = []
        at = self.skip_blanks(at + 1)
        while True:
            if text.startswith("]", at):
                self.at = at + 1
                return result
            if self.at_end(at):
                self.close_early(result, at, more=self.comma)
                return result
            result.append(self.value(at, depth))
            at = self.after_member(self.at, "]")

    def after_member(self, at: int, close: str) -> int:
        """Skip the comma after a member; returns the index of the next member or of the closing bracket."""
        at = self.skip_blanks(at)
        text = self.text
        self.comma = text.startswith(",", at)
        if self.comma:
            at = self.skip_blanks(at + 1)
            if text.startswith(close, at) or self.at_end(at):
                self.repairs["trailing_comma"] = None
        elif not text.startswith(close, at) and not self.at_end(at):
            raise Unreadable(f"{text[at]!r} where a comma or {close!r} should stand", at)
        return at

    def key(self, at: int) -> str:
        text = self.text
        if text[at] in _QUOTES:
            return self.string(at)
        match = _WORD.match(text, at)
        if match is None:
            raise Unreadable(f"{text[at]!r} where a key should begin", at)
        self.repairs["unquoted_key"] = None
        self.at = match.end()
        return match[0]

    def string(self, at: int) -> str:
        text = self.text
        close = _QUOTES[text[at]]
        python = close == "'"
        if close != '"':
            self.repairs["single_quotes" if python else "smart_quotes"] = None
        plain = _PLAIN[close]
        parts: list[str] = []
        start = at
        at += 1
        while True:
            match = plain.match(text, at)
            if match is not None and match.end() > at:
                parts.append(match[0])
                at = match.end()
            if at >= len(text):
                self.far = at
                raise Unreadable("a string that is never closed", start)
            char = text[at]
            if char == close:
                self.at = at + 1
                break
            if char == "\\":
                at = self.escape(at + 1, python, parts)
            else:
                name = {"\n": "unescaped_newline", "\r": "unescaped_newline", "\t": "unescaped_tab"}
                self.repairs[name.get(char, "unescaped_control")] = None
                parts.append(char)
                at += 1
        result = "".join(parts)
        raw = text[start + 1 : at]
        if any(part[0] == "\\" and len(part) == 2 for part in parts) and _WINDOWS_PATH.fullmatch(raw):
            result = raw  # of C:\Users\new, no backslash begins an escape if one doesn't
        if close not in ('"', "'") and '"' in result and _ENDS_EARLIER.search(result):
            raise Unreadable("a quotation mark of another kind ends the string", start)
        if not result.isascii() and _SURROGATE.search(result):
            result = join_surrogates(result)
        return result

    def escape(self, at: int, python: bool, parts: list[str]) -> int:
        """Read the escape whose backslash is before ``at``; returns the index after it."""
        text = self.text
        if at >= len(text):
            raise Unreadable("the text ends inside a string", at)
        char = text[at]
        if char in _ESCAPES:
            parts.append(_ESCAPES[char])
            return at + 1
        if char == "u" or (python and char in _HEX):
            match = _HEX[char].match(text, at + 1)
            if match is not None and int(match[0], 16) <= 0x10FFFF:
                parts.append(chr(int(match[0], 16)))
                return match.end()
        elif python and char in _PYTHON_ESCAPES:
            parts.append(_PYTHON_ESCAPES[char])
            return at + 1
        elif python and char == "\n":
            return at + 1
        elif char == "'":  # not a JSON escape, but unambiguous
            self.repairs["invalid_escape"] = None
            parts.append("'")
            return at + 1
        if not python:
            self.repairs["invalid_escape"] = None
        parts.append("\\" + char)
        return at + 1

    def scalar(self, at: int) -> Any:
        text = self.text
        match = _WORD.match(text, at)
        if match is not None:
            word = match[0]
            if word not in WORDS:
                raise Unreadable(f"{word!r} is no JSON value", at)
            if word not in _JSON_WORDS:
                self.repairs["python_literal"] = None
            self.at = match.end()
            return WORDS[word]
        match = _NUMBER.match(text, at)
        strict = match is not None and self.ends_number(match.end())
        if not strict:
            match = _PYTHON_NUMBER.match(text, at)
        if match is None or match.end() == at:
            raise Unreadable(f"{text[at]!r} where a value should begin", at)
        if match.end() >= len(text):
            raise Unreadable("the text ends inside a number", at)
        if not strict:
            if not self.ends_number(match.end()):
                raise Unreadable(f"{text[at : match.end() + 1]!r} is no number", at)
            self.repairs["python_number"] = None
        self.at = match.end()
        return number(match[0], at)

    def ends_number(self, at: int) -> bool:
        return at >= len(self.text) or self.text[at] in ",]}) \t\r\n<[|" or self.text.startswith(("//", "/*", "#"), at)


def number(digits: str, at: int = 0) -> int | float:
    """Convert a JSON or Python number exactly; ``at`` is its index, for errors.

    Raises:
        Unreadable: the number exceeds a limit.
    """
    try:
        if digits.lstrip("+-")[:2].lower() in ("0x", "0o", "0b"):
            if len(digits) > MAX_HEX_DIGITS:
                raise BeyondLimit(TOO_LONG)
            return int(digits, 0)
        if digits[-1].isdigit() and not any(c in digits for c in ".eE"):
            return integer(digits)
        digits = digits.replace("_", "")
        return decimal(digits if _NUMBER.fullmatch(digits) else _PYTHON_FLOAT.sub(_as_json, digits, 1))
    except ValueError as error:
        raise Unreadable(str(error), at) from None


_PYTHON_FLOAT = lazy_re(r"\+?(-?)0*([0-9]*)\.?([0-9]*)")


def _as_json(digits: re.Match[str]) -> str:
    """The sign and digits of a Python number in JSON syntax."""
    sign, whole, fraction = digits.groups()
    return f"{sign}{whole or 0}.{fraction or 0}"


def join_surrogates(text: str) -> str:
    """Join each surrogate pair into one character; lone surrogates stay."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
