"""Text from data on a terminal: safe to print, and how wide it is."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def escape(text: str) -> str:
    """``text`` with control and bidirectional characters escaped."""
    if text.isprintable():
        return text
    return "".join(char if _visible(char) else char.encode("unicode_escape").decode() for char in text)


def escape_lines(text: str) -> str:
    """Like :func:`escape`, but keeps line breaks."""
    return "\n".join(map(escape, text.split("\n")))


def escaped_json(document: bytes) -> str:
    """A JSON document with control and bidirectional characters as JSON escapes; the values don't change."""
    text = document.decode()
    if text.isprintable():
        return text
    return "".join(char if char == "\n" or _visible(char) else _json_escape(char) for char in text)


def _json_escape(char: str) -> str:
    units = char.encode("utf-16-be").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _visible(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"  # e.g. the ideographic space of Chinese text


def width_of(text: str) -> int:
    """How many columns of a terminal ``text`` takes: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    return sum(map(column, text))


@lru_cache(maxsize=4096)
def column(char: str) -> int:
    """How many columns a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
