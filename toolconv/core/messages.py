"""The plain JSON data that all steps share: rows, messages, tools, and the texts and calls of messages.

A *canonical row* is the OpenAI chat row with ``arguments`` as objects and ``content`` always text (or a list of content
parts). Plain data keeps unknown row keys and message keys, and their order, without extra code. Calls are also
:class:`~toolconv.core.tool_call.ToolCall`, the typed form that dialects read and write.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.notes import Notes

Row = dict[str, Any]
"""A JSON object: one row of a dataset."""

Message = dict[str, Any]
"""A message of a canonical row: ``role``, ``content``, ``reasoning_content``, ``tool_calls``, ``tool_call_id``, …"""

Tool = dict[str, Any]
"""A declared tool, ``{"type": "function", "function": {"name", "description", "parameters"}}``."""

SYSTEM_ROLES: Final = ("system", "developer")
"""The roles of messages that instruct the model."""

TEXT_PARTS = ("text", "input_text", "output_text", None)
"""The types of content parts that are text, in the APIs of OpenAI and those who copy it."""


def text_of(content: Any, between: str = "") -> tuple[str, bool]:
    """The text of a content, and whether that is all of it.

    The texts of content parts are joined by ``between``: nothing, as the providers do. Parts that are not text,
    such as images, are left out. Anything else than text and parts becomes JSON.
    """
    if isinstance(content, str):
        return content, True
    if content is None:
        return "", True
    if not isinstance(content, list):
        return jsontext.spaced(content), False
    texts = text_parts(content)
    return between.join(texts), len(texts) == len(content) > 0


def only_text_of(content: Any, between: str = "") -> tuple[str, bool]:
    """The same, and whether there is nothing else: neither other parts nor other keys of a text, such as citations."""
    text, whole = text_of(content, between)
    return text, whole and (content is None or isinstance(content, str) or all(map(_is_bare, content)))


def _is_bare(part: Any) -> bool:
    return isinstance(part, str) or not any(part[key] for key in part if key not in ("type", "text"))


def text_parts(parts: Sequence[Any]) -> list[str]:
    """The texts of those content parts that are text."""
    texts = []
    for part in parts:
        if isinstance(part, dict) and part.get("type") in TEXT_PARTS:
            part = part.get("text")
        if isinstance(part, str):
            texts.append(part)
    return texts


def one_text(content: Any, notes: Notes, between: str = "") -> tuple[str, bool]:
    """The texts of a content as one, and whether it is nothing else: if not, that is a loss, and so is each joint."""
    text, whole = only_text_of(content, between)
    joints = len(text_parts(content)) - 1 if isinstance(content, list) else 0
    notes.losses += ["content_parts"] * (max(joints, 0) + (not whole))
    return text, whole


def calls_of(message: Message) -> list[dict[str, Any]]:
    """The well-formed call items of a canonical message."""
    calls = message.get("tool_calls")
    if not calls or type(calls) is not list:
        return []
    for call in calls:
        if type(call) is not dict or type(call.get("function")) is not dict:
            return [call for call in calls if isinstance(call, dict) and isinstance(call.get("function"), dict)]
    return calls


def read_calls_of(message: Message) -> list[dict[str, Any]]:
    """The calls of a canonical message whose arguments are an object: without the dropped ones."""
    return [call for call in calls_of(message) if type(call["function"].get("arguments")) is dict]
