"""What of a row nobody read: answers, messages and calls among the values that a conversation carries along.

A layout says what it uses; every other value of a row stays where it is, in the canonical row or in a message. Those
values are looked at once, when the conversation is complete. What the conversation holds as well is a copy, and fine.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import Any, Final

from toolconv.convert.trial import KeyOption, is_read_at, read_with, typed
from toolconv.convert.unread.held import Held, is_answered
from toolconv.convert.unread.in_messages import BLOCKS, look_into_message
from toolconv.convert.unread.in_records import look_into_records, look_into_unknown_keys
from toolconv.convert.unread.in_rows import look_into_row, look_into_tools
from toolconv.convert.unread.places import OriginalRow, steps_of
from toolconv.convert.unread.signs import (
    SYSTEM_WORDS,
    are_plain,
)
from toolconv.convert.unread.values import NESTED, SHORT, ValueSearch
from toolconv.core.conversation import Conversation
from toolconv.core.declarations import are_canonical
from toolconv.core.key_words import (
    QUESTIONS,
    TEXT_NAMES,
    words_of,
)
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Unread
from toolconv.core.rows import AUGMENTED
from toolconv.dialects.lexing.markers import may_show_calls
from toolconv.dialects.turn_reader import TurnReader
from toolconv.layouts.base import Layout
from toolconv.layouts.other_keys import MESSAGE_KEYS
from toolconv.layouts.tool_places import CONFIG_KEYS, TOOL_KEYS, pointer_to, value_at

TEXT_WORDS: Final = SYSTEM_WORDS | QUESTIONS
"""Words in the keys of system texts and of questions."""
TRIALS: Final = 8
"""How many options are tried on a row."""


def find_unread(conversation: Conversation, reader: TurnReader | None) -> list[Unread]:
    """What nobody read of a conversation whose texts have been parsed.

    Args:
        conversation: the conversation; it is not changed.
        reader: reads texts; ``None`` to leave them alone.
    """
    search = ValueSearch(Held(conversation), reader)
    row, layout = conversation.row, search.held.layout
    if not _are_declared(row.get("tools")):
        look_into_tools(search, row["tools"])
    for key in _carried(tuple(row)):
        value = row[key]
        kept = layout.run_records.get(key, layout.run_records) is not None
        if value and kept and (type(value) is str or type(value) is dict or type(value) is list):
            look_into_row(search, key, value)
    holders: list[Any] = [row] * len(search.found)
    pointers: list[str] | None = None
    for at, message in enumerate(search.held.messages):
        if _carries(message):
            pointers = _pointers(search.held) if pointers is None else pointers
            after = search.held.messages[at + 1 : at + 2]
            look_into_message(search, pointers[at], message, called=bool(after) and after[0].get("role") == "tool")
            holders += [message] * (len(search.found) - len(holders))
    if conversation.origin is not None:
        if layout.leaves_out:
            look_into_records(search, conversation.origin[1])
        if layout.known_keys:
            look_into_unknown_keys(search, conversation.origin[1], layout.known_keys)
        holders += [conversation.origin[1]] * (len(search.found) - len(holders))
    return _named(search, holders) if search.found else []


def _named(search: ValueSearch, holders: list[Any]) -> list[Unread]:
    """What was found, by its place in the original row, with the option that reads it if one does.

    ``holders`` are the values of the conversation in which each was found.
    """
    conversation = search.held.conversation
    came = conversation.row if conversation.origin is None else conversation.origin[1]
    came = came if conversation.answers is None else conversation.answers.row
    places, named = OriginalRow(came), []
    tried: dict[tuple[str, ...], str] = {}
    for found, holder in zip(search.found, holders, strict=True):
        above, *keys = found.path
        value = value_at(holder, tuple(keys))
        path = places.of((*steps_of(above), *keys), value)
        option = ""
        if found.option is not None and not above:
            whole = (found.option, *takewhile(lambda step: not step.isdecimal(), path))
            if whole not in tried and len(tried) < TRIALS:
                tried[whole] = _tried(conversation, came, found.option, whole[1:])
            option = tried.get(whole, "")
        named.append(Unread(pointer_to(path), found.kind, found.what, option))
    return named


def _tried(conversation: Conversation, came: Row, option: KeyOption, path: tuple[str, ...]) -> str:
    """An option with a path, as it is typed, if it reads what is there, and no fewer messages; else an empty text."""
    if not path:
        return ""
    keys: dict[KeyOption, str] = {option: ".".join(path)}
    read = read_with(came, keys)
    if read is None:
        return ""
    if option in ("text_key", "prompt_key"):
        before, after = (sum(field.size for field in each.fields) for each in (conversation, read))
        if after < before or not is_read_at(read, path):
            return ""
    return typed(keys)


def _pointers(held: Held) -> list[str]:
    """The place of each message in the row."""
    found = [pointer for field in held.conversation.fields for pointer in field.pointers()]
    return found if len(found) == len(held.messages) else [f"/messages/{at}" for at in range(len(held.messages))]


def may_hold_unread(row: Row, layout: Layout) -> bool:
    """Whether a row carries anything along next to messages and tools, or a message does next to what is read of it.

    Or its layout leaves out what it does not know.
    """
    if layout.leaves_out or layout.known_keys:
        return True
    messages = row["messages"]
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
    if not _are_declared(row.get("tools")):
        return True
    keys = _carried(tuple(row))
    spoken = bool(keys) and is_answered(messages) and not messages[-1].get("tool_calls")
    spoken = spoken and any(message.get("role") == "user" for message in messages)
    for key in keys:
        value = row[key]
        if value and (value.__class__ in NESTED or (value.__class__ is str and _may_say(key, value, spoken))):
            return True
    return False


def _are_declared(tools: Any) -> bool:
    """Whether the value of ``tools`` is a list of declarations, or there are none."""
    return not tools or (type(tools) is list and are_canonical(tools))


def _may_say(key: str, text: str, spoken: bool) -> bool:
    """Whether a text that a row carries along may belong to its conversation."""
    if len(text) > SHORT and may_show_calls(text):
        return True
    return not spoken or key.lower() in TEXT_NAMES or not words_of(key).isdisjoint(TEXT_WORDS)


def _carries(message: Message) -> bool:
    """Whether a message has other keys than those that are read, or a content in parts, or one that may be calls."""
    content = message.get("content")
    if "tool_calls" in message and not are_plain(message["tool_calls"]):
        return True
    return not MESSAGE_KEYS.issuperset(message) or type(content) is not str or content.startswith(BLOCKS)


@lru_cache(maxsize=256)
def _carried(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of a row that are carried along."""
    others = {"messages", "id", AUGMENTED, *TOOL_KEYS - CONFIG_KEYS}
    return tuple(key for key in keys if key not in others)
