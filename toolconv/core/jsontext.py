"""Read and write JSON without loss.

:func:`loads` and :func:`dumps` use orjson where it is exact, and the standard library where it is not (integers past 64
bits, lone surrogates). :mod:`toolconv.core.lenient_json` reads the malformed JSON that models write.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, Final

import orjson

from toolconv.core.errors import ToolconvError
from toolconv.core.lazy_re import lazy_re

JSONError = json.JSONDecodeError
"""What :func:`loads` raises; a :class:`ValueError`."""

MAX_DEPTH: Final = 254
"""The deepest nesting allowed: orjson can't write deeper JSON."""

_TOO_DEEP: Final = f"nested more than {MAX_DEPTH} deep"

MAX_INTEGER_DIGITS: Final = 4300
"""CPython's limit on the digits of an integer in text."""

TOO_LONG: Final = f"an integer of more than {MAX_INTEGER_DIGITS:,} digits"

_SURROGATE = lazy_re("[\ud800-\udfff]")
_DIGITS = bytes(48 if chr(byte) in "0123456789." else byte for byte in range(256))
_BLANK_BYTES: Final = b" \t\r\n"
_LINE_BLANKS: Final = b" \t"
_LONG_NUMBER: Final = b"0" * 17  # a double keeps every shorter decimal, and 64 bits every shorter integer
_LONG_SAMPLE: Final = b"0" * 4  # a long number in a sample of every fourth byte
_SHORT: Final = 100  # fewer bytes are gone over at once, faster than by a sample or a table
_SMALL_NUMBER = lazy_re(rb"-(?<=[0-9][eE]-)[0-9]{3,}(?![^\s,\]}\\])")  # starts with "-" because that is fast to find


class BeyondLimit(ToolconvError, ValueError):
    """The JSON exceeds a limit; the message names it."""


def _may_hold_inexact_number(raw: bytes) -> bool:
    """Whether ``raw`` may hold a number that orjson rounds: one with many digits, or one close to 0.

    Uses ``find`` because ``in`` is much slower on bytes.
    """
    sample = raw if len(raw) < _SHORT else raw[::4]
    if sample.translate(_DIGITS).find(_LONG_SAMPLE) >= 0 and raw.translate(_DIGITS).find(_LONG_NUMBER) >= 0:
        return True
    return raw.find(b"-") >= 0 and _SMALL_NUMBER.search(raw) is not None


def loads(text: str | bytes) -> Any:
    """Read strict JSON exactly.

    Unlike orjson, this keeps all digits of integers, lone surrogates (``"\\ud800"``), and, as :class:`ExactFloat`,
    numbers that no double represents. ``NaN``, ``Infinity`` and numbers too large for a double are not JSON and raise.
    When a key is repeated the last value wins, as in every JSON reader; :func:`repeated_keys` finds such keys.

    Raises:
        ValueError: not JSON; a :data:`JSONError` with the position where possible.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if not _may_hold_inexact_number(raw):
        try:
            value = orjson.loads(raw)
        except orjson.JSONDecodeError:
            pass
        else:
            if len(raw) > MAX_DEPTH and raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and deeper_than(MAX_DEPTH, value):
                raise BeyondLimit(_TOO_DEEP)
            return value
    return _exact(text)


def loads_plain(text: str | bytes, *, safe: bool = False) -> Any:
    """Read strict JSON without repeated keys or numbers that orjson rounds: a fast path, since nearly all JSON is.

    Args:
        text: the JSON.
        safe: also reject integers past 2^53, which some readers round.

    Raises:
        ValueError: the text is anything else, JSON or not; :func:`loads` tells which.
    """
    raw = text.encode() if isinstance(text, str) else text
    value = orjson.loads(raw)
    try:
        again = orjson.dumps(value, option=orjson.OPT_STRICT_INTEGER if safe else None)
    except TypeError:
        raise BeyondLimit(f"{_TOO_DEEP}, or an integer past 2^53") from None
    if again == raw or (raw.isascii() == again.isascii() and _differ_in_blanks(raw, again)):
        return value
    if _may_hold_inexact_number(raw) or _may_repeat_key(raw, again):
        raise ValueError("maybe a key twice, or a number beyond a double")
    return value


def loads_each_plain(texts: Sequence[str]) -> list[Any]:
    """Read several texts like :func:`loads_plain`; faster than one at a time if each text is one line.

    Raises:
        ValueError: :func:`loads_plain` rejects one of the texts.
    """
    raw = ",\n".join(texts).encode()
    try:
        values: list[Any] = orjson.loads(b"[" + raw + b"]")
        again = b",\n".join(map(orjson.dumps, values))
    except (ValueError, TypeError):
        pass
    else:
        if raw.translate(None, _LINE_BLANKS) == again.translate(None, _LINE_BLANKS):
            return values  # JSON strings hold no line breaks, so each text is one value
    return [loads_plain(text) for text in texts]


def _differ_in_blanks(raw: bytes, again: bytes) -> bool:
    """Whether ``raw`` and ``again``, the re-serialised value, differ in white space alone."""
    if len(raw) < _SHORT and raw.replace(b" ", b"") == again.replace(b" ", b""):
        return True
    return raw.translate(None, _BLANK_BYTES) == again.translate(None, _BLANK_BYTES)


def _may_repeat_key(raw: bytes, again: bytes) -> bool:
    """Whether an object in ``raw`` may repeat a key; ``again`` is the re-serialised value.

    A repeated key loses its colon in ``again``. Colons in strings are in both, unless ``raw`` escapes them.
    """
    return _colons(raw) != _colons(again) or raw.find(b"\\u003") >= 0


def _colons(raw: bytes) -> int:
    """The number of colons; ``replace`` is three times faster than ``bytes.count``, which checks every byte."""
    return len(raw) - len(raw.replace(b":", b""))


class ExactFloat(float):
    """A number that no double represents: it computes as the nearest double and is written with its original digits.

    Such numbers have more digits than a double keeps, or are too close to 0 (``1e-400``).

    Attributes:
        text: its digits.
        made: whether this process has created one; until then, writers need not search for them.
    """

    __slots__ = ("text",)
    text: str
    made: ClassVar[bool] = False

    def __repr__(self) -> str:
        return self.text


def _exact(text: str | bytes) -> Any:
    """Read with the standard library, by the same rules as :func:`loads`."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    try:
        value = EXACT.decode(text)
    except RecursionError:
        raise BeyondLimit(_TOO_DEEP) from None
    if deeper_than(MAX_DEPTH, value):
        raise BeyondLimit(_TOO_DEEP)
    return value


