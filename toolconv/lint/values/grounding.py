"""Where the numbers, dates, times, codes and addresses in a text come from.

Facts are compared by meaning, not as written: ``3 pm`` is ``15:00``, ``May 20, 2024`` is ``2024-05-20``, ``1,250.00``
is ``1250``. Names and other words are left alone, since ``Paris`` may well be ``PAR``.
"""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations, islice
from typing import Final, Literal

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.guards import any_word
from toolconv.lint.model.pointers import walk
from toolconv.lint.values.amounts import as_float
from toolconv.lint.values.words import CHINESE_NUMBERS, MONTHS, NUMBERS, OTHER_MONTHS

MAX_PAIRS: Final = 40
"""How many source numbers are combined with each other: an answer may add, subtract, multiply or divide them."""

SMALL: Final = 10
"""Whole numbers up to this one are counts and numbering of lists, which need no source."""

_MONTHS: Final = {name: number for number, month in enumerate(MONTHS, 1) for name in (month, month[:3])} | {"sept": 9}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_MONTH_ENDS: Final = "|".join(sorted({name[-3:] for name in _MONTHS}))
_ANY_MONTH = "|".join(sorted(OTHER_MONTHS | _MONTHS, key=len, reverse=True))
_WORDS: Final = NUMBERS | CHINESE_NUMBERS | {
    "couple": 2, "both": 2, "pair": 2, "week": 7, "eleven": 11, "twelve": 12, "dozen": 12, "thirteen": 13,
    "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
    "thousand": 1000, "half": 0.5, "quarter": 0.25,
}  # fmt: skip
_FACTORS: Final = (1, 0.01, 100, 1000, 0.001, 1e4, 1e-4, 1e6, 1e-6, 60, 1 / 60, 3600, 1 / 3600, 1e9, 1e-9)
"""What a number may be multiplied by to be written in another unit: percent, thousands, 万, millions, minutes."""

