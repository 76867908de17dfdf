"""Read JSON in which one structural character is missing, or one is too many.

All texts that differ from the damaged one by such a character are tried, and a value is believed only where exactly one
can be meant. The character is a comma, a colon, a quote or a bracket; what stands inside of strings is never guessed. A
text that is only cut off is no case for this: nothing in it is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from toolconv.core import lenient_json
from toolconv.core.jsontext import EXACT, JSONError
from toolconv.core.lazy_re import lazy_re
from toolconv.core.lenient_json import LenientValue, Unreadable

MAX_TRIED: Final = 256
"""How many changes are tried on one text; what would need more is given up, so that the time stays linear."""

_QUOTE = lazy_re(r'\\.|"', re.DOTALL)
_TOKEN = lazy_re(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
"""A token; a string that is never closed is one up to the end of the text, so that its text is read once."""
_CLOSERS: Final = {"{": "}", "[": "]"}
_STRING_END = lazy_re(r"(?=\s{0,20}(?:[,:]\s{0,20}[\"\[{\-\dtfn]|[}\]][\s}\]]{0,60}(?:,|\Z)))")
"""Where a string may end: before what can follow one."""
_WRONG: Final = tuple("{}[]()<>|_'")
"""What may be in the place of a quote, and not only next to one that is lost; in a key, it is in its place."""
_KEY: Final = lazy_re(r'[^"\n]{1,64}"\s{0,8}:')
_VALUE_START = lazy_re(r"([,:\[{])(\s*)")


class Ambiguous(Unreadable):
    """More than one value can be meant."""


class _Change(NamedTuple):
    """What may undo the damage: ``put`` in place of ``text[at:end]``, and the name of that repair."""

    at: int
    end: int
    put: str
    repair: str


def read_one_slip(text: str, rank: Callable[[Any], int], *, ends_here: bool = True) -> LenientValue:
    """Read a text that would be one JSON value with one structural character more or less.

    Args:
        text: the damaged text, from the beginning of the value to its end.
        rank: how well a value suits its place, 0 if not at all. Only the readings of the highest rank count.
        ends_here: whether something after the text shows that the value ends with it. Otherwise it may be cut off.

    Raises:
        Ambiguous: there is more than one such reading.
        Unreadable: there is none.
    """
    failure = _failure(text)
    if failure is None or (not ends_here and failure >= len(text.rstrip())):
        raise Unreadable("no single character is wrong", len(text))
    best = 1
    found: dict[str, tuple[str, str]] = {}
    for tried, change in enumerate(_changes(text, failure)):
        if tried >= MAX_TRIED:
            raise Ambiguous("too many places where a character may be missing", failure)
        mended = text[: change.at] + change.put + text[change.end :]
        try:
            value = EXACT.decode(mended)
        except (ValueError, RecursionError):
            continue
        suits = rank(value)
        if suits > best:
            best, found = suits, {}
        if suits == best:
            found.setdefault(repr(value), (mended, change.repair))
    if not found:
        raise Unreadable("no single character is wrong", failure)
    if len(found) > 1:
        raise Ambiguous(f"{' or '.join(sorted({name for _, name in found.values()}))} in more than one place", failure)
    ((mended, repair),) = found.values()
    reading = lenient_json.read(mended)
    return LenientValue(reading.value, len(text), [repair, *reading.repairs])


def _failure(text: str) -> int | None:
    """Where strict JSON fails; ``None`` where it does not, or where the text ends inside of a string."""
    try:
        _, end = EXACT.raw_decode(text)
    except JSONError as error:
        return None if error.msg.startswith("Unterminated") else error.pos
    except (ValueError, RecursionError):
        return None
    return end if text[end:].strip() else None


def _changes(text: str, failure: int) -> Iterator[_Change]:
    """What may make a text JSON that strictly fails at ``failure``."""
    if sum(match[0] == '"' for match in _QUOTE.finditer(text)) % 2:
        yield from _quotes(text, failure)
        return
    tokens = [(match.start(), match.end(), match[0]) for match in _TOKEN.finditer(text)]
    count = {bracket: sum(token == bracket for *_, token in tokens) for bracket in "{}[]"}
    excess = {opening: count[opening] - count[close] for opening, close in _CLOSERS.items()}
    if not any(excess.values()):
        yield from _separators(text, failure)
    elif sorted(map(abs, excess.values())) == [0, 1]:
        opening = "{" if excess["{"] else "["
        yield from _brackets(tokens, failure, opening, closers_missing=excess[opening] == 1)


def _separators(text: str, failure: int) -> Iterator[_Change]:
    """Commas and colons: one that is missing at ``failure``, or doubled."""
    before = len(text[:failure].rstrip())
    yield _Change(before, before, ",", "missing_comma")
    yield _Change(before, before, ":", "missing_colon")
    for at in (before - 1, failure):
        char = text[at : at + 1]
        if char in (",", ":") and text[:at].rstrip().endswith(char):
            yield _Change(at, at + 1, "", "extra_comma" if char == "," else "extra_colon")


def _brackets(
    tokens: list[tuple[int, int, str]], failure: int, opening: str, *, closers_missing: bool
) -> Iterator[_Change]:
    """Brackets of one kind, of which one is missing up to ``failure``, or one is too many."""
    close = _CLOSERS[opening]
    surplus, wanted = (opening, close) if closers_missing else (close, opening)
    before, last = "", 0
    for start, end, token in [*tokens, (tokens[-1][1], tokens[-1][1], "")]:
        if start > max(failure, last):
            return
        if closers_missing:
            if before == opening or (token in (",", "}", "]", "") and before not in (",", ":", "{", "[")):
                yield _Change(last, last, wanted, "missing_bracket")
        elif before in ("", ",", ":", "{", "["):
            yield _Change(start, start, wanted, "missing_bracket")
        if token == surplus:
            yield _Change(start, end, "", "extra_bracket")
        before, last = token, end


def _quotes(text: str, failure: int) -> Iterator[_Change]:
    """Quotes: one that is missing near ``failure``, or doubled.

    A wrong quote turns strings and what is between them around, which soon fails.
    """
    window = failure
    for _ in range(3):
        window = max(text.rfind('"', 0, window), 0)
    for match in _STRING_END.finditer(text, window):
        if match.start() > failure:
            break
        wrong = text[match.start() - 1] in _WRONG
        if wrong:
            yield _Change(match.start() - 1, match.start(), '"', "missing_quote")
        if not wrong or text[match.start() : match.start() + 20].lstrip()[:1] != ":":
            yield _Change(match.start(), match.start(), '"', "missing_quote")
    for match in _VALUE_START.finditer(text, window):
        if match.start() >= failure:
            break
        separator, blanks = match.groups()
        if blanks and not _usual(separator + blanks, text):
            yield _Change(match.end(1), match.end(1), '"', "missing_quote")
        if text[match.end() : match.end() + 1] in (",", ":"):
            continue
        wrong = text[match.end() : match.end() + 1] in _WRONG
        if wrong:
            yield _Change(match.end(), match.end() + 1, '"', "missing_quote")
        if not wrong or _KEY.match(text, match.end()) is None:
            yield _Change(match.end(), match.end(), '"', "missing_quote")
    at = text.find('""', max(window - 1, 0), failure + 2)
    while at >= 0:
        yield _Change(at, at + 1, "", "extra_quote")
        at = text.find('""', at + 1, failure + 2)


def _usual(separator: str, text: str) -> bool:
    """Whether a comma, colon or bracket with the whitespace after it is found elsewhere between whole values."""
    return re.search(rf"[\"\]}}\dels:]{re.escape(separator)}[\"\[{{]", text) is not None
