"""Intervals and tests for shares.

Sources: Wilson (1927), "Probable inference, the law of succession, and statistical inference"; Newcombe (1998),
"Improved confidence intervals for the difference between binomial proportions based on paired data", method 10;
McNemar (1947); Chen et al. (2021), "Evaluating large language models trained on code" (pass@k).
"""

from __future__ import annotations

from math import comb, sqrt
from typing import Final, NamedTuple

Z: Final = 1.959963984540054
"""The normal quantile of a 95 % interval."""


class Interval(NamedTuple):
    """A 95 % interval."""

    low: float
    high: float


def wilson(right: float, n: int) -> Interval | None:
    """Wilson's interval for a share of ``right`` out of ``n``; ``None`` for none of none."""
    if not n:
        return None
    share, square = right / n, Z * Z
    centre = (share + square / (2 * n)) / (1 + square / n)
    reach = Z * sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return Interval(0.0 if right == 0 else centre - reach, 1.0 if right == n else centre + reach)


def newcombe(both: int, first: int, second: int, neither: int) -> Interval | None:
    """The interval for the second share minus the first, of pairs of outcomes.

    Args:
        both: pairs in which both are right.
        first, second: pairs in which only that one is right.
        neither: pairs in which none is.
    """
    n = both + first + second + neither
    one, two = wilson(both + first, n), wilson(both + second, n)
    if one is None or two is None:
        return None
    share_one, share_two = (both + first) / n, (both + second) / n
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    correlation = 0.0
    if margins:
        product = float(both * neither - first * second)
        if product > 0:
            product = max(product - n / 2, 0.0)
        correlation = product / sqrt(margins)
    down_one, up_one = share_one - one.low, one.high - share_one
    down_two, up_two = share_two - two.low, two.high - share_two
    difference = share_two - share_one
    low = sqrt(max(down_two**2 - 2 * correlation * down_two * up_one + up_one**2, 0))
    high = sqrt(max(up_two**2 - 2 * correlation * up_two * down_one + down_one**2, 0))
    return Interval(difference - low, difference + high)


def mcnemar(first: int, second: int) -> float:
    """McNemar's exact two-sided p for the pairs in which only the first, and only the second, is right."""
    n, less = first + second, min(first, second)
    if n == 0:
        return 1.0
    tail = sum(comb(n, k) for k in range(less + 1))
    return float(min(1.0, 2 * tail / (1 << n)))


def pass_at(k: int, n: int, right: int) -> float | None:
    """The unbiased estimate that at least one of ``k`` samples is right, from ``right`` of ``n``; ``None`` if k > n."""
    return None if k > n else 1 - comb(n - right, k) / comb(n, k)


def pass_all(k: int, n: int, right: int) -> float | None:
    """The unbiased estimate that all of ``k`` samples are right, from ``right`` of ``n``; ``None`` if k > n."""
    return None if k > n else comb(right, k) / comb(n, k)
