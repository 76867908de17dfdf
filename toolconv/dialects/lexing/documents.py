"""Texts that are XML or HTML and no call: all their elements are closed, and none has a name that begins calls."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from toolconv.core.call_keys import ARGUMENT_KEYS, NAME_KEYS, TOOL_NAME_KEYS
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.damaged_markup import calls_by_arguments
from toolconv.dialects.lexing.markers import marked_dialects, openers, parts
from toolconv.dialects.lexing.mentions import kind_of

_ELEMENT: Final = lazy_re(r"<(?P<close>/?)(?P<name>[A-Za-z][\w:.\-]{0,80})(?P<rest>[^<>]{0,2000}?)(?P<empty>/?)>")
_UNCLOSED: Final = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})
"""Elements of HTML that nothing closes."""
_IN_ELEMENT: Final = lazy_re(r"<([A-Za-z][\w:.\-]{0,80})>\s*+(?P<calls>[\[{][^<]*+)</\1>\s*+")
"""An element that holds an object, or a list, and nothing else."""
_BEFORE_NAME: Final = lazy_re(r"<[\w:.\-]{1,80}(?:>\s*+|\s+[\w:.\-]{1,80}=[\"'])")
"""A tag, or one up to the value of its first attribute."""
_KEYS: Final = tuple(tuple(f'"{key}"' for key in keys) for keys in ((*NAME_KEYS, *TOOL_NAME_KEYS), ARGUMENT_KEYS))


def markup_of_documents(text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places of the elements of XML or HTML in a text, each with all it holds; none if one may be a call."""
    if ("</" not in text and "/>" not in text) or marked_dialects(text):
        return []
    stack: list[str] = []
    found: list[tuple[int, int]] = []
    first = -1
    declared = tools.functions
    ordinary: dict[str, bool] = {}
    for match in _ELEMENT.finditer(text):
        name = match["name"]
        if name not in ordinary:
            inner = f"<{name}>" in parts() and "_" in name
            if inner or _begins_calls(name) or name.rpartition(":")[2] in declared:
                return []
            ordinary[name] = not _is_part(name, parts())
        if (declared and match["rest"].strip(" :=\"'") in declared) or not (stack or match["close"] or ordinary[name]):
            return []
        if not stack:
            first = match.start()
        if match["close"]:
            if not stack or stack.pop() != name:
                return []
        elif not match["empty"] and name.lower() not in _UNCLOSED:
            stack.append(name)
        if not stack:
            found.append((first, match.end()))
    if not found or stack or _are_tags_of_calls(text, found[0][0]):
        return []
    return [] if tools and _names_tool(text[found[0][0] : found[-1][1]], tools) else found


def has_keys_of_call(value: str) -> bool:
    """Whether an object in JSON, or one written as in Python, has a key for a name and one for arguments."""
    value = value.replace("'", '"')
    return all(any(key in value for key in keys) for keys in _KEYS)


def _are_tags_of_calls(text: str, start: int) -> bool:
    """Whether a text is, from a place on, elements which each hold JSON with the keys of a call, and no words.

    Then a model has made up their tags.
    """
    while start < len(text):
        match = _IN_ELEMENT.match(text, start)
        if match is None or not has_keys_of_call(match["calls"]):
            return False
        start = match.end()
    return True


def _names_tool(text: str, tools: ToolIndex) -> bool:
    """Whether some elements begin with the name of a declared tool, and one of its arguments follows.

    Then a model has made up their tags, too.
    """
    calls = calls_by_arguments(text, tools)
    if not calls:
        return False
    start, end = calls[0]
    return _BEFORE_NAME.fullmatch(text, 0, start) is not None and not text.startswith("(", end)


def _begins_calls(name: str) -> bool:
    """Whether an element is one that begins calls, or thoughts."""
    bare = f"<{name}>"
    return bool(kind_of(bare)) or bare in openers() or name == "function" or "think" in name


@lru_cache(maxsize=1024)
def _is_part(name: str, parts: frozenset[str]) -> bool:
    """Whether an element is a part of calls, of which some tags are parts."""
    return name.rpartition(":")[2] in ("parameter", "param") or any(
        part.startswith((f"<{name}>", f"<{name} ")) for part in parts
    )
