"""What a request says of an argument that is another value: a choice, a count, an amount, a half of the day, an id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.row import LintRow
from toolconv.lint.values.altered import nearly_given
from toolconv.lint.values.amounts import CURRENCIES, amounts_in, is_slip, names, unit_of
from toolconv.lint.values.counted import descriptions, stated_count
from toolconv.lint.values.grounding import facts
from toolconv.lint.values.origins import TracedValue

LONGEST_REQUEST: Final = 600
"""A longer request holds other dialogues, documents or data."""


def asked_instead(row: LintRow, each: TracedValue, values: Sequence[TracedValue], request: str) -> str | None:
    """What a request says of an argument, if that is another value than the call has.

    Args:
        row: the row of the call.
        each: the argument.
        values: all arguments of the calls of its turn.
        request: the last request before them.
    """
    if len(request) > LONGEST_REQUEST:
        return None
    return (
        _other_count(each, values, request)
        or _other_half(each, request)
        or _other_amount(each, values, request)
        or _other_currency(each, values, request)
    )


def _other_count(each: TracedValue, values: Sequence[TracedValue], request: str) -> str | None:
    """What a request says of the number that an argument is, if that is another one."""
    if type(each.value) is not int or each.origin == "request" or sum(other.key == each.key for other in values) > 1:
        return None
    stated = _stated(each, request)
    numbers = [fact for fact in facts(request) if fact.kind == "number"]
    if stated is None or stated[0] == each.value or len(numbers) > 1:
        return None  # where a request has several numbers, another one may be meant
    takers = [other for other in values if type(other.value) is int and other.value == stated[0]]
    is_taken = any((own := _stated(other, request)) is None or own[0] == other.value for other in takers)
    return None if is_taken else stated[1]


def _stated(each: TracedValue, request: str) -> tuple[int, str] | None:
    """The one number that a request says of what an argument counts, with its words."""
    is_elsewhere = each.origin not in ("nowhere", "declaration")
    return stated_count(each.key, *descriptions(each.function, each.key), request, is_elsewhere)


def _other_half(each: TracedValue, request: str) -> str | None:
    """The time in a request that is the called one in the other half of the day."""
    match = _CLOCK.fullmatch(each.value) if isinstance(each.value, str) else None
    if match is None or each.stands(each.value):
        return None
    times = {fact.value: fact.text for fact in reversed(facts(request)) if fact.kind == "time"}
    if f"{match[1]}:{match[2]}" in times:
        return None
    opposite = times.get(f"{(int(match[1]) + 12) % 24:02}:{match[2]}", "")
    return opposite if not opposite.isascii() or _HALF.search(opposite) else None


_CLOCK = lazy_re(r"(?:\d{4}-\d{2}-\d{2}[T ])?([01]\d|2[0-3]):([0-5]\d)(?::00)?")
_HALF = lazy_re(r"[ap]\.?m", re.I)


def _other_amount(each: TracedValue, values: Sequence[TracedValue], request: str) -> str | None:
    """The one amount in a request that an argument has in another unit than its own, or a thousand times."""
    if not isinstance(each.value, int | float) or not each.value:
        return None
    unit = unit_of(each.key, each.description)
    if unit is None or sum(other.key == each.key for other in values) > 1:
        return None
    dimension, factor = unit
    found = [amount for amount in amounts_in(request) if amount.dimension == dimension]
    if len(found) != 1 or not is_slip(each.value, found[0], factor):
        return None
    return found[0].text


def _other_currency(each: TracedValue, values: Sequence[TracedValue], request: str) -> str | None:
    """The currency of a request that no argument has, in place of one that the request doesn't name."""
    if each.value not in CURRENCIES:
        return None
    named = {code for code in CURRENCIES if names(request, code)}
    called = {other.value for other in values if other.value in CURRENCIES}
    missed = named - called
    is_missing = len(missed) == len(called - named) == 1 and each.value in called - named
    return missed.pop() if is_missing and len(named) > 1 else None


def near_part(row: LintRow, each: TracedValue, request: str) -> str | None:
    """The part of a request that an argument nearly is, if no call has it."""
    if not isinstance(each.value, str) or each.kind in ("code", "query", "enum") or len(request) > LONGEST_REQUEST:
        return None
    near = nearly_given(each.value, request) if not each.stands(each.value) else None
    if near is None or any(near.casefold() in jsontext.compact(call.arguments).casefold() for call in row.calls):
        return None
    return near
