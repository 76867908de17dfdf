"""Schemas compiled to functions, which accept the values that certainly match.

Most arguments are valid, and a function shows that faster than a validator. It accepts a value only if it certainly
matches the schema and the schema declares all its keys; a validator decides about the others, and names the errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from math import inf
from typing import Any, Final

from toolconv.core.json_pointer import target_of
from toolconv.lint.schema.formats import FORMATS
from toolconv.lint.schema.metaschema import DRAFTS, KEYWORDS
from toolconv.lint.schema.patterns import Unaffordable, search

Check = Callable[[Any], bool]
"""Whether a value certainly matches a schema that declares all its keys; ``False`` if that is not certain."""

MAX_PARTS: Final = 1_000
"""How many subschemas a check has at most, with its references expanded: a bound for the time that a value takes."""

_WORDS: Final = frozenset({"description", "title", "default", "examples", "deprecated", "readOnly", "writeOnly"}) | {
    "$comment", "$schema", "$defs", "definitions"
}  # fmt: skip
_KEYWORDS: Final = (KEYWORDS | {"nullable"}) - _WORDS
_ASSERTIONS: Final = frozenset(
    {"minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties"}
    | {"format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)
_OBJECT: Final = frozenset({"properties", "required", "additionalProperties"})
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),  # excludes floats without a fraction, which a rule reports
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
_NUMBERS: Final = frozenset({int, float})


class _Unsuitable(Exception):
    """A schema that no check is compiled for."""


def compile_check(schema: Any, *, assertions: bool = True) -> Check | None:
    """The check for a schema; ``None`` for one that needs a validator.

    Args:
        schema: any JSON value.
        assertions: check lengths, patterns, formats and bounds; ``False`` for values that a validator has accepted.
    """
    draft = schema.get("$schema") if type(schema) is dict else None
    if draft is not None and (type(draft) is not str or draft not in DRAFTS):
        return None
    try:
        return _Compiler(schema, _KEYWORDS if assertions else _KEYWORDS - _ASSERTIONS).check(schema)
    except (_Unsuitable, RecursionError):
        return None


def check_of_type(schema: dict[str, Any]) -> Check | None:
    """The check of a schema that asserts no more than its type; ``None`` for any other."""
    kind = schema.get("type")
    return _of_types(kind) if type(kind) is str and kind in _TYPES and schema.keys() <= _PLAIN else None


class _Compiler:
    """Compiles a schema.

    Args:
        root: the whole schema, for its references.
        keywords: the keywords to apply.
    """

    def __init__(self, root: Any, keywords: frozenset[str]) -> None:
        self._root = root
        self._keywords = keywords
        self._parts = 0

    def check(self, schema: Any) -> Check:
        """The check of a subschema."""
        self._parts += 1
        if schema is True:
            return _always
        if type(schema) is not dict or self._parts > MAX_PARTS:
            raise _Unsuitable
        if (plain := check_of_type(schema)) is not None:
            return plain
        kind = schema.get("type")
        keys = self._keywords.intersection(schema)
        if "$ref" in keys:
            return self._referred(schema, keys)
        checks = []
        is_object = not keys.isdisjoint(_OBJECT)
        if "type" in keys and not (is_object and kind == "object"):
            checks.append(_of_types(kind))
        if is_object:
            checks.append(self._object(schema))
        if "items" in keys:
            checks.append(_of_items(self.check(schema["items"])))
        for key in ("anyOf", "oneOf"):
            if key in keys:
                checks.append(self._alternatives(schema[key], exclusive=key == "oneOf"))
        for key in keys - _STRUCTURE:
            checks.append(_ASSERTED[key](schema[key]) if key in _ASSERTED else _unsuitable())
        whole = checks[0] if len(checks) == 1 else _all_of(checks) if checks else _always
        return self._nullable(whole, keys) if schema.get("nullable") is True else whole

    def _nullable(self, whole: Check, keys: AbstractSet[str]) -> Check:
        """The check that also accepts null, which ``nullable`` adds to ``type`` and ``enum``."""
        if not keys.isdisjoint({"anyOf", "oneOf", "const"}):
            raise _Unsuitable
        return _or_null(whole) if "type" in keys or "enum" in keys else whole

    def _referred(self, schema: dict[str, Any], keys: AbstractSet[str]) -> Check:
        """The check of a reference, which must be alone; references in a circle reach :data:`MAX_PARTS`."""
        reference = schema["$ref"]
        if keys != {"$ref"} or type(reference) is not str or not reference.startswith("#/"):
            raise _Unsuitable
        return self.check(target_of(self._root, reference))

    def _alternatives(self, schemas: Any, *, exclusive: bool) -> Check:
        """The check of ``anyOf``, or of ``oneOf``, whose schemas must be about different types."""
        if type(schemas) is not list or not schemas:
            raise _Unsuitable
        checks = [self.check(each) for each in schemas]
        if exclusive:
            types = [kind for each in schemas for kind in _types_in(each is not True and each.get("type"))]
            if len(set(types)) < len(types) or {"integer", "number"} <= set(types):
                raise _Unsuitable
            if any(each.get("nullable") is True for each in schemas):
                raise _Unsuitable
        return lambda value: any(check(value) for check in checks)

    def _object(self, schema: dict[str, Any]) -> Check:
        """The check of the members of an object."""
        others, required = schema.get("additionalProperties", False), schema.get("required", [])
        properties = schema.get("properties", {} if "additionalProperties" in schema else None)
        if type(properties) is not dict:
            raise _Unsuitable
        if type(required) is not list or not all(type(name) is str for name in required):
            raise _Unsuitable
        other = _never if others is False else self.check(others)
        if other is not _never and not properties.keys() >= set(required):
            raise _Unsuitable  # the check of the others would also be that of a required one
        checks = {name: self.check(part) for name, part in properties.items()}
        types = {name: _KINDS[check] for name, check in checks.items() if check in _KINDS}
        needed = frozenset(required)
        anything_else = schema.get("type") != "object"

        def fits(value: Any) -> bool:
            if type(value) is not dict:
                return anything_else
            if not value.keys() >= needed:
                return False
            for name, member in value.items():
                if type(member) is not types.get(name) and not checks.get(name, other)(member):
                    return False
            return True

        return fits


def _types_in(kind: Any) -> list[str]:
    """The names of types in the value of ``type``.

    Raises:
        _Unsuitable: there are none, or an unknown one.
    """
    names = kind if type(kind) is list else [kind]
    if not names or not all(type(name) is str and name in _TYPES for name in names):
        raise _Unsuitable
    return names


def _of_types(kind: Any) -> Check:
    """The check of ``type``."""
    if type(kind) is str and len(_TYPES.get(kind, ())) == 1:
        return _TYPE_CHECKS[_TYPES[kind][0]]
    types = frozenset(each for name in _types_in(kind) for each in _TYPES[name])
    if len(types) == 1:
        return _TYPE_CHECKS[next(iter(types))]
    return lambda value: type(value) in types


def _type_check(kind: type) -> Check:
    return lambda value: type(value) is kind


_TYPE_CHECKS: Final = {kind: _type_check(kind) for kind in (str, int, float, bool, type(None), list, dict)}
_KINDS: Final = {check: kind for kind, check in _TYPE_CHECKS.items()}


def _all_of(checks: list[Check]) -> Check:
    if len(checks) == 2:
        first, second = checks
        return lambda value: first(value) and second(value)
    return lambda value: all(check(value) for check in checks)


def _or_null(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _of_items(check: Check) -> Check:
    return lambda value: type(value) is not list or all(map(check, value))


def _never(value: Any) -> bool:
    """The check for a key that the schema doesn't declare."""
    return False


