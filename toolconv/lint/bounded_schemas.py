"""jsonschema's validators with bounded work, whatever the schema: expensive keywords are left out, and named.

Expensive patterns are not run (:mod:`.patterns`), long lists are not compared item by item, and checking a value ends
after :data:`MAX_STEPS`, which only multiplying references exceed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final

from jsonschema import validators

from toolconv.lint.patterns import Unaffordable, search

MAX_STEPS: Final = 30_000
"""How many keywords are applied to a value and its parts at most."""

MAX_UNIQUE: Final = 2_000
"""Longest list whose items are compared with each other."""


class Work:
    """The remaining budget for checking one value, and the parts of its schema that were not applied."""

    def __init__(self) -> None:
        self.left = MAX_STEPS
        self.unchecked: dict[str, None] = {}


WORK: ContextVar[Work] = ContextVar("WORK")


class GaveUp(Exception):
    """Checking a value is too expensive."""


@lru_cache(maxsize=16)
def guarded(draft: Any) -> Any:
    """A draft in which a keyword that can't be applied, such as an invalid regular expression, asserts nothing."""
    extend: Any = validators.extend
    return extend(draft, {name: _guard(name, keyword) for name, keyword in draft.VALIDATORS.items()})


def _guard(name: str, keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    can_be_run = _LIMITS.get(name)

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        work = WORK.get()
        work.left -= 1
        if work.left < 0:
            raise GaveUp
        try:
            if can_be_run is not None:
                can_be_run(value, instance, schema)
            yield from keyword(validator, value, instance, schema) or ()
        except (GaveUp, RecursionError):
            raise
        except Unaffordable as error:
            work.unchecked[str(error)] = None
        except Exception:  # the exception depends on the keyword and on its invalid value
            return

    return check


def _run_pattern(pattern: Any, instance: Any, schema: Any) -> None:
    if isinstance(instance, str):
        search(pattern, instance)


def _run_on_names(_: Any, instance: Any, schema: Any) -> None:
    for pattern in schema.get("patternProperties", ()) if isinstance(instance, dict) else ():
        for name in instance:
            search(pattern, name)


def _run_unique(_: Any, instance: Any, schema: Any) -> None:
    if isinstance(instance, list) and len(instance) > MAX_UNIQUE:
        raise Unaffordable(f"the items of a list of more than {MAX_UNIQUE:,} are not compared")


_LIMITS: Final[Mapping[str, Callable[[Any, Any, Any], None]]] = {
    "pattern": _run_pattern,
    "patternProperties": _run_on_names,
    "additionalProperties": _run_on_names,
    "unevaluatedProperties": _run_on_names,
    "uniqueItems": _run_unique,
}
"""Keywords whose work is otherwise unbounded, each with a check that raises :class:`Unaffordable` if it is too much."""
