"""TC1xx: values in the wrong argument."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.overview import Overview
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn, request_before
from toolconv.lint.names import listed, shown, words_in
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.values.exchanged import exchanged
from toolconv.lint.values.grounding import is_number_in
from toolconv.lint.values.origins import origins, schema_of
from toolconv.lint.values.words import LANGUAGES

_FROM: Final = frozenset(
    {"from", "origin", "source", "departure", "src", "start", "sender", "pickup", "leave", "head", "von"}
)
_TO: Final = frozenset(
    {"to", "destination", "target", "arrival", "dest", "dst", "end", "recipient", "receiver", "dropoff"}
    | {"base", "nach"}
)
_FIRST: Final = frozenset(
    {"start", "begin", "check_in", "checkin", "departure", "from", "since", "min", "minimum", "low", "pickup"}
)
_SECOND: Final = frozenset(
    {"end", "finish", "check_out", "checkout", "return", "to", "until", "max", "maximum", "high", "dropoff"}
)
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    about: frozenset(words.split())
    for about, words in {
        "a place": "city cities town place location country state region address station destination",
        "a symbol": "ticker symbol stock isin sku",
        "a currency": "currency currencies",
        "a person": "person author artist actor director player patient doctor",
        "a day": "date day birthday",
        "an address for mail": "email mail",
        "a phone": "phone telephone mobile",
        "a title": "title movie film book song album",
    }.items()
}
"""What an argument is about, by a word of its name."""


_ENDS = lazy_re(
    r"[\"_](?:from|origin|source|depart\w{0,20}|src|start|begin|sender|pickup|leave|head|von|desde|check_?in|since|min|minimum|low|lat\w{0,20})[\"_A-Z]"
    r"|[a-z](?:From|Origin|Source|Depart|Start|Begin|Pickup|Min|Lat|_a|A|_?1)\w{0,40}\"\s?:|\\u"
)
"""Names of arguments that may have a counterpart, in arguments as JSON."""


def _may_be_mixed(overview: Overview) -> bool:
    """A guard: there are two calls to compare, or a call may have two ends, or a value that the request names."""
    return (
        bool(overview.counts.several)
        or any(map(_ENDS.search, overview.arguments))
        or (any(map(_NAMES.search, overview.input)) and any(map(_TWO.search, overview.arguments)))
    )


_NAMES = lazy_re(r"[:=]|\b(?:with|mit|con|avec) ", re.I)
_TWO = lazy_re(r'":\s?"[^"]{3,}",\s?"[^"]+":\s?"')
"""Two texts in arguments as JSON, one after the other."""


@rule("TC131", "mixed-up-values", "warning", preview=True, guards=(_may_be_mixed,))
class MixedUpValues(RowRule):
    """The value of one argument in another one: from and to exchanged, or a sibling call's value.

    Anti-pattern: "from Rome to Oslo" and ``{"origin": "Oslo", "destination": "Rome"}``; the ticker of one call as the
    city of its sibling.

    Why it hurts: all values are from the request, so the call looks right, and the model learns to mix them up.

    Best practice: correct the call, or drop the row.

    Bad: user: "A train from Rome to Oslo", call: ``{"origin": "Oslo", "destination": "Rome"}``

    Good: user: "A train from Rome to Oslo", call: ``{"origin": "Rome", "destination": "Oslo"}``

    For from and to, the request must have both values in that order, once. A call that ends before it begins, whose
    least is more than its most, or whose latitude is the longitude that the request or a response gives, counts, too;
    so does one name, of three letters or more, for both of two places, where the request has two, and one language's
    code for both of two languages. So does a value that the request gives to another argument by its name ("with
    subject Budget"), whose own value the request has elsewhere. A sibling's value is one that two calls of one turn
    have in arguments whose names say that they are about different things, such as a city and a ticker. Of two calls
    with one text each, both from the request, it counts that the part of the request around each has words of the other
    call's tool and none of its own; of two calls of one tool, that the request has a value of the second between two of
    the first, and the other way round ("Oslo for 3 days, Rome for 5", and Oslo with 5).

    In 61,000 rows of more than 70 makers and publishers: 4 findings, 1 arguable (seconds ago, of which the least are
    the most) and 3 wrong (coordinates, and numbers that the request gives), whose causes were mended. No public row has
    shown the fault yet, so its precision remains unknown.

    Source: APIGen's semantic check.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        ways = {_ends(call.members) for call in row.calls}  # there, and perhaps back
        for turn in row.turns:
            if not turn.calls:
                continue
            request = request_before(row.turns, turn.message) or ""
            for call in turn.calls if request else ():
                pair = _ends(call.members)
                if pair is not None and _goes(request, pair[1], pair[0]) and pair[::-1] not in ways:
                    what = f"{call.name} goes from {shown(pair[0])} to {shown(pair[1])}"
                    yield self.finding(row, call.arguments_pointer, f"{what}, where the request says the opposite")
                if (crossed := _crossed(call, request)) is not None:
                    yield self.finding(row, call.arguments_pointer, crossed)
                if (twice := _twice(call, request)) is not None:
                    yield self.finding(row, call.arguments_pointer, twice)
                if (wrong := _wrong_order(call.members, request) or _wrong_place(row, call, request)) is not None:
                    yield self.finding(row, call.arguments_pointer, f"{wrong} of {call.name}")
            yield from self._siblings(row, turn)
            values = [each for each in origins(row) if each.call.message == turn.message] if turn.calls[1:] else ()
            for call, found in exchanged(turn.calls, values, request):
                message = f"{call.name} is called with {listed(found)}, which the request says of another call"
                yield self.finding(row, call.arguments_pointer, message, cause="values of another call")

    def _siblings(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        first: dict[str, tuple[LintCall, str, str]] = {}
        for call in turn.calls:
            for key, value in call.members.items():
                about = _about(key) or _about(_described(row, call, key))
                if about is None or not isinstance(value, str) or len(value) < 2:
                    continue
                other, other_key, other_about = first.setdefault(value.casefold(), (call, key, about))
                if other.name != call.name and other_about != about:
                    what = f"argument {key} of {call.name} ({about}) is {shown(value)}"
                    message = f"{what}, as is {other_key} of {other.name} ({other_about})"
                    yield self.finding(row, call.arguments_pointer, message)


def _about(key: str) -> str | None:
    """What an argument is about, by the words of its name; ``None`` if none says so, or two say different things."""
    words = set(words_in(key))
    found = [about for about, known in _KINDS.items() if words & known]
    return found[0] if len(found) == 1 else None


def _described(row: LintRow, call: LintCall, key: str) -> str:
    """The description of an argument if it is only a few words long."""
    schema = schema_of(row, call, key)
    words = str(schema.get("description")).split()
    return "_".join(words) if len(words) <= MAX_LABEL else ""


MAX_LABEL: Final = 3
"""A longer description says more than what an argument is."""


def _ends(arguments: dict[str, Any]) -> tuple[str, str] | None:
    """The values of the two arguments of a call that say from where and where to; ``None`` if there aren't two."""
    texts = [
        (set(words_in(key)), value)
        for key, value in arguments.items()
        if isinstance(value, str) and len(value) > 1 and (not value[0].isdigit() or _CLOCK.fullmatch(value))
    ]
    starts, ends = ([value for words, value in texts if words & known] for known in (_FROM, _TO))
    return (starts[0], ends[0]) if len(starts) == len(ends) == 1 else None


_CLOCK = lazy_re(r"\d{1,2}:\d{2}")


def _parts(key: str) -> tuple[frozenset[str], str]:
    """The words of a name, those in two parts such as ``check_in`` among them; and the name without words for ends."""
    words = words_in(key)
    pairs = {f"{one}_{other}" for one, other in pairwise(words)}
    ends = _FIRST | _SECOND | {"in", "out", "check"}
    return frozenset({*words, *pairs}), "_".join(word for word in words if word not in ends)


def _wrong_order(arguments: dict[str, Any], request: str) -> str | None:
    """That a call ends before it begins: two dates, or two numbers, of which the first is the later or the higher.

    Coordinates have no order, nor do two numbers that the request gives.
    """
    starts: dict[str, tuple[str, Any]] = {}
    ends: dict[str, tuple[str, Any]] = {}
    for key, value in arguments.items():
        is_day = isinstance(value, str) and _DAY.fullmatch(value) is not None
        if is_day or (isinstance(value, int | float) and not isinstance(value, bool)):
            words, rest = _parts(key)
            if not is_day and not words.isdisjoint(_PLACED):
                continue
            for known, side in ((_FIRST, starts), (_SECOND, ends)):
                if not words.isdisjoint(known):
                    side[rest] = key, value
    for rest, (key, value) in starts.items():
        other, later = ends.get(rest, ("", None))
        if (
            type(later) is type(value)
            and later < value
            and not (all(is_number_in(str(each), request) for each in (value, later)) and not isinstance(value, str))
        ):
            return f"{key} {shown(value)} comes after {other} {shown(later)} in a call"
    return None


def _twice(call: LintCall, request: str) -> str | None:
    """That two arguments for two ends have one value: a language, or one of two that the request has."""
    texts = {key: value for key, value in call.members.items() if isinstance(value, str)}
    for key, other in _couples(list(texts)):
        value = texts[key]
        what = f"{key} and {other} are both {shown(value)} in a call of {call.name}"
        if value == texts[other] in LANGUAGES:
            return what
        if value != texts[other] or len(value) < MIN_NAME or request.casefold().count(value.casefold()) != 1:
            continue
        name = re.escape(value)
        pair = rf"(?i:{name}) (?:and|to|vs\.?|or) [A-Z]\w|[A-Z]\w+ (?:and|to|vs\.?|or) (?i:{name})"
        if re.search(pair, request) is not None:
            return f"{what}, and the request has two"
    return None


def _crossed(call: LintCall, request: str) -> str | None:
    """That an argument has another value than the request gives it by its name, which another argument has."""
    texts = {
        key: value
        for key, value in call.members.items()
        if isinstance(value, str) and len(value) >= MIN_NAME and request.count(value) == 1
    }
    for key, value in texts.items() if len(texts) > 1 else ():
        label = re.search(_LABEL.format(re.escape(key)), request, re.I)
        given = request[label.end() :] if label is not None else ""
        other = next((each for each in texts if _begins_with(given, texts[each])), key)
        if texts[other] != value and not given.startswith(value):
            has = f"{key} {shown(value)} and {other} {shown(texts[other])}"
            return f"{call.name} has {has}, where the request says {shown(texts[other])} of {key}"
    return None


_LABEL: Final = r"(?:\b(?:with|mit|con|avec) (?:the |dem |der )?{0}\b(?:\s?[:=])?|\b{0}\s?[:=]) ?[\"'“„«]?"
"""A value's name before it in a request: "with subject Budget"."""


def _begins_with(text: str, value: str) -> bool:
    """Whether a text begins with a value, and not with a longer word."""
    return text.startswith(value) and not text[len(value) : len(value) + 1].isalnum()


def _couples(keys: list[str]) -> Iterator[tuple[str, str]]:
    """The names that differ only in a letter or a digit at their end, or in a word for one of two ends."""
    for at, key in enumerate(keys):
        for other in keys[at + 1 :]:
            is_numbered = key[:-1] == other[:-1] and len(key) > 1
            words, others = set(words_in(key)), set(words_in(other))
            if is_numbered or (words & _FROM and others & _TO):
                yield key, other


MIN_NAME: Final = 3
"""A shorter text may well be in a request by chance."""

_PLACED: Final = frozenset({"lat", "lon", "lng", "long", "latitude", "longitude", "x", "y", "z"})
"""Words in the names of coordinates."""

_DAY = lazy_re(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?Z?)?")


def _wrong_place(row: LintRow, call: LintCall, request: str) -> str | None:
    """That a call has latitude and longitude exchanged, of a place that the request or a response gives by them."""
    place = _place_in(call.arguments)
    if place is None or place == place[::-1]:
        return None
    if [(float(match[1]), float(match[2])) for match in _PLACE.finditer(request)] == [place[::-1]]:
        giver = "the request"
    elif place[::-1] in (given := set(_given_places(row, call))) and place not in given:
        giver = "a response"
    else:
        return None
    return f"latitude {place[0]} and longitude {place[1]} are the other way round in {giver} than in a call"


def _place_in(value: Any) -> tuple[float, float] | None:
    """The latitude and the longitude that an object has."""
    places: dict[str, float] = {}
    for key, number in value.items() if isinstance(value, dict) else ():
        words = set(words_in(key)) if isinstance(number, float) else set()
        places.update({name: number for name, known in _COORDINATES.items() if words & known})
    return (places["latitude"], places["longitude"]) if len(places) == 2 else None


def _given_places(row: LintRow, call: LintCall) -> Iterator[tuple[float, float]]:
    """The places that the responses before a call give by their coordinates."""
    for turn in row.turns[: call.message]:
        stack = [jsontext.opened(response.content) for response in turn.responses]
        while stack:
            value = stack.pop()
            if (place := _place_in(value)) is not None:
                yield place
            stack += value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


_COORDINATES: Final = {"latitude": {"lat", "latitude"}, "longitude": {"lon", "lng", "long", "longitude"}}
_PLACE = lazy_re(r"(?<![\d.])(-?\d{1,2}\.\d{2,})°?\s?[,，]\s?(-?\d{1,3}\.\d{2,})(?!\.?\d)")
"""Coordinates as people write them: the latitude first."""


def _spelled(value: str) -> str:
    """A pattern of a value as a request has it; of a language's code, of its name."""
    if value in LANGUAGES:
        return rf"(?:{'|'.join(LANGUAGES[value])})[a-z]*"
    return rf"(?<!\w){re.escape(value)}(?!\w)" if value.isascii() else re.escape(value)


def _goes(request: str, start: str, end: str) -> bool:
    """Whether a request says once that something goes from one value to another."""
    a, b = map(_spelled, (start, end))
    if len(re.findall(a, request, re.I)) != 1 or len(re.findall(b, request, re.I)) != 1:
        return False
    gap = r"[^.?!。？\n]{0,25}?"
    there = r"(?:\b(?:to|into|ins?|nach|hasta) |到|至|去|飞往|成|译为)"
    way = rf"(?:\b(?:from|von|aus|desde) |从|由){gap}{a}{gap}{there}{gap}{b}"
    beside = rf"{a}\s?(?:\bto\b|到|至|飞往?|去|→|->|–)\s?{b}"
    return len(re.findall(way, request, re.I)) == 1 or re.search(beside, request, re.I) is not None
