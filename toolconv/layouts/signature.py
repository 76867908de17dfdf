"""The signature of a plain row: all that the built-in layouts know it by, so that its layout is looked for once.

A row is plain if its content is text, numbers, and messages of text or of content blocks: their keys, roles and types
decide.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any, Final, Literal

from toolconv.core.marks import MARK_KEYS
from toolconv.core.messages import Message, Row
from toolconv.core.remembered import Remembered
from toolconv.layouts.formats.rendered import OPENINGS
from toolconv.layouts.nested_json import PYTHON_STARTS, value_of

SIGNATURES: Final = 256
"""How many of each kind are remembered."""

Signature = tuple[Hashable, ...]

_OPENINGS: Final = (*OPENINGS, '"[', '"{')
"""How texts begin that are looked into: conversations, and the JSON text of a JSON text."""
_SPECIAL: Final = frozenset(["", "[", "{", " ", "\t", "\n", "\r", '"', *(opening[0] for opening in OPENINGS)])
"""The first characters of texts that a layout may be known by; the empty text is one, too."""
_TEXT: Final[tuple[Any, ...]] = (str, type(None))
_FLAT: Final = frozenset(
    {"role", "content", "reasoning_content", "reasoning", "thinking", "name", "tool_calls", "tool_call_id", "id"}
    | MARK_KEYS
)
"""Keys of messages whose values, apart from the content and the calls, no layout looks into."""
_SCHEMAS: Final = frozenset({"tools", "functions"})
"""Keys of tools: how the first one's parameters are stored is all that a layout is known by."""


def signature_of(row: Row) -> Signature | None:
    """The signature of a plain row; ``None`` for rows that need a closer look."""
    keys, types = tuple(row), tuple(map(type, row.values()))
    texts, nested = _members(keys, types)
    signature: Signature = (keys, types)
    for key in texts:
        if row[key][:1] in _SPECIAL:
            text = row[key]
            start = text[:1].strip() or text.lstrip()[:1]
            if text.startswith(_OPENINGS) or (start in ("[", "{") and _is_data(text)):
                return None
            if start in ("", "[", "{"):
                signature += key, start or bool(text)
    for key in nested:
        value = row[key]
        if key == "messages":
            kind: Any = _kind_of_messages(value)
            if kind is None:
                return None
            signature += kind
        elif key not in _SCHEMAS:
            return None
        elif value.__class__ is list and value:
            signature += _kind_of_tools(value)
    return signature


def _is_data(text: str) -> bool:
    """Whether a text, or its first line, is JSON, or it may be a list or an object in Python."""
    if text.lstrip().startswith(PYTHON_STARTS):
        return True
    return value_of(text) is not None or ("\n" in text and value_of(text.lstrip().partition("\n")[0]) is not None)


@lru_cache(maxsize=SIGNATURES)
def _members(keys: tuple[str, ...], types: tuple[type, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys of texts, and those of lists and objects, among the keys of a row."""
    texts = tuple(key for key, kind in zip(keys, types, strict=True) if kind is str)
    return texts, tuple(key for key, kind in zip(keys, types, strict=True) if kind in (list, dict))


def _kind_of_tools(tools: list[Any]) -> Signature:
    """How the first tool's parameters are stored, and whether any tool is in Anthropic's form."""
    first = tools[0]
    function = first.get("function", first) if first.__class__ is dict else None
    stored: type | None = function.get("parameters").__class__ if function.__class__ is dict else None
    for tool in tools:
        if tool.__class__ is dict and "input_schema" in tool:
            return stored, True
    return stored, False


def _kind_of_messages(messages: Any) -> Signature | None:
    """The roles, keys and types of messages of text or of blocks, and the last role; ``None`` for others."""
    try:
        kinds = frozenset([(message["role"], message.get("content").__class__, *message) for message in messages])
        plain = _plain.get(kinds)
        if plain is None:
            plain = _plain.add(kinds, _are_plain(messages))
        if plain == "text":
            return kinds, messages[-1]["role"]
        if not plain:
            return None
        parts: set[Any] = set()
        for message in messages:
            if message.get("content").__class__ is list:
                for block in message["content"]:
                    parts.add((message["role"], block.get("type"), *block, *map(type, block.values())))
            if "tool_calls" in message and (calls := message["tool_calls"]):
                for call in calls:
                    parts.add(call["function"]["arguments"].__class__)
        return kinds, messages[-1]["role"], frozenset(parts)
    except (AttributeError, KeyError, TypeError):  # a type that is a list, too
        return None


_plain: Remembered[frozenset[Any], Literal["", "text", "parts"]] = Remembered(SIGNATURES)


def _are_plain(messages: list[Message]) -> Literal["", "text", "parts"]:
    """Whether messages are text alone, or have blocks or calls as well; empty for others."""
    kind: Literal["", "text", "parts"] = "text" if messages else ""
    for message in messages:
        content = type(message.get("content"))
        if not _FLAT.issuperset(message) or (content not in _TEXT and content is not list):
            return ""
        if type(message["role"]) is not str:
            return ""
        if content is list or "tool_calls" in message:
            kind = "parts"
    return kind
