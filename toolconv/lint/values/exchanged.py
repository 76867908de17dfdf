"""Values that two calls of one turn have exchanged, by what is around them in the request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.calls import LintCall
from toolconv.lint.texts.tool_words import about_words, stems
from toolconv.lint.values.given import LONGEST_REQUEST


def exchanged(
    functions: Mapping[str, dict[str, Any]], calls: Sequence[LintCall], request: str
) -> Iterator[tuple[LintCall, Sequence[Any]]]:
    """The first of two calls that have each other's values, with these.

    Args:
        functions: the declarations, by name.
        calls: the calls of a turn.
        request: the request before it.
    """
    if len(calls) != 2 or len(request) > LONGEST_REQUEST:
        return
    one, other = calls
    if one.name == other.name:
        values = _crossed(one.members, other.members, request)
    else:
        values = _apart(functions, one, other, request)
    if values:
        yield one, values


def _crossed(one: Mapping[str, Any], other: Mapping[str, Any], request: str) -> Sequence[Any]:
    """The values of the first of two calls of one tool, each of which has one of the other beside it in a request."""
    places: list[tuple[int, str, int]] = []
    for call, members in enumerate((one, other)):
        for key, value in members.items():
            if value == (other, one)[call].get(key):
                continue
            at = _place(value, request)
            if at is None or value in (other, one)[call].values():
                return ()
            places.append((at, key, call))
    places.sort()
    keys = [key for _, key, _ in places]
    is_crossed = [call for _, _, call in places] in ([0, 1, 1, 0], [1, 0, 0, 1])
    return list(one.values()) if is_crossed and keys[:2] == keys[2:] and keys[0] != keys[1] else ()


def _apart(functions: Mapping[str, dict[str, Any]], one: LintCall, other: LintCall, request: str) -> Sequence[Any]:
    """The text of the first of two calls of different tools, if the words around each are those of the other's tool."""
    texts, clauses, words = [], [], []
    for call in (one, other):
        own = [value for value in call.members.values() if isinstance(value, str)]
        at = _place(own[0], request) if len(own) == 1 else None
        if at is None:
            return ()
        start = max((match.end() for match in _BREAK.finditer(request, 0, at)), default=0)
        end = _BREAK.search(request, at + len(own[0]))
        texts.append(own[0])
        clauses.append(stems(request[start : end.start() if end else len(request)]))
        words.append(about_words(str(call.name), functions.get(str(call.name), {})))
    is_own = clauses[0] & words[0] or clauses[1] & words[1]
    are_others = clauses[1] & words[0] and clauses[0] & words[1]
    return texts[:1] if clauses[0] != clauses[1] and not is_own and are_others else ()


_BREAK = lazy_re(r"[.?!;,:](?=\s)|\b(?:and|und|y|et|e)\b")
"""What parts one wish of a request from the next."""


def _place(value: Any, request: str) -> int | None:
    """The place of a value in a request, if it is there once."""
    if isinstance(value, bool) or not isinstance(value, str | int | float) or len(str(value)) < MIN_VALUE[type(value)]:
        return None
    found = [match.start() for match in re.finditer(rf"(?<![\w.]){re.escape(str(value))}(?!\w|\.\d)", request, re.I)]
    return found[0] if len(found) == 1 else None


MIN_VALUE: Final = {str: 3, int: 1, float: 1}
"""Shorter texts are in a request by chance."""
