"""JSON Schema for rules: each distinct schema is compiled once for the whole run.

:func:`validator` gives the :class:`Validator` of a schema. Draft 2020-12, or the draft that ``$schema`` names. A
``$ref`` is resolved inside the schema only; nothing is ever fetched. Formats are asserted (:mod:`.formats`).

Real declarations are often invalid schemas (nulls from Arrow's padding, ``"type": "str"``, ``required: true``). Invalid
parts are left out before the rest is compiled, so that the rest still applies; :attr:`Validator.problems` lists what is
wrong with them.

Most valid values pass by a compiled check (:mod:`.schema_check`); jsonschema decides about all others, and its errors
are reported. (jsonschema-rs between the two would decide 13 of 1,377 values of real rows.)

Checking takes bounded time for any schema (:mod:`.bounded_schemas`); what was not checked is reported as an error
``unchecked``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.json_pointer import target_of
from toolconv.core.lazy_re import lazy_re
from toolconv.core.schema_types import SCHEMAS_BY_NAME, UNIONS
from toolconv.core.type_names import TYPES
from toolconv.lint.schema.made_once import MadeOnce
from toolconv.lint.schema.metaschema import PLAIN, is_certainly_valid
from toolconv.lint.schema.schema_check import Check, compile_check

if TYPE_CHECKING:
    from toolconv.lint.schema.bounded_schemas import BoundedValidator

MAX_MESSAGE: Final = 300
"""Longest message; jsonschema includes the whole value in it."""

UNCHECKED: Final = "unchecked"
"""The keyword of an error that is not a violation: part of a schema was not applied; the message gives the reason."""


ValuePath = tuple[str | int, ...]
"""Keys and indices that lead from a JSON value to a part of it."""


class SchemaError(NamedTuple):
    """One violation of a schema.

    Attributes:
        path: keys and indices from the value to the part of it that is wrong.
        message: jsonschema's message.
        keyword: the keyword that is violated: ``type``, ``required``, ``enum``, ``additionalProperties``, …
        expected: the keyword's value in the schema: ``"integer"``, the list of the ``enum``, …
        found: the part of the value that is wrong.
        schema: the object of the schema that holds the keyword.
        missing: for ``required``, the missing property; else ``None``.
    """

    path: ValuePath
    message: str
    keyword: str
    expected: Any
    found: Any
    schema: Any
    missing: str | None = None


class Validator:
    """A compiled schema.

    Args:
        schema: any JSON value; parts that are not valid schemas are left out.

    Attributes:
        schema: the given schema.
    """

    def __init__(self, schema: Any) -> None:
        self.schema = schema

    def errors(self, instance: Any) -> list[SchemaError]:
        """The errors of a value, each once, in the order of the schema's keywords; also what was not checked."""
        if self._check is not None and self._check(instance):
            return []
        errors, unchecked = self._words.errors(instance)
        found = [error for raised in errors for error in _errors(raised)]
        return [*found, *(SchemaError((), why, UNCHECKED, None, instance, self.schema) for why in unchecked)]

    def valid(self, instance: Any) -> bool:
        """Whether a value has no errors."""
        return not self.errors(instance)

    @cached_property
    def problems(self) -> list[SchemaError]:
        """The errors of the schema itself: violations of its metaschema (paths are in the schema), and unresolvable
        references (keyword ``$ref``).
        """
        if is_certainly_valid(self.schema):
            return [*self._dangling()]
        if not isinstance(self.schema, dict | bool):
            message = f"{_shown(self.schema)} is no schema"
            return [SchemaError((), message, "type", ["object", "boolean"], self.schema, {})]
        found: dict[Any, SchemaError] = {}
        from toolconv.lint.schema.bounded_schemas import metaschema_errors

        try:
            for raised in metaschema_errors(self.schema):
                for error in _errors(raised):
                    if error.path[-1:] == ("type",) and error.keyword in ("anyOf", "type", "enum"):
                        error = error._replace(message=f"{_shown(error.found)} is no JSON Schema type", expected=TYPES)
                    found.setdefault((error.path, error.message), error)
        except RecursionError:
            message = "the schema is nested too deeply to be checked"
            found[()] = SchemaError((), message, UNCHECKED, None, self.schema, self.schema)
        # jsonschema's order is random
        return [*sorted(found.values(), key=lambda each: _place_of(self.schema, each.path)), *self._dangling()]

    def _dangling(self) -> Iterator[SchemaError]:
        if b'"$ref"' not in jsontext.dumps(self.schema):
            return
        words = self._words
        for path, schema in subschemas(self._cleaned):
            reference = schema.get("$ref")
            if isinstance(reference, str):
                if reference.startswith("#/") and target_of(self._cleaned, reference) is not None:
                    continue
                if not words.resolves(reference):
                    message = f"{_shown(reference)} leads nowhere in this schema"
                    yield SchemaError((*path, "$ref"), message, "$ref", reference, reference, schema)

    @cached_property
    def _check(self) -> Check | None:
        return compile_check(self.schema)

    @cached_property
    def _cleaned(self) -> Any:
        cleaned = clean(self.schema)
        if isinstance(cleaned, dict) and "$schema" in cleaned:
            cleaned = {key: value for key, value in cleaned.items() if key != "$schema"}
        return cleaned

    @cached_property
    def _words(self) -> BoundedValidator:
        """Jsonschema's validator, which takes long to import and to build, and is needed for errors only."""
        from toolconv.lint.schema.bounded_schemas import BoundedValidator

        return BoundedValidator(self.schema, self._cleaned)