def deeper_than(limit: int, value: Any) -> bool:
    """Whether objects and lists are nested more than ``limit`` deep."""
    return any_deeper_than(limit, (value,))


def any_deeper_than(limit: int, values: Iterable[Any]) -> bool:
    """Whether :func:`deeper_than` is true of any of the values."""
    for value in values:
        if type(value) is dict:
            value = value.values()
        elif type(value) is not list:
            continue
        if limit == 0 or any_deeper_than(limit - 1, value):
            return True
    return False


def integer(digits: str) -> int:
    """Convert digits to an integer.

    Raises:
        BeyondLimit: there are too many digits.
    """
    if len(digits.lstrip("+-")) > MAX_INTEGER_DIGITS:
        raise BeyondLimit(TOO_LONG)
    return int(digits)


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is no JSON value")


def decimal(digits: str) -> float:
    """Convert a JSON number to a float exactly; an :class:`ExactFloat` if no double represents it.

    Raises:
        ValueError: the number is too large for a double.
    """
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{digits[:40]} is too large for a JSON number")
    if (len(digits) > 16 or abs(number) < _SMALLEST_NORMAL) and not _is_exact(digits, number):
        number = ExactFloat(number)
        number.text = digits
        ExactFloat.made = True
    return number


_SMALLEST_NORMAL: Final = sys.float_info.min  # closer to 0, doubles keep fewer digits


def _is_exact(digits: str, number: float) -> bool:
    """Whether ``number`` equals ``digits`` exactly."""
    if number == 0:
        return not digits.lower().partition("e")[0].strip("+-0.")
    from decimal import Decimal  # rarely needed, and takes long to load

    return Decimal(digits) == Decimal(repr(number))


EXACT = json.JSONDecoder(parse_float=decimal, parse_int=integer, parse_constant=_no_constant)


def opened(value: Any) -> Any:
    """A value, or the JSON object or list in its text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return loads(value)
        except ValueError:
            return value
    return value


def is_object(text: str) -> bool:
    """Whether a text is a JSON object and nothing else."""
    return text.lstrip().startswith("{") and type(opened(text)) is dict


def dumps(value: Any) -> bytes:
    """Write compact UTF-8 JSON: keys in order, numbers with all their digits, lone surrogates as ``\\udXXX``.

    Raises:
        BeyondLimit: the value is nested too deeply to be read back.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        if deeper_than(MAX_DEPTH, value):
            raise BeyondLimit(_TOO_DEEP) from None
        return orjson.dumps(_fragments(value))


HALF: Final = rb"\ud"
"""How :func:`dumps` begins half of a surrogate pair. A text may hold it, too."""


def holds_half_character(value: Any) -> bool:
    """Whether a text or key in JSON data holds half of a surrogate pair, which is no UTF-8."""
    try:
        orjson.dumps(value)
    except TypeError:
        return _SURROGATE.search(json.dumps(value, ensure_ascii=False)) is not None
    return False


