"""Types of values whose tag may state them, in an attribute: ``string="true"``, ``type="number"``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.schema_types import types_of
from toolconv.core.type_names import TYPES
from toolconv.dialects.values.by_schema import Shape, typed_as

NO_TEXT: Final = frozenset(TYPES) - {"string"}
"""The types of a value whose tag says that it is not a text."""

ReadTyped = Callable[[str | None, str, Shape, list[str]], Any]
"""Gives a value its type, from the attribute of its tag, if it has one, its text and its shape; adds repairs."""


def typed_by_schema(attribute: str | None, text: str, shape: Shape, repairs: list[str]) -> Any:
    """A value whose tag has no attribute for its type."""
    return shape.typed(text, repairs)


def typed_by_flag(is_text: str | None, text: str, shape: Shape, repairs: list[str]) -> Any:
    """A value whose tag states whether it is text; if the schema contradicts the tag, the schema decides."""
    if is_text == "true":
        if shape.allowed is None or "string" in shape.allowed:
            return text
    elif is_text == "false":
        try:
            value = jsontext.loads(text)
            if not isinstance(value, str) or "string" in (shape.allowed or ("string",)):
                return value
        except ValueError:
            if shape.allowed is None:
                return typed_as(text, NO_TEXT, str, repairs)
    return shape.typed(text, repairs)


def typed_by_name(json_type: str | None, text: str, shape: Shape, repairs: list[str]) -> Any:
    """A value whose tag states its JSON type; without one it is a string."""
    if json_type is None or json_type == "string":
        return text
    try:
        return jsontext.loads(text)
    except ValueError:
        return typed_as(text, types_of({"type": json_type}, None), str, repairs)


READ_TYPED: Final[dict[str, ReadTyped]] = {"": typed_by_schema, "is_text": typed_by_flag, "type": typed_by_name}
"""How values get their types, by the hole in the template's opening tag of an argument."""
