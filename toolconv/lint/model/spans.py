"""The position of each value in a JSON text, for excerpts that underline a value and for byte-exact edits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from json.encoder import encode_basestring_ascii
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.json_pointer import steps_of
from toolconv.core.lazy_re import end_of, lazy_re

MAX_SEARCHED: Final = 20_000
"""A longer row may have thousands of findings: it is not searched from its beginning for each."""

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
        for part in steps_of(pointer):
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
        for part in steps_of(pointer):
            child = here.child(part)
            if child is None:
                break
            here = child
        return here


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
        self._members: dict[tuple[int, str], tuple[int, int]] = {}  # by object and key: of the key, of the value
        self._items: dict[int, list[int]] = {}  # by list: of its first items
        self._ends: dict[int, int] = {}

    def nearest(self, pointer: str) -> Span | None:
        """What :meth:`Span.nearest` gives, but without members; ``None`` if the text is not JSON."""
        if (found := self._sole_text(pointer)) is not None:
            return found
        text, value = self.text, self.value
        here = member = _skip(text, 0)
        if text[here : here + 1] not in ("{", "["):  # such as a byte order mark
            root = read(text)
            return root.nearest(pointer) if root is not None else None
        limit = len(text)  # what is at `here` ends there, or before
        for part in steps_of(pointer):
            if type(value) is dict and part in value:
                member, here = self._members.get((here, part)) or self._member(here, limit, part)
                value = value[part]
            elif type(value) is list and part.isdecimal() and int(part) < len(value):
                here = member = self._item(here, int(part))
                value = value[int(part)]
            else:
                break
            limit = self._ends.get(here, limit)
        return Span(here, self._end(here), member)

    def _sole_text(self, pointer: str) -> Span | None:
        """The value at a pointer if it is a text that a short row has only once, as most turns are."""
        path, value, key = steps_of(pointer), self.value, ""
        for key in path:
            if type(value) is dict:
                value = value.get(key)
            else:
                value = value[int(key)] if type(value) is list and key.isdecimal() and int(key) < len(value) else None
        if type(value) is not str or self._spelling is None:
            return None
        text, written, named = self.text, self._spelling(value), f"{self._spelling(key)}:"
        start = text.find(written)
        if start < 0 or text.find(written, start + 1) >= 0:
            return None
        member = text.rfind(named, 0, start)
        if member < 0 or text[member + len(named) : start].strip():
            return None
        return Span(start, start + len(written), member)

    @cached_property
    def _spelling(self) -> Callable[[str], str] | None:
        """What spells each text as the row does; ``None`` if it may spell one in several ways."""
        if len(self.text) > MAX_SEARCHED or "\\/" in self.text:
            return None
        if "\\u" not in self.text:
            return _plainly_spelled
        return encode_basestring_ascii if self.text.isascii() and _ODD_ESCAPE.search(self.text) is None else None

    def _end(self, start: int) -> int:
        """Where the value ends that begins at ``text[start]``."""
        end = self._ends.get(start)
        if end is None:
            end = self._ends[start] = _end_of(self.text, start)
        return end

    @cached_property
    def _is_plain(self) -> bool:
        return _ESCAPED.search(self.text) is None

    def _member(self, start: int, limit: int, key: str) -> tuple[int, int]:
        """The member of an object, which ends before ``limit``, with a key that it has: where key and value begin."""
        text = self.text
        found = None
        if self._is_plain and _is_plain_key(key):
            found = _sole_member(text, start, self._ends.get(start, limit), key)
            if found is None and start not in self._ends:
                found = _sole_member(text, start, self._end(start), key)
        if found is None:
            *_, found = (each for each in _members(text, start) if _scan(text, each[0])[0] == key)
        self._members[start, key] = found
        return found

    def _item(self, start: int, index: int) -> int:
        """Where an item of the list at ``text[start]`` begins, which has so many."""
        known = self._items.get(start)
        if known is None:
            known = self._items[start] = [_skip(self.text, start + 1)]
        while len(known) <= index:
            known.append(end_of(_COMMA, self.text, self._end(known[-1])))
        return known[index]


def _plainly_spelled(text: str) -> str:
    return jsontext.dumps(text).decode()


_ODD_ESCAPE = lazy_re(r"\\u(?!(?:0[1-9a-f]|[1-9a-f][0-9a-f])[0-9a-f]{2}|00(?:[189a-f][0-9a-f]|0[0-7bef]))")
"""An escape that Python's ``json`` does not write."""


@lru_cache(maxsize=1024)
def _is_plain_key(key: str) -> bool:
    return _PLAIN_KEY.fullmatch(key) is not None


_PLAIN_KEY = lazy_re(r"[A-Za-z0-9_\-]+")
_COLON = lazy_re(r"[ \t\r\n]*:[ \t\r\n]*")
_COMMA = lazy_re(r"[ \t\r\n]*,?[ \t\r\n]*")
_ESCAPED = lazy_re(r"\\u00[0-7]")
"""A character that a plain key may have, otherwise than in itself."""


def _sole_member(text: str, start: int, end: int, key: str) -> tuple[int, int] | None:
    """The member with a key that only one has between two places; ``None`` if more have it.

    The text may also be a value there: ``"type": "function"`` before ``"function": {…}``.
    """
    written = f'"{key}"'
    found = None
    at = text.find(written, start, end)
    while at >= 0:
        if match := _COLON.match(text, at + len(written)):
            if found is not None:
                return None
            found = at, match.end()
        at = text.find(written, at + 1, end)
    return found


def _members(text: str, start: int) -> Iterator[tuple[int, int]]:
    """The members of an object: where the key begins, and the value."""
    at = _skip(text, start + 1)
    while text[at] != "}":
        value = end_of(_COLON, text, _end_of(text, at))
        yield at, value
        at = end_of(_COMMA, text, _end_of(text, value))


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
