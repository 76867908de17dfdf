"""Months, numbers and days in words mean the same as in digits; numbers beyond the range of floats end no check."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest

from tests.conftest import each, words
from toolconv import layouts
from toolconv.lint.engine.linter import Linter
from toolconv.lint.engine.selection import Selection
from toolconv.lint.model.row import LintRow
from toolconv.lint.texts.outcomes import fault_of
from toolconv.lint.texts.tool_words import stems
from toolconv.lint.values import grounding
from toolconv.lint.values.asked_days import asked_day
from toolconv.lint.values.grounding import Fact, Sources, facts
from toolconv.lint.values.origins import _is_known

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
        ("前天", -2), *((f"in {word} days", days) for days, word in enumerate(NUMBERS[:9], 2)),
    ],
)  # fmt: skip
def test_a_day_in_words(word: str, days: int) -> None:
    asked = asked_day(f"Book it for {word}." if word.isascii() else f"{word}的天气", date(2025, 5, 10))
    assert asked is not None and asked.date == date(2025, 5, 10) + timedelta(days)


@each(
    "known, answer, unexplained",
    [
        ("412, then 398, then 455", "412, 398 and 455: 1,265 in all.", []),
        ("412, then 398, then 455", "It is 1,266 in all.", ["1,266"]),
        ('[{"n": 412, "id": 7001}, {"n": 398, "id": 7002}, {"n": 455, "id": 7003}]', "That makes 1,265.", []),
        ('[{"n": 412, "id": 7001}, {"n": 398, "id": 7002}, {"n": 455, "id": 7003}]', "That makes 7,811.", ["7,811"]),
        ("At 12:30, for 45 minutes.", "It ends at 13:15.", []),
        ("At 12:30, for 45 minutes.", "It ends at 13:20.", ["13:20"]),
        ("At 23:30, for 2 hours.", "It ends at 1:30 am.", []),
        ("1815-12-10 and 1852-11-27", "She was 36.", []),
        ("1815-12-10 and 1852-11-27", "She was 45.", ["45"]),
        ("2024-03-01 to 2024-03-22", "You stay 21 nights.", []),
        ("You arrive on 2025-03-11, for a night.", "On 12 March you leave.", []),
        ("You arrive on 2025-03-11, for a night.", "On 13 March you leave.", ["13 March"]),
        ("95 a night, 70 or 120", "It is 59 a night.", ["59"]),
        ("It is 95 miles.", "That is 153 km.", []),
        ("It is 95 miles.", "That is 153 tons.", ["153"]),
        ("It takes 1287 days.", "About 1,300 days.", []),
        ("It costs 817, of 2500.", "It costs 840.", ["840"]),
    ],
)
def test_what_follows_from_what_is_known(known: str, answer: str, unexplained: list[str]) -> None:
    sources = Sources()
    sources.add(known)
    assert [fact.text for fact in sources.unexplained(answer)] == unexplained


@each(
    "text, number, explained",
    [("It was '99.", "1899", False), ("It was '0.", "1900", True), ("It was '99.", "2099", True), ("It was '0.", "2100", False),
     ("x123456789012345", "123,456,789,012,345", True), ("x1234567890123456", "1,234,567,890,123,456", False)],
)  # fmt: skip
def test_a_year_in_two_digits_and_the_digits_of_a_code(text: str, number: str, explained: bool) -> None:
    sources = Sources(derived=False)
    sources.add(text)
    assert sources.explain(Fact("number", number, float(number.replace(",", "")))) == explained


@each(
    "text, time",
    [("下午1点", "13:00"), ("下午12点", "12:00"), ("下午13点", "13:00"), ("早上12点", "12:00"), ("13点30", "13:30")],
)
def test_an_hour_in_chinese(text: str, time: str) -> None:
    assert [fact.value for fact in facts(text)] == [time]


@each(
    "value, known",
    [
        ("ab", True), (" ab ", True), ("abc", False), ("天气", False), ("USD", True),
        (-2, False), (-1, True), (0, True), (1, True), (2, False),
    ],
)  # fmt: skip
def test_short_values_need_no_source(value: Any, known: bool) -> None:
    assert _is_known("city", value) == known


def test_only_longer_words_lose_their_endings() -> None:
    assert stems("uses plans walk") == {"uses", "plan", "walk"}


@each("code, fault", [(399, None), (400, "error"), (599, "error"), (600, None), ("400", None)])
def test_the_code_of_an_error(code: object, fault: str | None) -> None:
    assert fault_of({"status_code": code, "body": "x"}) == fault


HUGE = "7" * 400


@each("number", [HUGE, f"-{HUGE}", f"{HUGE}.5"])
def test_a_number_beyond_the_range_of_floats_ends_no_check(number: str) -> None:
    schema = {"type": "number", "description": "Time in seconds, default 3.", "default": 0, "minimum": 1, "maximum": 5}
    called = {"id": "c", "type": "function", "function": {"name": "wait", "arguments": '{"seconds": 1, "ids": [1]}'}}
    row = {
        "messages": [
            {"role": "user", "content": "Wait 3 minutes."},
            {"role": "assistant", "content": None, "reasoning_content": "seconds=180", "tool_calls": [called]},
            {"role": "tool", "tool_call_id": "c", "content": '{"seconds": 0}'},
            {"role": "assistant", "content": "That took 0 seconds."},
        ],
        "tools": [
            {"type": "function", "function": {"name": "wait", "parameters": {"properties": {"seconds": schema}}}}
        ],
    }
    line = json.dumps(row).replace(": 1", f": {number}").replace("[1]", f"[{number}]").replace(": 0", f": {number}")
    linter = Linter(selections=[Selection(select=("ALL",))])
    codes = {
        finding.code for finding in linter.check(LintRow("a", 1, line.encode(), layouts.get("openai"), None)).findings
    }
    assert "TC006" in codes and "TC011" not in codes


_UNITS = words("st nd rd th k m b km kg cm mm px mb gb h min s ms usd eur c f x tb mi ft kcal kwh am pm a.m p.m")
_SIGNS = [
    *" -–/.,:：)年月点時时万만萬%@", *_UNITS, *map(str.upper, _UNITS), "_km", "ſ", "ſt", "Kg", "°C", "€", " EUR", " am", " PM",
    " May", " of May",
]  # fmt: skip
"""What may follow a number and be read with it."""
_EVERY_SIGN = [*" -–/.,:：)年月点時时万만萬apAPsnrtkmbcghuefxlSNRTKMBCGHUEFXL_ſK", ""]


class _After:
    """What follows the numbers of any text: everything."""

    @staticmethod
    def findall(_: str) -> list[str]:
        return _EVERY_SIGN


def test_what_follows_the_digits_of_a_text_rules_out_no_fact(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = ("", "5", "5.", "05", "05-12", " ,5 kg")
    texts = [
        f"{head}{sign}{end}"
        for head in ("5", "12", "2024", "A-10", "下午5", "me@a.org 5")
        for sign in _SIGNS
        for end in ends
    ]
    texts += [
        f"{head}{sign}05{then}{last}"
        for head, last in (("2024", "12"), ("12", "2024"))
        for sign in _SIGNS
        for then in (sign, "-", "")
    ]
    found = [[(fact.kind, fact.text, fact.value) for fact in facts.__wrapped__(text)] for text in texts]
    kinds = {kind for known in found for kind, _, _ in known}
    assert kinds == {"number", "date", "time", "code", "address"}
    monkeypatch.setattr(grounding, "_AFTER", _After)
    for text, known in zip(texts, found, strict=True):
        assert [(fact.kind, fact.text, fact.value) for fact in facts.__wrapped__(text)] == known, text
