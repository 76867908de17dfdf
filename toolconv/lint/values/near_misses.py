"""Values that are nearly ones that were given: an id, a number or a date with a slip, or a text that is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.lint.model.memo import once_per_row
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import shown, words_in
from toolconv.lint.values.amounts import unit_of
from toolconv.lint.values.given import ADDRESS, GIVING, LONG_NUMBER, Given, given_in, is_id, transposed, variants_of
from toolconv.lint.values.grounding import plain
from toolconv.lint.values.origins import OWN_WORK, TracedValue, origins

_LETTER = lazy_re(r"\w")
_LETTERS = lazy_re(r"[^\W\u3040-\u9fff\uac00-\ud7a3]*")
"""The rest of a word; particles of Korean and Japanese are no part of it."""
_TAIL = lazy_re(r"(.*?)(\d{2,9})")


@once_per_row
def near_misses(row: LintRow) -> list[tuple[TracedValue, str | None]]:
    """The arguments that nearly are what was given, each with that; with ``None`` if they end within a word of it."""
    return list(_near_misses(row))


def _near_misses(row: LintRow) -> Iterator[tuple[TracedValue, str | None]]:
    for each in origins(row):
        value = each.value
        if each.kind in ("text", "name") and isinstance(value, str) and _is_cut_in_word(each, value.strip()):
            if row.raw.count(value.strip().encode()) > 1:  # a copy keeps its capitals
                yield each, None
            continue
        is_number = isinstance(value, int | float)
        is_symbol = each.origin == "known" and isinstance(value, str)
        if (each.origin != "nowhere" and not is_number and not is_symbol) or each.kind in OWN_WORK:
            continue
        given = given_in(row)
        if each.kind == "date":
            near = each.swapped
        elif isinstance(value, str) and _CAPITALS.fullmatch(value):
            near = _near_capitals(each, given)
        elif isinstance(value, str):
            near = (
                _near_code(each, given) or _near_address(each, given) or _near_id(each, given) or _only_id(each, given)
            )
        else:
            near = _other_sign(each) or _as_decimal(each, given) or _near_number(each, given) or _only_id(each, given)
        if near is not None and not _is_counted_on(row, each):
            yield each, near


def _is_counted_on(row: LintRow, each: TracedValue) -> bool:
    """Whether a value is one of a list of numbers or ids that are counted on: 101, 102, 103."""
    match = _TAIL.fullmatch(str(each.value).strip().casefold())
    if match is None or not _INDEX.search(each.pointer):
        return False
    place, items = _place_of_items(each), _listed(row)
    return any((*place, f"{match[1]}{int(match[2]) + step:0{len(match[2])}}") in items for step in (-1, 1))


@once_per_row
def _listed(row: LintRow) -> set[tuple[str, str, str]]:
    """The values in the lists of a row's calls, each after its call and its place, whatever its number in the list."""
    return {
        (*_place_of_items(each), str(each.value).strip().casefold())
        for each in origins(row)
        if _INDEX.search(each.pointer)
    }


def _place_of_items(each: TracedValue) -> tuple[str, str]:
    return each.call.pointer, _INDEX.sub("", each.pointer)


_INDEX = lazy_re(r"/\d+(?=/|$)")


def _is_cut_in_word(each: TracedValue, text: str) -> bool:
    """Whether a text of some words is only given with more letters after it."""
    if len(text.split()) < MIN_CUT or not text.isascii() or not text[-1].islower():
        return False
    low = text.casefold()
    found = [rest for before in each.before.values() for rest in _after(low, before)]
    return bool(found) and all(rest and not _ENDING.fullmatch(rest) for rest in found)


def _after(text: str, before: str) -> Iterator[str]:
    """What of a word follows a text, wherever it begins one; no pattern is compiled, since texts rarely come again."""
    at = before.find(text)
    while at >= 0:
        following = at + 1
        if not at or not _LETTER.match(before, at - 1):
            end = at + len(text)
            following = end_of(_LETTERS, before, end)
            yield before[end:following]
        at = before.find(text, following)


MIN_CUT: Final = 2
"""A shorter text is a word that others begin with."""

_ENDING = lazy_re(r"e?s|s?es|ed|d|ing|ly|ers?|y", re.I)
"""What a word may have after it, and mean the same."""

_CAPITALS = lazy_re(r"[A-Z]{3,6}")


def _near_capitals(each: TracedValue, given: Given) -> str | None:
    """The symbol in the request, from which another one differs in the order of its letters."""
    if each.stands(each.value):
        return None
    words = given.symbols.get("".join(sorted(each.value.lower())), {})
    near = [word for word, message in words.items() if message < each.call.message]
    return shown(near[0].upper()) if len(near) == 1 else None


def _near_code(each: TracedValue, given: Given) -> str | None:
    """The id that was given, from which another one differs in two exchanged digits, or by one."""
    mine = _TAIL.fullmatch(each.value.strip().casefold())
    if mine is None or len(mine[2]) < MIN_DIGITS or any(_stands_alone(mine[2], text) for text in each.before.values()):
        return None
    near = list(transposed(mine[2]))
    if (mine[1] or len(mine[2]) >= LONG_NUMBER) and not _asks_for_next(each, given):
        near += [str(int(mine[2]) + step).zfill(len(mine[2])) for step in (-1, 1)]
    for origin in GIVING:
        text = each.before.get(origin, "")
        found = next((mine[1] + code for code in near if _stands_alone(mine[1] + code, text)), None)
        if found is not None:
            return shown(_in_case_of(each.value, found))
    return None