_ADDRESS = lazy_re(r"https?://[^\s<>\"')\]}]+|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}", re.ASCII)
_DATE = lazy_re(
    rf"(?P<y>\d{{4}})[-/.](?P<m>\d{{1,2}})[-/.](?P<d>\d{{1,2}})(?=\D|$)"
    rf"|(?<![\d.])(?P<d4>\d{{1,2}})\.(?P<m4>0?[1-9]|1[0-2])\.(?P<y4>\d{{4}})(?=\D|$)"
    rf"|(?:(?P<y3>\d{{4}})年)?(?P<m3>\d{{1,2}})月(?P<d3>\d{{1,2}})(?=\D|$)"
    rf"|\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th|\.|º|er)?(?: of| de)? (?P<n1>{_ANY_MONTH})\b\.?,?"
    rf"(?: (?:del? )?(?P<y1>\d{{4}}))?"
    rf"|\b(?=[adfjmnos])(?P<n2>{_MONTH})\b\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y2>\d{{4}}))?",
    re.IGNORECASE | re.ASCII,
)
_TIME = lazy_re(
    r"(?<!\d)(\d{1,2}):(\d{2})(?::\d{2})?(?!\d) ?([ap]\.?m)?|(?<!\d)(\d{1,2}) ?([ap]\.?m)\b"
    r"|(?P<half>凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|今晚|明晚|午前|午後|夕方|夜)の?\s?(?P<hour>\d{1,2})[点時时:：]"
    r"(?:(?P<minute>\d{1,2})分?|(?P<thirty>半))?"
    r"|(?<!\d)(?P<hour24>\d{1,2})[点時时](?:(?P<minute24>\d{1,2})分?|(?P<thirty24>半))(?!之)",
    re.I | re.ASCII,
)
_AFTER_NOON = frozenset({"下午", "傍晚", "晚上", "今晚", "明晚", "午後", "夕方", "夜"})
_CODE = lazy_re(
    r"(?<![\w-])(?=[a-z0-9-]*+[A-Z_])(?=[A-Za-z_-]*+\d[A-Za-z_-]*+\d)[A-Za-z0-9]++(?>(?:[_-][A-Za-z0-9]++)*)(?![\w-])",
    re.ASCII,
)
_NUMBER = lazy_re(r"(?<![A-Za-z0-9_.])[-+]?(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?:[eE]([-+]?\d{1,2}))?(?![A-Za-z0-9_])")
_COMMA = lazy_re(r"(?<![\d.,])(\d+),(\d{1,2})(?=\s?(?:€|%|[Ee]uros?\b|EUR\b|Uhr\b|Grad\b|kg\b|km\b|kr\b))", re.ASCII)
"""A decimal comma, before a unit."""
_WITH_COMMA = lazy_re(r"(?<![\d.,])(?:(\d{1,3}(?:\.\d{3})+)(?:,(\d{1,2}))?|(\d+),(\d{1,2}))(?!\d|[.,]\d)", re.ASCII)
"""A number that may be written with a decimal comma, or with points between its thousands."""
_AFTER = lazy_re(r"\d(?!\d)(?=( ?.?))", re.DOTALL)
"""What follows the numbers of a text: a sign, perhaps after a space. It says which patterns can match at all."""
_BY_MONTH = lazy_re(
    rf"\d(?:(?:st|nd|rd|th|\.|º|er)?(?: of| de)? (?:{_ANY_MONTH})\b"
    rf"|(?<=(?:{_MONTH_ENDS}) \d)|(?<=(?:{_MONTH_ENDS})\. \d))",
    re.IGNORECASE | re.ASCII,
)
"""A digit next to the name of a month, as in :data:`_DATE`, or next to what ends like one."""
_DAYS: Final = frozenset("-/.月")
_HOURS: Final = frozenset(":：点時时apAP")
_TEN_THOUSANDS: Final = frozenset("만万萬")
_UNIT_SIGNS: Final = frozenset("snrtkmbcghpuefxlSNRTKMBCGHPUEFXL_ſK")  # with the signs that are s and k in capitals
_DIGITS = lazy_re(r"\d+(?:\.\d+)?", re.ASCII)
_DIGIT_BEFORE = lazy_re(r"\d[.,]?\Z")
_DIGIT_AFTER = lazy_re(r"[.,]?\d")
_SPARE = lazy_re(r"^ {0,3}\d{1,3}[.)] ", re.MULTILINE)
_UNITS = lazy_re(
    r"(?<=\d)(?=_?(?:st|nd|rd|th|k|m|b|km|kg|cm|mm|px|mb|gb|h|min|s|ms|usd|eur|c|f|x|gb|tb|mi|ft|k?cal|kwh)"
    r"(?![A-Za-z0-9_]))",
    re.I,
)
_MYRIADS = lazy_re(r"(?<![\d.,])(\d{1,8})[만万萬] ?(\d,\d{3}|\d{1,4})?(?![\d.,]*\d)")
"""A number in ten thousands, as in Korean and Chinese: ``13만 3,096``."""
_OPEN = lazy_re(r"(?<=[0-9])[-–](?=[0-9])")

Kind = Literal["number", "date", "time", "code", "address"]


@dataclass(slots=True, repr=False, eq=False)
class Fact:
    """A fact in a text: as it is written, and what it means."""

    kind: Kind
    text: str
    value: float | str
    places: int = 0  # decimal places of a number