validator: Final = MadeOnce(lambda schema, _: Validator(schema)).of
"""The validator of a schema; the same object for an equal schema."""


def properties_of(schema: Any) -> dict[str, Any]:
    """The properties that a schema declares, by name."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def _place_of(value: Any, path: ValuePath) -> list[int]:
    """The place of a part of a value in its text: of each step of the path, how many members are before it."""
    place = []
    for step in path:
        members = value if isinstance(value, dict) else dict(enumerate(value))
        if step not in members:
            break
        place.append([*members].index(step))
        value = members[step]
    return place


# ── invalid schemas ─────────────────────────────────────────────────────────────────────────────

_SUBSCHEMA = (
    "additionalProperties", "additionalItems", "contains", "contentSchema", "else", "if", "items", "not",
    "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
)  # fmt: skip
_SUBSCHEMA_LISTS = (*UNIONS, "prefixItems", "items")
_SUBSCHEMA_MAPS = (*SCHEMAS_BY_NAME, "dependentSchemas")
_SHAPES: Final[Mapping[str, tuple[type, ...]]] = {
    **dict.fromkeys(("$ref", "$id", "pattern"), (str,)),
    "required": (list,),
    **dict.fromkeys(_SUBSCHEMA, (dict, bool)),
    **dict.fromkeys(_SUBSCHEMA_LISTS, (list,)),
    **dict.fromkeys((*_SUBSCHEMA_MAPS, "dependencies"), (dict,)),
    "type": (str, list),
    "items": (dict, bool, list),
}
"""The valid types of the values of keywords that hold schemas or names; :data:`PLAIN` has those of the others."""


def clean(schema: Any) -> Any:
    """A copy of a schema without invalid parts: nulls for keywords and properties, unknown types, ``minLength: -1``.

    ``nullable: true`` of OpenAPI 3.0 becomes the type ``null``, and a value of the enum.

    A type or a required property that is named twice is named once. ``default``, ``const`` and all other keywords that
    hold data stay unchanged.
    """
    if not isinstance(schema, dict):
        return schema if isinstance(schema, bool) else {}
    result = {}
    for key, value in schema.items():
        shape, check = _SHAPES.get(key), PLAIN.get(key)
        if shape is not None and (not isinstance(value, shape) or (isinstance(value, bool) and bool not in shape)):
            continue
        if check is not None and not check(value):
            continue
        if key == "type":
            names = value if isinstance(value, list) else [value]
            if not names or not all(isinstance(name, str) and name in TYPES for name in names):
                continue
            if isinstance(value, list):
                value = list(dict.fromkeys(value))
        elif key == "required":
            value = list(dict.fromkeys(name for name in value if isinstance(name, str)))
        elif key in _SUBSCHEMA_MAPS:
            value = {name: clean(part) for name, part in value.items() if isinstance(part, dict | bool)}
        elif key in _SUBSCHEMA_LISTS and isinstance(value, list):
            value = [clean(part) for part in value if isinstance(part, dict | bool)]
            if not value:
                continue
        elif key in _SUBSCHEMA:
            value = clean(value)
        result[key] = value
    return _nullable(result) if result.get("nullable") is True else result


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema with ``nullable: true`` that also accepts null in the terms of JSON Schema."""
    kind, values = schema.get("type"), schema.get("enum")
    if isinstance(kind, str | list):
        names = [kind] if isinstance(kind, str) else kind
        schema = {**schema, "type": [*names, *(["null"] if "null" not in names else [])]}
    if isinstance(values, list) and None not in values:
        schema = {**schema, "enum": [*values, None]}
    return schema


