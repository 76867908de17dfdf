"""What rules make of the values of calls and the words of requests, each decision from both sides.

Numbers with check digits are the examples of their standards' pages (Wikipedia: IBAN, ISBN, EAN, Luhn, ISO 6346, VIN, IMEI).
"""

from __future__ import annotations

import math
from datetime import date

from tests.conftest import each
from toolconv.lint.rules.tc7_answers import _asserted
from toolconv.lint.values.altered import nearly_given
from toolconv.lint.values.amounts import (
    Amount,
    amounts_in,
    as_float,
    begins_amount,
    is_slip,
    names,
    unit_of,
)
from toolconv.lint.values.asked_days import asked_day, called_day, today_in
from toolconv.lint.values.check_digits import wrong_number
from toolconv.lint.values.confusables import confusable_in, letter_name
from toolconv.lint.values.counted import descriptions, stated_count

# ── numbers with check digits ──


@each(
    "label, right",
    [
        ("iban", "DE89 3704 0044 0532 0130 00"),
        ("iban", "GB82WEST12345698765432"),
        ("isbn", "0-306-40615-2"),
        ("ISBN-10", "080442957X"),
        ("isbn_13", "978-0-306-40615-7"),
        ("card_number", "4539 1488 0343 6467"),
        ("Card No", "378282246310005"),
        ("ean", "4006381333931"),
        ("GTIN-8", "73513537"),
        ("container_id", "CSQU3054383"),
        ("vin", "1M8GDM9AXKP042788"),
        ("imei", "490154203237518"),
    ],
)
def test_a_number_and_one_with_a_wrong_digit(label: str, right: str) -> None:
    at = max(place for place, char in enumerate(right) if char.isdigit() and (label != "vin" or place > 9))
    wrong = f"{right[:at]}{(int(right[at]) + 1) % 10}{right[at + 1 :]}"
    assert wrong_number(right, label) is None
    assert wrong_number(wrong, label) is not None, wrong
    assert wrong_number(wrong, "", f"The {label} of it.") is not None
    assert wrong_number(wrong, "note", "A text.") is None, "nothing says what it is"
    assert wrong_number(f"{wrong}x#", label) is None, "it has another form"


def test_the_kind_of_a_wrong_number() -> None:
    assert wrong_number("DE88370400440532013000", "iban") == "a bank account (IBAN)"
    assert wrong_number("0306406153", "isbn") == "a book (ISBN)"
    assert wrong_number("4539148803436468", "card number") == "a payment card"
    assert wrong_number("73513538", "ean") == "a product (EAN)"
    assert wrong_number("CSQU3054384", "container no") == "a container (ISO 6346)"
    assert wrong_number("1M8GDM9A1KP042788", "vin") == "a vehicle (VIN)"
    assert wrong_number("490154203237519", "imei") == "a phone (IMEI)"


# ── amounts ──


@each(
    "text, amounts",
    [
        ("for 1,250.5 kg", [("1,250.5 kg", 1250.5, "mass", 1000)]),
        ("30-minute", [("30-minute", 30, "time", 60)]),
        ("5 km and 20 min", [("5 km", 5, "length", 1000), ("20 min", 20, "time", 60)]),
        ("3小时", [("3小时", 3, "time", 3600)]),
        ("2 cubic meters", [("2 cubic meters", 2, "volume", 1000)]),
        ("20 % off", [("20 %", 20, "share", 0.01)]),
        ("v1.5 km", []),
        ("a2 km", []),
        ("5 kilt", []),
        ("5", []),
    ],
)
def test_the_amounts_of_a_text(text: str, amounts: list[tuple[str, float, str, float]]) -> None:
    assert [tuple(each) for each in amounts_in(text)] == amounts
    assert begins_amount(f"x {text}", 2) is (bool(amounts) and text.startswith(amounts[0][0]))


@each(
    "key, description, unit",
    [
        ("duration_minutes", "", ("time", 60)),
        ("weightKg", "", ("mass", 1000)),
        ("minutes", "", ("time", 60)),
        ("m", "", None),  # whose whole name it is
        ("length_m", "", ("length", 1)),
        ("duration", "How long, in seconds", ("time", 1)),
        ("duration", "How long (minutes)", ("time", 60)),
        ("duration", "时长，单位：分钟", ("time", 60)),
        ("duration", "in minutes or in hours", None),
        ("duration", "How long", None),
        ("", "", None),
    ],
)
def test_the_unit_of_an_argument(key: str, description: str, unit: tuple[str, float] | None) -> None:
    assert unit_of(key, description) == unit


