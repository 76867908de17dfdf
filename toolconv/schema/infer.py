"""Declarations worked out of the calls themselves, for logs that never hold the tools.

A tool has the parameters that its calls give; every call that was seen is valid under what comes out:

- **Types** are those of the values: several become a list of types; integers and other numbers together are ``number``.
  Members of objects and items of lists are described in the same way, at any depth up to :data:`MAX_DEPTH`.
- **Required** is what each call gives, if there are at least :data:`MIN_CALLS` of them. The same holds for members of
  objects.
- **Enums** are words (without whitespace, dots and slashes), at least 2 and at most :data:`MAX_WORDS` different ones,
  each given twice or more, and :data:`MIN_PER_WORD` times on average. Formats, bounds and patterns are not guessed.

Nothing is described, and everything allowed, where an object has more than :data:`MAX_NAMES` different names, or a
name of more than :data:`MAX_LENGTH` characters: these are maps, not parameters. That bounds the memory, together with
:data:`MAX_TOOLS` tools and :data:`MAX_PLACES` places of values in all. What is left out for these bounds is counted.

Descriptions are for the user to add: nothing is made up.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Tool, calls_of
from toolconv.core.type_names import type_of

MIN_CALLS: Final = 3
MAX_WORDS: Final = 8
MIN_PER_WORD: Final = 10
MAX_DEPTH: Final = 10
MAX_NAMES: Final = 64
MAX_LENGTH: Final = 128
MAX_TOOLS: Final = 1000
MAX_PLACES: Final = 50_000

TYPES: Final = ("object", "array", "string", "integer", "number", "boolean", "null")
_WORD: Final = lazy_re(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


class Inference:
    """The calls seen so far, by tool.

    Attributes:
        calls: how many calls are described.
        left_out: how many calls, and how many parts of arguments, are not, by the reason.
    """

    def __init__(self) -> None:
        self.calls = 0
        self.left_out: Counter[str] = Counter()
        self._tools: dict[str, _Place] = {}
        self._places = 0

    def add(self, conversation: Conversation) -> None:
        """Take the calls of a conversation into account; they must be structured."""
        for message in conversation.messages:
            if message.get("role") == "assistant" and "tool_calls" in message:
                for call in calls_of(message):
                    self._add(call["function"].get("name"), call["function"].get("arguments"))

    def tools(self) -> list[Tool]:
        """The tools as canonical declarations, ordered by name."""
        return [
            {"type": "function", "function": {"name": name, "parameters": {"properties": {}, **_schema(place)}}}
            for name, place in sorted(self._tools.items())
        ]

    def _add(self, name: Any, arguments: Any) -> None:
        if not isinstance(name, str) or not name or len(name) > MAX_LENGTH:
            self.left_out["calls without a name, or with a very long one"] += 1
            return
        if not isinstance(arguments, dict):
            self.left_out["calls whose arguments are no object"] += 1
            return
        tool = self._tools.get(name)
        if tool is None:
            if len(self._tools) >= MAX_TOOLS:
                self.left_out[f"calls of tools beyond the first {MAX_TOOLS:,}"] += 1
                return
            tool = self._tools[name] = _Place()
        self.calls += 1
        self._see(tool, arguments, 0)

    def _see(self, place: _Place, value: Any, depth: int) -> None:
        """Count a value at its place."""
        kind = type_of(value)
        place.types[kind] = place.types.get(kind, 0) + 1
        if kind == "string":
            place.see_text(value)
        elif kind == "object" and value:
            self._see_members(place, value, depth)
        elif kind == "array" and value and (items := self._part(place, depth)) is not None:
            for item in value:
                self._see(items, item, depth + 1)

    def _see_members(self, place: _Place, value: dict[str, Any], depth: int) -> None:
        if depth >= MAX_DEPTH:
            self._leave_open(place, f"objects more than {MAX_DEPTH} levels deep")
        if place.is_open:
            return
        for name, member in value.items():
            known = place.members.get(name)
            if known is None:
                if len(place.members) >= MAX_NAMES or len(name) > MAX_LENGTH:
                    self._leave_open(place, f"objects with more than {MAX_NAMES} names, or very long ones")
                    return
                if self._places >= MAX_PLACES:
                    self._leave_open(place, f"objects beyond the first {MAX_PLACES:,} places")
                    return
                self._places += 1
                known = place.members[name] = _Place()
            self._see(known, member, depth + 1)

    def _part(self, place: _Place, depth: int) -> _Place | None:
        """The place of a list's items; ``None`` if they are not described."""
        if place.items is None and not place.is_mixed:
            if depth >= MAX_DEPTH or self._places >= MAX_PLACES:
                place.is_mixed = True
                self.left_out[f"lists more than {MAX_DEPTH} levels deep, or beyond {MAX_PLACES:,} places"] += 1
                return None
            self._places += 1
            place.items = _Place()
        return place.items

    def _leave_open(self, place: _Place, why: str) -> None:
        """Describe no members of the objects at a place."""
        if not place.is_open:
            place.is_open = True
            self._places -= sum(map(_size, place.members.values()))
            place.members = {}
            self.left_out[why] += 1


class _Place:
    """The values seen at one place of the arguments of a tool.

    Attributes:
        types: how often each type was seen.
        words: how often each text was seen; ``None`` if they are no words, or too many.
        members: the members of the objects; not described if ``is_open``.
        items: all items of the lists; not described if ``is_mixed``.
    """

    __slots__ = ("is_mixed", "is_open", "items", "members", "types", "words")

    def __init__(self) -> None:
        self.types: dict[str, int] = {}
        self.words: dict[str, int] | None = {}
        self.members: dict[str, _Place] = {}
        self.items: _Place | None = None
        self.is_open = False
        self.is_mixed = False

    def see_text(self, text: str) -> None:
        """Count a text."""
        if self.words is None:
            return
        if text in self.words:
            self.words[text] += 1
        elif len(self.words) < MAX_WORDS and _WORD.fullmatch(text):
            self.words[text] = 1
        else:
            self.words = None


def _size(place: _Place) -> int:
    """The number of places in a place, itself included."""
    own = 1 + sum(map(_size, place.members.values()))
    return own if place.items is None else own + _size(place.items)


def _schema(place: _Place) -> dict[str, Any]:
    """The JSON Schema of the values at a place."""
    counts = place.types
    types = [name for name in TYPES if name in counts and not (name == "integer" and "number" in counts)]
    schema: dict[str, Any] = {"type": types[0] if len(types) == 1 else types}
    if (enum := _enum(place)) is not None:
        schema["enum"] = enum
    if place.members:
        schema["properties"] = {name: _schema(member) for name, member in place.members.items()}
        seen = counts["object"]
        if seen >= MIN_CALLS and (
            required := [name for name, member in place.members.items() if sum(member.types.values()) == seen]
        ):
            schema["required"] = required
    if place.is_open:
        schema["additionalProperties"] = True
    if "array" in counts:
        schema["items"] = {} if place.items is None else _schema(place.items)
    return schema


def _enum(place: _Place) -> list[Any] | None:
    """The values that a text may have; ``None`` for any."""
    words = place.words
    if not words or len(words) < 2 or not place.types.keys() <= {"string", "null"}:
        return None
    if min(words.values()) < 2 or sum(words.values()) < MIN_PER_WORD * len(words):
        return None
    return [*words, None] if "null" in place.types else list(words)
