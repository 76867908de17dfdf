"""Hides the markup that a text only shows from the grammars, and brings it back in what they read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from toolconv.core.tools import ToolIndex
from toolconv.dialects.lexing.markers import marked_dialects
from toolconv.dialects.lexing.mentions import FENCE, INLINE, TAG, explains_code, is_mention, kind_of, spaces

_MASKS: Final = {"<": "\ue001", "[": "\ue002", "✿": "\ue003", "{": "\ue004"}
_MASK: Final = str.maketrans(_MASKS)


def shown_places(text: str, tools: ToolIndex, *, plain_fences: bool = False) -> list[tuple[int, int]]:
    """Where a text only shows markup, in order and without overlaps.

    Markup is shown in inline code, where a sentence mentions a tag, and in code blocks that prose follows, unless they
    name a declared tool.

    Args:
        text: an assistant turn.
        tools: the tools declared to the model.
        plain_fences: code blocks without tags may hold calls, and so show them.
    """
    if not any(sign in text for sign in _MASKS) or any(mask in text for mask in _MASKS.values()):
        return []
    places = [match.span() for match in TAG.finditer(text) if kind_of(match[0]) and is_mention(text, *match.span())]
    if "`" in text:
        spans = [match.span() for match in INLINE.finditer(FENCE.sub(spaces, text))]
        places += [(start, end) for start, end in spans if _is_shown(text, start, end)]
        if "```" in text and explains_code(text):
            places += _shown_fences(text, tools, plain=plain_fences)
    found: list[tuple[int, int]] = []
    at = 0
    for start, end in sorted(places):
        if end > at:
            found.append((max(at, start), end))
            at = end
    return found


def masked(text: str, places: Iterable[tuple[int, int]]) -> str:
    """A text in which placeholders stand for the markup at some places; :func:`unmasked` undoes it."""
    pieces: list[str] = []
    at = 0
    for start, end in places:
        pieces += text[at:start], text[start:end].translate(_MASK)
        at = end
    return "".join([*pieces, text[at:]]) if pieces else text


def _shown_fences(text: str, tools: ToolIndex, *, plain: bool) -> list[tuple[int, int]]:
    """The code blocks that show calls, where prose follows the last one."""
    found = []
    if not marked_dialects(FENCE.sub(spaces, text)):  # else the blocks may be parts of calls
        for match in FENCE.finditer(text):
            tagged = any(kind_of(tag) for tag in TAG.findall(match[0]))
            if (tagged or plain) and not any(name in match[0] for name in tools.functions):
                found.append(match.span())
    return found


def _is_shown(text: str, start: int, end: int) -> bool:
    """Whether inline code shows a whole call, or none: a lone backtick before a call does neither."""
    inside = text[start:end].strip("` ")
    return inside.startswith(tuple(_MASKS)) or "{" not in inside


def unmasked(value: Any) -> Any:
    """A text, or JSON value, without the placeholders of :func:`masked`."""
    if isinstance(value, str):
        for sign, mask in _MASKS.items():
            value = value.replace(mask, sign)
        return value
    if isinstance(value, dict):
        return {unmasked(key): unmasked(item) for key, item in value.items()}
    return [unmasked(item) for item in value] if isinstance(value, list) else value
