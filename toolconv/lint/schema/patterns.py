"""Regular expressions of schemas, run only if they take bounded time: Python's ``re`` tries every way to match.

The maximum numbers of ways and of steps are computed from the syntax tree and the length of the text before a pattern
runs: ``a*`` has one way per character, ``(a|b)*`` doubles them with each character, and ``a{500}b`` has one way, which
takes 500 steps wherever it begins. Unlike a time limit, these counts are the same on every machine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

MAX_WAYS: Final = 10_000_000
"""This many ways to match take about a second."""

MAX_STEPS: Final = 100_000_000
"""This many characters are compared in about a second where case is ignored, ten times as fast elsewhere."""

MAX_PATTERN: Final = 5_000
"""The length of the longest pattern that is run."""

REPEATS: Final = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
BODIES: Final = ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT", "GROUPREF_EXISTS")

_parser: Any = import_module("re._parser")


class Unaffordable(ValueError):
    """A pattern that is not run; the message says why."""


def search(pattern: str, text: str) -> bool:
    """Whether a pattern matches anywhere in a text.

    Raises:
        Unaffordable: matching could take too long.
        re.error: the pattern is not a regular expression.
    """
    if len(pattern) > MAX_PATTERN:
        raise Unaffordable(f"a pattern of more than {MAX_PATTERN:,} characters is not run")
    try:
        tree = _tree(pattern)
        anchored = bool(tree) and str(tree[0][0]) == "AT" and "BEGINNING" in str(tree[0][1])
        starts = 1 if anchored else len(text) + 1
        ways, steps = _ways(tree, len(text)) * starts, _steps(tree, len(text)) * starts
        if ways > MAX_WAYS or steps > MAX_STEPS:
            most = f"{MAX_WAYS:,} ways to try it" if ways > MAX_WAYS else f"{MAX_STEPS:,} steps to try it"
            raise Unaffordable(
                f"the pattern {pattern[:100]!r} is not run: there are more than {most} on {len(text):,} characters"
            )
        return re.search(pattern, text) is not None
    except RecursionError:
        raise Unaffordable("a pattern with groups nested too deeply is not run") from None


@lru_cache(maxsize=256)
def _tree(pattern: str) -> list[Any]:
    return list(_parser.parse(pattern))


def _ways(items: Iterable[Any], length: int) -> int:
    """The number of ways in which a sequence may match ``length`` characters; inexact above :data:`MAX_WAYS`."""
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


def _steps(items: Iterable[Any], length: int) -> int:
    """The number of characters that a sequence may compare from one place on, apart from going back to try other ways.

    Inexact above :data:`MAX_STEPS`.
    """
    ways, steps = 1, 0
    for item in items:
        name, argument = str(item[0]), item[1]
        if name in REPEATS:
            _, most, body = argument
            times = min(most, length // max(body.getwidth()[0], 1) + 1)
            each = times * (_steps(body, length) + 1)
        elif name == "BRANCH":
            each = sum(_steps(body, length) + 1 for body in argument[1])
        elif name in BODIES:
            each = sum(_steps(body, length) for body in _bodies(argument))
        else:
            each = 1
        steps += ways * each
        ways *= _ways((item,), length)
        if steps > MAX_STEPS or ways > MAX_WAYS:
            break
    return steps


def _repeated(least: int, most: int, body: Any, length: int) -> int:
    most = min(most, max(least, length))
    each = _ways(body, length)
    if each == 1:
        return most - least + 1
    at_most_one_each = _power(_choices(body) + 1, length)  # after each character, the repeat goes on or ends
    return min(_power(each + (least < most), most), at_most_one_each)


def _choices(items: Iterable[Any]) -> int:
    """The number of places in a sequence where matching can continue in more than one way."""
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
