"""Turns under keys that no layout knows, and turns whose own keys none knows, with the names that layouts look for.

Each name is tried; whether the row is then one of theirs, the layouts decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from operator import is_
from typing import Any, Final

from toolconv.core.calls import declares_tools
from toolconv.core.json_pointer import pointer_to
from toolconv.core.key_words import is_key_of_calls, words_of
from toolconv.core.messages import Row
from toolconv.core.rows import put_at, without
from toolconv.layouts.found_turns import DEEPEST, SPEAKER_KEYS, SURE_KEYS, SURE_NAMES, TEXT_KEYS, is_turn
from toolconv.layouts.nested_json import opened
from toolconv.layouts.other_keys import TEXT_REPAIR
from toolconv.layouts.speakers import CALL, REPAIR, ROLES, are_both, meaning_of
from toolconv.layouts.stored_rows import Unfolded, as_objects, objects_of
from toolconv.layouts.tool_places import TOOL_KEYS, Place, value_at

USUAL_KEYS: Final = (
    "messages", "conversations", "contents", "dialogue", "steps", "history", "trajectory", "input", "lines",
    "question", "chunks",
)  # fmt: skip
"""Keys under which layouts look for turns."""
KEYS_OF_TEXT: Final = ("messages", "chat", "example", "question")
"""Those under which turns may be in words."""
SPEAKERS: Final = ("role", "from", "type", "source")
TEXTS: Final = ("content", "value", "parts", "message", "text")
"""Keys under which layouts look for the speaker and the text of a turn."""
NO_ROW: Final = SURE_KEYS | {"type"}
"""Keys of turns, and of the records of sessions and traces."""
SHORTEST: Final = 2
"""How many objects are turns of a conversation, under a key that does not say so."""


def under_usual_keys(row: Row) -> Iterator[Unfolded]:
    """A row with its only list of objects, or of lists of these, under each of the usual keys."""
    if not NO_ROW.isdisjoint(row):
        return
    lists = [key for key, value in row.items() if key not in TOOL_KEYS and _are_objects(value)]
    if len(lists) == 1 and lists[0] not in USUAL_KEYS and len(row[lists[0]]) >= SHORTEST:
        yield from moved(row, (lists[0],))


def moved(row: Row, path: Place) -> Iterator[Unfolded]:
    """A row with the value at a path under each of the usual keys."""
    value = opened(value_at(row, path))
    value = [value] if type(value) is dict and is_turn(value) else value
    places: list[str | None] = [str(at) for at in range(len(value))] if type(value) is list else [None]
    for usual in KEYS_OF_TEXT if type(value) is str else USUAL_KEYS:
        if usual in row:
            continue
        if len(path) == 1:
            changed = {usual if key == path[0] else key: value if key == path[0] else each for key, each in row.items()}
        else:
            changed = {**without(row, path), usual: value}
        yield Unfolded(changed, {f"/{usual}": (pointer_to(path), places)})


def under_usual_names(row: Row) -> Iterator[Unfolded]:
    """A row whose turns have the usual keys of a speaker and a text, if theirs are others."""
    lists = list(_lists_below(row, ()))
    for path, items in lists:
        if (speaker := _speaker(items, path[-1] in USUAL_KEYS)) is None or (text := _text(items, speaker)) is None:
            continue
        if speaker in SPEAKER_KEYS and text in TEXT_KEYS:
            return
        same = [each for each in lists if all(speaker in item or text in item for item in each[1])]
        for names in product(
            (speaker,) if speaker in SPEAKER_KEYS else SPEAKERS, (text,) if text in TEXT_KEYS else TEXTS
        ):
            if names == (speaker, text) or len(
                {*names}.intersection(*(item.keys() - {speaker, text} for _, turns in same for item in turns))
            ):
                continue
            yield _renamed(row, same, {speaker: names[0], text: names[1]})
        return


def with_tools_moved(row: Row) -> Iterator[Unfolded]:
    """A row whose only declarations are under a key that no layout knows, with them under the usual ones."""
    if not TOOL_KEYS.isdisjoint(row):
        return
    found = [path for path, items in _lists_below(row, ()) if declares_tools(items)]
    for usual in ("tools", "function") if len(found) == 1 else ():
        yield Unfolded({**without(row, found[0]), usual: opened(value_at(row, found[0]))}, {})


def with_lists_opened(row: Row) -> Iterator[Unfolded]:
    """A row whose lists of messages and of calls are texts or columns, at any depth, with them as lists of objects."""
    opened_row = _with_lists_opened(row)
    if opened_row is not row:
        yield Unfolded(opened_row, None)


def _with_lists_opened(value: Any) -> Any:
    if type(value) is list:
        members = list(map(_with_lists_opened, value))
        return value if all(map(is_, members, value)) else members
    if type(value) is not dict:
        return value
    changed = {}
    for key, member in value.items():
        inner = member
        if key not in TOOL_KEYS:
            if key in USUAL_KEYS or is_key_of_calls(key) or "messages" in words_of(key):
                inner = opened(member)
                inner = inner if type(inner) is not dict else as_objects(inner) or _in_columns(inner) or inner
                inner = member if type(inner) is str else inner
            inner = _with_lists_opened(inner)
        if inner is not member:
            changed[key] = inner
    return {**value, **changed} if changed else value


def _in_columns(value: Row) -> list[Row] | None:
    """The objects under their numbers, or in columns; ``None`` for anything else. A null is an empty cell."""
    if list(value) == [str(at) for at in range(len(value))]:
        return list(value.values())
    sizes = {len(cells) if type(cells) is list else 0 for cells in value.values()}
    if len(sizes) != 1 or 0 in sizes or not {"user", "assistant"}.isdisjoint(map(meaning_of, value)):
        return None  # texts by their speakers, of whose order nothing is known
    return objects_of(value, zip(*value.values(), strict=True), texts=())


def _renamed(row: Row, lists: list[tuple[Place, list[Row]]], names: dict[str, str]) -> Unfolded:
    places: dict[str, tuple[str, list[str | None]]] = {}
    for path, items in lists:
        row = put_at(row, path, [{names.get(key, key): value for key, value in item.items()} for item in items])
        places[pointer_to(path)] = (pointer_to(path), [str(at) for at in range(len(items))])
    repairs = [repair for (old, new), repair in zip(names.items(), (REPAIR, TEXT_REPAIR), strict=True) if old != new]
    return Unfolded(row, places, repairs)


def _lists_below(value: Row, path: Place) -> Iterator[tuple[Place, list[Row]]]:
    for key, member in value.items():
        if key in TOOL_KEYS:
            continue
        inner, place = opened(member), (*path, key)
        if type(inner) is list and inner and all(type(item) is dict for item in inner):
            yield place, inner
        elif type(inner) is dict and len(place) < DEEPEST:
            yield from _lists_below(inner, place)


def _speaker(items: list[Row], usual: bool) -> str | None:
    """The key of the names of the speakers of turns; ``None`` if there is none, or several.

    Under a ``usual`` key of turns, the known name of the only one is enough.
    """
    found = []
    for key in items[0]:
        names = {name if type(name := item.get(key)) is str else "" for item in items}
        meanings = set(map(meaning_of, names))
        sure = None not in meanings and len(meanings) > 1 and not names.isdisjoint(SURE_NAMES)
        if (
            sure
            or (usual and len(items) == 1 and None not in meanings)
            or _are_speakers(meanings, key)
            or names <= ROLES
        ):
            found.append(key)
    return next((key for key in found if key in SURE_KEYS), found[0] if len(found) == 1 else None)


def _are_speakers(meanings: set[str | None], key: str) -> bool:
    return (
        are_both(meanings)
        or (key in SPEAKER_KEYS and None not in meanings)
        or (key in SURE_KEYS and meanings != {None})
    )


def _text(items: list[Row], speaker: str) -> str | None:
    """The key of the texts of turns: a usual one, or the only one that all have, with words in it.

    Those who only call or answer a call may have none. Of several usual ones, that of the first turn is given.
    """
    speaking = [item for item in items if meaning_of(item[speaker]) not in ("tool", CALL)]
    shared = set(items[0]).intersection(*speaking) - {speaker}
    all_have = all(not item.keys().isdisjoint(TEXT_KEYS) for item in items)
    usual = [key for key in TEXT_KEYS if key in (items[0] if all_have else shared)]
    if usual:
        return usual[0]
    found = [key for key in shared if all(_may_be_text(item[key]) for item in items)]
    found = [key for key in found if any(_has_words(item[key]) for item in items)]
    return found[0] if len(found) == 1 else None


def _may_be_text(value: Any) -> bool:
    return value is None or type(value) in (str, list)


def _has_words(value: Any) -> bool:
    """Whether a value is a text of several words, or a list of parts, of which some are texts."""
    if type(value) is list:
        return any(type(part) is dict and not part.keys().isdisjoint(TEXT_KEYS) for part in value)
    return type(value) is str and " " in value


def _are_objects(value: Any) -> bool:
    """Whether a value is a list of objects, or of lists of objects."""
    if type(value) is not list or not value:
        return False
    return all(type(item) is dict or (type(item) is list and _are_objects(item)) for item in value)
