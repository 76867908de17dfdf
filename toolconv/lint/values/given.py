"""What a request gives, by kind, and which of it no call takes.

Where exactly one value of a kind in a request is in no call, and exactly one value of that kind in the calls is from
nowhere, the second was probably written for the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.values.grounding import Fact, Sources, facts, plain
from toolconv.lint.values.words import ANY_NUMBER, CHINESE_NUMBERS, MONTHS, NUMBERS

Given = Literal["code", "number", "day", "quote", "address"]
"""Ids, versions and phone numbers; other numbers; dates; texts in quotation marks; mail addresses."""

_CODE = lazy_re(
    r"(?<![\w.@/+-])(?:\+?\d(?:[ -]?\d){6,14}|(?!\d\d?\.\d\d?\.\d\d(?:\d\d)?\b)\d{1,3}(?:\.\d{1,4}){2,3}"
    r"|(?=[A-Za-z_-]*\d)(?=[\da-z_-]*[A-Z])[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*)"
    r"(?![\w@/-]|\.\w)",
    re.ASCII,
)
_ADDRESS = lazy_re(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}", re.ASCII)
_QUOTE = lazy_re(r"(?<!\w)'([^'\n]{3,80})'(?!\w)|\"([^\"\n]{3,80})\"|“([^”\n]{2,80})”|「([^」\n]{2,80})」")
_COMMA = lazy_re(r"(?<![\d.,])\d{1,6},\d{1,2}(?![\d,])")
"""One number with a decimal comma, or two."""
_ORDINAL = lazy_re(
    r"\b(?:top|first|last|next|level|part|season|chapter|version|formula|grade|step|act|phase)\s\Z", re.I
)


def given(request: str) -> Mapping[Given, dict[str, str]]:
    """What a request gives: by kind, the values in one notation, and as they stand.

    The parts of codes, dates, times and addresses are not numbers of their own.
    """
    codes = {plain(match[0]): match[0] for match in _CODE.finditer(request) if _is_long(match[0])}
    rest = _CODE.sub(lambda match: " " * len(match[0]) if _is_long(match[0]) else match[0], request)
    rest = _COMMA.sub(lambda match: " " * len(match[0]), rest)
    numbers: dict[str, str] = {}
    days: dict[str, str] = {}
    for fact in facts(rest):
        if fact.kind == "date":
            days[str(fact.value)] = fact.text
        elif isinstance(fact.value, float) and not _is_named(rest, fact):
            numbers[f"{abs(fact.value):g}"] = fact.text
    numbers |= {str(value): match[0] for match in _COUNT.finditer(rest) if (value := _COUNTS[match[0].lower()])}
    quotes = {plain(text): text for match in _QUOTE.finditer(request) for text in match.groups() if text}
    addresses = {plain(match[0]): match[0] for match in _ADDRESS.finditer(request)}
    return {"code": codes, "number": numbers, "day": days, "quote": quotes, "address": addresses}


def is_address(text: str) -> bool:
    """Whether a text is a mail address."""
    return _ADDRESS.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Whether a text is an id, a version or a phone number."""
    return _CODE.fullmatch(text) is not None and _is_long(text)


def _is_long(text: str) -> bool:
    """Whether a match is an id or a phone number, not a word such as ``3D``."""
    is_day = text.rstrip("0123456789").casefold() in MONTHS
    return not is_day and (sum(map(str.isdigit, text)) >= 2 or len(text) >= 4)


def _is_named(text: str, fact: Fact) -> bool:
    """Whether a number is a part of a name or says which one: the top 5, season 2, 1984."""
    at = text.find(fact.text)
    return _ORDINAL.search(text, max(at - 12, 0), at) is not None or (
        isinstance(fact.value, float) and 1900 <= fact.value < 2100 and not fact.places
    )


_COUNTS: Final = NUMBERS | CHINESE_NUMBERS
_COUNT = lazy_re(
    rf"\b(?:{ANY_NUMBER})\b(?= [a-z])"
    r"|[两三四五六七八九](?=[个份张位人间只件本杯瓶台辆])",
    re.I,
)


def unused(found: Mapping[str, str], kind: Given, arguments: Iterable[Any], text: str) -> list[str]:
    """What a request gives of one kind, as it stands, that is in no call.

    Args:
        found: the values of the kind, as :func:`given` has them.
        kind: the kind.
        arguments: the texts and numbers in the arguments of the calls.
        text: the arguments as one text.
    """
    taken = Sources(derived=False)
    taken.add(text)
    values = list(arguments)
    bare = plain(text)
    left = []
    for value, stands in found.items():
        if kind == "number":
            number = float(value)
            is_taken = any(_is_same(number, each) for each in values) or taken.explain(Fact("number", value, number))
        elif kind == "day":
            is_taken = taken.explain(Fact("date", stands, value))
        else:
            is_taken = value in bare or (value.isdecimal() and len(value) > LOCAL and value[-LOCAL:] in bare)
        if not is_taken:
            left.append(stands)
    return left


LOCAL: Final = 8
"""How many digits of a phone number stay the same with and without the codes before it."""


def _is_same(number: float, value: Any) -> bool:
    """Whether a value is a number, or follows from it in another unit."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return bool(number) and any(abs(value / number / factor - 1) < 1e-9 for factor in _FACTORS)


_FACTORS: Final = (
    1, -1, 7, 12, 24, 30, 60, 365, 1440, 3600, 86400, 1e-2, 100, 1e3, 1e-3, 1e4, 1e6, 1e8, 1 / 60, 1 / 12, 1 / 7, 0.5,
    2,
)  # fmt: skip
"""What a number may be multiplied by to be written in another unit: weeks, dozens, hours, percent."""


LONGEST_REQUEST: Final = 600
"""A longer request holds other dialogues, documents or data."""
