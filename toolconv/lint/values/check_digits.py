"""Numbers with check digits: payment cards, bank accounts, books, goods, phones.

Source: ISO/IEC 7812-1 (Luhn), ISO 13616 (IBAN), ISO 2108 (ISBN), GS1 General Specifications (EAN), ISO 6346
(containers), 49 CFR 565 (VIN), 3GPP TS 23.003 (IMEI).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re

IBAN_LENGTHS: Final = {
    "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20, "ES": 24, "FI": 18,
    "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IT": 27, "LT": 20, "LU": 20, "LV": 21, "MT": 31,
    "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "SE": 24, "SI": 19, "SK": 24, "TR": 26,
}  # fmt: skip
"""How long the numbers of accounts are in some countries: the register of ISO 13616."""

_GAPS = lazy_re(r"[ -]")


def is_luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of the others."""
    odd = [int(digit) for digit in digits[-1::-2]]
    even = [2 * int(digit) for digit in digits[-2::-2]]
    return (sum(odd) + sum(number - 9 * (number > 9) for number in even)) % 10 == 0


def is_iban(account: str) -> bool:
    """Whether the check digits after the country are those of an account."""
    moved = account[4:] + account[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1


def is_ean(digits: str) -> bool:
    """Whether the last digit is the check digit of the others, which count once and three times in turn."""
    return sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(reversed(digits))) % 10 == 0


def is_isbn(digits: str) -> bool:
    """Whether the last digit of a book's number, of ten digits or thirteen, is the check digit of the others."""
    if len(digits) == 13:
        return is_ean(digits)
    values = [10 if digit in "Xx" else int(digit) for digit in digits]
    return sum(value * (10 - at) for at, value in enumerate(values)) % 11 == 0


def is_container(number: str) -> bool:
    """Whether the last digit is the check digit of a container's owner and serial number."""
    letters = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", _LETTERS, strict=True))
    total = sum((letters.get(sign) or int(sign)) << at for at, sign in enumerate(number[:10]))
    return total % 11 % 10 == int(number[10])


_LETTERS: Final = tuple(value for value in range(10, 39) if value % 11)
"""The values of letters: those from 10 on that 11 doesn't divide."""


def is_vin(number: str) -> bool:
    """Whether the ninth character is the check digit of a vehicle's number: it is so in North America."""
    values = {**{str(digit): digit for digit in range(10)}, **_VIN_LETTERS}
    total = sum(values[sign] * weight for sign, weight in zip(number, _VIN_WEIGHTS, strict=True))
    return number[8] == "0123456789X"[total % 11]


_VIN_LETTERS: Final = dict(
    zip("ABCDEFGHJKLMNPRSTUVWXYZ", (*range(1, 9), *range(1, 6), 7, 9, *range(2, 10)), strict=True)
)
_VIN_WEIGHTS: Final = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


class CheckedNumber(NamedTuple):
    """A kind of number.

    Attributes:
        name: what it is the number of.
        labels: matches the name or the description of an argument that holds one.
        form: matches the number without gaps, right or wrong.
        is_right: whether the check digits are right.
    """

    name: str
    labels: re.Pattern[str]
    form: re.Pattern[str]
    is_right: Callable[[str], bool]


CHECKED_NUMBERS: Final = (
    CheckedNumber(
        "a bank account (IBAN)",
        lazy_re(r"\biban\b", re.I),
        lazy_re(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}"),
        is_iban,
    ),
    CheckedNumber(
        "a book (ISBN)",
        lazy_re(r"\bisbn(?:[ _-]?1[03])?\b", re.I),
        lazy_re(r"\d{9}[\dXx]|97[89]\d{10}"),
        is_isbn,
    ),
    CheckedNumber(
        "a payment card",
        lazy_re(r"\bcard[ _-]?(?:number|no)\b|卡号", re.I),
        lazy_re(r"4\d{12}(?:\d{3})?|5[1-5]\d{14}|3[47]\d{13}|6011\d{12}"),
        is_luhn,
    ),
    CheckedNumber(
        "a product (EAN)",
        lazy_re(r"\b(?:ean|gtin)(?:[ _-]?\d{1,2})?\b", re.I),
        lazy_re(r"\d{8}|\d{12,14}"),
        is_ean,
    ),
    CheckedNumber(
        "a container (ISO 6346)",
        lazy_re(r"\bcontainer[ _-]?(?:number|no|id|code)\b|\bISO[ -]?6346\b", re.I),
        lazy_re(r"[A-Z]{3}[UJZ]\d{7}"),
        is_container,
    ),
    CheckedNumber(
        "a vehicle (VIN)",
        lazy_re(r"\bvin\b|\bvehicle identification number\b", re.I),
        lazy_re(r"[1-5][A-HJ-NPR-Z0-9]{16}"),
        is_vin,
    ),
    CheckedNumber("a phone (IMEI)", lazy_re(r"\bimei\b", re.I), lazy_re(r"\d{15}"), is_luhn),
)


def wrong_number(value: str, *labels: str) -> str | None:
    """What a value is the number of, if its check digits are wrong; ``None`` if not, or if it is no such number.

    Args:
        value: the number, perhaps with whitespace and hyphens.
        labels: the name and the description of the argument that holds it.
    """
    bare = _GAPS.sub("", value)
    for kind in CHECKED_NUMBERS:
        if any(map(kind.labels.search, labels)) and kind.form.fullmatch(bare):
            return None if kind.is_right(bare) else kind.name
    return None
