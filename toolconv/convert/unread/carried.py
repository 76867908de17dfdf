"""What a row carries along, and whether any of it may be what nobody read: most rows don't load the search for it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from toolconv import layouts
from toolconv.convert.unread.signs import (
    BLOCKS,
    NESTED,
    SHORT,
    SYSTEM_WORDS,
    are_of_no_kind,
    are_plain,
    is_alone,
    is_answered,
    is_prose,
)
from toolconv.core.conversation import Conversation
from toolconv.core.declarations import are_canonical
from toolconv.core.key_words import QUESTIONS, TEXT_NAMES, words_of
from toolconv.core.messages import SYSTEM_ROLES, Row
from toolconv.core.rows import AUGMENTED
from toolconv.dialects.lexing.markers import may_show_calls
from toolconv.layouts.base import Layout
from toolconv.layouts.other_keys import MESSAGE_KEYS
from toolconv.layouts.tool_places import CONFIG_KEYS, TOOL_KEYS

TEXT_WORDS: Final = SYSTEM_WORDS | QUESTIONS
"""Words in the keys of system texts and of questions."""


def layout_of(conversation: Conversation) -> Layout:
    """The layout that a conversation was read in; of one made by a program, the canonical one."""
    name = conversation.read_as or (conversation.origin[0] if conversation.origin is not None else "canonical")
    return layouts.get(name)


def may_hold_unread(row: Row, layout: Layout) -> bool:
    """Whether a row carries anything along next to messages and tools, or a message does next to what is read of it.

    Or its layout leaves out what it does not know.
    """
    if layout.leaves_out or layout.known_keys:
        return True
    messages = row["messages"]
    if is_alone(messages):
        return True
    for message in messages:
        if not MESSAGE_KEYS.issuperset(message):
            return True
        if "tool_calls" in message and not are_plain(message["tool_calls"]):
            return True
        if "content" in message:
            content = message["content"]
            if content.__class__ is not str:
                if content:
                    return True
            elif content.startswith(BLOCKS):
                return True
    if not are_declared(row.get("tools")):
        return True
    keys = carried(tuple(row))
    spoken = bool(keys) and is_answered(messages) and not messages[-1].get("tool_calls")
    roles = (message.get("role") for message in messages)
    spoken = spoken and next(role for role in roles if role not in SYSTEM_ROLES) == "user"
    for key in keys:
        value = row[key]
        if value and (value.__class__ in NESTED or (value.__class__ is str and _may_say(key, value, spoken))):
            return True
    return False


def may_lack(conversation: Conversation, layout: Layout) -> bool:
    """Whether there may be anything in a row that nobody read, so that it must be searched."""
    return may_hold_unread(conversation.row, layout) or not _is_whole(conversation)


def _is_whole(conversation: Conversation) -> bool:
    """Whether each text of several words in the original row is certainly in its conversation.

    Calls, with their arguments, and results that have names are counted where they are read.
    """
    if conversation.origin is None:
        return True
    row = conversation.row
    waiting: list[Any] = []
    for key, value in conversation.origin[1].items():
        if row.get(key) is not value and key not in TOOL_KEYS:
            waiting.append(value)
    texts = {text for text in conversation.unparsed if text.__class__ is str}
    all_texts: set[str] | None = None  # most rows don't need those that were parsed
    for value in waiting:  # which grows
        if value.__class__ is str:
            if " " not in value or value in texts:
                continue
            if all_texts is None:
                kept = (text for message in row["messages"] for text in message.values())
                all_texts = texts.union(text for text in kept if text.__class__ is str)
            if value not in all_texts and value.strip() not in all_texts and not _is_named(value):
                return False
        elif value.__class__ is dict:
            if "arguments" in value:
                value = {key: member for key, member in value.items() if key != "arguments"}
            waiting.extend(value.values())
        elif value.__class__ is list:
            waiting.extend(value)
    return True


def _is_named(text: str) -> bool:
    """Whether a text seems to be calls, or results, in JSON."""
    return text.startswith(("{", "[")) and '"name"' in text


def are_declared(tools: Any) -> bool:
    """Whether the value of ``tools`` is a list of declarations, or there are none."""
    return not tools or (type(tools) is list and are_canonical(tools))


def _may_say(key: str, text: str, spoken: bool) -> bool:
    """Whether a text that a row carries along may belong to its conversation."""
    if len(text) > SHORT and may_show_calls(text):
        return True
    if is_prose(text) and are_of_no_kind((key,)):
        return True
    return not spoken or key.lower() in TEXT_NAMES or not words_of(key).isdisjoint(TEXT_WORDS)


@lru_cache(maxsize=256)
def carried(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of a row that are carried along."""
    others = {"messages", "id", AUGMENTED, *TOOL_KEYS - CONFIG_KEYS}
    return tuple(key for key in keys if key not in others)
