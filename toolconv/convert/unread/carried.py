"""What a row carries along, and whether any of it may be what nobody read: most rows don't load the search for it."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Any, Final

from toolconv.convert.unread.signs import (
    BLOCKS,
    JOINED,
    JSON_TEXTS,
    NESTED,
    SHORT,
    SYSTEM_WORDS,
    are_of_no_kind,
    calls_plainly,
    is_alone,
    is_answered,
    is_prose,
    is_silent,
)
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.declarations import are_canonical
from toolconv.core.key_words import DETAILS, QUESTIONS, TEXT_NAMES, words_of
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, calls_of
from toolconv.core.rows import AUGMENTED
from toolconv.dialects.lexing.markers import may_show_calls
from toolconv.layouts.base import Layout
from toolconv.layouts.other_keys import MESSAGE_KEYS
from toolconv.layouts.tool_places import CONFIG_KEYS, TOOL_KEYS

USED_KEYS: Final = frozenset(
    {"role", "from", "type", "name", "id", "index", "tool_call_id", "tool_use_id", "call_id", "arguments"}
)
"""Keys of names by which a row is built, and of what is compared where calls are read."""
TEXT_WORDS: Final = SYSTEM_WORDS | QUESTIONS | DETAILS
"""Words in the keys of system texts and of questions."""


DECLARED: Final = TOOL_KEYS - CONFIG_KEYS
"""Keys of declarations, and of nothing else."""
REWARDS: Final = ("reward_model", "reward_spec")
"""Keys of what a reward is computed from, in rows for reinforcement learning: verl's, SkyRL's. They have no answer."""


def may_hold_unread(row: Row, layout: Layout) -> bool:
    """Whether a row carries anything along next to messages and tools, or a message does next to what is read of it.

    Or its layout leaves out what it does not know.
    """
    if layout.leaves_out:
        return True
    messages = row["messages"]
    if is_alone(messages) or _shows_elements(messages):
        return True
    called = False
    for message in messages:
        if not MESSAGE_KEYS.issuperset(message):
            return True
        called = called or "tool_calls" in message
        if not called and message.get("role") == "tool":  # it may be the call
            return True
        if "tool_calls" in message and not calls_plainly(message):
            return True
        if "content" in message:
            content = message["content"]
            if content.__class__ is not str:
                if content:
                    return True
            elif content.startswith(BLOCKS) or is_json_with_calls(message):
                return True
    if undeclared(row):
        return True
    keys = carried(tuple(row))
    spoken = bool(keys) and is_answered(messages) and not messages[-1].get("tool_calls")
    spoken = spoken and not any(map(is_silent, messages))
    roles = (message.get("role") for message in messages)
    spoken = spoken and next(role for role in roles if role not in SYSTEM_ROLES) == "user"
    for key in keys:
        value = row[key]
        if value and (value.__class__ in NESTED or (value.__class__ is str and _may_say(key, value, spoken))):
            return True
    return False


def is_json_with_calls(message: Message) -> bool:
    """Whether the text of a message of the assistant may be JSON in which a text shows calls."""
    content = message["content"]
    return content[:1] in JSON_TEXTS and message.get("role") == "assistant" and may_show_calls(content)


def _shows_elements(messages: list[Message]) -> bool:
    """Whether a system text shows the elements by which tools are called, as those of Cline and Roo Code do."""
    text = messages[0].get("content") if messages else None
    return text.__class__ is str and "\nUsage:\n<" in text


def may_lack(conversation: Conversation, layout: Layout) -> bool:
    """Whether there may be anything in a row that nobody read, so that it must be searched."""
    return (
        bool(layout.streamed(conversation.source))
        or may_hold_unread(conversation.row, layout)
        or not _is_whole(conversation)
    )


def _is_whole(conversation: Conversation) -> bool:
    """Whether each text and each number in the original row is certainly in its conversation, or says how it is built.

    Arguments are counted here, and compared where calls are read.
    """
    if conversation.origin is None:
        return True
    row = conversation.row
    waiting: list[Any] = []
    for key, value in conversation.origin[1].items():
        if row.get(key) is not value and key not in TOOL_KEYS:
            waiting.append((key, value))
    kept: set[Any] = {text for text in conversation.unparsed if text.__class__ is str}
    arguments = 0
    seen: set[str] = set()
    again: list[str] = []
    more = [_values_of, _values_below]  # which most rows don't need
    for key, value in waiting:  # which grows
        kind = value.__class__
        if kind is dict and key != "arguments":
            waiting.extend(value.items())
        elif kind is list:
            waiting.extend([(key, item) for item in value])
        elif key in USED_KEYS:
            arguments += key == "arguments"
        elif not value:
            continue
        else:
            if kind is str and key in JOINED:
                if value in seen:
                    again.append(value)
                seen.add(value)
            if value in kept:
                continue
            if kind is str and _is_call(value):
                continue
            while value not in kept and (kind is not str or value.strip() not in kept):
                if more:
                    kept |= more.pop(0)(row["messages"])
                elif _is_in_object(value, kept):
                    break
                else:
                    return False
    if arguments > sum(len(calls_of(message)) for message in row["messages"]):
        return False
    return not again or _are_all_kept(again, conversation)


def _are_all_kept(again: list[str], conversation: Conversation) -> bool:
    """Whether a conversation has each text once more than it is in ``again``, before or after texts were parsed."""
    now = [value for message in conversation.row["messages"] for value in message.values()]
    kept = [Counter(text.strip() for text in texts if text.__class__ is str) for texts in (now, conversation.unparsed)]
    return all(any(count < each[text.strip()] for each in kept) for text, count in Counter(again).items())


def _is_call(text: str) -> bool:
    """Whether a text seems to be calls, or results, in JSON."""
    return text.startswith(("{", "[")) and '"name"' in text


def _is_in_object(value: Any, kept: set[Any]) -> bool:
    """Whether a text that is kept is an object in JSON with a value in it, such as a result."""
    written = jsontext.spaced(value)
    return any(text.__class__ is str and text.startswith("{") and written in text for text in kept)


def _values_of(messages: list[Message]) -> set[Any]:
    """The values of messages that are no lists and no objects."""
    return {value for message in messages for value in message.values() if value.__class__ not in NESTED}


def _values_below(value: Any) -> set[Any]:
    """All of the values in a value that are no lists and no objects."""
    found: set[Any] = set()
    waiting = [value]
    for value in waiting:  # which grows
        if value.__class__ is dict:
            waiting.extend(value.values())
        elif value.__class__ is list:
            waiting.extend(value)
        else:
            found.add(value)
    return found


def are_declared(tools: Any) -> bool:
    """Whether the value of ``tools`` is a list of declarations, or there are none."""
    return not tools or (type(tools) is list and are_canonical(tools))


def undeclared(row: Row) -> list[str]:
    """The keys of declarations in a row under which not all is declared; next to ``tools``, lists and objects."""
    found = []
    for key in DECLARED.intersection(row):
        tools = row[key]
        if not are_declared(tools) and (key == "tools" or type(jsontext.opened(tools)) in NESTED):
            found.append(key)
    return found


def _may_say(key: str, text: str, spoken: bool) -> bool:
    """Whether a text that a row carries along may belong to its conversation."""
    if len(text) > SHORT and may_show_calls(text):
        return True
    if is_prose(text) and are_of_no_kind((key,)):
        return True
    named = key.lower() in TEXT_NAMES or not words_of(key).isdisjoint(TEXT_WORDS) or not key.isascii()
    return not spoken or named


@lru_cache(maxsize=256)
def carried(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The keys of a row that are carried along."""
    others = {"messages", "id", AUGMENTED, *REWARDS, *DECLARED}
    return tuple(key for key in keys if key not in others)
