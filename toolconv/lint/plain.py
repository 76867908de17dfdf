"""Texts and arguments that are in order beyond doubt, told without a rule's care or a validator.

Most schemas say little more than names and types, and most arguments meet them. Where a check can't be sure, the rules
look: it errs on that side only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import Any, Final

from toolconv import jsontext
from toolconv.lint.markup import may_hold_call

Check = Callable[[Any], bool]
"""Whether a value meets a schema that knows all keys in it, and all texts in it are plain; ``False``: who knows."""

PLACEHOLDER: Final = re.compile(
    r"<\s*(?P<inner>[A-Za-z][A-Za-z0-9 _-]*)\s*>|\{\{\s*[A-Za-z_][\w. ]*\s*\}\}|\$undefined(\.\w+)*|\.\.\.|…"
    r"|\[?(?:YOUR|INSERT|ENTER)[_ -][A-Z][A-Z0-9_ -]*(?:[_ -]HERE)?\]?|\[(?:your|insert|enter) [a-z][a-z _-]*\]"
)
"""A text that stands for a value which somebody is to put there."""

_BLANKS: Final = frozenset(char for char in map(chr, range(0x3001)) if char.isspace())
_PLACEHOLDER_STARTS: Final = _BLANKS | frozenset("<{$.…[YIE")

_OPENINGS: Final = frozenset("{[")

_WORDS: Final = frozenset({"description", "title", "default", "examples", "format", "$schema"})
_OBJECT: Final = frozenset({"type", "properties", "required", "additionalProperties"})
_BOUNDED: Final = frozenset({"type", "minimum", "maximum"})
_SCALARS: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "integer": (int,),  # of floats, too, those without a fraction; some rules have a word on them
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def is_plain(text: str) -> bool:
    """Whether a text is surely no placeholder and holds no escapes."""
    if text[:1] in _PLACEHOLDER_STARTS and PLACEHOLDER.fullmatch(text.strip()):
        return False
    return "&" not in text and "\\" not in text


def is_plain_answer(text: str) -> bool:
    """Whether a turn of the assistant surely holds no calls, reasoning or escapes."""
    if "&" in text or "\\" in text or text.lstrip()[:1] in _OPENINGS or ("<" in text and "think>" in text):
        return False
    return not may_hold_call(text)


def is_plain_response(text: str) -> bool:
    """Whether a tool response is surely not what Python prints."""
    if text.lstrip()[:1] not in _OPENINGS or not ("'" in text or "True" in text or "False" in text or "None" in text):
        return True
    try:
        jsontext.loads(text)
    except ValueError:
        return False
    return True


def check_of(schema: Any) -> Check | None:
    """The check of a schema; ``None`` for one that says more than names, types and bounds."""
    if not isinstance(schema, dict):
        return None
    keys = schema.keys() - _WORDS
    kind = schema.get("type")
    if keys == {"anyOf"}:
        return _any_of(schema["anyOf"])
    if "enum" in keys:
        return _one_of(schema["enum"]) if keys == {"enum"} or (keys == {"type", "enum"} and kind == "string") else None
    if kind == "object":
        return _object(schema) if keys <= _OBJECT else None
    if kind == "array":
        return _array(schema["items"]) if keys == {"type", "items"} else None
    if kind in ("integer", "number") and keys <= _BOUNDED:
        return _number(kind, schema.get("minimum", -inf), schema.get("maximum", inf))
    return _scalar(kind) if keys == {"type"} else None


def _number(kind: str, least: Any, most: Any) -> Check | None:
    types = _SCALARS[kind]
    if type(least) not in (int, float) or type(most) not in (int, float):
        return None
    return lambda value: type(value) in types and least <= value <= most


def _scalar(kind: Any) -> Check | None:
    names = kind if isinstance(kind, list) else [kind]
    if not names or not all(isinstance(name, str) and name in _SCALARS for name in names):
        return None
    types = frozenset(each for name in names for each in _SCALARS[name])
    if str not in types:
        return lambda value: type(value) in types
    return lambda value: type(value) in types and (type(value) is not str or is_plain(value))


def _one_of(values: Any) -> Check | None:
    if not isinstance(values, list) or not values or not all(isinstance(each, str) for each in values):
        return None
    known = frozenset(each for each in values if is_plain(each))
    return lambda value: type(value) is str and value in known


def _any_of(schemas: Any) -> Check | None:
    if not isinstance(schemas, list) or not schemas:
        return None
    checks = [check for each in schemas if (check := check_of(each)) is not None]
    if len(checks) < len(schemas):
        return None
    return lambda value: any(check(value) for check in checks)


def _array(items: Any) -> Check | None:
    check = check_of(items)
    if check is None:
        return None
    return lambda value: type(value) is list and all(map(check, value))


def _object(schema: dict[str, Any]) -> Check | None:
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or schema.get("additionalProperties", False) is not False:
        return None
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        return None
    checks = {name: check for name, part in properties.items() if (check := check_of(part)) is not None}
    if len(checks) < len(properties) or not all(map(is_plain, properties)):
        return None

    def fits(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name in required:
            if name not in value:
                return False
        for name, member in value.items():
            known = checks.get(name)
            if known is None or not known(member):
                return False
        return True

    return fits