@lru_cache(maxsize=64)
def facts(text: str) -> tuple[Fact, ...]:
    """The facts in a text. Those of the last texts are remembered, since several rules ask for them."""
    found: list[Fact] = []
    after = set(_AFTER.findall(text))
    near = {each[:1] for each in after}
    rest = text if near.isdisjoint(".)") else _SPARE.sub("", text)

    def take(pattern: re.Pattern[str], kind: Kind, meaning: Callable[[re.Match[str]], str]) -> str:
        """The rest of the text, with the facts that match replaced by spaces."""

        def taken(match: re.Match[str]) -> str:
            found.append(Fact(kind, match[0], meaning(match)))
            return " " * len(match[0])

        return pattern.sub(taken, rest)

    if "@" in rest or "://" in rest:
        rest = take(_ADDRESS, "address", _address)
    if not after:
        return tuple(found)
    if not near.isdisjoint(_TEN_THOUSANDS):
        rest = _MYRIADS.sub(_in_full, rest)
        after = set(_AFTER.findall(rest))
        near = {each[:1] for each in after}
    if not near.isdisjoint(_DAYS) or _BY_MONTH.search(rest) is not None:
        rest = take(_DATE, "date", _date)
    if any(not _HOURS.isdisjoint(each) for each in after):
        rest = take(_TIME, "time", _time)
    if not near.isdisjoint(_UNIT_SIGNS):
        rest = _UNITS.sub(" ", rest)
    rest = take(_CODE, "code", lambda match: plain(match[0]))
    if not near.isdisjoint("-–"):
        rest = _OPEN.sub(" ", rest)
    if "," in near:
        rest = _COMMA.sub(r"\1.\2", rest)
    for match in _NUMBER.finditer(rest):
        found.append(Fact("number", match[0], float(match[0].replace(",", "")), len(match[2] or ".") - 1))
    return tuple(found)


def _with_point(match: re.Match[str]) -> str:
    """A number with a decimal comma, as it is written with a point."""
    whole, part = (match[1] or match[3]).replace(".", ""), match[2] or match[4]
    return f"{whole}.{part}" if part else whole


def _in_full(match: re.Match[str]) -> str:
    """A number in ten thousands in digits only."""
    return str(10_000 * int(match[1]) + int((match[2] or "0").replace(",", "")))


def _address(match: re.Match[str]) -> str:
    """An address without the punctuation of the sentence around it."""
    return match[0].rstrip(".,;:!?*").casefold()


def plain(text: str) -> str:
    """A text without case, signs and white space."""
    return re.sub(r"[\W_]+", "", text.casefold())


def _date(match: re.Match[str]) -> str:
    """Month and day, and the year where it stands: ``2024-05-20`` or ``05-20``."""
    found = match.groupdict()
    year = found["y"] or found["y1"] or found["y2"] or found["y3"] or found["y4"]
    name = found["n1"] or found["n2"]
    month = (OTHER_MONTHS | _MONTHS)[name.lower()] if name else int(found["m"] or found["m3"] or found["m4"])
    day = int(found["d"] or found["d1"] or found["d2"] or found["d3"] or found["d4"])
    return f"{year}-{month:02}-{day:02}" if year else f"{month:02}-{day:02}"


def _day(date: str) -> int | None:
    """A date as a number of days; ``None`` if there is no such day."""
    try:
        return datetime.date.fromisoformat(date).toordinal()
    except ValueError:
        return None


def _time(match: re.Match[str]) -> str:
    if (signs := match["hour"] or match["hour24"]) is not None:
        minute = "30" if match["thirty"] or match["thirty24"] else match["minute"] or match["minute24"] or "0"
        afternoon = match["half"] in _AFTER_NOON
        return f"{int(signs) % 12 + 12 if afternoon else int(signs):02}:{int(minute):02}"
    hour, half = int(match[1] or match[4]), (match[3] or match[5] or "").lower()
    if half:
        hour = hour % 12 + 12 * half.startswith("p")
    return f"{hour:02}:{match[2] or '00'}"


