"""JSON text in and out, without loss: strict first, then a tolerant reader that names what it repaired.

:func:`loads` and :func:`dumps` are orjson where orjson is exact and the standard library where it is not (integers
past 64 bits, lone surrogates). :func:`read` reads what models really write: one value at a position of a larger text,
with every departure from JSON recorded under a name.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain
from typing import Any, ClassVar, Final

import orjson

JSONError = json.JSONDecodeError
"""What :func:`loads` raises; a :class:`ValueError`."""

MAX_DEPTH: Final = 254
"""Deepest nesting of JSON: orjson writes no deeper."""

_TOO_DEEP: Final = f"nested more than {MAX_DEPTH} deep"

MAX_TEXT_DEPTH: Final = 200
"""Deepest nesting of a value in a text: one that is read there has room in a row."""

_TOO_DEEP_IN_TEXT: Final = f"nested more than {MAX_TEXT_DEPTH} deep"

MAX_INTEGER_DIGITS: Final = 4300
"""CPython's own bound on the length of an integer read from text."""

MAX_HEX_DIGITS: Final = 3500
"""So many hexadecimal digits are no more decimal ones."""

_TOO_LONG: Final = f"an integer of more than {MAX_INTEGER_DIGITS:,} digits"

_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS = bytes(48 if chr(byte) in "0123456789." else byte for byte in range(256))
_BLANK_BYTES: Final = b" \t\r\n"
_LONG_NUMBER: Final = b"0" * 17  # a double keeps every decimal of fewer digits, and 64 bits every integer
_LONG_SAMPLE: Final = b"0" * 4  # so many of every fourth byte
_SMALL_NUMBER = re.compile(rb"-(?<=[0-9][eE]-)[0-9]{3,}(?![^\s,\]}\\])")  # it begins with what is quick to find


class BeyondLimit(ValueError):
    """JSON that goes beyond one of the limits; the message names it."""


# ── strict ──────────────────────────────────────────────────────────────────────────────────────


def _holds_inexact_number(raw: bytes) -> bool:
    """Whether there may be a number in ``raw`` that orjson does not keep: it has many digits, or is close to 0."""
    if _LONG_SAMPLE in raw[::4].translate(_DIGITS) and _LONG_NUMBER in raw.translate(_DIGITS):
        return True
    return _SMALL_NUMBER.search(raw) is not None


