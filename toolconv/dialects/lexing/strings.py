"""Markup in the strings of a text: a string of a whole object, or of a call in Python, is a value with all it holds.

So no dialect finds a call there, whatever a file that a model writes is about.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.documents import has_keys_of_call
from toolconv.dialects.lexing.markers import openers
from toolconv.dialects.lexing.mentions import TAG, Brackets, kind_of

MAY_HOLD_MARKUP: Final = lazy_re(
    r"[:,(\[=]\s{0,8}+(?P<quote>[\"'])(?>(?:(?!(?P=quote))[^\\<\[{✿]|\\.)*)[<\[{✿]", re.DOTALL
)
"""A string that begins where a value does, as far as what may be markup."""
_OBJECT: Final = lazy_re(r"\{\s*+\"(?:[^\"\\]|\\.)*+\"\s*+:")
_CALL: Final = lazy_re(r"(?<![\w.])([^\W\d][\w.]{0,127})\((?=[^\W\d]\w{0,63}\s?=\s?[\"'\[{])")
_IN_JSON: Final = lazy_re(r"(?<!\\)\"(?P<value>(?:[^\"\\]|\\.)*+)\"", re.DOTALL)
_IN_PYTHON: Final = lazy_re(r"(?<!\\)(?P<quote>[\"'])(?P<value>(?>(?:(?!(?P=quote))[^\\\n]|\\.)*))(?P=quote)")


def markup_in_strings(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places in strings of what else may be taken for a part of a call.

    Args:
        text: an assistant turn.
        tools: the tools declared to the model.
    """
    found: list[tuple[int, int]] = []
    brackets = Brackets(text)
    at = 0
    for start, bracket in sorted(_places(text, tools)):
        end = brackets.end(bracket) if start >= at else None
        if end is None:
            continue
        is_object = text[bracket] == "{"
        strings = (_IN_JSON if is_object else _IN_PYTHON).finditer(text, bracket, end)
        held = [place for string in strings for place in _held(text, *string.span("value"), python=not is_object)]
        if held and not (is_object and _is_damaged(text[start:end])):
            found += held
            at = end
    return found


def _held(text: str, start: int, end: int, *, python: bool) -> list[tuple[int, int]]:
    """What may be taken for a part of a call in the string ``text[start:end]``: tags, and JSON that Python quotes."""
    if python and "{" in text[start:end] and has_keys_of_call(text[start:end]):
        return [(start, end)]
    return [tag.span() for tag in TAG.finditer(text, start, end) if _may_mislead(tag[0])]


def _places(text: str, tools: ToolIndex) -> Iterator[tuple[int, int]]:
    """Where objects begin, and calls of declared tools in Python, or in a list; and where the brackets of these do."""
    if "{" in text:
        yield from ((match.start(), match.start()) for match in _OBJECT.finditer(text))
    if "(" in text:
        for match in _CALL.finditer(text):
            if match[1] in tools or text[max(0, match.start() - 1) : match.start()] == "[":
                yield match.start(), match.end() - 1


def _may_mislead(tag: str) -> bool:
    """Whether a tag may be taken for a part of a call. What ends thoughts may end them in a call, too."""
    return "think" not in tag.lower() if tag[0] == "<" else tag in openers() or bool(kind_of(tag))


def _is_damaged(text: str) -> bool:
    """Whether an object is not JSON, apart from line breaks in its strings."""
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return True
    return False
