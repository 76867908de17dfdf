"""What of a row nobody read: answers, messages and calls among the values that a conversation carries along.

A layout says what it uses; every other value of a row stays where it is, in the canonical row or in a message. Those
values are looked at once, when the conversation is complete. What the conversation holds as well is a copy, and fine.
"""

from __future__ import annotations

from itertools import pairwise, takewhile
from typing import Any, Final

from toolconv.convert.trial import KeyOption, is_read_at, read_with, typed
from toolconv.convert.unread.carried import carried, is_json_with_calls, undeclared
from toolconv.convert.unread.gone import look_for_gone
from toolconv.convert.unread.held import Held
from toolconv.convert.unread.in_messages import elements_in, look_into_message
from toolconv.convert.unread.in_rows import look_into_row, look_into_tools
from toolconv.convert.unread.places import OriginalRow
from toolconv.convert.unread.signs import BLOCKS, calls_plainly, is_alone
from toolconv.convert.unread.values import ValueSearch
from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to, steps_of
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Unread
from toolconv.dialects.turn_reader import TurnReader
from toolconv.layouts.other_keys import MESSAGE_KEYS
from toolconv.layouts.tool_places import value_at

TRIALS: Final = 8
"""How many options are tried on a row."""
TIMES: Final = ("created_at", "createdAt", "created", "timestamp", "time", "ts")
"""Keys of the time of a message. OpenAI's Assistants API, among others, lists the newest message first."""


def find_unread(conversation: Conversation, reader: TurnReader | None) -> list[Unread]:
    """What nobody read of a conversation whose texts have been parsed.

    Args:
        conversation: the conversation; it is not changed.
        reader: reads texts; ``None`` to leave them alone.
    """
    search, holders = _searched(conversation, reader)
    return _named(search, holders) if search.found else []


def _searched(conversation: Conversation, reader: TurnReader | None) -> tuple[ValueSearch, list[Any]]:
    """The search through a conversation, and the value in which each thing was found."""
    search = ValueSearch(Held(conversation), reader)
    row, layout = conversation.row, search.held.layout
    for key in undeclared(row):
        look_into_tools(search, key, row[key])
    for key in carried(tuple(row)):
        value = row[key]
        kept = layout.run_records.get(key, layout.run_records) is not None
        if value and kept and (type(value) is str or type(value) is dict or type(value) is list):
            look_into_row(search, key, value)
    holders: list[Any] = [row] * len(search.found)
    messages = search.held.messages
    pointers = _pointers(search.held) if messages else []
    for at, message in enumerate(messages):
        called = at + 1 < len(messages) and messages[at + 1].get("role") == "tool"
        uncalled = not search.held.calls and (called or message.get("role") == "tool")
        if uncalled or _carries(message) or is_alone(messages):
            look_into_message(search, pointers[at], message, called=called)
            holders += [message] * (len(search.found) - len(holders))
    if search.held.roles == {"tool"}:
        search.add((pointers[0],), "messages", "nothing but the result of a call")
        holders += [messages[0]] * (len(search.found) - len(holders))
    for at in elements_in(messages):
        search.add((pointers[at], "content"), "calls", "a call as an element with the name of its tool")
        holders += [messages[at]] * (len(search.found) - len(holders))
    if (time := _newest_first(messages)) is not None:
        search.add((pointers[0], time), "messages", "a time that is after those of all messages that follow")
        holders += [messages[0]] * (len(search.found) - len(holders))
    if conversation.origin is not None:
        came = conversation.source
        look_for_gone(search, came)
        holders += [came] * (len(search.found) - len(holders))
    return search, holders


def _newest_first(messages: list[Message]) -> str | None:
    """The key of the times of messages, if each message is older than the one before it."""
    for key in TIMES if len(messages) > 1 else ():
        times: list[Any] = [message.get(key) for message in messages]
        if set(map(type, times)) in ({int}, {float}, {str}) and all(
            later > earlier for later, earlier in pairwise(times)
        ):
            return key
    return None


def _named(search: ValueSearch, holders: list[Any], *, trials: int = TRIALS) -> list[Unread]:
    """What was found, by its place in the original row, with the option that reads it if one does.

    ``holders`` are the values of the conversation in which each was found.
    """
    conversation = search.held.conversation
    came = conversation.row if conversation.origin is None else conversation.origin[1]
    came = came if conversation.answers is None else conversation.answers.row
    places, named = OriginalRow(came), []
    tried: dict[tuple[str, ...], str] = {}
    seen: set[tuple[str, str]] = set()  # what a message carries along may be found in its original row again
    for found, holder in zip(search.found, holders, strict=True):
        above, *keys = found.path
        value = value_at(holder, tuple(keys))
        path = places.of((*steps_of(above), *keys), value)
        if (same := (pointer_to(path), found.kind)) in seen:
            continue
        seen.add(same)
        option = ""
        if found.option is not None and not above:
            whole = (found.option, *takewhile(lambda step: not step.isdecimal(), path))
            if whole not in tried and len(tried) < trials:
                tried[whole] = _tried(conversation, came, found.option, whole[1:], pointer_to(path))
            option = tried.get(whole, "")
        named.append(Unread(pointer_to(path), found.kind, found.what, option))
    return named


def _tried(conversation: Conversation, came: Row, option: KeyOption, path: tuple[str, ...], place: str) -> str:
    """An option with a path, as it is typed, if it reads what is at a place; else an empty text.

    It reads no fewer messages than were read without it.
    """
    if not path:
        return ""
    keys: dict[KeyOption, str] = {option: ".".join(path)}
    read = read_with(came, keys)
    if read is None:
        return ""
    if option != "tools_key":
        before, after = (sum(field.size for field in each.fields) for each in (conversation, read))
        if after < before or not is_read_at(read, path):
            return ""
    left = _named(*_searched(read, None), trials=0)
    return "" if any(each.pointer == place for each in left) else typed(keys)


def _pointers(held: Held) -> list[str]:
    """The place of each message in the row."""
    first, *others = conversations_of(held.conversation)
    shared = 0 if first.answers is None else first.answers.shared
    found = [pointer for field in first.fields for pointer in field.pointers()]
    for each in others:
        found += [pointer for field in each.fields for pointer in field.pointers()][shared:]
    return found if len(found) == len(held.messages) else [f"/messages/{at}" for at in range(len(held.messages))]


def _carries(message: Message) -> bool:
    """Whether a message has other keys than those that are read, or a content in parts, or one that may be calls."""
    content = message.get("content")
    if "tool_calls" in message and not calls_plainly(message):
        return True
    return (
        not MESSAGE_KEYS.issuperset(message)
        or type(content) is not str
        or content.startswith(BLOCKS)
        or is_json_with_calls(message)
    )