def loads(text: str | bytes) -> Any:
    """Read strict JSON exactly.

    Integers keep all their digits, a number that no double holds is an :class:`ExactFloat`, lone surrogates
    (``"\\ud800"``) stay what they are: all beyond orjson, which reads everything else. ``NaN``, ``Infinity`` and a
    number too large for a double are refused: they are no JSON values. The last of two equal keys wins, as in every
    JSON reader: see :func:`repeated_keys`.

    Raises:
        ValueError: not JSON, with the place (:data:`JSONError`) where there is one.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if not _holds_inexact_number(raw):
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            pass
        else:
            if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _deeper_than(MAX_DEPTH, value):
                raise BeyondLimit(_TOO_DEEP)
            return value
    return _exact(text)


def loads_plain(text: str | bytes, *, safe: bool = False) -> Any:
    """Read strict JSON that repeats no key and holds no number beyond orjson; for texts that are nearly always that.

    Args:
        text: the JSON.
        safe: nor does it hold an integer past 2^53, which some readers round.

    Raises:
        ValueError: it is something else, JSON or not: :func:`loads` says what.
    """
    raw = text.encode() if isinstance(text, str) else text
    value = orjson.loads(raw)
    try:
        again = orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER if safe else None)
    except TypeError:
        raise BeyondLimit(f"{_TOO_DEEP}, or an integer past 2^53") from None
    if not _differ_in_blanks(raw, again) and (_holds_inexact_number(raw) or _may_repeat_key(raw, again)):
        raise ValueError("maybe a key twice, or a number beyond a double")
    return value


def _differ_in_blanks(raw: bytes, again: bytes) -> bool:
    """Whether blanks are all that keeps ``raw`` from being ``again``, what orjson makes of it: then nothing is lost."""
    return raw.translate(None, _BLANK_BYTES) == again.translate(None, _BLANK_BYTES)


def _is_spaced_out(line: bytes, again: bytes, value: Any) -> bool:
    """The same for a line that may be long: long texts stand in both as they are, what is between them is compared."""
    at = place = 0
    if len(line) > _LONG_LINE:
        for text in _long_texts(value):
            opening, closing = orjson.dumps(text[:_EDGE])[:-1], orjson.dumps(text[-_EDGE:])[1:]
            start, begin = line.find(opening, at), again.find(opening, place)
            end, stop = line.find(closing, start), again.find(closing, begin)
            if start < 0 or end < 0 or line[start:end] != again[begin:stop]:
                break
            if not _differ_in_blanks(line[at:start], again[place:begin]):
                return False
            at, place = end, stop
    return _differ_in_blanks(line[at:], again[place:])


_LONG_LINE: Final = 4_000
_LONG_TEXT: Final = 1_000
_EDGE: Final = 32  # so many characters tell where a text begins and ends


def _long_texts(value: Any) -> Iterator[str]:
    """The long strings of a value, keys aside, in the order in which they are written."""
    stack = [value]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is str:
            if len(item) > _LONG_TEXT:
                yield item
        elif kind is dict:
            stack.extend(reversed(item.values()))
        elif kind is list:
            stack.extend(reversed(item))


def _may_repeat_key(raw: bytes, again: bytes) -> bool:
    """Whether an object in ``raw`` may hold a key twice, ``again`` being what its value is written as.

    Every key has its colon, and colons in strings stand in both, if not as an escape.
    """
    return raw.count(b":") != again.count(b":") or b"\\u003" in raw


def loads_argument(text: str) -> Any:
    """As :func:`loads_plain` with ``safe``, sooner for an object without floats, objects and lists in it.

    Raises:
        ValueError: it is something else, JSON or not: :func:`loads` says what.
    """
    value = orjson.loads(text)
    if type(value) is dict and text.count(":") == len(value) and _FLAT.issuperset(map(type, value.values())):
        try:
            orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER)
        except TypeError:
            pass
        else:
            return value  # every key has its colon, and there are no more
    return loads_plain(text, safe=True)


_FLAT: Final = frozenset({str, int, bool, type(None)})


class ExactFloat(float):
    """A number that no double holds: computes as the nearest one, is written as it was spelled.

    It has more digits than a double keeps, or is too close to 0 (``1e-400``).

    Attributes:
        text: its digits.
        made: whether one was read in this process; before that, nobody needs to look for one.
    """

    __slots__ = ("text",)
    text: str
    made: ClassVar[bool] = False

    def __repr__(self) -> str:
        return self.text


def _exact(text: str | bytes) -> Any:
    """The standard library's reading, with the same rules as :func:`loads`."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    try:
        value = _EXACT.decode(text)
    except RecursionError:
        raise BeyondLimit(_TOO_DEEP) from None
    if _deeper_than(MAX_DEPTH, value):
        raise BeyondLimit(_TOO_DEEP)
    return value


def _deeper_than(limit: int, value: Any) -> bool:
    """Whether objects and lists stand in each other more than ``limit`` deep."""
    layer = [value] if isinstance(value, dict | list) else []
    while layer and limit >= 0:
        limit -= 1
        members = chain.from_iterable(item.values() if isinstance(item, dict) else item for item in layer)
        layer = [member for member in members if isinstance(member, dict | list)]
    return limit < 0


def _integer(digits: str) -> int:
    if len(digits.lstrip("+-")) > MAX_INTEGER_DIGITS:
        raise BeyondLimit(_TOO_LONG)
    return int(digits)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON value")


def _float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits[:40]} is too large for a JSON number")
    if (len(digits) > 16 or abs(number) < _LEAST) and not _is_kept(digits, number):
        number = ExactFloat(number)
        number.text = digits
        ExactFloat.made = True
    return number


_LEAST: Final = sys.float_info.min  # closer to 0, a double keeps fewer digits


def _is_kept(digits: str, number: float) -> bool:
    """Whether a double says what the digits say."""
    if number == 0:
        return not digits.lower().partition("e")[0].strip("+-0.")
    return Decimal(digits) == Decimal(repr(number))


_EXACT = json.JSONDecoder(parse_float=_float, parse_int=_integer, parse_constant=_no_constant)


def dumps(value: Any) -> bytes:
    """Write compact UTF-8 JSON: key order kept, numbers with all their digits, lone surrogates as ``\\udXXX``.

    Raises:
        BeyondLimit: it is nested too deeply to be read again.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        if _deeper_than(MAX_DEPTH, value):
            raise BeyondLimit(_TOO_DEEP) from None
        return orjson.dumps(_fragments(value))


def dumps_line(value: Any) -> bytes:
    """Write a line: :func:`dumps` and a line end."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return dumps(value) + b"\n"


