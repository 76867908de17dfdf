"""Regular expressions of schemas, run only where that takes a bounded time: Python's ``re`` tries every way to match.

How many ways there are at most is counted before a pattern runs, from its syntax tree and the length of the text:
``a*`` has as many as there are characters, ``(a|b)*`` doubles them with each. It is the same count on every machine,
which no time limit would be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

MAX_WAYS: Final = 10_000_000
"""So many ways to match take about a second."""

MAX_PATTERN: Final = 5_000
"""Longest pattern that is run."""

REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
BODIES: Final = ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT", "GROUPREF_EXISTS")

_parser: Any = import_module("re._parser")


class Unaffordable(ValueError):
    """A pattern that is not run; the message says why."""


def search(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a text.

    Raises:
        Unaffordable: that could take too long.
        re.error: it is no regular expression.
    """
    if len(pattern) > MAX_PATTERN:
        raise Unaffordable(f"a pattern of more than {MAX_PATTERN:,} characters is not run")
    try:
        tree = _tree(pattern)
        anchored = bool(tree) and str(tree[0][0]) == "AT" and "BEGINNING" in str(tree[0][1])
        ways = _ways(tree, len(text)) * (1 if anchored else len(text) + 1)
        if ways > MAX_WAYS:
            raise Unaffordable(
                f"the pattern {pattern[:100]!r} is not run: "
                f"there are more than {MAX_WAYS:,} ways to try it on {len(text):,} characters"
            )
        return re.search(pattern, text) is not None
    except RecursionError:
        raise Unaffordable("a pattern with groups nested too deeply is not run") from None


@lru_cache(maxsize=256)
def _tree(pattern: str) -> list[Any]:
    return list(_parser.parse(pattern))


def _ways(items: Iterable[Any], length: int) -> int:
    """In how many ways a sequence may match ``length`` characters; more than :data:`MAX_WAYS` is some such number."""
    ways = 1
    for operation, argument in items:
        name = str(operation)
        if name in REPEATS:
            least, most, body = argument
            ways *= _repeated(least, most, body, length)
        elif name == "BRANCH":
            ways *= sum(_ways(body, length) for body in argument[1])
        elif name in BODIES:
            for body in _bodies(argument):
                ways *= _ways(body, length)
        if ways > MAX_WAYS:
            break
    return ways


def _repeated(least: int, most: int, body: Any, length: int) -> int:
    most = min(most, max(least, length))
    each = _ways(body, length)
    if each == 1:
        return most - least + 1
    at_most_one_each = _power(_choices(body) + 1, length)  # each character goes on with what it is in, or further
    return min(_power(each + (least < most), most), at_most_one_each)


def _choices(items: Iterable[Any]) -> int:
    """Places in a sequence where there is more than one way to go on."""
    count = 0
    for operation, argument in items:
        name = str(operation)
        if name in REPEATS:
            least, most, body = argument
            count += (least < most) + _choices(body)
        elif name == "BRANCH":
            count += sum(1 + _choices(body) for body in argument[1])
        elif name in BODIES:
            count += sum(map(_choices, _bodies(argument)))
    return count


def _bodies(argument: Any) -> list[Any]:
    """The sequences inside an operation."""
    parts = argument if isinstance(argument, tuple) else (argument,)
    return [part for part in parts if isinstance(part, _parser.SubPattern)]


def _power(base: int, exponent: int) -> int:
    return base**exponent if exponent * base.bit_length() < 200 else 1 << 200
