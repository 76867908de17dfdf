"""The value of a request that no call has, where a call has one of its kind that nothing says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn
from toolconv.lint.names import words_in
from toolconv.lint.values.amounts import amounts_in, as_float, is_conversion, names
from toolconv.lint.values.asked_days import LATER, says_a_day
from toolconv.lint.values.given import LONGEST_REQUEST, Given, given, is_address, is_code, unused
from toolconv.lint.values.grounding import facts, plain
from toolconv.lint.values.origins import Kind, TracedValue


def left_over(row: LintRow, at: int, values: Sequence[TracedValue], request: str) -> Iterator[tuple[TracedValue, str]]:
    """The one value of a kind in the calls of a turn that is from nowhere, and the one in the request that no call has.

    Only the first calls after a request count: later ones go on from responses.
    """
    if len(request) > LONGEST_REQUEST or any(turn.responses or turn.calls for turn in _since_request(row, at)):
        return
    has_results = any(turn.responses for turn in row.turns[:at])
    strange: dict[Given, list[TracedValue]] = {}
    for each in values:
        is_strange = each.origin == "nowhere" or (each.kind == "number" and each.origin == "declaration")
        if is_strange and each.kind in _TAKEN:
            kind: Given = _TAKEN[each.kind]
            if each.kind in ("name", "id", "text") and (is_code(str(each.value)) or is_address(str(each.value))):
                kind = "address" if is_address(str(each.value)) else "code"
            strange.setdefault(kind, []).append(each)
    gives = given(request) if strange else {}
    for kind, odd in strange.items():
        found = gives[kind]
        if len(odd) != 1 or not found or (kind == "day" and not _may_be_day(odd[0], found, request)):
            continue
        if kind == "number" and (has_results or _is_chosen(odd[0]) or _is_computed(odd[0].value, request)):
            continue
        text = "\n".join(jsontext.compact(call.arguments) for call in row.calls)
        left = unused(found, kind, [each.value for each in values], text)
        if kind == "number" and left and not _may_count(odd[0].key, left[0], request):
            continue
        if len(left) == 1 and _may_be_meant(kind, odd[0], left[0]):
            yield odd[0], left[0]


def _may_be_meant(kind: Given, odd: TracedValue, stands: str) -> bool:
    """Whether a value may stand for another one of its kind: an id for one of the same form, a text for one like it."""
    if kind == "code":
        return _form_of(str(odd.value)) == _form_of(stands)
    return kind != "quote" or odd.kind == "name" or _are_alike(str(odd.value), stands)


def _form_of(code: str) -> str:
    """The form of an id: its letters and its digits, however many of each, without the signs between them."""
    return re.sub(r"[^\W\d]+", "A", re.sub(r"\d+", "0", plain(code)))


_COMPUTED = lazy_re(
    r"\b(?:twice|double|half|total|sum|average|mean|each|every|per|times|plus|minus|add|subtract|more|less|than|between|"
    r"over|under|least|most|about|around|ago|range|convert|calculate|compute|if)\b|[×+*/=^~<>]"
    r"|\d\s?(?:-|to)\s?\d|每|共|至少|最多|左右|计算|换算",
    re.I,
)
"""Signs of numbers with which a call computes, or that bound others."""


_TAKEN: Final[Mapping[Kind, Given]] = {
    "id": "code",
    "number": "number",
    "date": "day",
    "text": "quote",
    "name": "quote",
}
"""What a request gives for the kinds of arguments."""


def _may_be_day(odd: TracedValue, found: Mapping[str, str], request: str) -> bool:
    """Whether a day in a request may be meant for an argument: the last of a range only if the request says so."""
    if says_a_day(request) or not any(fact.kind == "date" for fact in facts(str(odd.value))):
        return False
    words = [word for word in words_in(odd.key) if len(word) > 2 and word != "date"]
    return LATER.search(odd.key) is None or len(found) > 1 or any(names(request, word) for word in words)


def _may_count(key: str, number: str, request: str) -> bool:
    """Whether a number in a request may be meant for an argument: not if it counts something else, such as people."""
    words = words_in(key)
    counted = re.search(rf"(?<![\d.,]){re.escape(number)} ([a-z]{{3,20}})\b", request, re.I)
    if counted is None or not words or not words[-1].endswith("s"):
        return True
    return any(word.removesuffix("s") == counted[1].lower().removesuffix("s") for word in words)


def _is_computed(value: float, request: str) -> bool:
    """Whether a number may be computed from those in a request, or is an amount of it in another unit."""
    return _COMPUTED.search(request) is not None or any(
        is_conversion(as_float(value), amount) for amount in amounts_in(request)
    )


def _since_request(row: LintRow, at: int) -> Sequence[LintTurn]:
    """The turns between the last request and a turn."""
    last = max(number for number, turn in enumerate(row.turns[:at]) if turn.role == "user")
    return row.turns[last:at]


def _is_chosen(each: TracedValue) -> bool:
    """Whether a number is one that the declaration gives: a default, an example, a choice."""
    return each.value == each.schema.get("default") or each.schema.get("enum") is not None


def _are_alike(value: str, quoted: str) -> bool:
    """Whether a text may be meant for another one: about as long, with some of its words."""
    if "xxx" in quoted.lower() or "..." in quoted:
        return False  # to be filled in
    words, others = set(words_in(value)), set(words_in(quoted))
    return len(value) <= 2 * len(quoted) and len(quoted) <= 2 * len(value) and not words.isdisjoint(others)