KM = Amount("5 km", 5, "length", 1000)


@each(
    "value, factor, slip",
    [
        (5000, 1, False),  # in metres
        (5, 1, True),  # not converted
        (500000, 1, True),  # centimetres, or a hundred times too much
        (50, 1, True),
        (5000.0001, 1, False),
        (3.107, 1609.344, False),
        (7, 1, False),
    ],
)
def test_a_slip(value: float, factor: float, slip: bool) -> None:
    assert is_slip(value, KM, factor) is slip


def test_nothing_is_no_slip_and_no_number_is_too_large() -> None:
    assert not is_slip(0, Amount("0 km", 0, "length", 1000), 1)
    assert as_float(10**400) == math.inf and as_float("2.5") == 2.5


@each(
    "text, choice, named",
    [
        ("in Celsius", "celsius", True),
        ("20 °C", "celsius", True),
        ("用摄氏度", "celsius", True),
        ("100 dollars", "USD", True),
        ("a pounding", "gbp", False),
        ("5 pounds", "gbp", True),
        ("first class", "first_class", True),
        ("classy", "class", False),
        ("in CAD", "cad", True),
        ("cadence", "cad", False),
    ],
)
def test_a_choice_as_people_write_it(text: str, choice: str, named: bool) -> None:
    assert names(text, choice) is named


# ── counts ──


@each(
    "key, description, others, request, strict, found",
    [
        ("num_guests", "", {}, "A table for 4 guests.", False, (4, "4 guests")),
        ("guests", "", {}, "A table for four guests.", False, (4, "four guests")),
        ("guests", "", {}, "For 4 hungry guests.", False, (4, "4 hungry guests")),
        ("guests", "", {}, "For 4 hungry guests.", True, None),
        ("guests", "", {}, "For 4 guests and 2 guests.", False, None),
        ("guests", "", {"max_guests": ""}, "For 4 guests.", False, None),  # which of both?
        ("guests", "", {}, "For 4 people.", False, None),
        ("n", "The number of people", {}, "For 4 people.", False, (4, "4 people")),
        ("n", "The number of people", {"m": "The number of people"}, "For 4 people.", False, None),
        ("n", "The number of people", {"people": ""}, "For 4 people.", False, None),
        ("guests", "", {}, "Guests: 4, please.", False, (4, "Guests: 4")),
        ("length", "", {}, "length of 4 km", False, None),  # an amount
        ("quantity", "", {}, "Order 3 pizzas.", False, (3, "3")),
        ("quantity", "", {}, "Order 3 pizzas.", True, None),
        ("quantity", "", {}, "Order 3 pizzas and 2 beers.", False, None),
        ("size", "", {}, "Order 3 pizzas.", False, None),
        ("n", "人数", {}, "订4人的桌子", False, (4, "4人")),
        ("rows", "", {}, "Show 1,200 rows.", False, (1200, "1,200 rows")),
        ("no", "", {}, "Take 3 no.", False, None),
        ("ab", "", {}, "Take 3 ab.", False, None),  # too short a name
    ],
)
def test_the_count_that_a_request_states(
    key: str, description: str, others: dict[str, str], request: str, strict: bool, found: tuple[int, str] | None
) -> None:
    assert stated_count(key, description, others, request, strict) == found


def test_the_descriptions_of_a_tool() -> None:
    function = {"parameters": {"properties": {"a": {"description": "A."}, "b": {}, "c": 7, "d": {"description": "D."}}}}
    assert descriptions(function, "a") == ("A.", {"b": "", "d": "D."})
    assert descriptions(function, "x") == ("", {"a": "A.", "b": "", "d": "D."})
    assert descriptions({}, "a") == descriptions({"parameters": {"properties": []}}, "a") == ("", {})


# ── days ──

TODAY = date(2025, 5, 10)


@each(
    "request_text, day, weekday",
    [
        ("Book it for tomorrow.", date(2025, 5, 11), None),
        ("Book it in 3 days.", date(2025, 5, 13), None),
        ("Book it in two days.", date(2025, 5, 12), None),
        ("On Friday", None, 4),
        ("on mondays", None, 0),
        ("星期天", None, 6),
        ("周一", None, 0),
        ("today or tomorrow", None, None),
        ("before tomorrow", None, None),
        ("the day before yesterday", date(2025, 5, 8), None),
        ("every Friday", None, None),
        ("tomorrow, 2025-05-11", None, None),
        ("in 3 days or 4", None, None),
        ("明天之前", None, None),
        ("Book it.", None, None),
    ],
)
def test_the_day_that_a_request_means(request_text: str, day: date | None, weekday: int | None) -> None:
    found = asked_day(request_text, TODAY)
    assert (None, None) if found is None else (found.date, found.weekday) == (day, weekday)
    assert (found is None) is (day is None and weekday is None)