def _always(value: Any) -> bool:
    return True


def _unsuitable() -> Check:
    raise _Unsuitable


# ── single assertions, each about values of one type only ───────────────────────────────────────


def _one_of(values: Any) -> Check:
    """The check of ``enum``, for texts, numbers, booleans and null; ``1`` and ``True`` are different."""
    if type(values) is not list or not values or any(type(value) in (list, dict) for value in values):
        raise _Unsuitable
    if all(type(value) is str for value in values):
        texts = frozenset(values)
        return lambda value: type(value) is str and value in texts
    known = frozenset((type(value), value) for value in values)
    return lambda value: type(value) not in (list, dict) and (type(value), value) in known


def _matching(pattern: Any) -> Check:
    if type(pattern) is not str:
        raise _Unsuitable

    def fits(value: Any) -> bool:
        try:
            return type(value) is not str or search(pattern, value)
        except (re.error, Unaffordable):
            return False

    return fits


def _of_format(name: Any) -> Check:
    if type(name) is not str or name not in FORMATS:
        return _always  # asserts nothing
    check = FORMATS[name][0]
    return lambda value: type(value) is not str or check(value)


def _multiple(factor: Any) -> Check:
    if type(factor) is not int or factor < 1:
        raise _Unsuitable
    return lambda value: type(value) is not float and (type(value) is not int or value % factor == 0)


def _unique(is_unique: Any) -> Check:
    def fits(value: Any) -> bool:
        if type(value) is not list or not is_unique:
            return True
        return all(type(item) in (str, int) for item in value) and len(set(value)) == len(value)

    return fits


def _bound(within: Callable[[Any, Any], bool]) -> Callable[[Any], Check]:
    """The compiler of a bound for numbers."""

    def compiler(bound: Any) -> Check:
        if type(bound) not in _NUMBERS:
            raise _Unsuitable
        return lambda value: type(value) not in _NUMBERS or within(value, bound)

    return compiler


def _size(kind: type[str] | type[list[Any]] | type[dict[str, Any]], *, least: bool) -> Callable[[Any], Check]:
    """The compiler of a bound for the length of texts, lists or objects."""

    def compiler(bound: Any) -> Check:
        if type(bound) is not int:
            raise _Unsuitable
        low, high = (bound, inf) if least else (0, bound)
        return lambda value: not isinstance(value, kind) or low <= len(value) <= high

    return compiler


_ASSERTED: Final[dict[str, Callable[[Any], Check]]] = {
    "enum": _one_of,
    "const": lambda value: _one_of([value]),
    "pattern": _matching,
    "format": _of_format,
    "multipleOf": _multiple,
    "uniqueItems": _unique,
    "minimum": _bound(lambda value, bound: value >= bound),
    "maximum": _bound(lambda value, bound: value <= bound),
    "exclusiveMinimum": _bound(lambda value, bound: value > bound),
    "exclusiveMaximum": _bound(lambda value, bound: value < bound),
    "minLength": _size(str, least=True),
    "maxLength": _size(str, least=False),
    "minItems": _size(list, least=True),
    "maxItems": _size(list, least=False),
    "minProperties": _size(dict, least=True),
    "maxProperties": _size(dict, least=False),
}
_PLAIN: Final = frozenset({"type", "description", "title", "default"})
_STRUCTURE: Final = _OBJECT | {"type", "items", "anyOf", "oneOf", "nullable"}
