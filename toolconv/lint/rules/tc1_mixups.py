"""TC1xx: values in the wrong argument."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding, Level
from toolconv.lint.model.guards import Guard, has_calls
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn, request_before
from toolconv.lint.names import shown, words_in
from toolconv.lint.rule import RowRule

_FROM: Final = frozenset({"from", "origin", "source", "departure", "src", "start", "sender"})
_TO: Final = frozenset({"to", "destination", "target", "arrival", "dest", "dst", "end", "recipient", "receiver"})
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


class MixedUpValues(RowRule):
    """The value of one argument in another one: from and to exchanged, or a sibling call's value.

    Anti-pattern: "from Rome to Oslo" and ``{"origin": "Oslo", "destination": "Rome"}``; the ticker of one call as the
    city of its sibling.

    Why it hurts: all values are from the request, so the call looks right, and the model learns to mix them up.

    Best practice: correct the call, or drop the row.

    Bad: user: "A train from Rome to Oslo", call: ``{"origin": "Oslo", "destination": "Rome"}``

    Good: user: "A train from Rome to Oslo", call: ``{"origin": "Rome", "destination": "Oslo"}``

    For from and to, the request must have both values in that order, once. A sibling's value is one that two calls of
    one turn have in arguments whose names say that they are about different things, such as a city and a ticker.

    In 9,722 rows of 46 public files: no finding.

    Source: APIGen's semantic check.
    """

    code: ClassVar[str] = "TC131"
    name: ClassVar[str] = "mixed-up-values"
    level: ClassVar[Level] = "warning"
    default: ClassVar[bool] = False
    preview: ClassVar[bool] = True
    guards: ClassVar[tuple[Guard, ...]] = (has_calls,)

    def check(self, row: LintRow) -> Iterator[Finding]:
        ways = {pair for call in row.calls if (pair := _ends(call.arguments)) is not None}  # there, and perhaps back
        for turn in row.turns:
            if not turn.calls:
                continue
            request = request_before(row.turns, turn.message)
            for call in turn.calls if request is not None else ():
                pair = _ends(call.arguments)
                if pair is not None and _goes(request or "", pair[1], pair[0]) and pair[::-1] not in ways:
                    what = f"{call.name} goes from {shown(pair[0])} to {shown(pair[1])}"
                    yield self.finding(row, call.arguments_pointer, f"{what}, where the request says the opposite")
            yield from self._siblings(row, turn)

    def _siblings(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        first: dict[str, tuple[LintCall, str, str]] = {}
        for call in turn.calls:
            for key, value in call.arguments.items() if isinstance(call.arguments, dict) else ():
                about = _about(key)
                if about is None or not isinstance(value, str) or len(value) < 2:
                    continue
                other, other_key, other_about = first.setdefault(value.casefold(), (call, key, about))
                if other is not call and other.name != call.name and other_about != about:
                    what = f"argument {key} of {call.name} ({about}) is {shown(value)}"
                    message = f"{what}, as is {other_key} of {other.name} ({other_about})"
                    yield self.finding(row, call.arguments_pointer, message)


def _about(key: str) -> str | None:
    """What an argument is about, by the words of its name; ``None`` if none says so, or two say different things."""
    words = set(words_in(key))
    found = [about for about, known in _KINDS.items() if words & known]
    return found[0] if len(found) == 1 else None


def _ends(arguments: Any) -> tuple[str, str] | None:
    """The values of the two arguments of a call that say from where and where to; ``None`` if there aren't two."""
    found: list[list[str]] = [[], []]
    for key, value in arguments.items() if isinstance(arguments, dict) else ():
        words = set(words_in(key))
        if isinstance(value, str) and len(value) > 1 and not value[0].isdigit():
            for side, known in enumerate((_FROM, _TO)):
                if words & known:
                    found[side].append(value)
    starts, ends = found
    return (starts[0], ends[0]) if len(starts) == len(ends) == 1 and starts != ends else None


def _goes(request: str, start: str, end: str) -> bool:
    """Whether a request says once that something goes from one value to another."""
    a, b = (rf"(?<!\w){re.escape(value)}(?!\w)" if value.isascii() else re.escape(value) for value in (start, end))
    if len(re.findall(a, request, re.I)) != 1 or len(re.findall(b, request, re.I)) != 1:
        return False
    gap = r"[^.?!。？\n]{0,25}?"
    way = rf"(?:\bfrom |从|由){gap}{a}{gap}(?:\bto |\binto |到|至|去|飞往){gap}{b}"
    return len(re.findall(way, request, re.I)) == 1
