"""Months, numbers and days in words mean the same as in digits."""

from __future__ import annotations

from datetime import date, timedelta

from tests.conftest import each
from toolconv.lint.values.asked_days import asked_day
from toolconv.lint.values.grounding import Fact, Sources, facts

MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
]  # fmt: skip
NUMBERS = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
]  # fmt: skip
TENS = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


@each("number, name", enumerate(MONTHS, 1))
def test_a_date_with_the_name_of_its_month(number: int, name: str) -> None:
    for text in (f"12 {name} 2024", f"{name} 12, 2024", f"12 {name[:3]} 2024"):
        assert [fact.value for fact in facts(text)] == [f"2024-{number:02}-12"], text


@each("number, word", [*enumerate(NUMBERS, 2), *((10 * tens, word) for tens, word in enumerate(TENS, 3))])
def test_a_number_in_words(number: int, word: str) -> None:
    sources = Sources(derived=False)
    sources.add(f"It takes {word} days.")
    assert sources.explain(Fact("number", str(number), float(number)))
    assert not sources.explain(Fact("number", str(number * 7 + 1), float(number * 7 + 1)))


@each(
    "word, days",
    [
        ("the day after tomorrow", 2), ("the day before yesterday", -2), ("tomorrow", 1), ("yesterday", -1), ("today", 0),
        ("tonight", 0), ("大后天", 3), ("后天", 2), ("明天", 1), ("明早", 1), ("明晚", 1), ("今天", 0), ("今晚", 0), ("昨天", -1),
        ("前天", -2),
    ],
)  # fmt: skip
def test_a_day_in_words(word: str, days: int) -> None:
    asked = asked_day(f"Book it for {word}." if word.isascii() else f"{word}的天气", date(2025, 5, 10))
    assert asked is not None and asked.date == date(2025, 5, 10) + timedelta(days)