def _asks_for_next(each: TracedValue, given: Given) -> bool:
    """Whether the request asks for what comes before or after the thing that it names."""
    return given.next_asked is not None and given.next_asked < each.call.message


def _in_case_of(value: str, found: str) -> str:
    """What was found in a text without capitals, in those of a value."""
    return found.upper() if value.isupper() else found


def _near_number(each: TracedValue, given: Given) -> str | None:
    """The number in the request, from which another one differs in two exchanged digits, or ten times."""
    value = abs(each.value)
    if each.origin == "known" and isinstance(value, float) and not each.is_given:
        return _near_place(each, value, given)
    digits = f"{value:g}" if isinstance(value, float) else str(value)
    if each.origin != "nowhere":
        return None
    if sum(map(str.isdigit, digits.strip("0."))) < MIN_DIGITS - 1 or "e" in digits:
        return None
    near = {value * 10, value / 10} if len(digits) >= MIN_DIGITS and 10.0 not in given.numbers else set()
    if len(digits) >= MIN_DIGITS:
        near |= {float(other) for other in transposed(digits)}
    if len(digits) >= LONG_NUMBER and isinstance(value, int) and not _asks_for_next(each, given):
        near |= {value - 1, value + 1}
    asked = [given.numbers[other] for other in near if other >= FIRST_NEAR and other in given.numbers]
    first = min(((place, text) for message, place, text in asked if message < each.call.message), default=None)
    return None if first is None else shown(first[1])


def _near_place(each: TracedValue, value: float, given: Given) -> str | None:
    """The number in the request or a response, from which one with as many digits differs in two exchanged digits."""
    found = (numbers[value] for numbers in given.long_numbers if value in numbers)
    return next((shown(text) for message, text in found if message < each.call.message), None)


def _other_sign(each: TracedValue) -> str | None:
    """The number that was given with the other sign: a place on the map, or what is never negative."""
    digits = repr(abs(each.value))
    is_long = isinstance(each.value, float) and len(digits) >= MIN_SIGNED
    is_price = each.value < 0 and not _NEVER_NEGATIVE.isdisjoint(words_in(each.key)[-1:])
    if not each.value or "e" in digits or not (is_long or is_price):
        return None
    digits = digits.removesuffix(".0")
    found = [
        match[1]
        for text in each.before.values()
        if digits in text
        for match in re.finditer(rf"([-−–]?)(?<![\d.]){re.escape(digits)}(?![\d])", text)
    ]
    if each.value > 0:
        return f"-{digits}" if found and all(found) else None
    is_meant = any(found) or any(_SOUTH.search(text) for text in each.before.values())
    return digits if found and not is_meant else None


_NEVER_NEGATIVE: Final = frozenset(
    {"price", "cost", "budget", "fee", "salary", "age", "guests", "people", "passengers", "quantity", "nights"}
)
"""Last words of names of arguments that are never below zero; a ``quantity_change`` may be."""

_SOUTH = lazy_re(r"\b[ws]\b|west|south|\bsur\b|süd|minus|negativ|[西南负]")
"""Words for a number below zero, in small letters."""


def _as_decimal(each: TracedValue, given: Given) -> str | None:
    """The thousands of money in the request that were read as a number with three decimals."""
    if not isinstance(each.value, float) or unit_of(each.key, each.description) is not None:
        return None
    message, digits = given.sums.get(each.value, (each.call.message, ""))
    return shown(digits) if message < each.call.message else None


MIN_SIGNED: Final = 5
"""How many signs a number has that is a place on the map, an amount or a measurement, not a difference."""


FIRST_NEAR: Final = 100
"""Smaller numbers are near each other by chance."""


def _near_id(each: TracedValue, given: Given) -> str | None:
    """The long id that was given, from which another one differs in one character."""
    mine = each.value.strip().casefold()
    for variant in variants_of(mine) if _LONG_ID.fullmatch(mine) is not None else ():
        near, message = given.variants.get(variant, ("", each.call.message))
        if near != mine and message < each.call.message and abs(len(near) - len(mine)) <= 1:
            return shown(_in_case_of(each.value, near))
    return None


def _only_id(each: TracedValue, given: Given) -> str | None:
    """The one id that the responses before a call have under the name of an argument, if no call takes it."""
    if each.origin != "nowhere" or not is_id(each.key):
        return None
    found = [value for value, message in given.only_ids.get(each.key, ()) if message < each.call.message]
    return shown(found[0]) if len(found) == 1 else None


_LONG_ID = lazy_re(r"[a-z]{0,6}[-_#]?\d{6,20}")


def _stands_alone(code: str, text: str) -> bool:
    """Whether a code is in a text, and not as a part of a longer one."""
    at = text.find(code)
    while at >= 0:
        end = at + len(code)
        if not _PART.match(text[at - 1 : at]) and not _PART.match(text, end):
            return True
        at = text.find(code, end)
    return False


_PART = lazy_re(r"[\w-]|[.,]\d", re.ASCII)

MIN_DIGITS: Final = 3
"""Shorter numbers are near each other by chance."""


def _near_address(each: TracedValue, given: Given) -> str | None:
    """The mail address that was given, with the same part before the ``@`` as another one, or the same letters."""
    mine = str(each.value).strip().casefold()
    if ADDRESS.fullmatch(mine) is None:
        return None
    own = mine.partition("@")[0]
    near = sorted(
        other
        for other, message in given.addresses.items()
        if message < each.call.message and (other.partition("@")[0] == own or plain(other) == plain(mine))
    )
    return shown(near[0]) if near else None
