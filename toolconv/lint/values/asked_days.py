"""The day that a request means by a word: today, tomorrow, in three days, Friday."""

from __future__ import annotations

import datetime
import re
from typing import Final, NamedTuple

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.values.grounding import facts
from toolconv.lint.values.words import ANY_NUMBER, NUMBERS, WEEKDAYS

_TODAY = lazy_re(
    r"\b(?:today(?:'s date)? is|current date(?: is)?|today's date|today|date)\s?[:：]?\s(?:[a-z]{3,9}day,? )?"
    r"(?P<day>[^\n]{6,30})"
    r"|(?:今天是|当前日期|今天的日期是?|现在是)\s?[:：]?\s?(?P<zh>[^\n]{6,20})",
    re.I,
)
_DAYS: Final = {
    "day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "yesterday": -1, "today": 0, "tonight": 0,
    "大后天": 3, "后天": 2, "明天": 1, "明早": 1, "明晚": 1, "今天": 0, "今晚": 0, "昨天": -1, "前天": -2,
}  # fmt: skip
_WORD = lazy_re(
    rf"\b(?:{'|'.join(word for word in _DAYS if word.isascii())})\b|{'|'.join(w for w in _DAYS if not w.isascii())}",
    re.I,
)
_IN_DAYS = lazy_re(rf"\bin (?P<in>\d{{1,2}}|{ANY_NUMBER}) days\b(?! or)", re.I)
_WEEKDAY = lazy_re(rf"\b(?P<en>{'|'.join(WEEKDAYS)})s?\b|(?:星期|周|礼拜)(?P<zh>[一二三四五六日天])", re.I)
_AROUND = lazy_re(
    r"\b(?:before|after|until|till|by|since|except|every|each|following|weekly|vor|nach|bis|ab|seit|jede\w*|antes|después"
    r"|hasta|desde|cada|depois|até|avant|après|jusqu\w*|dès|depuis|chaque|prima|dopo|fino|ogni)\b|之前|之后|以前|以后|每",
    re.I,
)
_SIGNS: Final = "一二三四五六日"


class AskedDay(NamedTuple):
    """What a request says of a day.

    Attributes:
        words: what it says.
        date: the day, where the word and today's date give one.
        weekday: the day of the week, from 0 for Monday, where only that is known.
    """

    words: str
    date: datetime.date | None
    weekday: int | None


def today_in(text: str) -> datetime.date | None:
    """The date of today that a text states; ``None`` if none, or more than one."""
    stated: set[str] = set()
    for match in _TODAY.finditer(text):
        dates = [fact.value for fact in facts(match["day"] or match["zh"]) if fact.kind == "date"]
        stated.update(value for value in dates[:1] if isinstance(value, str) and len(value) == len("2025-09-30"))
    try:
        return datetime.date.fromisoformat(stated.pop()) if len(stated) == 1 else None
    except ValueError:
        return None


def asked_day(request: str, today: datetime.date | None) -> AskedDay | None:
    """The one day that a request means by a word; ``None`` if it names none, or several, or a date."""
    if any(fact.kind == "date" for fact in facts(request)) or _AROUND.search(_WORD.sub("", request)):
        return None
    words = list(_WORD.finditer(request))
    counted = list(_IN_DAYS.finditer(request))
    weekdays = list(_WEEKDAY.finditer(request))
    if len(words) + len(counted) + len(weekdays) != 1:
        return None
    if weekdays:
        match = weekdays[0]
        number = WEEKDAYS.index(match["en"].lower()) if match["en"] else _SIGNS.index(match["zh"].replace("天", "日"))
        return AskedDay(match[0], None, number)
    if today is None:
        return None
    match = (words or counted)[0]
    step = _DAYS[match[0].lower()] if words else NUMBERS.get(match["in"].lower()) or int(match["in"])
    return AskedDay(match[0], today + datetime.timedelta(days=step), None)


_DAY_FIRST = lazy_re(r"(?P<d>\d{1,2})[./-](?P<m>\d{1,2})[./-](?P<y>\d{4})")
_MONTH_FIRST = lazy_re(r"MM[./-]DD|mm[./-]dd")


def called_day(value: str, description: str) -> datetime.date | None:
    """The date that a value of a call means: by its form, and where that doesn't say it, by its description."""
    match = _DAY_FIRST.fullmatch(value)
    try:
        if match is None:
            return datetime.date.fromisoformat(value[:10])
        day, month, year = int(match["d"]), int(match["m"]), int(match["y"])
        if "." not in value and "DD" not in description.upper():
            return None  # either order
        return datetime.date(year, *((day, month) if _MONTH_FIRST.search(description) else (month, day)))
    except ValueError:
        return None


LATER = lazy_re(
    r"end|until|return|due|expir|check_?out|deadline|(?:^|_)(?:to|bis|fin|fim|até|hasta|volta)(?:_|$)|rück",
    re.I,
)
"""Names of arguments for a day that follows from another."""