class Sources:
    """What was there before a text: the facts in earlier turns, responses, arguments and declarations.

    Most facts of a text are in its sources word for word, so those of the sources are only read when another one is
    asked for.

    Args:
        derived: an answer may combine numbers, days and times: add, multiply, count, round.
        stated: what is known of texts, for several sources of a row to share.

    Attributes:
        text: the sources, without case.
    """

    def __init__(self, derived: bool = True, stated: dict[str, Stated] | None = None) -> None:
        self.derived = derived
        self._known = {} if stated is None else stated
        self.text = ""
        self._texts: list[str] = []
        self._new: list[str] = []  # those whose facts are not in the sets below
        self._numbers: set[float] = set()
        self._ordered: list[float] = []  # the same, in order
        self._dates: set[str] = set()
        self._times: set[str] = set()
        self._plain = ""
        self._plained = 0  # how many of the texts are in it
        self._named = 0  # up to where words for numbers were looked for

    def add(self, text: str) -> None:
        """Add a text."""
        self._texts.append(text)
        self._new.append(text)
        self.text += f"\n{text.casefold()}"

    def unexplained(self, text: str) -> list[Fact]:
        """The facts of a text that the sources don't explain."""
        found = [fact for fact in facts(text) if not self.explain(fact)]
        if found and self.derived:
            found = [fact for fact in found if not self._follows(fact, text)]
        if found and _WITH_COMMA.search(text) is not None:
            return min(found, self.unexplained(_WITH_COMMA.sub(_with_point, text)), key=len)
        return found

    def explain(self, fact: Fact) -> bool:
        """Whether a fact is in the sources, or may follow from them."""
        if isinstance(fact.value, float):
            return self._explain_number(fact.text, abs(fact.value), fact.places)
        if fact.kind == "address":
            return fact.value in self.text or fact.value.rstrip("/") in self.text
        if fact.kind == "code" and fact.text.casefold() in self.text:
            return True
        if fact.kind == "code":
            return fact.value in self._without_signs()
        self.read()
        return self._explain_date(fact.value) if fact.kind == "date" else self._explain_time(fact.value)

    def _without_signs(self) -> str:
        """The sources as :func:`plain` text."""
        self._plain += "".join(map(plain, self._texts[self._plained :]))
        self._plained = len(self._texts)
        return self._plain

    def read(self) -> None:
        """Find the facts in the texts that were added since the last time."""
        for text in self._new:
            found = self._known.get(text)
            if found is None:
                found = self._known[text] = _stated(text)
            self._add(found[0])
            self._dates |= found[1]
            self._times |= found[2]
        self._new.clear()
        self._add({_WORDS[word] for word in any_word(_NAMES).found_in(self.text[self._named :])})
        self._named = len(self.text)

    def _add(self, numbers: set[float]) -> None:
        if not numbers <= self._numbers:
            self._ordered += numbers - self._numbers
            self._ordered.sort()
            self._numbers |= numbers

    def _explain_date(self, date: str) -> bool:
        """Whether a date is in the sources, where its year may be apart, or is the day before or after one of them."""
        if date in self._dates:
            return True
        if len(date) > 5 and date[-5:] in self._dates:
            return date[:4] in self.text or not any(len(each) > 5 for each in self._dates)
        if not self.derived:
            return False
        years = [date[:4]] if len(date) > 5 else ["2024", "2023"]  # a leap year, and another one
        days = {day for year in years for each in self._dates if (day := _day(f"{year}-{each[-5:]}")) is not None}
        mine = {_day(f"{year}-{date[-5:]}") for year in years}
        return any(day + step in mine for day in days for step in (-1, 1))

    def _explain_time(self, time: str) -> bool:
        if time in self._times:
            return True
        hour, minutes = int(time[:2]), time[3:]
        other = f"{(hour + 12) % 24:02}:{minutes}"
        return other in self._times or (minutes == "00" and (hour in self._numbers or hour % 12 in self._numbers))

    def _follows(self, fact: Fact, text: str) -> bool:
        """Whether a fact of a text follows from several others: a total, another unit, a time some minutes later."""
        if fact.kind == "time":
            start = {_minutes(each) for each in self._times}
            numbers = list(islice(self._numbers, MAX_PAIRS))
            passed = {number * unit for number in numbers for unit in (1, 60) if number * unit < MINUTES_A_DAY}
            ends = [_minutes(str(fact.value)), _minutes(str(fact.value)) + MINUTES_A_DAY // 2]  # 3:30, of the afternoon
            return any(
                (end + step) % MINUTES_A_DAY in start for end in ends for each in passed for step in (each, -each)
            )
        if not isinstance(fact.value, float):
            return False
        value, room = abs(fact.value), 0.5 * 10.0**-fact.places * 1.0001
        if _MEASURE.search(text) is not None and any(abs(value - each) <= room for each in self._conversions()):
            return True
        days = sorted(day for each in self._dates if (day := _day(each)) is not None)[:MAX_PAIRS]
        spans = {abs(one - other) for one in days for other in days}
        if value in spans or any(value == span // DAYS_A_YEAR for span in spans):
            return True
        others = (abs(each.value) for each in facts(text) if isinstance(each.value, float) and each is not fact)
        beside = list(islice(others, MAX_PAIRS))
        if any(each >= SIXTY and each % SIXTY == value and each // SIXTY in beside for each in self._numbers):
            return True  # 3 hours and 42 minutes
        written = _DAY.fullmatch(fact.text)
        if written is not None and f"{int(written[2]):02}-{int(written[1]):02}" in self._dates:
            return True  # 11.06., of June
        return (
            any(abs(value - total) <= room for total in _totals(beside))
            or any(
                abs(value - total) <= room
                for source in self._texts
                for column in _columns(source)
                for total in (*_totals(column), sum(column) / max(len(column), 1))
            )
            or any(
                abs(value - bill - extra) <= room
                for source in self._texts
                for bill in _bills(source)
                for extra in (0, *self._numbers)
            )
        )

    def _explain_number(self, text: str, value: float, places: int) -> bool:
        if (self.derived and value <= SMALL and value == int(value)) or is_number_in(text, self.text):
            return True
        self.read()
        numbers = self._numbers
        if value in numbers or (1900 <= value < 2100 and value % 100 in numbers):  # 1990, the 90s
            return True
        room = 0.5 * 10.0**-places * 1.0001
        if not places:  # "about 1,300" for 1,287
            zeros = len(text) - len(text.rstrip("0"))
            room = max(room, min(0.5 * 10**zeros, 0.05 * value)) if self.derived else room
            room = room if self.derived else min(1e-9 * value, 0.1)  # nobody rounds what he passes on
        if self.derived and len(numbers) > MAX_PAIRS:
            return True  # too many to tell
        ordered, low, high = self._ordered, value - room, value + room
        for factor in _FACTORS:
            at = bisect_left(ordered, low / factor)
            if at < len(ordered) and ordered[at] <= high / factor:
                return True
        if not self.derived:
            return False
        for a in numbers:
            for b in numbers:
                results = [a + b, abs(a - b), a * b, a * b / 100, a * (1 + b / 100), a * (1 - b / 100)]
                if b:
                    results += [a / b, 100 * a / b]
                if any(abs(value - result) <= room for result in results):
                    return True
        return False

    def _conversions(self) -> Iterator[float]:
        """The numbers in other units of temperature, length and mass, and as measures of squares, cubes and circles."""
        for number in self._numbers:
            yield from (number * 1.8 + 32, (number - 32) / 1.8, number - 273.15, number + 273.15)
            yield from (number * 1.609344, number / 1.609344, number * 0.45359237, number / 0.45359237)
            yield from (number * 2.54, number / 2.54, number * 3.2808, number / 3.2808, number * 3.141592653589793)
            yield from (number**2, number**2 * 3.141592653589793, number**3, number**0.5)


MINUTES_A_DAY: Final = 1440
SIXTY: Final = 60
_DAY = lazy_re(r"(\d\d?)\.(\d\d?)", re.ASCII)
DAYS_A_YEAR: Final = 365.25

_MEASURE = lazy_re(
    r"°|\b(?:degrees?|fahrenheit|celsius|kelvin|[kcm]?m|kilomet(?:er|re)s?|met(?:er|re)s?|mi(?:les?)?|f(?:ee|oo)?t"
    r"|inch(?:es)?|mph|km/h|k?g|kilo(?:gram)?s?|lbs?|pounds?|area|volume|radius|diameter|circumference|squared?|cubed?"
    r"|root)\b|[度米里斤磅]|面积|体积|半径|直径|平方|立方",
    re.I,
)
"""Words of an answer that gives a number in another unit, or measures something."""


def _minutes(time: str) -> int:
    return int(time[:2]) * 60 + int(time[3:])


def _totals(numbers: Sequence[float]) -> Iterator[float]:
    """The sums of three numbers and more that follow each other."""
    for start in range(len(numbers[:MAX_PAIRS])):
        yield from list(accumulate(numbers[start:MAX_PAIRS]))[2:]


@lru_cache(maxsize=64)
def _columns(text: str) -> tuple[tuple[float, ...], ...]:
    """The numbers of a text in their order; of JSON, those of each key."""
    value = jsontext.opened(text)
    if not isinstance(value, dict | list):
        return (tuple(abs(fact.value) for fact in facts(text) if isinstance(fact.value, float)),)
    columns: dict[str, list[float]] = {}
    for pointer, number in walk(value):
        if isinstance(number, int | float) and not isinstance(number, bool):
            columns.setdefault(re.sub(r"/\d+(?=/|$)", "", pointer), []).append(as_float(abs(number)))
    return tuple(map(tuple, columns.values()))


def _bills(text: str) -> Iterator[float]:
    """The sums of how many times how much, over the items of a list in JSON."""
    columns = [column for column in _columns(text)[:MAX_COLUMNS] if len(column) > 1]
    for one, other in combinations(columns, 2):
        if len(one) == len(other):
            yield sum(a * b for a, b in zip(one, other, strict=True))


MAX_COLUMNS: Final = 8
"""Bounds the time of a check."""


Stated = tuple[set[float], set[str], set[str]]
"""The numbers in digits, dates and times that a text states."""


def _stated(text: str) -> Stated:
    """What a source states."""
    numbers: set[float] = set()
    dates: set[str] = set()
    times: set[str] = set()
    for fact in facts(text):
        if isinstance(fact.value, float):
            numbers.add(abs(fact.value))
        elif fact.kind == "date":
            dates.update((fact.value, fact.value[-5:]))
            numbers.update(float(part) for part in fact.value.split("-"))
        elif fact.kind == "time":
            times.add(fact.value)
            numbers.update(float(part) for part in fact.value.split(":"))
    for one, other, year in _SLASHED.findall(text):
        dates.update(
            f"{prefix}{int(a):02}-{int(b):02}" for a, b in ((one, other), (other, one)) for prefix in (f"{year}-", "")
        )
    numbers.update(float(number) for number in _DIGITS.findall(text) if len(number) < 16)
    if _BEFORE_CAPITAL.search(text) is not None:
        numbers.update(float(part) for code in _MIXED.findall(text) for part in _parts(code))
    return numbers, dates, times


_SLASHED = lazy_re(r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4})(?![\d/])", re.ASCII)
"""A date of which nobody can tell the day from the month."""
_NAMES: Final = frozenset(_WORDS)
_BEFORE_CAPITAL = lazy_re(r"\d[A-Z]", re.ASCII)
_MIXED = lazy_re(r"\b(?=\d*[A-Z])[A-Z]{0,4}\d{3,8}[A-Z]{1,3}\b", re.ASCII)
"""Digits of which a code puts several numbers together: ``24012KT``."""


def _parts(code: str) -> Iterator[str]:
    """The numbers that the digits of a code may be, put together."""
    digits = "".join(filter(str.isdecimal, code))
    for at in range(1, len(digits)):
        yield from (digits[:at], digits[at:])


def is_number_in(number: str, text: str) -> bool:
    """Whether a number is in a text as it is written, and not as a part of another one."""
    number = number.lstrip("+-")
    at = text.find(number)
    while at >= 0:
        end = at + len(number)
        if not _DIGIT_BEFORE.search(text, max(at - 2, 0), at) and not _DIGIT_AFTER.match(text, end):
            return True
        at = text.find(number, end)
    return False
