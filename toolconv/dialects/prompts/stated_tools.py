"""Tools that a text declares: a system text, the prompt of a completion, or the first question.

A text is read in the wording of its own dialect, then in that of any other whose words it has. A text that is exactly
what the dialect writes is taken apart; otherwise the tools are read from between the dialect's opening and closing
words, and the text stays as it is. Last, a JSON list of objects with names, descriptions and schemas declares tools,
whatever the words around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from toolconv.core import lenient_json
from toolconv.core.declarations import declarations
from toolconv.core.messages import Tool
from toolconv.dialects.base import Dialect
from toolconv.dialects.chat import ChatFormat
from toolconv.dialects.registry import registered

LONGEST: Final = 200_000
"""The longest text that is searched for declarations in unknown words."""

LONGEST_KEPT: Final = 1 << 16
"""The longest text whose tools are remembered."""

_TAG_WORDS: Final = ("tool", "function", "Tool", "TOOL", "FUNCTION", "action", "invoke", "plugin", "✿")
"""A text that shows markup for calls has one of these."""

_SHORTEST_OPENING: Final = 6
_TRIES: Final = 8


class Stated(NamedTuple):
    """The tools that a text declares.

    Attributes:
        tools: the canonical tools.
        rest: the text without the declaration; ``None`` if it can't be taken out.
    """

    tools: list[Tool]
    rest: str | None = None


def may_state_tools(text: str) -> bool:
    """Whether a text may declare tools: a cheap check that is true for all that do.

    It has braces of JSON, a docstring or an arrow or a tag, and one of the words around these. Single characters are
    looked for first, which most texts don't have.
    """
    quoted, closed = '"' in text, ">" in text
    if "{" not in text and not (quoted and '"""' in text) and not (closed and ("=>" in text or "<name>" in text)):
        return False
    return (
        (quoted and ('"name"' in text or '"parameters"' in text or '"type"' in text))
        or (closed and ("=> any;" in text or "<name>" in text))
        or "'name'" in text
        or "declaration:" in text
        or "def " in text
    )


def may_instruct(text: str) -> bool:
    """Whether a text may declare tools or show markup for calls: a cheap check that is true for all that do."""
    if len(text) > LONGEST:
        return False
    if may_state_tools(text):
        return True
    if "<" not in text and "[" not in text and "✿" not in text:
        return False
    return any(word in text for word in _TAG_WORDS)


def stated_tools(text: str, dialect: Dialect | None = None, *, is_question: bool = False) -> Stated | None:
    """The tools that a text declares; ``None`` if there are none.

    Args:
        text: the text.
        dialect: the dialect of the conversation, which is asked first.
        is_question: the text is the first question; only a declaration at its beginning counts.
    """
    if is_question and "{" not in text:
        return None
    read = _stated if len(text) <= LONGEST_KEPT else _stated.__wrapped__
    return read(text, dialect, is_question) if may_state_tools(text) else None


@lru_cache(maxsize=64)
def _stated(text: str, dialect: Dialect | None, is_question: bool) -> Stated | None:
    if is_question:
        return _leading(text)
    if dialect is not None and (found := dialect.chat.read_declaration(text)) is not None:
        return Stated(found[1], found[0])
    for chat in known_chats():
        if chat.tools_open in text and (found := chat.read_declaration(text)) is not None:
            return Stated(found[1], found[0])
    tools: list[Tool] = next(
        (tools for chat, opening, closing in _marks() for tools in _between(text, chat, opening, closing)), []
    )
    if not tools and len(text) <= LONGEST:
        tools = _listed(text)
    return Stated(tools) if tools else None


def _leading(text: str) -> Stated | None:
    """Tools that are declared before a question, as Llama's templates do."""
    for chat in known_chats():
        if text.startswith(chat.tools_open) and (found := chat.read_leading(text)) is not None:
            return Stated(found[1], found[0])
    if any(_begins_with(text, chat.tools_open) for chat in known_chats()) and (tools := _listed(text)):
        return Stated(tools)
    return None


def _begins_with(text: str, opening: str) -> bool:
    """Whether a text begins with the words of a declaration, whatever the whitespace between them."""
    at = 0
    for char in "".join(opening.split()):
        while text[at : at + 1].isspace():
            at += 1
        if text[at : at + 1] != char:
            return False
        at += 1
    return True


def _between(text: str, chat: ChatFormat, opening: str, closing: str) -> Iterator[list[Tool]]:
    """The tools after each opening, up to the closing words or the end."""
    start = text.find(opening)
    while start >= 0:
        start += len(opening)
        end = text.find(closing, start) if closing else len(text)
        if end < 0:
            return
        if tools := chat.read(text[start:end].strip()):
            yield tools
        start = text.find(opening, start)


def _listed(text: str) -> list[Tool]:
    """Tools in JSON objects with names, descriptions and schemas."""
    if '"name"' not in text or '"description"' not in text:
        return []
    tools: list[Tool] = []
    tries, start = _TRIES, text.find("{")
    while start >= 0 and tries:
        try:
            reading = lenient_json.read(text, start)
        except lenient_json.Unreadable:
            tries -= 1
            start = text.find("{", start + 1)
            continue
        found = [each.tool for each in declarations(reading.value) if each.named]
        found = [tool for tool in found if {"description", "parameters"} <= tool.get("function", tool).keys()]
        tools += found
        tries -= not found
        start = text.find("{", reading.end)
    return tools


@lru_cache(maxsize=1)
def _of(dialects: tuple[Dialect, ...]) -> tuple[list[ChatFormat], list[tuple[ChatFormat, str, str]]]:
    """The declarations of dialects with words of their own, and their last words before and first words after tools."""
    chats: dict[tuple[Any, ...], ChatFormat] = {}
    marks: dict[tuple[str, str, Any], ChatFormat] = {}
    for chat in (dialect.chat for dialect in dialects):
        opening = _last_line(chat.tools_open).removesuffix("[").strip()
        closing = next((line.strip() for line in chat.tools_close.split("\n") if line.strip()), "")
        closing = closing.removeprefix("]").strip()
        if len(chat.tools_open.strip()) >= _SHORTEST_OPENING and chat != ChatFormat():
            chats.setdefault((chat.tools_open, chat.tools_close, chat.bare_tools, chat.read), chat)
        if len(opening) >= _SHORTEST_OPENING and not opening.startswith("#"):
            marks.setdefault((opening, closing, chat.read), chat)
    return list(chats.values()), [(chat, opening, closing) for (opening, closing, _), chat in marks.items()]


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.split("\n")) if line.strip()), "")


def known_chats() -> list[ChatFormat]:
    """The declarations of all dialects that have words of their own."""
    return _of(registered())[0]


def _marks() -> list[tuple[ChatFormat, str, str]]:
    return _of(registered())[1]
