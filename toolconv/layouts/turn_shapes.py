"""Lists of turns in other shapes than a list of objects, as the list that they mean.

==========================  ============================================================
numbered                    ``{"0": {"role": …}, "1": {"role": …}}``
columns                     ``{"role": ["user", …], "content": ["Hi", …]}``, also of the row itself
JSON texts                  ``["{\\"role\\": …}", …]``, JSON lines in one text, or the text of a JSON text
in objects                  ``[{"at": 0, "message": {"role": …}}, …]``, ``[{"author": {"role": "user"}, …}, …]``
names and texts             ``[["user", "Hi"], ["assistant", "", [{"name": …}]]]``, with calls if there are any
in lists                    ``[[{"role": "user", …}], [{"role": "assistant", …}]]``, one turn in each
capitals                    ``[{"ROLE": "user", "CONTENT": "Hi"}, …]``
texts by names              ``["user: Hi", "assistant: Hello"]``
texts under names           ``[{"user": "Hi"}, {"assistant": "Hello"}]``, ``{"user_0": "Hi", "assistant_0": "Hello"}``
a text                      ``"USER: Hi\\nAGENT: Hello"``, under a key of turns
questions and answers       ``[["Hi", "Hello"]]``, ``[{"q": "Hi", "a": "Hello"}]``, under a key of turns
steps                       ``[{"action": "ping", "action_input": {}, "observation": "up"}]``, with a question
events                      ``[{"type": "user_message", "text": "Hi"}, {"type": "tool_call", "name": "ping", …}, …]``
==========================  ============================================================

A shape is only taken apart where nothing of it is left over. Whether the list is a conversation, the layouts decide:
they are asked for the row with the list in place.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from itertools import takewhile
from typing import Any, Final

from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to
from toolconv.core.messages import Row
from toolconv.core.row_fields import RowField
from toolconv.layouts.agent_steps import events_of, steps_in
from toolconv.layouts.base import Layout
from toolconv.layouts.call_forms import looks_like_call
from toolconv.layouts.found_turns import (
    DEEPEST,
    SPEAKER_KEYS,
    SURE_KEYS,
    TEXT_KEYS,
    ShapedTurn,
    in_order,
    is_turn,
    turns_in,
)
from toolconv.layouts.nested_json import PYTHON_STARTS, values_of
from toolconv.layouts.nested_json import opened as opened_text
from toolconv.layouts.other_keys import MESSAGE_KEYS
from toolconv.layouts.speakers import are_both, meaning_of
from toolconv.layouts.stored_rows import TurnPlaces, Unfolded, objects_of
from toolconv.layouts.tool_places import TOOL_KEYS
from toolconv.layouts.worded_turns import OPENINGS, REPAIR, spoken, worded_turns

TURN_KEYS: Final = frozenset({"messages", "conversations", "conversation", "turns", "dialog", "dialogue", "contents"})
"""Keys of lists of turns."""
TEXT_TURNS: Final = TURN_KEYS | {"chat", "transcript"}
"""Keys of texts of turns in words."""
COLUMNS: Final = MESSAGE_KEYS.union(SPEAKER_KEYS, TEXT_KEYS)
"""Keys of turns that a row may have columns for."""
RECORDS: Final = frozenset({"uuid", "parentUuid", "sessionId"})
"""Keys of the records of a session, whose order need not be that of the conversation."""
KINDS: Final = ("type", "source")
"""Keys of the kind of an item that may be a turn."""
PAIR: Final = ("user", "assistant")
"""Who speaks in a question and its answer."""
PAIR_NAMES: Final = {
    "q": "user", "a": "assistant", "input": "user", "output": "assistant", "prompt": "user", "completion": "assistant",
    "query": "user", "request": "user",
}  # fmt: skip
"""Names of speakers that only pairs have."""

Path = tuple[str, ...]


def unfolded(row: Row) -> Unfolded | None:
    """A row whose turns are in another shape than a list of objects, with them as such lists; ``None`` for others."""
    if (whole := _under_numbers(row)) is not None:
        return _of_row(row, whole, row)
    if (columns := _in_columns(row)) is not None:
        return _of_row(row, columns, _columns(row))
    if (steps := steps_in(row)) is not None:
        return _of_row(row, *steps)
    places: dict[str, TurnPlaces] = {}
    result = _with_lists(row, (), places)
    if not places and (found := _in_words(row)) is not None:
        key, spoken = found
        places[f"/{key}"] = (f"/{key}", [None] * len(spoken))
        return Unfolded({**row, key: spoken}, places, (REPAIR,))
    return Unfolded(result, places) if places else None


def _of_row(row: Row, turns: list[ShapedTurn], used: Container[str]) -> Unfolded:
    """A row with the turns that it means itself, and without the keys that they are from."""
    rest = {key: value for key, value in row.items() if key not in used}
    places = {"/messages": ("", [turn.place for turn in turns])}
    return Unfolded({"messages": [turn.item for turn in turns], **rest}, places)


def _in_words(row: Row) -> tuple[str, list[Row]] | None:
    """The key of turns that a row has a text under, and its turns in words."""
    for key in TEXT_TURNS.intersection(row):
        if type(row[key]) is str and row[key].startswith(OPENINGS) and (turns := worded_turns(row[key])) is not None:
            return key, turns
    return None


def as_row(value: Any) -> Any:
    """A list of turns in any shape as a row of them; any other value as it is."""
    if type(value) is list and (turns := turns_in(value)) is not None and turns.speaker in SURE_KEYS:
        if turns.speaker == "role" and turns.text == "parts" and not any(map(_has_types, value)):
            return {"contents": value}  # Gemini's
        return {"messages" if turns.speaker == "role" else "conversations": value}
    if type(value) is not list or not value:
        return value
    first = value[0]
    return {"messages": value} if (type(first) is dict and is_turn(first)) or turns_of(value, "") is not None else value


def _has_types(turn: Row) -> bool:
    """Whether the parts of a turn have types, as those of the AI SDK do."""
    parts = turn.get("parts")
    return type(parts) is not list or any(type(part) is dict and "type" in part for part in parts)


def read_unfolded(row: Row, found: Unfolded, layout: Layout) -> Conversation:
    """The conversation of a row whose turns were made a list, with all answers.

    Their places are those in the original row; what is no part of it stays as it was there.
    """
    read = layout.read(found.row)
    for each in conversations_of(read):
        each.fields = [_placed(field, found.places) for field in each.fields]
        each.read_as, each.origin = each.read_as or layout.name, None
        for key, value in each.row.items():
            if key not in ("messages", "tools") and key in row and value is found.row.get(key):
                each.row[key] = row[key]
    read.notes.repairs += found.repairs
    return read


def _placed(field: RowField, places: Mapping[str, TurnPlaces] | None) -> RowField:
    if places is None:
        return field._replace(pointer="", pieces=None, starts=None)
    inside = next((place for place in places if f"{field.pointer}/".startswith(f"{place}/")), None)
    if inside is None:
        return field
    pointer, below = places[inside]
    known = [place for place in below if place is not None]
    if len(known) < max(len(below), len(field.pieces or ())):  # such as several messages in one text
        return field._replace(pointer=pointer, pieces=None, starts=None)
    return field._replace(pointer=pointer, places=known)


def _with_lists(value: Row, path: Path, places: dict[str, TurnPlaces]) -> Row:
    """An object, or a copy with the lists of turns that are in it in other shapes, whose places are added."""
    changed: Row = {}
    for key, member in value.items():
        opened = member if key in TOOL_KEYS else _opened(member)
        if key in TOOL_KEYS or type(opened) not in (list, dict):
            continue
        at = (*path, key)
        turns = turns_of(opened, key)
        if (
            turns is None
            and type(member) is str
            and (member[:1] != "[" or member.startswith(PYTHON_STARTS))
            and type(opened) is list
            and _are_objects(opened)
        ):
            turns = [ShapedTurn(item, None) for item in opened]
        if turns is not None and not _are_answers(turns):
            changed[key] = [turn.item for turn in turns]
            places[pointer_to(at)] = (pointer_to(at), [turn.place for turn in turns])
        elif type(opened) is dict and len(at) < DEEPEST and (inner := _with_lists(opened, at, places)) is not opened:
            changed[key] = inner
        elif type(opened) is list and (members := _members(opened, key, at, places)) is not None:
            changed[key] = members
    return {**value, **changed} if changed else value


def _members(items: list[Any], key: str, path: Path, places: dict[str, TurnPlaces]) -> list[Any] | None:
    """A list of which some members are turns in other shapes, and the others lists of turns; ``None`` for others."""
    if all(type(item) is str and item[:1] not in ("[", "{") for item in items):
        return None  # several answers
    shaped = [None if turns_in(item) is not None else _turns_in_text(item) or turns_of(item, key) for item in items]
    if not any(shaped) or not all(turns or turns_in(item) for turns, item in zip(shaped, items, strict=True)):
        return None
    for at, turns in enumerate(shaped):
        if turns is not None:
            place = pointer_to((*path, str(at)))
            places[place] = (place, [turn.place for turn in turns])
    return [item if turns is None else [turn.item for turn in turns] for turns, item in zip(shaped, items, strict=True)]


def _turns_in_text(text: Any) -> list[ShapedTurn] | None:
    """The turns in a text of them; ``None`` for any other value."""
    if type(text) is not str:
        return None
    turns = _opened(text)
    if type(turns) is not list:
        return None
    return [ShapedTurn(turn, None) for turn in turns] if turns_in(turns) is not None else turns_of(turns, "")


def _are_answers(turns: list[ShapedTurn]) -> bool:
    """Whether turns are several answers, of which none follows another: the assistant alone speaks, in objects."""
    speakers = {meaning_of(str(item.get("role"))) for item, place in turns if place is not None and "/" in place}
    return len(turns) > 1 and speakers == {"assistant"}


def turns_of(value: Any, key: str) -> list[ShapedTurn] | None:
    """The turns that a list or an object under a key means; ``None`` for any other, also a list of turns."""
    if type(value) is dict:
        return _under_numbers(value) or (_in_columns(value) if _columns(value).keys() == value.keys() else None)
    if type(value) is not list or not value:
        return None
    kind, *others = set(map(type, value))
    if others:
        return None
    if kind is str:
        by_name = value[0][:1] != "{"
        items: list[Any] = list(map(spoken if by_name else _opened, value))
        if not _are_objects(items) or (by_name and not _are_speakers({item["role"] for item in items})):
            return None
        return in_order(items)
    if kind is list:
        return _in_lists(value, key)
    if kind is dict and SURE_KEYS.isdisjoint(value[0]):
        if (events := events_of(value)) is not None:
            return in_order(events)
        return _in_objects(value) or _under_names(value, key) or _by_objects(value) or _in_other_case(value)
    return _by_objects(value) or _in_objects(value) if kind is dict else None


def _opened(value: Any) -> Any:
    """The object or the list in a JSON text, in the text of one, or in JSON lines; any other value as it is."""
    if type(value) is not str or value[:1] not in ("{", "[", '"'):
        return value
    opened = opened_text(value)
    if type(opened) is str and opened[:1] == "{" and "\n" in opened:
        lines = values_of(opened)
        return lines if _are_objects(lines) else value
    return opened


def _are_objects(items: list[Any]) -> bool:
    return bool(items) and all(type(item) is dict for item in items)


def _under_numbers(value: Row) -> list[ShapedTurn] | None:
    """Turns under their numbers from 0 or 1, or texts under the numbered names of their speakers (``user_0``)."""
    first = next(iter(value), "")
    if not first[-1:].isdecimal():
        return None
    if first in ("0", "1"):
        items = list(map(_opened, value.values()))
        numbers = [str(at) for at in range(int(first), int(first) + len(value))]
        in_order = list(value) == numbers and _are_objects(items)
        return [ShapedTurn(item, key) for key, item in zip(value, items, strict=True)] if in_order else None
    names = [key.rstrip("0123456789").rstrip("_-. ") for key in value]
    if not _are_speakers(set(names)) or not all(type(text) is str for text in value.values()):
        return None
    return [
        ShapedTurn({"role": _speaker(name), "content": text}, key)
        for name, (key, text) in zip(names, value.items(), strict=True)
    ]


def _in_columns(row: Row) -> list[ShapedTurn] | None:
    """Turns as one list of a row for each of their keys; other keys may be beside them.

    A null is an empty cell, other than of a text.
    """
    columns = _columns(row)
    speaker = next((key for key in SPEAKER_KEYS if key in columns), None)
    if speaker is None or not all(type(name) is str and meaning_of(name) for name in columns[speaker]):
        return None
    size = len(columns[speaker])
    if not size or any(len(cells) != size for cells in columns.values()):
        return None
    text = next((key for key in TEXT_KEYS if key in columns), speaker)
    turns = objects_of(columns, zip(*columns.values(), strict=True), texts=(text,))
    return [ShapedTurn(turn, f"{text}/{at}") for at, turn in enumerate(turns)]


def _columns(row: Row) -> dict[str, list[Any]]:
    """The lists of a row under keys of turns."""
    return {key: cells for key, cells in row.items() if type(cells) is list and key in COLUMNS}


def _in_objects(items: list[Row]) -> list[ShapedTurn] | None:
    """Turns that are each in another object, the only turn there; what is beside it stays a key of the turn."""
    inner = [key for key, member in items[0].items() if type(member) is dict and _may_be_turn(member)]
    if len(inner) != 1 or not RECORDS.isdisjoint(items[0]):
        return None
    if not all(type(item.get(inner[0])) is dict for item in items):
        return None
    turns = []
    for at, item in enumerate(items):
        turn = item[inner[0]]
        beside = {key: member for key, member in item.items() if key != inner[0]}
        if not beside.keys().isdisjoint(turn) or not _may_be_turn(turn):
            return None
        turns.append(ShapedTurn({**turn, **beside}, f"{at}/{inner[0]}"))
    return turns


def _may_be_turn(item: Row) -> bool:
    """Whether an object has a known speaker, or a text and a kind, of which layouts know what it means."""
    speaker = next((item[name] for name in SPEAKER_KEYS if type(item.get(name)) is str), "")
    if meaning_of(speaker) is not None:
        return True
    return any(type(item.get(key)) is str for key in KINDS) and any(item.get(key) for key in TEXT_KEYS)


def _by_objects(items: list[Row]) -> list[ShapedTurn] | None:
    """Turns whose speaker is in an object of each, or in a list of one; what else is there stays a key of the turn."""
    for key in items[0]:
        speakers = list(takewhile(bool, (_speaker_in(item.get(key)) for item in items)))
        if len(speakers) == len(items) and (key == "role" or not any("role" in item for item in items)):
            pairs = enumerate(zip(items, filter(None, speakers), strict=True))
            return [_with_speaker(item, key, speaker, at) for at, (item, speaker) in pairs]
    return None


def _with_speaker(item: Row, key: str, speaker: tuple[str, Row], at: int) -> ShapedTurn:
    turn = {other: member for other, member in item.items() if other != key}
    name, beside = speaker
    rest = beside if beside.keys().isdisjoint(turn) else {key: beside}
    return ShapedTurn({"role": name, **turn, **rest}, str(at))


def _speaker_in(value: Any) -> tuple[str, Row] | None:
    """The only name of a speaker in an object without a text, or in a list of one, and what else is there."""
    members = value if type(value) is dict else {"": value[0]} if type(value) is list and len(value) == 1 else {}
    named = [key for key, name in members.items() if type(name) is str and meaning_of(name) is not None]
    if len(named) != 1 or not members.keys().isdisjoint(TEXT_KEYS):
        return None
    return members[named[0]], {key: member for key, member in members.items() if key != named[0]}


def _in_lists(items: list[list[Any]], key: str) -> list[ShapedTurn] | None:
    """Lists of a speaker and a text, of one turn or, under a key of turns, of a question and its answer."""
    if len(items) == 1 and len(items[0]) == 1 and key in TURN_KEYS and type(items[0][0]) is dict:
        return [ShapedTurn(items[0][0], "0/0")]  # a conversation of one turn, or one turn in its list
    if all(len(item) == 1 for item in items):
        return _each_in_a_list(items)
    items = [["" if at == 1 and text is None and item[2:] else text for at, text in enumerate(item)] for item in items]
    if any(len(item) < len(PAIR) or not all(type(text) is str for text in item[: len(PAIR)]) for item in items):
        return None
    more = [item[len(PAIR) :] for item in items]
    firsts, seconds = ({meaning_of(text) for text in side} for side in list(zip(*items, strict=False))[: len(PAIR)])
    if None not in firsts and all(not calls or (len(calls) == 1 and _are_calls(calls[0])) for calls in more):
        known = seconds == {None} or are_both(firsts)
        turns = [
            {"role": item[0], "content": item[1], **({"tool_calls": calls[0]} if calls else {})}
            for item, calls in zip(items, more, strict=True)
        ]
        return [ShapedTurn(turn, f"{at}/1") for at, turn in enumerate(turns)] if known else None
    if any(more):
        return None
    if firsts != {None} or key.lower() not in TURN_KEYS:
        return None
    return [
        ShapedTurn({"role": role, "content": item[side]}, f"{at}/{side}")
        for at, item in enumerate(items)
        for side, role in enumerate(PAIR)
    ]


def _each_in_a_list(items: list[list[Any]]) -> list[ShapedTurn] | None:
    found = turns_in([item[0] for item in items])
    if found is None and len(items) > 1 and all(type(item[0]) is dict and _may_be_turn(item[0]) for item in items):
        return [ShapedTurn(item[0], f"{at}/0") for at, item in enumerate(items)]
    meanings = set() if found is None else {meaning_of(turn[found.speaker]) for turn in found.items}
    follow = are_both(meanings) or (len(meanings) > 1 and None not in meanings)  # and are not several answers
    return [ShapedTurn(item[0], f"{at}/0") for at, item in enumerate(items)] if follow else None


def _are_calls(value: Any) -> bool:
    return type(value) is list and bool(value) and all(map(looks_like_call, value))


def _in_other_case(items: list[Row]) -> list[ShapedTurn] | None:
    """Turns whose keys are those of turns in capitals."""
    turns = []
    for item in items:
        named = {key: key.lower() if key.lower() in COLUMNS else key for key in item}
        if len(set(named.values())) < len(item) or list(named) == list(named.values()):
            return None
        turns.append({named[key]: value for key, value in item.items()})
    return in_order(turns) if turns_in(turns) is not None else None


def _under_names(items: list[Row], key: str) -> list[ShapedTurn] | None:
    """Texts under the names of their speakers. Objects of several are only turns under a key of turns.

    The key that is the name of a speaker comes first; what else an object of one has stays a key of the turn.
    """
    turns, names = [], set()
    for at, item in enumerate(items):
        called = item.get("tool_calls")
        named = [
            name for name in item if (type(item[name]) is str or (called and item[name] is None)) and _meaning(name)
        ]
        if not named or (len(named) > 1 and (len(named) < len(item) or key.lower() not in TURN_KEYS)):
            return None
        names.update(named)
        beside = {name: member for name, member in item.items() if name not in named}
        if not beside.keys().isdisjoint(("role", "content")):
            return None
        turns += [
            ShapedTurn({"role": _speaker(name), "content": item[name], **beside}, f"{at}/{name}") for name in named
        ]
    alone = len(turns) == 1 and key.lower() in TURN_KEYS
    return turns if alone or _are_speakers(names) else None


def _meaning(name: str) -> str | None:
    return PAIR_NAMES.get(name.lower()) or meaning_of(name)


def _speaker(name: str) -> str:
    return PAIR_NAMES.get(name.lower(), name)


def _are_speakers(names: set[str]) -> bool:
    """Whether names are those of speakers, a user and an assistant among them."""
    meanings = set(map(_meaning, names))
    return None not in meanings and are_both(meanings)
