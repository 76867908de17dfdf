"""Months, numbers and days in words mean the same as in digits; numbers beyond the range of floats end no check."""

from __future__ import annotations

import json
from datetime import date, timedelta

from tests.conftest import each
from toolconv import layouts
from toolconv.lint.engine.engine import Linter
from toolconv.lint.engine.selection import Selection
from toolconv.lint.model.row import LintRow
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
        ("前天", -2), *((f"in {word} days", days) for days, word in enumerate(NUMBERS[:9], 2)),
    ],
)  # fmt: skip
def test_a_day_in_words(word: str, days: int) -> None:
    asked = asked_day(f"Book it for {word}." if word.isascii() else f"{word}的天气", date(2025, 5, 10))
    assert asked is not None and asked.date == date(2025, 5, 10) + timedelta(days)


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