def dumps_indented(value: Any) -> bytes:
    """Write JSON for people: :func:`dumps` over several lines, with a line end."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    try:
        return orjson.dumps(value, option=options)
    except TypeError:
        return orjson.dumps(_fragments(value), option=options)


def _fragments(value: Any) -> Any:
    """A copy of ``value`` in which what orjson can't write is spelled out."""
    if isinstance(value, dict):
        if any(not key.isascii() and _SURROGATE.search(key) for key in value):
            members = (_escaped(key).encode() + b":" + dumps(member) for key, member in value.items())
            return orjson.Fragment(b"{" + b",".join(members) + b"}")
        return {key: _fragments(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_fragments(item) for item in value]
    if isinstance(value, str) and not value.isascii() and _SURROGATE.search(value):
        return orjson.Fragment(_escaped(value))
    if isinstance(value, ExactFloat):
        return orjson.Fragment(value.text)
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return orjson.Fragment(str(value))
    return value


def _escaped(text: str) -> str:
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", json.dumps(text, ensure_ascii=False))


def _spaced_encoder() -> Callable[[Any], str]:
    """``json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode`` that is made ready once, not for every value."""
    plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    string = json.encoder.encode_basestring
    pieces = make(None, plain.default, string, None, ": ", ", ", False, False, False)
    return lambda value: "".join(pieces(value, 0))


_spaced: Final = _spaced_encoder()


def spaced(value: Any) -> str:
    """Write JSON as ``json.dumps(value, ensure_ascii=False)`` does: the spelling of most chat templates."""
    return digit_by_digit(value, ", ", ": ") if ExactFloat.made and _holds_exact(value) else _spaced(value)


_pretty = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=4).encode


def pretty(value: Any) -> str:
    """Write JSON over several lines, four blanks a level: how templates print tool declarations, and some calls."""
    return digit_by_digit(value, ",", ": ", "\n", "    ") if _holds_exact(value) else _pretty(value)


def compact(value: Any) -> str:
    """Write JSON without blanks, as text; a lone surrogate stays the character it is."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        if _holds_exact(value):
            return digit_by_digit(value, ",", ":")
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _holds_exact(value: Any) -> bool:
    """Whether there is an :class:`ExactFloat` in ``value``: the standard library would write the nearest double."""
    stack = [value] if ExactFloat.made else []
    while stack:
        item = stack.pop()
        if isinstance(item, ExactFloat):
            return True
        if isinstance(item, dict | list):
            stack.extend(item.values() if isinstance(item, dict) else item)
    return False


def digit_by_digit(value: Any, comma: str, colon: str, margin: str = "", step: str = "") -> str:
    """JSON with all digits of its numbers; slow.

    Args:
        value: any JSON value.
        comma, colon: what stands between members, and between a key and its value.
        margin: a line break, and the blanks of the line that the value stands in, to put each member on a line.
        step: by how much members stand further to the right.
    """
    inner = margin + step
    if isinstance(value, dict) and value:
        pairs = ((_spaced(key), digit_by_digit(member, comma, colon, inner, step)) for key, member in value.items())
        return "{" + comma.join(f"{inner}{key}{colon}{member}" for key, member in pairs) + margin + "}"
    if isinstance(value, list) and value:
        items = (digit_by_digit(item, comma, colon, inner, step) for item in value)
        return "[" + comma.join(f"{inner}{item}" for item in items) + margin + "]"
    return value.text if isinstance(value, ExactFloat) else _spaced(value)


def loads_row(line: bytes) -> tuple[Any, list[str]]:
    """Read a line as :func:`loads` does; the value, and the keys that stand twice in one object.

    The same as :func:`loads` and :func:`repeated_keys`, with less work for the lines that nearly all lines are: those
    that orjson or ``json.dumps`` would write again as they are.

    Raises:
        ValueError: not JSON, as :func:`loads` says.
    """
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = _exact(line)
        return value, repeated_keys(line, value)
    try:
        again = orjson.dumps(value)
    except TypeError:
        raise BeyondLimit(_TOO_DEEP) from None
    if again == line or _is_spaced_out(line, again, value):
        return value, []
    if _holds_inexact_number(line):
        value = _exact(line)
    return value, repeated_keys(line, value) if _may_repeat_key(line, again) else []


def repeated_keys(text: str | bytes, value: Any) -> list[str]:
    """Keys that stand twice in one object of ``text``, whose strict reading is ``value``; each name once.

    Nearly all texts are settled without a second reading.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if not _may_repeat_key(raw, dumps(value)):
        return []
    found: dict[str, None] = {}
    try:
        _decoder(found).decode(text if isinstance(text, str) else text.decode())
    except (ValueError, RecursionError):  # deeper than the standard library goes
        return []
    return list(found)


