"""What a request says of the number of an argument: "4 people", where the argument is the number of people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.names import words_in
from toolconv.lint.schema.schemas import properties_of
from toolconv.lint.values.amounts import begins_amount
from toolconv.lint.values.words import ANY_NUMBER, CHINESE_NUMBERS, NUMBERS

_OF_COUNTS: Final = frozenset({"num", "number", "no", "n", "total", "of", "count", "max", "min", "maximum", "minimum"})
"""Words of a name that don't say what is counted."""

_QUANTITIES: Final = frozenset({"quantity", "qty", "copie", "ticket"})
"""Names of arguments for a number of whatever the request is about."""

_PERSONS: Final = frozenset({"guest", "person", "people", "adult", "passenger", "traveler", "traveller", "diner"})
"""What a number after "for" counts, where nothing follows it that it counts: "a table for 6 at noon"."""

_WORDS: Final = NUMBERS | CHINESE_NUMBERS
_NUMBER = rf"\d{{1,3}}(?:,\d{{3}})+|\d{{1,6}}|{ANY_NUMBER}"
_COUNTED = lazy_re(
    rf"(?<![\w.,:/$€£¥-])(?<!than )(?<!over )(?<!under )({_NUMBER}) ([^\W\d_]{{2,20}})(?: ([^\W\d_]{{3,20}}))?\b",
    re.I,
)
_FOR = lazy_re(
    rf"\b(?:for|für|para|pour|per) (?P<number>{_NUMBER})"
    r"(?=[.,!?]?(?:\s*\Z|\s+(?:at|on|in|by|um|am|a las|à)\b)|[.!?]\s)(?![.,]\d)",
    re.I,
)
_LISTED = lazy_re(r"\d ?(?:,|/|&|\b(?:and|or|to|und|oder|y|o|et|ou)\b) ?\Z", re.I)
"""What precedes the last number of a list or range: "1, 5 and 10 years"."""
_MANY: Final = r"(?:hundred|thousand|million|billion|[kmb])\b"
"""Words by which a number is multiplied."""

_SIGNS = lazy_re(rf"(?<![\d.:点月第十])(\d{{1,6}}|[{''.join(CHINESE_NUMBERS)}])个?([\u4e00-\u9fff])")
_NAMED = lazy_re(
    r"\b(?:(?:number of|how many|count of) (?:the )?(?:[a-z]{3,20} ){0,2}?"
    r"(?P<en>[a-z]{1,18}[^\W\d_su]s|people|children)\b"
    r"|(?:número de|anzahl(?: der)?|nombre de) (?:los |las |der |die |des )?(?P<other>[^\W\d_]{3,20}))",
    re.I,
)
_NAMED_SIGN = lazy_re(r"([\u4e00-\u9fff])[数限](?!字|据|量|值|组|学|码)")


def stated_count(
    key: str, description: str, others: Mapping[str, str], request: str, is_strict: bool
) -> tuple[int, str] | None:
    """The one number that a request says of what an argument counts, with its words.

    Args:
        key: the argument's name.
        description: its description.
        others: the descriptions of the tool's other arguments, by name.
        request: what the user says.
        is_strict: whether what is counted must follow the number directly.
    """
    unit = _unit(key)
    if unit is not None and any(_unit(other) == unit for other in others):
        return None
    units = {unit} if unit is not None else set()
    if not (found := _stated(units, request, is_strict)):
        units = _described(description) - {each for other in others.values() for each in _described(other)}
        units -= {each for other in others if (each := _unit(other)) is not None}
        found = _stated(units, request, True)
    if not found and unit in _PERSONS:
        found = [(_value(match["number"]), match[0]) for match in _FOR.finditer(request)]
    if len(found) != 1 and unit in _QUANTITIES and not is_strict:
        found = [(_value(match[1]), match[1]) for match in _COUNTED.finditer(request)]
    return found[0] if len(found) == 1 else None


def _stated(units: set[str], request: str, is_strict: bool) -> list[tuple[int, str]]:
    """The numbers in a request that are followed by one of some words, or preceded by it."""
    if not units:
        return []
    found = []
    for match in _COUNTED.finditer(request):
        words = [word for word in match.groups()[1:] if word]
        at = next((at for at, word in enumerate(words) if _singular(word) in units), None)
        is_listed = _LISTED.search(request, max(match.start() - 8, 0), match.start()) is not None
        if at is not None and not (is_strict and at) and "ago" not in words and not is_listed:
            found.append((_value(match[1]), " ".join([match[1], *words[: at + 1]])))
    found += [(_value(match[1]), match[0]) for match in _SIGNS.finditer(request) if match[2] in units]
    return [*found, *_after(units, request)]


def _after(units: set[str], request: str) -> Iterator[tuple[int, str]]:
    """The numbers in a request that follow one of some words."""
    folded = request.casefold()
    for unit in sorted(units):
        if unit.isascii() and unit in folded:  # before a pattern is compiled
            for match in re.finditer(
                rf"\b{re.escape(unit)}s?(?: of| is|:| to)? (\d{{1,4}})(?![\w.,]{{0,20}}\d|\s?(?:[%°]|{_MANY}))",
                request,
                re.I,
            ):
                if not begins_amount(request, match.start(1)):
                    yield int(match[1]), match[0]


def _unit(key: str) -> str | None:
    """What an argument counts, by its name; ``None`` if that says nothing."""
    words = [_singular(word) for word in words_in(key) if word not in _OF_COUNTS]
    return words[0] if len(words) == 1 and len(words[0]) >= MIN_UNIT else None


MIN_UNIT: Final = 3
"""A shorter name says nothing."""


def _described(description: str) -> set[str]:
    """What an argument counts, by its description."""
    named = {_singular(match["en"] or match["other"]) for match in _NAMED.finditer(description)}
    return named | {match[1] for match in _NAMED_SIGN.finditer(description)}


def _singular(word: str) -> str:
    return word.lower().removesuffix("s")


def _value(text: str) -> int:
    return _WORDS.get(text.lower()) or int(text.replace(",", ""))


def descriptions(function: Mapping[str, Any], key: str) -> tuple[str, dict[str, str]]:
    """The description of an argument, and those of a tool's other arguments by name."""
    properties = properties_of(function.get("parameters"))
    found = {
        name: str(schema.get("description") or "") for name, schema in properties.items() if isinstance(schema, dict)
    }
    return found.pop(key, ""), found
