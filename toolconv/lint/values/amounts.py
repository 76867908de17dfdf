"""Amounts with a unit: what a request says in one unit, and an argument means in the same or another one."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.names import words_in

_NAMED: Final[Mapping[str, Mapping[float, str]]] = {
    "time": {
        1: "s sec secs second seconds 秒",
        60: "min mins minute minutes 分钟",
        3600: "h hr hrs hour hours 小时",
        86400: "day days 天",
    },
    "months": {1: "month months 个月 月", 12: "year years yr yrs 年"},
    "length": {
        0.001: "mm millimeter millimeters millimetre millimetres 毫米",
        0.01: "cm centimeter centimeters centimetre centimetres 厘米",
        0.0254: "inch inches",
        0.3048: "foot feet ft",
        1609.344: "mile miles mi 英里",
        1: "m meter meters metre metres 米",
        1000: "km kilometer kilometers kilometre kilometres 公里 千米",
    },
    "mass": {
        0.001: "mg milligram milligrams 毫克",
        1: "g gram grams 克",
        28.349523125: "ounce ounces oz",
        453.59237: "pound pounds lb lbs 磅",
        1000: "kg kilogram kilograms kilo kilos 公斤 千克",
    },
    "volume": {
        0.001: "ml milliliter milliliters millilitre millilitres 毫升",
        1: "liter liters litre litres 升",
        1000: "cubic meter|cubic meters|cubic metre|cubic metres|m³|立方米",
    },
    "temperature": {
        1: "celsius|degrees celsius|°c|℃|摄氏度",
        1.8: "fahrenheit|degrees fahrenheit|°f|℉|华氏度",  # to tell them apart: no factor converts them
    },
    "share": {0.01: "% percent percentage 百分比", 1: "fraction ratio"},
    "money": {0.01: "cent cents", 1: "euro euros eur dollar dollars usd 元 块"},
}
_UNITS: Final[Mapping[str, tuple[str, float]]] = {
    word: (dimension, factor)
    for dimension, units in _NAMED.items()
    for factor, words in units.items()
    for word in (words.split("|") if "|" in words else words.split())
}
"""Units by their names: the dimension, and how many of its basic unit they are."""

SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {
    word: tuple(spellings.split())
    for word, spellings in {
        "celsius": "°c ℃ centigrade 摄氏",
        "fahrenheit": "°f ℉ 华氏",
        "kelvin": "°k 开尔文",
        "usd": "dollar 美元 美金",
        "eur": "euro € 欧元",
        "gbp": "pound £ 英镑",
        "jpy": "yen 日元",
        "cny": "yuan rmb 人民币",
        "chf": "franc 瑞士法郎",
        "inr": "rupee ₹ 卢比",
        "krw": "won ₩ 韩元",
        "cad": "canadian",
        "aud": "australian",
    }.items()
}
"""Units and currencies by the names that arguments have for them: what people write for them."""

CURRENCIES: Final = tuple(word.upper() for word in SPELLINGS if len(word) == 3)
ANY_CURRENCY: Final = "|".join(
    re.escape(word) for code in CURRENCIES for word in (code, *SPELLINGS[code.lower()]) if word.isalpha()
)
"""A pattern of currencies."""


def names(text: str, choice: str) -> bool:
    """Whether a text has a choice as a word, perhaps in the plural, or in another spelling."""
    plain = choice.replace("_", " ")
    return any(
        re.search(rf"{NO_LETTER}{re.escape(word)}s?(?![^\W\u3400-\u9fff])", text, re.I) is not None
        if word.isascii()
        else word in text.casefold()
        for word in (plain, *SPELLINGS.get(plain.casefold(), ()))
    )


NO_LETTER: Final = r"(?<![^\W\u3400-\u9fff\d])"
"""A pattern: no letter comes before, except for Chinese ones, which need no spaces; but perhaps a digit."""

_CHOSEN: Final = frozenset({"s", "m", "g", "h", "min", "mi", "ft", "foot", "feet"})
"""Units that are other words where they are the whole name of an argument."""

_NAMES = "|".join(re.escape(word) for word in sorted(_UNITS, key=len, reverse=True))
_AMOUNT = lazy_re(
    rf"(?<![A-Za-z0-9_.,:/-])(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"[ -]?(?P<unit>{_NAMES})(?![A-Za-z])",
    re.I,
)
_ASKED = lazy_re(
    rf"\bin (?:whole )?(?P<unit>{_NAMES})(?![A-Za-z])|[(（](?P<bracketed>{_NAMES})[)）]|单位[为是：:]?(?P<zh>{_NAMES})",
    re.I,
)


def as_float(number: float | str) -> float:
    """A number, or a text that is one, as a float: infinite beyond the range of floats.

    Raises:
        ValueError: for another text.
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf


class Amount(NamedTuple):
    """An amount in a text: its words, its number, and its unit as dimension and factor."""

    text: str
    number: float
    dimension: str
    factor: float


def amounts_in(text: str) -> list[Amount]:
    """The amounts in a text."""
    return [
        Amount(match[0], float(match["number"].replace(",", "")), *_UNITS[match["unit"].lower()])
        for match in _AMOUNT.finditer(text)
    ]


def begins_amount(text: str, at: int) -> bool:
    """Whether an amount with a unit begins at a place in a text."""
    return _AMOUNT.match(text, at) is not None


def unit_of(key: str, description: str) -> tuple[str, float] | None:
    """The unit that an argument is in, by its name or description: dimension and factor; ``None`` if neither says."""
    if _DECIMAL.search(description):
        return "share", 1
    words = words_in(key)
    last = words[-1] if words else ""
    if last in _UNITS and (len(words) > 1 or last not in _CHOSEN):
        return _UNITS[last]
    found = {match["unit"] or match["bracketed"] or match["zh"] for match in _ASKED.finditer(description)}
    units = {_UNITS[name.lower()] for name in found}
    return units.pop() if len(units) == 1 else None


_DECIMAL = lazy_re(r"\bas a (?:decimal|fraction)\b|\bbetween 0 and 1\b|小数", re.I)
"""How descriptions ask for a share of one."""


_SLIPS: Final = (100.0, 0.01, 1000.0, 0.001)


def is_slip(value: float, amount: Amount, factor: float) -> bool:
    """Whether a value is an amount that was not converted to its argument's unit, or is off by a hundred or a thousand.

    Args:
        value: the value of the argument.
        amount: what the request says, in the same dimension.
        factor: how many of the dimension's basic unit the argument's unit is.
    """
    expected = amount.number * amount.factor / factor
    if not expected or math.isclose(value, expected):
        return False
    return value == amount.number or any(math.isclose(value, expected * slip) for slip in _SLIPS)
