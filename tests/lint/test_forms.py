"""What arguments hold by their names and descriptions: forms, ranges, choices, kinds, days."""

from __future__ import annotations

from datetime import date
from typing import Any

from tests.conftest import each, words
from tests.helpers.lint_rows import found_in_texts
from toolconv.lint.rules.tc3_text import _unescaped
from toolconv.lint.values.asked_days import asked_day, called_day, today_in
from toolconv.lint.values.described_forms import choices_in, forms_in, range_in
from toolconv.lint.values.origins import kind_of

# ── forms that descriptions ask for ──

# A description, a value that has its form and one that does not. Sources: ISO 8601, 4217 and 3166, IATA, ITU-T E.164, CSS
# Color, RFC 9562, RFC 791; German, Spanish and French dates as their users write them.
FORMS = [
    ("Day, YYYY-MM-DD", "2026-05-01", "1 May 2026"), ("Day (yyyy/mm/dd)", "2026/05/01", "2026-05-01"),
    ("Time, HH:MM", "09:30", "9.30"), ("hh:mm:ss", "09:30:00", "09:30"), ("YYYY-MM-DDTHH:MM", "2026-05-01T09:30", "2026-05-01"),
    ("YYYY-MM-DDTHH:MM:SS", "2026-05-01T09:30:00", "2026-05-01 09:30"), ("TT.MM.JJJJ", "01.05.2026", "2026-05-01"),
    ("DD/MM/AAAA", "01/05/2026", "2026-05-01"), ("MM/DD/YY", "05/01/26", "May 1"), ("AAAA-MM-DD", "2026-05-01", "1.5.2026"),
    ("When, ISO 8601", "2026-05-01", "tomorrow"), ("ISO-8601 time", "09:30", "noon"), ("ISO8601 duration", "P3D", "three"),
    ("Country code, two letters", "DE", "DEU"), ("Currency code of three letters", "EUR", "Euro"),
    ("A 2-letter code", "de", "deu"), ("A 3-letter code", "EUR", "EU"), ("four-character code", "EDDF", "FRA"),
    ("4 char code", "EDDF", "FRA"), ("A two letter code", "de", "deu"), ("A code with 3 letters", "FRA", "Frankfurt"),
    ("ISO 4217", "EUR", "Euro"), ("ISO-4217 currency", "EUR", "euros"), ("alpha-2", "DE", "DEU"), ("alpha2", "DE", "DEU"),
    ("alpha-3", "DEU", "DE"), ("alpha3", "DEU", "DE"), ("IATA code of an airport", "FRA", "EDDF"), ("The airline, IATA", "LH", "DLH"),
    ("IATA code of the carrier", "LH", "DLH"), ("Phone, E.164", "+4969123456", "069 123456"), ("Phone (E164)", "+4969123456", "069"),
    ("A hex color", "#ff0000", "red"), ("hexadecimal colour code", "#ff0000", "red"), ("hex code", "ff0000", "red"), ("#RRGGBB", "#ff0000", "red"),
    ("The e-mail address", "ann@example.com", "ann"), ("Email address", "Ann <ann@example.com>", "Ann"), ("邮箱", "ann@example.com", "ann"),
    ("In upper case", "ABC", "Abc"), ("uppercase", "ABC", "abc"), ("lower case", "abc", "Abc"), ("In lowercase", "abc", "ABC"),
    ("ISO date", "2026-05-01", "May 1"), ("Its UUID", "0b8e0f4e-91a5-4ed2-9c41-2d6f0b8fd0a1", "7"), ("An IPv4", "192.0.2.1", "::1"),
    ("IPv4 network", "192.0.2.0/24", "localhost"), ("two letters and eight digits", "AB12345678", "A12345678"),
    ("2 letters followed by 3 digits", "AB-123", "A-123"), ("three digits, two letters", "123AB", "AB123"),
    ("One, then the other: 4 digits then 1 letters", "1234A", "A1234"), ("Given as `owner/name`", "a/b", "a"),
    ("as user@host", "ann@pc", "ann"), ("as host:port", "pc:80", "pc"),
]  # fmt: skip


