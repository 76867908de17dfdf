"""The position of each value in a JSON text, for excerpts that underline a value and for byte-exact edits."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re

_BLANKS = (" ", "\t", "\r", "\n")
_BLANK = lazy_re(r"[ \t\r\n]*")
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


def nearest(text: str, pointer: str) -> Span | None:
    """What :meth:`Span.nearest` gives for the value of a whole text, but without members; ``None`` if it is not JSON.

    Only the way to that value is looked at: what stands beside it is skipped by the scanner in C.
    """
    try:
        start = _skip(text, 0)
        here = Span(start, _scan(text, start)[1], start)
        for part in parts(pointer):
            index = int(part) if part.isdecimal() else -1
            is_list = text[here.start] == "["
            found = None
            for number, (key, span) in enumerate(_members(text, here.start)):
                if (number == index) if is_list else (key == part):
                    found = span
            if found is None:
                break
            here = found
    except (StopIteration, ValueError, IndexError, RecursionError):  # what the scanner can't read, too
        root = read(text)
        return root.nearest(pointer) if root is not None else None
    return here


_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_float=str, parse_int=str).scan_once  # type: ignore[attr-defined]
"""The value that begins somewhere, and where it ends; numbers are not converted."""


def _members(text: str, at: int) -> Iterator[tuple[str | None, Span]]:
    """The members of an object, each with its key, or the items of a list; nothing for another value."""
    first = text[at]
    if first not in "{[":
        return
    close = "}" if first == "{" else "]"
    key = None
    at = _skip(text, at + 1)
    while text[at] != close:
        member = at
        if first == "{":
            key, at = _scan(text, at)
            at = _skip(text, at)
            if text[at] != ":":
                raise ValueError
            at = _skip(text, at + 1)
        start = at
        _, at = _scan(text, at)
        yield key, Span(start, at, member)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        elif text[at] != close:
            raise ValueError


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
    if text[at : at + 1] not in _BLANKS:
        return at
    match = _BLANK.match(text, at)
    return match.end() if match else at
