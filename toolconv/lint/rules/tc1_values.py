"""TC1xx: values of arguments: placeholders, and values that nothing explains."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.guards import Words, has_calls, matching
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import argument, shown, words_in
from toolconv.lint.rule import CallRule, RowRule, rule
from toolconv.lint.texts.placeholders import placeholder_in
from toolconv.lint.values.origins import OWN_WORK, origins, schema_of

_PLACEHOLDER_WORDS = (
    "<", "{{", '"{', '"${', '"[', "your", "Your", "example", "sample", "dummy", "test", "undefined",
    "_here", "TODO", "TBD", "XXX", "placeholder",
    "...", "…", "YOUR", "_HERE", "FIXME", "???", "xxxx", "PLACEHOLDER", '"string"', '"$', '"%', '"__', "replace",
    "change", "REPLACE", "CHANGE", '"#E', "INSERT",
    "ENTER", "[your ", "[insert ", "[enter ", "[Your", "[Insert", "[Enter",
    "\\u2026", "\\u002", "\\u003", "\\u004", "\\u005", "\\u006", "\\u007",  # as an escape in JSON text
)  # fmt: skip


_OWN_NAME = lazy_re(r'"[^"]([^"]{2,40}+)"\s?:\s?"[^"]\1"')
"""A key whose value is the same, but perhaps for its first letter."""


_MAY_HOLD_PLACEHOLDER = (Words("arguments", _PLACEHOLDER_WORDS), matching("arguments", _OWN_NAME))


@rule("TC116", "placeholder-argument", "warning", guards=_MAY_HOLD_PLACEHOLDER)
class PlaceholderArgument(CallRule):
    """A placeholder where a value should be.

    Anti-pattern: ``<city>``, ``{city}``, ``YOUR_API_KEY``, ``TODO``, ``$undefined.x``, ``...`` from a prompt example or
    a failed template.

    Why it hurts: the model learns to copy the example instead of the user's value.

    Best practice: drop the row, or have the assistant ask the user.

    Bad: ``{"city": "<city_name>"}``

    Good: ``{"city": "Rome"}``

    The argument's own name counts, too, where no turn has it and it is not one of the choices; and an address at
    ``example.com`` whose name is a word of the argument's name or description (``recipient@example.com``).

    Source: API-Bank and ToolBench rows.
    """

    def check(self, row: LintRow, call: LintCall) -> Iterator[Finding]:
        for pointer, value in walk(call.members):
            key = pointer.rpartition("/")[2]
            part = placeholder_in(value, key) if isinstance(value, str) and value != key else None
            if part is None or _is_given(row, call, value) or _is_named(row, call, key, value):
                continue
            how = "is" if part == value else "is mostly"
            message = f"{argument(pointer, call.name)} {how} the placeholder {shown(part)}, expected a value"
            yield self.finding(row, call.place_of(pointer), message)
        for key, value in call.members.items():
            if _is_invented_address(row, call, key, value):
                message = f"argument {key} of {call.name} is the placeholder {shown(value)}, expected an address"
                yield self.finding(row, call.place_of(f"/{key}"), message)
            is_own_name = value in (key, key.capitalize()) and len(key) > 2
            if is_own_name and not _is_given(row, call, value) and not _is_chosen(row, call, key, value):
                message = f"argument {key} of {call.name} is its own name, expected a value"
                yield self.finding(row, call.place_of(f"/{key}"), message)


def _is_given(row: LintRow, call: LintCall, value: str) -> bool:
    """Whether a turn before a call has a value; what a system text says of the tools doesn't count."""
    return any(value.casefold() in row.own_words(turn).casefold() for turn in row.turns[: call.message])


def _is_chosen(row: LintRow, call: LintCall, key: str, value: str) -> bool:
    """Whether the declaration of an argument has a value among its choices, or as its default."""
    schema = schema_of(row, call, key)
    return any(value in str(schema.get(name)) for name in ("enum", "default", "examples"))


def _is_invented_address(row: LintRow, call: LintCall, key: str, value: Any) -> bool:
    """Whether an address is what its argument is for, at a domain for examples: ``recipient@example.com``."""
    match = _EXAMPLE.fullmatch(value) if isinstance(value, str) else None
    if match is None or _is_given(row, call, value) or _is_named(row, call, key, value):
        return False
    schema = schema_of(row, call, key)
    return match[1] in {*words_in(key), *re.findall(r"[a-z]{4,}", str(schema.get("description")).lower())}


_EXAMPLE = lazy_re(r"([a-z]{4,20})@example\.(?:com|net|org)")
"""An address at a domain that RFC 2606 reserves for examples."""


def _is_named(row: LintRow, call: LintCall, key: str, value: str) -> bool:
    """Whether the declaration of an argument names a value."""
    schema = schema_of(row, call, key)
    return any(value in str(schema.get(name)) for name in ("enum", "default", "description"))


@rule("TC117", "ungrounded-argument", "info", default=False, guards=(has_calls,))
class UngroundedArgument(RowRule):
    """A value that no earlier turn, default or enum explains: an id, a number, a date, an address, a few words.

    Anti-pattern: ids and names that only the generator of the scenario knew.

    Why it hurts: the model learns to hallucinate arguments.

    Best practice: have the user or an earlier tool response provide the value.

    Bad: user: "Cancel my order", call: ``{"order_id": "A-1042"}``

    Good: user: "Cancel my order A-1042", call: ``{"order_id": "A-1042"}``

    Numbers, dates and times are compared by meaning (``3 pm`` is ``15:00``). Code, search texts, paths and prose are
    not looked at, nor are -1, 0 and 1, codes of a few capitals (``PAR`` for Paris), numbers that a caller chooses
    (``limit``, ``timeout``) and rows without a request.

    Judged: 70 of 1,087 findings in 20,400 rows of 14 sources (API-Bank, Seal-Tools, ToolAlpaca, ToolRL, NeMo Gym,
    tau-bench, glaive, outputs of 8 models on the Berkeley leaderboard and others). 38 were right, mostly keys, dates
    and accounts that the generator knew; 8 arguable; 24 wrong: what the model knew (a deck has 52 cards) or computed.

    Source: BFCL's and tau-bench's hallucination checks.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for each in origins(row):
            if each.origin == "nowhere" and each.kind not in OWN_WORK:
                message = f"{each.name} is {shown(each.value)}, which nothing before it says"
                yield self.finding(row, each.place, message)
