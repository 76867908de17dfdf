"""The position of each value in a JSON text, for excerpts that underline a value and for byte-exact edits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re

_BLANKS = (" ", "\t", "\r", "\n")
_STRING = lazy_re(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_SCALAR = lazy_re(r"[^\s,\]}]+")


class Span:
    """A value: ``text[start:end]``, and its members.

    Attributes:
        start, end: of the value.
        member: for a member of an object, the start of its key; else ``start``.
        keys: members of an object by key; of repeated keys, the last.
        items: values of an object or list, in order.
        kind: ``{``, ``[`` or empty.
    """

    __slots__ = ("end", "items", "keys", "kind", "member", "start")

    def __init__(self, start: int, end: int = 0, member: int = 0) -> None:
        self.start = start
        self.end = end
        self.member = member
        self.keys: dict[str, Span] = {}
        self.items: list[Span] = []
        self.kind = ""

    def at(self, pointer: str) -> Span | None:
        """The value at a JSON pointer; ``None`` if there is none."""
        here: Span | None = self
        for part in parts(pointer):
            here = None if here is None else here.child(part)
        return here

    def child(self, part: str) -> Span | None:
        """The member of a key, or the item of an index."""
        if self.kind == "[":
            return self.items[int(part)] if part.isdecimal() and int(part) < len(self.items) else None
        return self.keys.get(part)

    def nearest(self, pointer: str) -> Span:
        """The value at the longest part of a JSON pointer that matches."""
        here = self
        for part in parts(pointer):
            child = here.child(part)
            if child is None:
                break
            here = child
        return here


@lru_cache(maxsize=1024)
def parts(pointer: str) -> tuple[str, ...]:
    """The keys and indices of a JSON pointer. Cached: rows have the same ones."""
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def read(text: str, start: int = 0) -> Span | None:
    """The spans of the JSON value that begins at ``text[start]``; ``None`` if there is none."""
    try:
        root, _ = _value(text, start)
    except (ValueError, IndexError, RecursionError):
        return None
    return root


class SpanFinder:
    """Finds values in a JSON text without reading all of it: only the way to a place is looked at.

    The items of a list that lie before a place are remembered, so that many findings in a long list cost one walk.

    Args:
        text: the JSON text.
        value: what it says.
    """

    def __init__(self, text: str, value: Any) -> None:
        self.text = text
        self.value = value
        self._members: dict[tuple[int, str], Span] = {}
        self._items: dict[int, tuple[list[Span], Iterator[Span]]] = {}

    def nearest(self, pointer: str) -> Span | None:
        """What :meth:`Span.nearest` gives, but without members; ``None`` if the text is not JSON."""
        text, value = self.text, self.value
        start = _skip(text, 0)
        if text[start : start + 1] not in ("{", "["):  # such as a byte order mark
            root = read(text)
            return root.nearest(pointer) if root is not None else None
        here = Span(start, 0, start)
        limit = len(text)  # `here` ends there, or before
        for part in parts(pointer):
            if type(value) is dict and part in value:
                found = self._members.get((here.start, part)) or self._member(here, limit, part)
                value = value[part]
            elif type(value) is list and part.isdecimal() and int(part) < len(value):
                found = self._item(here.start, int(part))
                value = value[int(part)]
            else:
                break
            here = found
            limit = here.end or limit
        here.end = here.end or _end_of(text, here.start)
        return here

    @cached_property
    def _is_plain(self) -> bool:
        return _ESCAPED.search(self.text) is None

    def _member(self, outer: Span, limit: int, key: str) -> Span:
        """The member of an object, which ends before ``limit``, with a key that it has."""
        text = self.text
        found = None
        if self._is_plain and _PLAIN_KEY.fullmatch(key):
            found = _sole_member(text, outer.start, outer.end or limit, key)
            if found is None and not outer.end:
                outer.end = _end_of(text, outer.start)
                found = _sole_member(text, outer.start, outer.end, key)
        if found is None:
            *_, found = (each for each in _members(text, outer.start) if _key_at(text, each.member) == key)
        self._members[outer.start, key] = found
        return found

    def _item(self, start: int, index: int) -> Span:
        """An item of the list at ``text[start]``, which has so many; its end is looked for with the next one."""
        known, others = self._items.setdefault(start, ([], _members(self.text, start)))
        known += islice(others, max(0, index + 1 - len(known)))
        return known[index]


_PLAIN_KEY = lazy_re(r"[A-Za-z0-9_\-]+")
_COLON = lazy_re(r"[ \t\r\n]*:[ \t\r\n]*")
_COMMA = lazy_re(r"[ \t\r\n]*,?[ \t\r\n]*")
_ESCAPED = lazy_re(r"\\u00[0-7]")
"""A character that a plain key may have, otherwise than in itself."""


def _sole_member(text: str, start: int, end: int, key: str) -> Span | None:
    """The member with a key that only one has between two places, its end not set; ``None`` if more have it.

    The text may also be a value there: ``"type": "function"`` before ``"function": {…}``.
    """
    written = f'"{key}"'
    found = value = -1
    at = text.find(written, start, end)
    while at >= 0:
        if match := _COLON.match(text, at + len(written)):
            if found >= 0:
                return None
            found, value = at, match.end()
        at = text.find(written, at + 1, end)
    return Span(value, 0, found)


def _members(text: str, at: int) -> Iterator[Span]:
    """The values of the members of an object, or of the items of a list."""
    has_keys = text[at] == "{"
    at = _skip(text, at + 1)
    while text[at] not in "]}":
        member = at
        if has_keys and (colon := _COLON.match(text, _end_of(text, at))):
            at = colon.end()
        span = Span(at, 0, member)
        yield span
        span.end = span.end or _end_of(text, at)
        if comma := _COMMA.match(text, span.end):
            at = comma.end()


def _key_at(text: str, at: int) -> str:
    return str(_scan(text, at)[0])


def _end_of(text: str, at: int) -> int:
    """Where the value ends that begins at ``text[at]``."""
    return _scan(text, at)[1]


_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_float=str, parse_int=str).scan_once  # type: ignore[attr-defined]
"""The value that begins somewhere, and where it ends; numbers are not converted."""


def _value(text: str, at: int) -> tuple[Span, int]:
    at = _skip(text, at)
    span = Span(at, member=at)
    first = text[at]
    if first not in "{[":
        match = (_STRING if first == '"' else _SCALAR).match(text, at)
        if match is None:
            raise ValueError
        span.end = match.end()
        return span, span.end
    span.kind = first
    close = "}" if first == "{" else "]"
    at = _skip(text, at + 1)
    while text[at] != close:
        member = at
        key = None
        if first == "{":
            match = _STRING.match(text, at)
            if match is None:
                raise ValueError
            key = jsontext.loads(match[0])
            at = _skip(text, match.end())
            if text[at] != ":":
                raise ValueError
            at += 1
        child, at = _value(text, at)
        child.member = member
        span.items.append(child)
        if key is not None:
            span.keys[key] = child
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        elif text[at] != close:
            raise ValueError
    span.end = at + 1
    return span, span.end


def _skip(text: str, at: int) -> int:
    """Where the whitespace that begins at ``text[at]`` ends."""
    while text[at : at + 1] in _BLANKS:
        at += 1
    return at
