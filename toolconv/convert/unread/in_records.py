"""What nobody read in the records of a run, which layouts leave out, and under keys that a layout does not know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolconv.convert.unread.signs import (
    NESTED,
    SPEAKING,
    is_prose,
    is_short,
    is_words,
    members_of,
    objects_in,
    speaker_of,
    turn_text,
)
from toolconv.convert.unread.values import ValueSearch
from toolconv.core import jsontext
from toolconv.core.call_keys import argument_key
from toolconv.core.calls import declares_tools
from toolconv.core.key_words import (
    ANSWER_WORDS,
    FACT_WORDS,
    words_of,
)
from toolconv.core.messages import Row
from toolconv.layouts.content_parts import ALL_PARTS, TEXT
from toolconv.layouts.found_turns import SPEAKER_KEYS
from toolconv.layouts.speakers import meaning_of
from toolconv.layouts.stored_rows import opened
from toolconv.layouts.tool_places import TOOL_KEYS

DECLARING_KEYS: Final = frozenset({"tools", "functions", "available_tools"})
"""Keys below which objects with a name and parameters are no calls."""


def look_into_records(search: ValueSearch, source: Row) -> None:
    """Add the calls and the texts of turns in a row that its conversation does not hold anywhere.

    Records of the run are no turns; values that the conversation carries along were looked at.
    """
    carried, records = search.held.conversation.row, search.held.layout.run_records
    apart = {field.pointer for field in search.held.conversation.fields}  # a text: its parts were read one by one
    waiting: list[tuple[Any, tuple[str, ...]]] = [
        (value, ("", key))
        for key, value in reversed(source.items())
        if carried.get(key) is not value
        and key not in TOOL_KEYS
        and not (type(value) is str and f"/{key}" in apart)
        and records.get(key, records) is not None
    ]
    while waiting:
        value, path = waiting.pop()
        value = opened(value)
        if type(value) is dict:
            kinds = [(value.get(key), values) for key, values in records.items() if values]
            if any(type(kind) in (str, bool) and kind in values for kind, values in kinds):
                continue
            declared = declares_tools([value]) or not DECLARING_KEYS.isdisjoint(path)
            if not declared and (call := search.call_in(value, path)) is not None:
                if not search.held.makes(call) and jsontext.dumps(value).decode() not in search.held.dropped:
                    search.add(path, "calls", "a call")
                    continue
                function = value.get("function")
                value = {**value, **function} if type(function) is dict else value
                arguments = argument_key(value)
                value = {key: member for key, member in value.items() if key not in (arguments, "function")}
            read = ALL_PARTS.read(value)
            if read is not None and read.entry.kind == "result":
                words = read.value
                if type(words) is str and words.strip() and words[:1] not in "{[" and not search.held.holds(words):
                    search.add(path, "messages", "a text")
                    continue
            key = turn_text(value)
            if key is None and (speaker_of(value) or (read is not None and read.entry is TEXT and not read.value)):
                spoken = _texts_of_turn(search, value, path)
                for name in spoken:
                    search.add((*path, name), "messages", "a text")
                value = {name: member for name, member in value.items() if name not in spoken}
            elif key is not None and type(text := value[key]) is str and is_short(text) and not search.held.holds(text):
                search.add((*path, key), "messages", "a text")
            waiting += [member for member in members_of(value, path) if records.get(member[1][-1], records) is not None]
        elif type(value) is list:
            waiting += members_of(value, path)
        elif type(value) is str and value[:1] == "{" and (lines := objects_in(value)):
            waiting += members_of(lines, path)
        elif (
            type(value) is str
            and path[-1] not in SPEAKER_KEYS
            and (is_words(value) or _may_answer(search, value, path))
            and not search.held.holds(value)
        ):
            search.add(path, "messages", "a text")


def _may_answer(search: ValueSearch, text: str, path: tuple[str, ...]) -> bool:
    """Whether a single word is below a key of an answer, where the conversation has none, and is no fact about it."""
    if search.held.answered or not is_short(text) or not words_of(path[-1]).isdisjoint(FACT_WORDS):
        return False
    return any(not words_of(key).isdisjoint(ANSWER_WORDS) for key in path[1:]) and meaning_of(text) is None


def look_into_unknown_keys(search: ValueSearch, source: Row, known: Mapping[str, bool]) -> None:
    """Add the first text under each key of a row that its layout does not know."""
    carried = search.held.conversation.row
    waiting: list[tuple[Any, tuple[str, ...], bool]] = [
        (value, ("", key), False) for key, value in reversed(source.items()) if carried.get(key) is not value
    ]
    seen: set[str] = set()
    while waiting:
        value, path, unknown = waiting.pop()
        if type(value) is dict:
            for key, member in value.items():
                if known.get(key, True) and key not in seen:
                    waiting.append((member, (*path, key), unknown or key not in known))
        elif type(value) is list:
            waiting += [(member, (*path, str(at)), unknown) for at, member in enumerate(value)]
        elif unknown and type(value) is str and any(map(str.isalpha, value)):
            name = next(key for key in path[1:] if key not in known and not key.isdecimal())
            if name not in seen and (is_words(value) or not SPEAKING.isdisjoint(path)):
                seen.add(name)
                search.add(path, "messages", "a text under a key that is not known")


def _texts_of_turn(search: ValueSearch, turn: Row, path: tuple[str, ...]) -> list[str]:
    """The keys of prose in a turn that has no text under a usual key; if it holds nothing but texts, also of words."""
    nothing_else = not any(type(value) in NESTED and value for value in turn.values())
    found = []
    for key, text in turn.items():
        if type(text) is not str or key in search.held.layout.run_records or not words_of(key).isdisjoint(FACT_WORDS):
            continue
        speaks = path[-1].isdecimal() and is_prose(text)
        speaks = speaks or (nothing_else and is_short(text) and meaning_of(text) is None)
        if speaks and not search.held.holds(text):
            found.append(key)
    return found
