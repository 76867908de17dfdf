"""Values that two calls of one turn have exchanged, by what is around them in the request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.calls import LintCall
from toolconv.lint.texts.tool_words import about_words, stems
from toolconv.lint.values.asked_instead import LONGEST_REQUEST
from toolconv.lint.values.origins import TracedValue


def exchanged(
    calls: Sequence[LintCall], values: Sequence[TracedValue], request: str
) -> Iterator[tuple[LintCall, Sequence[Any]]]:
    """The first of two calls that have each other's values, with these.

    Args:
        calls: the calls of a turn.
        values: their arguments.
        request: the request before it.
    """
    if len(calls) != 2 or len(request) > LONGEST_REQUEST:
        return
    one, other = ([each for each in values if each.call is call] for call in calls)
    if calls[0].name == calls[1].name:
        found = _crossed(one, other, request)
    else:
        found = _apart(one, other, request)
    if found:
        yield calls[0], found


def _crossed(one: Sequence[TracedValue], other: Sequence[TracedValue], request: str) -> Sequence[Any]:
    """The values of the first of two calls of one tool, each of which has one of the other beside it in a request."""
    places: list[tuple[int, str, int]] = []
    for call, (own, others) in enumerate(((one, other), (other, one))):
        known = {each.pointer: each.value for each in others}
        for each in own:
            if each.value == known.get(each.pointer):
                continue
            at = each.place_in(request)
            if at is None or each.value in known.values():
                return ()
            places.append((at, each.pointer, call))
    places.sort()
    keys = [key for _, key, _ in places]
    is_crossed = [call for _, _, call in places] in ([0, 1, 1, 0], [1, 0, 0, 1])
    return [each.value for each in one] if is_crossed and keys[:2] == keys[2:] and keys[0] != keys[1] else ()


def _apart(one: Sequence[TracedValue], other: Sequence[TracedValue], request: str) -> Sequence[Any]:
    """The text of the first of two calls of different tools, if the words around each are those of the other's tool."""
    texts, clauses, words = [], [], []
    for values in (one, other):
        own = [each for each in values if isinstance(each.value, str)]
        at = own[0].place_in(request) if len(own) == 1 else None
        if at is None:
            return ()
        start = max((match.end() for match in _BREAK.finditer(request, 0, at)), default=0)
        end = _BREAK.search(request, at + len(own[0].value))
        texts.append(own[0].value)
        clauses.append(stems(request[start : end.start() if end else len(request)]))
        words.append(about_words(str(own[0].call.name), own[0].function))
    is_own = clauses[0] & words[0] or clauses[1] & words[1]
    are_others = clauses[1] & words[0] and clauses[0] & words[1]
    return texts[:1] if clauses[0] != clauses[1] and not is_own and are_others else ()


_BREAK = lazy_re(r"[.?!;,:](?=\s)|\b(?:and|und|y|et|e)\b")
"""What parts one wish of a request from the next."""
