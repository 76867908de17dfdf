"""Words for numbers, months, days of the week, and languages."""

from __future__ import annotations

from typing import Final

NUMBERS: Final = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
ANY_NUMBER: Final = "|".join(NUMBERS)
"""A pattern of these."""
CHINESE_NUMBERS: Final = {
    "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10,
}  # fmt: skip
MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
OTHER_MONTHS: Final = {
    name: number
    for months in (
        "januar februar märz april mai juni juli august september oktober november dezember",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    )
    for number, name in enumerate(months.split(), 1)
    if name != "mars"  # of which English speaks, too
}
"""The months in German, Spanish, Portuguese, French and Italian."""
LANGUAGES: Final = {
    "en": ("engl", "ingl", "angl", "英"), "zh": ("chin", "中文", "汉语"), "es": ("span", "español", "西班牙"),
    "fr": ("french", "franc", "franz", "法语", "法文"), "de": ("germ", "deutsch", "alem", "德"),
    "it": ("ital", "意大利"), "pt": ("portug", "葡萄牙"), "ja": ("japan", "日语", "日文"), "ko": ("korea", "韩"),
    "ru": ("russ", "rus", "俄"), "pl": ("pol", "波兰"), "ar": ("arab", "阿拉伯"),
}  # fmt: skip
"""How the names of languages begin, by their codes."""
WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