def trimmed(text: bytes) -> bytes:
    """A copy of a text to keep, without the unused room after what orjson writes."""
    return bytes(memoryview(text))


def dumps_sorted(value: Any) -> bytes:
    """Like :func:`dumps`, with the keys of each object sorted: equal texts for equal values."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return dumps(_sorted(value))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(member) for key, member in sorted(value.items())}
    return [_sorted(item) for item in value] if isinstance(value, list | tuple) else value


def dumps_line(value: Any) -> bytes:
    """Like :func:`dumps`, with a line end."""
    try:
        return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        return dumps(value) + b"\n"


def dumps_indented(value: Any) -> bytes:
    """Like :func:`dumps`, indented, with a line end."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    try:
        return orjson.dumps(value, option=options)
    except TypeError:
        return orjson.dumps(_fragments(value), option=options)


def _fragments(value: Any) -> Any:
    """A copy of ``value`` with fragments of JSON text for the values that orjson can't write."""
    if isinstance(value, dict):
        if any(type(key) is str and not key.isascii() and _SURROGATE.search(key) for key in value):
            members = (_escaped(key).encode() + b":" + dumps(member) for key, member in value.items())
            return orjson.Fragment(b"{" + b",".join(members) + b"}")
        return {key: _fragments(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
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
    """``json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode``, set up once instead of for every value."""
    plain = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
    string = json.encoder.encode_basestring
    make: Any = vars(json.encoder)["c_make_encoder"]
    pieces = make(None, plain.default, string, None, ": ", ", ", False, False, False)
    return lambda value: "".join(pieces(value, 0))


_spaced: Final = _spaced_encoder()


def spaced(value: Any) -> str:
    """Write JSON like ``json.dumps(value, ensure_ascii=False)``, as most chat templates do."""
    return digit_by_digit(value, ", ", ": ") if ExactFloat.made and _holds_exact(value) else _spaced(value)


_pretty = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=4).encode


def pretty(value: Any) -> str:
    """Write JSON indented by four spaces, as chat templates write tool declarations and some write calls."""
    return digit_by_digit(value, ",", ": ", "\n", "    ") if _holds_exact(value) else _pretty(value)


def compact(value: Any) -> str:
    """Write JSON as text without whitespace; lone surrogates are not escaped."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        if _holds_exact(value):
            return digit_by_digit(value, ",", ":")
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _holds_exact(value: Any) -> bool:
    """Whether ``value`` holds an :class:`ExactFloat`, which the standard library would round to a double."""
    stack = [value] if ExactFloat.made else []
    while stack:
        item = stack.pop()
        if isinstance(item, ExactFloat):
            return True
        if isinstance(item, dict | list):
            stack.extend(item.values() if isinstance(item, dict) else item)
    return False


def digit_by_digit(value: Any, comma: str, colon: str, margin: str = "", step: str = "") -> str:
    """Write JSON with all digits of its numbers; slow.

    Args:
        value: any JSON value.
        comma, colon: the separators between members, and between a key and its value.
        margin: for one member per line: a line break and the indentation of the value's own line.
        step: the additional indentation of members.
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
    """Read a line; returns the value and its repeated keys.

    Equivalent to :func:`loads` and :func:`repeated_keys`, but faster for the usual line, which orjson or ``json.dumps``
    would write back unchanged.

    Raises:
        ValueError: not JSON; see :func:`loads`.
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
    if again == line:
        return value, []
    is_rounded, repeats = _may_hold_inexact_number(line), _may_repeat_key(line, again)
    if not (is_rounded or repeats) or _differ_in_blanks(line, again):
        return value, []
    if is_rounded:
        value = _exact(line)
    return value, repeated_keys(line, value) if repeats else []


def repeated_keys(text: str | bytes, value: Any) -> list[str]:
    """The keys that occur more than once in one object of ``text``, each listed once; ``value`` is its strict reading.

    For nearly all texts this does not read the text a second time.
    """
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    if not _may_repeat_key(raw, dumps(value)):
        return []
    found: dict[str, None] = {}
    try:
        _decoder(found).decode(text if isinstance(text, str) else text.decode())
    except (ValueError, RecursionError):  # nested too deeply for the standard library
        return []
    return list(found)


def _decoder(repeated: dict[str, None]) -> json.JSONDecoder:
    """A strict decoder that adds repeated keys to ``repeated``."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) < len(items):
            seen: set[str] = set()
            for key, _ in items:
                if key in seen:
                    repeated[key] = None
                seen.add(key)
        return result

    return json.JSONDecoder(object_pairs_hook=pairs, parse_float=decimal, parse_constant=_no_constant)
