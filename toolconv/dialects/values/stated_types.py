"""Types of values whose tag states them, in an attribute of the call template: ``string="true"``, ``type="number"``."""

from __future__ import annotations

from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.schema_types import types_of
from toolconv.core.type_names import TYPES
from toolconv.dialects.values.by_schema import Readers, typed_as

NO_TEXT: Final = frozenset(TYPES) - {"string"}
"""The types of a value whose tag says that it is not a text."""


def read_typed(attribute: str, stated: str | None, key: str, text: str, readers: Readers, repairs: list[str]) -> Any:
    """A value with its type.

    Args:
        attribute: the hole for the attribute in the call template, ``is_text`` or ``type``; empty where tags have none.
        stated: what the attribute says; ``None`` where the tag lacks it.
        key: the key of the value.
        text: the value as written.
        readers: the types of the tool's parameters.
        repairs: names of repairs are added to it.
    """
    if attribute == "is_text":
        return _by_flag(stated, key, text, readers, repairs)
    if attribute == "type":
        return _by_name(stated, text, repairs)
    return readers.typed(key, text, repairs)


def _by_flag(is_text: str | None, key: str, text: str, readers: Readers, repairs: list[str]) -> Any:
    """A value whose tag states whether it is text; if the schema contradicts the tag, the schema decides."""
    if is_text == "true":
        allowed = readers.types(key)
        if allowed is None or "string" in allowed:
            return text
    elif is_text == "false":
        try:
            value = jsontext.loads(text)
            if not isinstance(value, str) or "string" in (readers.types(key) or ("string",)):
                return value
        except ValueError:
            if readers.types(key) is None:
                return typed_as(text, NO_TEXT, str, repairs)
    return readers.typed(key, text, repairs)


def _by_name(json_type: str | None, text: str, repairs: list[str]) -> Any:
    """A value whose tag states its JSON type; without one it is a string."""
    if json_type is None or json_type == "string":
        return text
    try:
        return jsontext.loads(text)
    except ValueError:
        return typed_as(text, types_of({"type": json_type}, None), str, repairs)
