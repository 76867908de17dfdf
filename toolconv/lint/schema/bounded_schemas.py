"""jsonschema's validators with bounded work, whatever the schema: expensive keywords are left out, and named.

Expensive patterns are not run (:mod:`.patterns`), long lists are not compared item by item, texts are looked up in an
``enum``, and checking a value ends
after :data:`MAX_STEPS`, which only multiplying references exceed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final

import jsonschema
from jsonschema import validators
from referencing import Registry
from referencing.exceptions import Unresolvable

from toolconv.lint.schema.formats import FORMATS
from toolconv.lint.schema.patterns import Unaffordable, search
from toolconv.lint.schema.schema_check import check_of_type

MAX_STEPS: Final = 30_000
"""How many keywords are applied to a value and its parts at most."""

MAX_UNIQUE: Final = 2_000
"""Longest list whose items are compared with each other."""


MAX_LISTED: Final = 100
"""How many values of an ``enum`` a message has; it would hold thousands for each of thousands of texts."""


class BoundedValidator:
    """Lists the errors of values, as jsonschema raises them.

    Args:
        schema: names the draft.
        cleaned: the schema without invalid parts.
    """

    def __init__(self, schema: Any, cleaned: Any) -> None:
        validator: Any = _guarded(_draft(schema))
        self._validator = validator(cleaned, registry=Registry(), format_checker=_format_checker())

    def errors(self, instance: Any) -> tuple[list[Any], list[str]]:
        """The errors of a value, and the reasons why parts of the schema were not applied."""
        work = _Work()
        before = _WORK.set(work)
        found: list[Any] = []
        try:
            found.extend(self._validator.iter_errors(instance))
        except (_GaveUp, RecursionError):  # references that multiply or are circular
            work.unchecked["its schema refers to itself, or asks for too much, to be applied to the end"] = None
        finally:
            _WORK.reset(before)
        return found, list(work.unchecked)

    def resolves(self, reference: str) -> bool:
        """Whether a reference leads somewhere in the schema."""
        try:
            self._validator._resolver.lookup(reference)
        except Unresolvable:
            return False
        return True


def metaschema_errors(schema: Any) -> Iterator[Any]:
    """The errors of a schema itself, as jsonschema raises them."""
    errors: Iterator[Any] = _metavalidator(_draft(schema)).iter_errors(schema)
    return errors


def _draft(schema: Any) -> Any:
    """The jsonschema class for the draft that a schema names, else for 2020-12."""
    name = schema.get("$schema") if isinstance(schema, dict) else None
    named = {"$schema": name} if isinstance(name, str) else {}
    return validators.validator_for(named, default=jsonschema.Draft202012Validator)


class _Work:
    """The remaining budget for checking one value, and the parts of its schema that were not applied."""

    def __init__(self) -> None:
        self.left = MAX_STEPS
        self.texts: dict[int, frozenset[str]] = {}  # of each enum, by its identity
        self.unchecked: dict[str, None] = {}


_WORK: ContextVar[_Work] = ContextVar("_WORK")


class _GaveUp(Exception):
    """Checking a value is too expensive."""


@lru_cache(maxsize=16)
def _guarded(draft: Any) -> Any:
    """A draft in which a keyword that can't be applied, such as an invalid regular expression, asserts nothing."""
    extend: Any = validators.extend
    keywords = {**draft.VALIDATORS, "enum": _enum(draft.VALIDATORS["enum"])}
    if keywords["properties"] is jsonschema.Draft202012Validator.VALIDATORS["properties"]:
        keywords["properties"] = _properties
    return extend(draft, {name: _guard(name, keyword) for name, keyword in keywords.items()})


def _guard(name: str, keyword: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    can_be_run = _LIMITS.get(name)

    def check(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any]:
        work = _WORK.get()
        work.left -= 1
        if work.left < 0:
            raise _GaveUp
        try:
            if can_be_run is not None:
                can_be_run(value, instance, schema)
            yield from keyword(validator, value, instance, schema) or ()
        except (_GaveUp, RecursionError):
            raise
        except Unaffordable as error:
            work.unchecked[str(error)] = None
        except Exception:  # the exception depends on the keyword and on its invalid value
            return

    return check


def _enum(of_draft: Callable[..., Any]) -> Callable[..., Iterator[Any]]:
    """The keyword ``enum``, which looks texts up; those of jsonschema compare each value with each."""

    def check(validator: Any, allowed: Any, instance: Any, schema: Any) -> Iterator[Any]:
        work = _WORK.get()
        if not isinstance(instance, str):
            work.left -= len(allowed)
            yield from of_draft(validator, allowed, instance, schema) or ()
            return
        texts = work.texts.get(id(allowed))
        if texts is None:
            texts = work.texts[id(allowed)] = frozenset(value for value in allowed if isinstance(value, str))
        if instance not in texts:
            more = ", …" if len(allowed) > MAX_LISTED else ""
            yield jsonschema.ValidationError(f"{instance!r} is not one of {list(allowed)[:MAX_LISTED]!r}{more}")

    return check


def _properties(validator: Any, properties: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """The keyword ``properties``, which looks no further into a schema that asserts nothing but a type."""
    for name, part in properties.items() if isinstance(instance, dict) else ():
        if name in instance:
            value = instance[name]
            check = check_of_type(part) if type(part) is dict else None
            if check is None:
                yield from validator.descend(value, part, path=name, schema_path=name)
                continue
            kind = part["type"]
            if not check(value) and not validator.is_type(value, kind):  # 1.0 is an integer
                yield jsonschema.ValidationError(
                    f"{value!r} is not of type {kind!r}",
                    validator="type",
                    validator_value=kind,
                    path=(name,),
                    instance=value,
                    schema=part,
                    schema_path=(name, "type"),
                )


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


@lru_cache(maxsize=16)
def _metavalidator(draft: Any) -> Any:
    meta = validators.validator_for(draft.META_SCHEMA, default=draft)
    return meta(draft.META_SCHEMA, format_checker=jsonschema.FormatChecker(formats=["regex"]))


@lru_cache(maxsize=1)
def _format_checker() -> jsonschema.FormatChecker:
    """The formats that are asserted."""
    checker = jsonschema.FormatChecker(formats=())
    for name, (check, _) in FORMATS.items():
        checker.checks(name)(lambda value, check=check: not isinstance(value, str) or check(value))
    return checker