@each("description, value, other", FORMS)
def test_a_form_that_a_description_asks_for(description: str, value: str, other: str) -> None:
    found = forms_in(description, "string")
    assert found, description
    assert all(form.fits(value) for form in found)
    assert not all(form.fits(other) for form in found)
    assert forms_in(description, "boolean") == ()


@each(
    "more",
    ["or so", "etc", "e.g. it", "i.e. it", "such as it", "like it", "example", "including it", "optional", "relative",
     "default", "...", "…", "例如", "比如", "或", "等"],
)  # fmt: skip
def test_a_description_that_allows_for_more_asks_for_no_form(more: str) -> None:
    assert forms_in("YYYY-MM-DD", "string") and forms_in("two letters and eight digits", "string")
    assert forms_in(f"YYYY-MM-DD, {more}", "string") == ()
    assert forms_in(f"two letters and eight digits, {more}", "string") == ()


@each("more", ["or it", "或", "comma", "list", "逗号", "pair", "digits"])
def test_a_description_of_several_codes(more: str) -> None:
    assert forms_in("alpha-2", "string") and forms_in(f"alpha-2, {more}", "string") == ()


@each("more", ["or it", "relative", "natural", "domain", "或"])
def test_a_description_of_a_part_of_a_form(more: str) -> None:
    assert forms_in("ISO date", "string") and forms_in(f"ISO date, {more}", "string") == ()


@each("start", ["1. Day", "1) Day", "1.Day"])
def test_a_numbered_list_of_forms(start: str) -> None:
    assert forms_in(f"YYYY-MM-DD: {start} 2. Month", "string") == ()


# A description, the least and the most that fits.
RANGES = [
    ("between 1 and 5", 1, 5), ("from 1 to 5", 1, 5), ("from -1.5 to 2.5", -1.5, 2.5), ("(1-5)", 1, 5), ("[1 - 5]", 1, 5),
    ("(range: 1 to 5)", 1, 5), ("(1–5)", 1, 5), ("(1—5)", 1, 5), ("from 1 (low) to 5 (high)", 1, 5), ("1到5之间", 1, 5),
    ("1至5之间", 1, 5), ("1~5 之间", 1, 5), ("at most 5", None, 5), ("no more than 5", None, 5), ("up to 5", None, 5),
    ("max 5", None, 5), ("maximum of 5", None, 5), ("max is 5", None, 5), ("maximum: 5", None, 5), ("最多 5", None, 5), ("不超过5", None, 5),
    ("最大值为5", None, 5), ("at least 5", 5, None), ("no less than 5", 5, None), ("min 5", 5, None), ("minimum of 5", 5, None),
    ("minimum is 5", 5, None), ("min: 5", 5, None), ("最少5", 5, None), ("至少5", 5, None), ("不少于 5", 5, None), ("最小值为5", 5, None),
    ("5 or older", 5, None), ("5 or over", 5, None), ("5 and above", 5, None), ("5 or higher", 5, None), ("5 or more", 5, None),
    ("5 years or older", 5, None), ("at least 2, at most 5", 2, 5), ("latitude", -90, 90), ("纬度", -90, 90), ("longitude", -180, 180),
    ("经度", -180, 180),
]  # fmt: skip


@each("description, least, most", RANGES)
def test_a_range_that_a_description_states(description: str, least: float | None, most: float | None) -> None:
    for kind in ("number", "integer"):
        (form,) = forms_in(description, kind)
        for bound, beyond in ((least, -1), (most, 1)):
            assert bound is None or (form.fits(bound) and not form.fits(bound + beyond)), bound
    assert forms_in(description, "array") == ()


@each("more", ["characters", "default", "letters", "digits", "字符", "默认"])
def test_a_length_is_no_range(more: str) -> None:
    assert range_in("between 1 and 5") == (1, 5) and range_in(f"between 1 and 5 {more}") is None
    assert forms_in(f"at most 5 {more}", "number") == ()