def subschemas(schema: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """A schema and all its subschemas that are objects, each with its path, depth first."""
    if not isinstance(schema, dict):
        return
    yield path, schema
    for key, value in schema.items():
        if key in _SUBSCHEMA_MAPS and isinstance(value, dict):
            for name, part in value.items():
                yield from subschemas(part, (*path, key, name))
        elif key in _SUBSCHEMA_LISTS and isinstance(value, list):
            for index, part in enumerate(value):
                yield from subschemas(part, (*path, key, index))
        elif key in _SUBSCHEMA:
            yield from subschemas(value, (*path, key))


# ── errors ──────────────────────────────────────────────────────────────────────────────────────


def _errors(error: Any) -> Iterator[SchemaError]:
    """An error from jsonschema; for alternatives, the error of the intended one, if that is certain."""
    path, keyword = tuple(error.absolute_path), str(error.validator)
    expected, message = error.validator_value, error.message
    context = [inner for inner in error.context if inner.schema_path]  # the alternative ``false`` has no path
    if keyword in ("anyOf", "oneOf") and context:
        wrong_type = {e.schema_path[0] for e in context if e.validator == "type" and not e.path}
        meant = {e.schema_path[0] for e in context} - wrong_type
        if len(meant) == 1:
            for inner in context:
                if inner.schema_path[0] in meant:
                    yield from _errors(inner)
            return
        if not meant:
            keyword, expected = "type", _all_types(context)
            message = f"{error.instance!r} is not of type {', '.join(map(repr, expected))}"
    missing = _missing(error) if keyword == "required" else None
    yield SchemaError(path, _cut(message), keyword, expected, error.instance, error.schema, missing)


def _all_types(errors: list[Any]) -> list[str]:
    """The types that ``type`` errors require, each once."""
    values = [error.validator_value for error in errors if error.validator == "type" and not error.path]
    return list(dict.fromkeys(name for value in values for name in (value if isinstance(value, list) else [value])))


_MISSING = lazy_re(r"(.*) is a required property", re.DOTALL)


def _missing(error: Any) -> str | None:
    """The property that a ``required`` error is about; jsonschema gives it only in the message."""
    match = _MISSING.fullmatch(error.message)
    name = ast.literal_eval(match[1]) if match else None
    return name if isinstance(name, str) else None


def _cut(message: str) -> str:
    return message if len(message) <= MAX_MESSAGE else f"{message[: MAX_MESSAGE // 2]}…{message[-MAX_MESSAGE // 2 :]}"


def _shown(value: Any) -> str:
    return _cut(repr(value))