# ── tolerant ────────────────────────────────────────────────────────────────────────────────────


class Unreadable(ValueError):
    """A text that holds no value at ``at``; ``reason`` says what is wrong in words for people."""

    def __init__(self, reason: str, at: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


class Reading:
    """A value read from a text: ``value``, where it ``end``\\ s, and the ``repairs`` it took, by name."""

    __slots__ = ("end", "repairs", "value")

    def __init__(self, value: Any, end: int, repairs: list[str]) -> None:
        self.value = value
        self.end = end
        self.repairs = repairs


def read(text: str, at: int = 0, *, stops: tuple[str, ...] = ()) -> Reading:
    """Read one JSON-like value that begins at ``text[at]``, tolerantly, and say what was repaired.

    Args:
        text: any text; the value may be followed by anything.
        at: where the value begins (blanks and comments may stand before it).
        stops: markers that end the value wherever they stand outside a string (closing tags, turn tokens). Brackets
            that are still open there, or at the end of the text, are closed if the last value is whole.

    Returns:
        The reading. ``truncated`` is among its repairs when the text ended before the value did.

    Raises:
        Unreadable: nothing certain can be read there. Nothing is ever invented: a value cut in its middle, an
            expression (``1/6``), an apostrophe that may or may not end a string are errors.
    """
    try:
        value, end = _read_strictly(text, at)
    except RecursionError:
        raise Unreadable(_TOO_DEEP_IN_TEXT, at + MAX_TEXT_DEPTH) from None
    except ValueError:
        pass
    else:
        if _deeper_than(MAX_TEXT_DEPTH, value):
            raise Unreadable(_TOO_DEEP_IN_TEXT, at + MAX_TEXT_DEPTH)
        if end < len(text) or not isinstance(value, int | float) or isinstance(value, bool):
            return Reading(value, end, ["duplicate_key"] * len(repeated_keys(text[at:end], value)))
    reader = _Reader(text, stops)
    try:
        value = reader.value(at, 0)
    except Unreadable as error:
        error.at = max(error.at, reader.far)
        raise
    return Reading(value, reader.at, list(reader.repairs))


def _read_strictly(text: str, at: int) -> tuple[Any, int]:
    """The strict reading of one value at ``text[at]``, and where it ends.

    A decoder that fails counts the lines of all the text it was given, so it is given a small piece first.
    """
    if len(text) - at > _PIECE:
        try:
            value, end = _EXACT.raw_decode(text[at : at + _PIECE])
        except JSONError as error:
            if error.pos < _PIECE - 20 and not error.msg.startswith("Unterminated"):
                raise
        else:
            if end < _PIECE:
                return value, at + end
    return _EXACT.raw_decode(text, at)


_PIECE: Final = 10_000


def _decoder(repeated: dict[str, None]) -> json.JSONDecoder:
    """A strict decoder for one value inside a longer text; keys that stand twice are added to ``repeated``."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) < len(items):
            seen: set[str] = set()
            for key, _ in items:
                if key in seen:
                    repeated[key] = None
                seen.add(key)
        return result

    return json.JSONDecoder(object_pairs_hook=pairs, parse_float=_float, parse_constant=_no_constant)


_BLANKS = re.compile(r"[ \t\r\n\u00a0\ufeff]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_PYTHON_NUMBER = re.compile(
    r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+(?:_[0-9]+)*)(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)"
)
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_PYTHON_WORDS: Final[dict[str, Any]] = {"True": True, "False": False, "None": None}
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "„": "”", "‘": "’", "＂": "＂"}
_PLAIN: Final = {
    close: re.compile(f"[^{close}\\\\\x00-\x1f]*") for close in ('"', "'", "”", "’", "＂")
}  # a run inside a string without its quote, escapes or control characters
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_PYTHON_ESCAPES: Final = {"'": "'", "a": "\a", "v": "\v", "0": "\0"}
_HEX4 = re.compile(r"[0-9a-fA-F]{4}")
_HEX = {"x": re.compile(r"[0-9a-fA-F]{2}"), "u": _HEX4, "U": re.compile(r"[0-9a-fA-F]{8}")}


class _Reader:
    """Recursive descent over one text. ``at`` moves forward only, so reading is linear."""

    __slots__ = ("at", "far", "repairs", "stops", "text")

    def __init__(self, text: str, stops: tuple[str, ...]) -> None:
        self.text = text
        self.stops = stops
        self.at = 0
        self.far = 0
        self.repairs: dict[str, None] = {}

    def blanks(self, at: int) -> int:
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

    def over(self, at: int) -> bool:
        """Whether the text, or what this value may use of it, ends at ``at``."""
        return at >= len(self.text) or self.text.startswith(self.stops, at) if self.stops else at >= len(self.text)

    def close_early(self, at: int) -> int:
        """Brackets are still open where the value has to end."""
        self.repairs["truncated" if at >= len(self.text) else "missing_bracket"] = None
        return at

    def value(self, at: int, depth: int) -> Any:
        at = self.blanks(at)
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

    def object(self, at: int, depth: int) -> dict[str, Any]:
        if depth > MAX_TEXT_DEPTH:
            raise Unreadable(_TOO_DEEP_IN_TEXT, at)
        text = self.text
        result: dict[str, Any] = {}
        at = self.blanks(at + 1)
        while True:
            if text.startswith("}", at):
                self.at = at + 1
                return result
            if self.over(at):
                self.at = self.close_early(at)
                return result
            key = self.key(at)
            at = self.blanks(self.at)
            if not text.startswith(":", at):
                raise Unreadable("a key without a colon after it", at)
            value = self.value(at + 1, depth)
            if key in result:
                self.repairs["duplicate_key"] = None
            result[key] = value
            at = self.after_member(self.at, "}")

    def array(self, at: int, depth: int) -> list[Any]:
        if depth > MAX_TEXT_DEPTH:
            raise Unreadable(_TOO_DEEP_IN_TEXT, at)
        text = self.text
        result: list[Any] = []
        at = self.blanks(at + 1)
        while True:
            if text.startswith("]", at):
                self.at = at + 1
                return result
            if self.over(at):
                self.at = self.close_early(at)
                return result
            result.append(self.value(at, depth))
            at = self.after_member(self.at, "]")

    def after_member(self, at: int, close: str) -> int:
        """Step over the comma after a member; the result is where the next member or the bracket stands."""
        at = self.blanks(at)
        text = self.text
        if text.startswith(",", at):
            at = self.blanks(at + 1)
            if text.startswith(close, at) or self.over(at):
                self.repairs["trailing_comma"] = None
        elif not text.startswith(close, at) and not self.over(at):
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
        if not result.isascii() and _SURROGATE.search(result):
            result = join_surrogates(result)
        return result

    def escape(self, at: int, python: bool, parts: list[str]) -> int:
        """One escape whose backslash stands before ``at``; returns the place after it."""
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
        elif char == "'":  # no JSON escape, but there is no other way to mean it
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
            if word in _WORDS:
                self.at = match.end()
                return _WORDS[word]
            if word in _PYTHON_WORDS:
                self.repairs["python_literal"] = None
                self.at = match.end()
                return _PYTHON_WORDS[word]
            raise Unreadable(f"{word!r} is no JSON value", at)
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
    """The number that digits of JSON or Python spell, exactly; ``at`` is where they stand.

    Raises:
        Unreadable: beyond what can be kept.
    """
    try:
        if digits.lstrip("+-")[:2].lower() in ("0x", "0o", "0b"):
            if len(digits) > MAX_HEX_DIGITS:
                raise BeyondLimit(_TOO_LONG)
            return int(digits, 0)
        if digits[-1].isdigit() and not any(c in digits for c in ".eE"):
            return _integer(digits)
        digits = digits.replace("_", "")
        return _float(digits if _NUMBER.fullmatch(digits) else _PYTHON_FLOAT.sub(_as_json, digits, 1))
    except ValueError as error:
        raise Unreadable(str(error), at) from None


_PYTHON_FLOAT = re.compile(r"\+?(-?)0*([0-9]*)\.?([0-9]*)")


def _as_json(digits: re.Match[str]) -> str:
    """The sign and the digits of a number of Python as JSON spells them."""
    sign, whole, fraction = digits.groups()
    return f"{sign}{whole or 0}.{fraction or 0}"


def join_surrogates(text: str) -> str:
    """Make one character of each surrogate pair; a lone half stays."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