@each("more", ["items", "elements", "words", "per page", "or none", "或"])
def test_a_number_of_things_is_no_range(more: str) -> None:
    assert forms_in(f"at most 5 {more}", "number") == ()


@each("more", ["radians", "microdegrees", "E7", "弧度"])
def test_a_place_on_the_map_in_another_unit(more: str) -> None:
    assert forms_in(f"latitude in {more}", "number") == ()


CHOICES = [
    "One of a, b", "one of: a, b", "must be one of the following: a, b", "One of the following regions: a, b",
    "either a or b", "is one of a / b",
    "should be either a or b", "possible values: a, b", "allowed values are a and b", "valid options: a|b",
    "accepted choices: 'a', 'b'", 'supported values "a", "b"', "options: a, b", "choices are a, b", "可选值：a、b", "可选：a，b",
    "可选项：a或b", "取值为：a、b", "取值: a, b", "必须是 a 或 b", "values: 「a」「b」 options: `a` `b`",
]  # fmt: skip


@each("description", CHOICES)
def test_a_choice_that_a_description_lists(description: str) -> None:
    assert choices_in(description) == ("a", "b")
    (form,) = forms_in(description, "string")
    assert form.fits(" A ") and form.fits("b") and not form.fits("c")


def test_a_choice_at_the_end_of_a_description() -> None:
    assert choices_in("The size: small, medium, or large.") == ("small", "medium", "large")
    assert choices_in("The size: small or large.") == ()
    assert choices_in(f"one of {', '.join(f'x{at}' for at in range(40))}") != ()
    assert choices_in(f"one of {', '.join(f'x{at}' for at in range(41))}") == ()
    assert choices_in("one of two words, b") != () == choices_in("one of three words here, b")


@each(
    "more",
    [
        "etc",
        "e.g. c",
        "such as c",
        "...",
        "…",
        "and more",
        "any",
        "including c",
        "in the range",
        "例如",
        "等",
        "周一到周五",
    ],
)
def test_a_list_that_may_go_on_is_no_choice(more: str) -> None:
    assert choices_in(f"One of a, b, {more}") == ()


# ── what arguments hold ──


@each(
    "name, kind",
    [("script", "code"), ("searchTerm", "query"), ("image_url", "path"), ("feedback", "text"), ("order_id", "id"),
     ("old", "code"), ("oldTown", "name"), ("xpathx", "name"), ("town", "name")],
)  # fmt: skip
def test_what_an_argument_holds_by_its_name(name: str, kind: str) -> None:
    assert kind_of(name, "Nantes", {}) == kind


@each(
    "value, kind",
    [
        ("Nantes", "name"), ("a b c d", "name"), ("a b c d e", "text"), ("一二三四五六七八九十一二", "name"), ("一二三四五六七八九十一二三", "text"),
        ("กขคงจฉชซฌญฎฏฐ", "text"), ("2026-05-01", "date"), ("15:30", "date"), ("2026-05-01T15:30Z", "date"), ("AB-1234", "id"),
        ("1234", "id"), ("123", "name"), ("a\nb", "code"), ("see ```x", "code"), ("https://a.org", "path"), ("./a/b", "path"),
        ("~/x", "path"), ("a/b", "path"), ("notes.txt", "path"), ("A1B2", "id"), (7, "number"), (1.5, "number"),
    ],
)  # fmt: skip
def test_what_an_argument_holds_by_its_value(value: Any, kind: str) -> None:
    assert kind_of("x", value, {}) == kind
    assert kind_of("x", value, {"enum": [value]}) == "enum"


# ── days ──

TODAY = date(2026, 11, 25)


