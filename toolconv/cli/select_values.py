"""The kinds of values that options of ``select`` take."""

from __future__ import annotations

from typing import Any

import click

from toolconv.core.lazy_re import lazy_re

RANGE = lazy_re(r"(\d+)(?:(\.\.)(\d+)?)?")
"""A number or a range."""
_PART = lazy_re(r"[\w.-]+")


class Shares(click.ParamType):  # type: ignore[type-arg] # generic only in newer versions of click
    """Names with shares: ``train=0.9,eval=0.1``."""

    name = "shares"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[str, float], ...]:
        """The names and shares, in order."""
        if isinstance(value, tuple):
            return value
        found = []
        for item in value.split(","):
            name, _, share = item.strip().partition("=")
            try:
                number = float(share)
            except ValueError:
                number = 0.0
            if not _PART.fullmatch(name) or name.startswith(".") or not 0 < number < 1:
                self.fail(f"{item!r} is not NAME=SHARE with a share between 0 and 1", param, ctx)
            found.append((name, number))
        return tuple(found)


class Numbers(click.ParamType):  # type: ignore[type-arg]
    """A number for all groups, or numbers for some of them: ``200`` or ``get_weather=50,search=20,100``."""

    name = "numbers"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[tuple[str | None, int], ...]:
        """The names and numbers, in order; without a name, the number for all others."""
        if isinstance(value, tuple):
            return value
        found: list[tuple[str | None, int]] = []
        for item in value.split(","):
            name, equals, number = item.strip().rpartition("=")
            if not number.isdecimal() or bool(equals) != bool(name):
                self.fail(f"{item!r} is not N or GROUP=N", param, ctx)
            found.append((name or None, int(number)))
        if len(dict(found)) < len(found):
            self.fail(f"{value!r} gives a group two numbers", param, ctx)
        return tuple(found)


class Weights(click.ParamType):  # type: ignore[type-arg]
    """Weights of the inputs: ``7,2,1``."""

    name = "weights"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:
        """The weights, in order."""
        if isinstance(value, tuple):
            return value
        try:
            weights = tuple(map(float, value.split(",")))
        except ValueError:
            weights = ()
        if not weights or not all(0 < weight < 1e9 for weight in weights):
            self.fail(f"{value!r} is not a list of numbers above 0, such as 7,2,1", param, ctx)
        return weights


class CallCount(click.ParamType):  # type: ignore[type-arg]
    """A number or a range: ``0``, ``1..``, ``2..4``."""

    name = "range"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The value, if it is a range."""
        if not RANGE.fullmatch(value):
            self.fail(f"{value!r} is not a number or a range, such as 0, 1.. or 2..4", param, ctx)
        return str(value)