def test_a_word_for_a_day_needs_the_date_of_today_and_a_weekday_does_not() -> None:
    assert asked_day("tomorrow", None) is None
    assert asked_day("Friday", None) is not None


@each(
    "text, day",
    [
        ("Today is 2025-05-10.", TODAY),
        ("Current date: May 10, 2025", TODAY),
        ("Today is Saturday, 10 May 2025.", TODAY),
        ("今天是2025年5月10日", TODAY),
        ("Today is 2025-05-10.\nToday's date is 2025-05-11.", None),
        ("It was 2025-05-10.", None),
        ("Today is May 10.", None),
        ("", None),
    ],
)
def test_the_date_of_today(text: str, day: date | None) -> None:
    assert today_in(text) == day


@each(
    "value, description, day",
    [
        ("2025-05-10", "", TODAY),
        ("2025-05-10T12:00", "", TODAY),
        ("10.05.2025", "", TODAY),
        ("05.10.2025", "MM.DD.YYYY", TODAY),
        ("10/05/2025", "", None),  # either order
        ("10/05/2025", "DD/MM/YYYY", TODAY),
        ("05/10/2025", "as MM/DD/YYYY", TODAY),
        ("31.02.2025", "", None),
        ("soon", "", None),
    ],
)
def test_the_date_that_a_value_means(value: str, description: str, day: date | None) -> None:
    assert called_day(value, description) == day


# ── near misses, what a request gives ──


@each(
    "value, request_text, near",
    [
        ("ORD-12346", "Where is ORD-12345?", "ORD-12345"),
        ("ORD-12346", "Where is ord-12346?", None),  # it is there
        ("ORD-12346", "ORD-12345 or ORD-12347?", None),
        ("ORD-12346", "Where is PACKET-9?", None),
        ("/var/log/app.lag", "Show /var/log/app.log.", "/var/log/app.log"),
        ("/var/log", "Show /var/log/app.log.", None),  # a part of it
        ("10.0.0.2", "Ping 10.0.0.1.", "10.0.0.1"),
        ("14:30", "At 14:35.", None),  # a time
        ("x" * 101, "x" * 100, None),
    ],
)
def test_what_a_value_nearly_is(value: str, request_text: str, near: str | None) -> None:
    assert nearly_given(value, request_text) == near


# ── letters that look alike ──


@each(
    "text, found",
    [
        ("paypal", None),
        ("p\u0430ypal", ("p\u0430ypal", "'а' (cyrillic small letter a, which looks like 'a')")),
        ("п\u0430рк", None),  # a word of Cyrillic
        ("\u0430b", None),
        ("x\u0430\u0435", None),  # fewer than two plain letters
        ("pay\u200bpal", ("pay\u200bpal", "'\u200b' (zero width space, which nobody sees)")),
        ("pay１", ("pay１", "'１' (fullwidth digit one, which looks like a plain one)")),
        ("１", None),
    ],
)
def test_a_word_with_another_alphabets_letter(text: str, found: tuple[str, str] | None) -> None:
    word = confusable_in(text)
    assert (word is None) is (found is None)
    if word is not None and found is not None:
        assert word[0] == found[0]
        assert word[1].split(" (")[1] == found[1].split(" (")[1]


def test_the_name_of_a_letter() -> None:
    assert letter_name("a") == "'a'"
    assert letter_name("\u03bf") == "'ο' (greek small letter omicron, which looks like 'o')"


def test_what_a_text_asserts() -> None:
    """Neither its questions nor its examples."""
    asserted = _asserted("There are 5 rooms. Do you need 7? Say a name such as Room 8. Then 9 are left.")
    assert asserted.split() == ["There", "are", "5", "rooms.", "Then", "9", "are", "left."]
    assert _asserted("Would 7 do?\n5 are free at 3.30 p.m. today").split() == [
        "5",
        "are",
        "free",
        "at",
        "3.30",
        "p.m.",
        "today",
    ]