@each(
    "word, step",
    [
        ("the day after tomorrow", 2), ("the day before yesterday", -2), ("tomorrow", 1), ("yesterday", -1), ("today", 0), ("tonight", 0),
        ("大后天", 3), ("后天", 2), ("明天", 1), ("明早", 1), ("明晚", 1), ("今天", 0), ("今晚", 0), ("昨天", -1), ("前天", -2),
        ("in 3 days", 3), ("in two days", 2), ("in ten days", 10),
    ],
)  # fmt: skip
def test_a_word_for_a_day(word: str, step: int) -> None:
    asked = asked_day(f"Book it {word}.", TODAY)
    assert asked is not None and asked.date == date.fromordinal(TODAY.toordinal() + step)
    assert asked_day(f"Book it {word}.", None) is None
    assert asked_day(f"Book it {word}, or tomorrow.", TODAY) is None


@each("number, names", enumerate(zip(words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"), "一二三四五六日", strict=True)))  # fmt: skip
def test_a_day_of_the_week(number: int, names: tuple[str, str]) -> None:
    english, chinese = names
    for written in (english, f"{english}s", f"星期{chinese}", f"周{chinese}", f"礼拜{chinese}"):
        asked = asked_day(f"Book it {written}", TODAY)
        assert asked is not None and (asked.date, asked.weekday) == (None, number), written
    sunday = asked_day("星期天", TODAY)
    assert sunday is not None and sunday.weekday == 6


@each(
    "word",
    words(
        "before after until till by since except every each following weekly vor nach bis ab seit jeden antes después hasta "
        "desde cada depois até avant après jusqu'à dès depuis chaque prima dopo fino ogni 之前 之后 以前 以后 每"
    ),
)
def test_a_day_around_another_is_not_that_day(word: str) -> None:
    assert asked_day(f"Book it {word} Friday", TODAY) is None


@each(
    "text",
    ["Today is 2026-11-25", "today's date is 2026-11-25", "Current date: 2026-11-25", "The current date is 2026-11-25",
     "Today's date: 2026-11-25", "Date: Wednesday, 2026-11-25", "今天是2026年11月25日", "当前日期：2026-11-25", "今天的日期是2026-11-25",
     "现在是 2026-11-25"],
)  # fmt: skip
def test_today_as_a_text_states_it(text: str) -> None:
    assert today_in(text) == TODAY
    assert today_in(f"{text}\nToday is 2026-11-24") is None
    assert today_in("Born 2026-11-25") is None


@each(
    "value, description, found",
    [
        ("2026-05-04", "", date(2026, 5, 4)), ("2026-05-04T09:30", "", date(2026, 5, 4)), ("04.05.2026", "", date(2026, 5, 4)),
        ("04/05/2026", "", None), ("04/05/2026", "DD/MM/YYYY", date(2026, 5, 4)), ("05/04/2026", "MM/DD/YYYY", date(2026, 5, 4)),
        ("05-04-2026", "mm-dd-yyyy", date(2026, 5, 4)), ("13.13.2026", "", None), ("soon", "", None),
    ],
)  # fmt: skip
def test_the_day_that_a_call_means(value: str, description: str, found: date | None) -> None:
    assert called_day(value, description) == found


# ── escapes ──


@each("entity, char", [("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&apos;", "'")])
def test_an_escape_of_html(entity: str, char: str) -> None:
    assert _unescaped(f"Tom {entity} Jerry") == f"Tom {char} Jerry"
    assert len(found_in_texts("TC306", "Who?", f"Tom {entity} Jerry")) == 1
    assert found_in_texts("TC306", "Who?", f"Tom {entity[:-1]} Jerry") == []


@each("header", ["Respuesta", "Antwort", "Réponse", "Risposta", "Resposta", "回答", "回复", "响应"])
def test_a_header_in_another_language(header: str) -> None:
    for text in (f"### {header}:\nIt is up.", f"## {header}：\nIt is up."):
        assert len(found_in_texts("TC313", "Is it up?", text)) == 1, text
    assert found_in_texts("TC313", "Is it up?", f"### {header}: it is up.") == []


@each("header", ["AI", "Bot", "BOT", "Chatbot"])
def test_a_speaker_before_an_answer(header: str) -> None:
    assert len(found_in_texts("TC313", "Is it up?", f"{header}: It is up.")) == 1
