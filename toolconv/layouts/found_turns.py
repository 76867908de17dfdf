"""Lists of turns under any key: objects that each have a speaker and a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.key_words import words_of
from toolconv.core.messages import Row
from toolconv.layouts.speakers import OTHER_KEYS, are_both, asks_and_answers, meaning_of
from toolconv.layouts.tool_places import TOOL_KEYS

SPEAKER_KEYS: Final = ("role", "from", "speaker", "sender", "author", "type", "name")
"""The keys of a turn's speaker."""
SURE_KEYS: Final = frozenset({"role", *OTHER_KEYS})
"""Those that say nothing else: one known name among the turns is enough."""
SURE_NAMES: Final = frozenset({"user", "human", "assistant", "gpt", "system"})
"""Names of speakers that are nothing else; one of them among other known ones is enough, under any key."""
TEXT_KEYS: Final = ("content", "value", "text", "message", "utterance", "body", "msg", "parts")
"""The keys of a turn's text."""
CALL_KEYS: Final = frozenset({"tool_calls", "function_call"})
DEEPEST: Final = 5
"""How many objects may enclose a list of turns, or a row."""


class TurnsFound(NamedTuple):
    """A list of turns.

    Attributes:
        items: the turns.
        speaker, text: the keys of the speaker and of the text.
    """

    items: list[Row]
    speaker: str
    text: str


class ShapedTurn(NamedTuple):
    """A turn that a list in another shape means, and where it is below the value that holds all of them.

    Attributes:
        item: the turn.
        place: the end of its JSON pointer; ``None`` if no pointer leads there.
    """

    item: Row
    place: str | None


def in_order(items: Iterable[Row]) -> list[ShapedTurn]:
    """Turns that are the items of a list."""
    return [ShapedTurn(item, str(at)) for at, item in enumerate(items)]


class TurnsPlace(NamedTuple):
    """A list of turns in a row, and the keys that lead there."""

    path: tuple[str, ...]
    turns: TurnsFound


def turns_in(value: Any, names: frozenset[str] = frozenset()) -> TurnsFound | None:
    """The turns that a list holds; ``None`` if it is something else.

    ``names`` are further names of speakers, in small letters.
    """
    if type(value) is not list or not value:
        return None
    first = value[0]
    if type(first) is not dict:
        return None
    for speaker in SPEAKER_KEYS:
        if type(first.get(speaker)) is str and (text := _text_key(value, speaker, TEXT_KEYS)) is not None:
            found = {item[speaker] for item in value}
            known = sum(name.lower() in names or meaning_of(name) is not None for name in found)
            if (known if speaker in SURE_KEYS else known == len(found)) or asks_and_answers(found):
                return TurnsFound(value, speaker, text)
    return _turns_by_names(value, names)


def _turns_by_names(items: list[Any], names: frozenset[str]) -> TurnsFound | None:
    """Turns whose speakers are under an unusual key: each value is a name, and a user and an assistant speak.

    Their texts may be under an unusual key, too, if it is the only other one that all turns have.
    """
    for speaker, name in items[0].items():
        if type(name) is not str or (name.lower() not in names and meaning_of(name) is None):
            continue
        shared = set(items[0]).intersection(*(item if type(item) is dict else () for item in items)) - {speaker}
        others = (*TEXT_KEYS, *shared) if len(shared) == 1 else TEXT_KEYS
        text = _text_key(items, speaker, others)
        if text is None or type(items[0].get(text)) is not str:
            continue
        found = {item[speaker] for item in items}
        meant = {name for name in found if name.lower() in names}
        meanings = {meaning_of(name) for name in found - meant}
        if None not in meanings and (meant or are_both(meanings)):
            return TurnsFound(items, speaker, text)
    return None


def _text_key(items: list[Any], speaker: str, keys: Iterable[str]) -> str | None:
    """The key, of some, of the texts of turns; ``None`` if these are no turns with this key of the speaker."""
    for text in keys:
        found = False
        for item in items:
            if type(item) is not dict or type(item.get(speaker)) is not str:
                return None
            if text in item:
                if type(item[text]) is dict:
                    return None  # an envelope around a message
                found = True
            elif CALL_KEYS.isdisjoint(item):
                break
        else:
            if found:
                return text
    return None


ONE_TURN: Final = "one turn of a conversation, not a row"
"""What an object is that has a speaker and a text."""


def is_turn(row: Row) -> bool:
    """Whether an object is one turn by its keys: a speaker and a text, and nothing that it answers.

    It may be under ``message``, as in the sessions of some agents.
    """
    if type(inner := row.get("message")) is dict and _ROW_KEYS.isdisjoint(row):
        return is_turn(inner)
    if _TURN_TEXTS.isdisjoint(row) or not _ROW_KEYS.isdisjoint(row):
        return False
    if row.get("type") in _CLINE and row["type"] in row:
        return True
    sure = SURE_KEYS.intersection(row)
    return all(type(row[key]) is str for key in sure) if sure else any(map(names_speaker, row, row.values()))


def names_speaker(key: str, value: Any) -> bool:
    """Whether a key, such as ``messageType``, says who speaks, by a name that is nothing else."""
    return (
        type(value) is str
        and not words_of(key).isdisjoint(_SPEAKER_WORDS)
        and value.lower().removesuffix("_message") in SURE_NAMES
    )


_TURN_TEXTS: Final = frozenset({*TEXT_KEYS, "contents"})
_CLINE: Final = ("say", "ask")
"""The types of Cline's messages, under which each has its kind. Source: cline/cline, ``ExtensionMessage.ts``."""
_SPEAKER_WORDS: Final = frozenset({"type", "kind", "event", *SURE_KEYS})
_ROW_KEYS: Final = frozenset({
    "messages", "conversations", "prompt", "instruction", "question", "query", "problem", "input", "completion",
    "output", "response", "generated_text", "raw_output", "tools",
})  # fmt: skip


def find_turns(row: Row, names: frozenset[str] = frozenset()) -> list[TurnsPlace]:
    """All lists of turns in a row, in objects of objects; also as JSON text.

    ``names`` are further names of speakers, in small letters.
    """
    return list(_turns_below(row, (), names))


def _turns_below(value: Row, path: tuple[str, ...], names: frozenset[str]) -> Iterator[TurnsPlace]:
    for key, member in value.items():
        if key in TOOL_KEYS:
            continue
        if type(member) is str and member[:1] in ("[", "{"):
            member = jsontext.opened(member)
        place = (*path, key)
        if (turns := turns_in(member, names)) is not None:
            yield TurnsPlace(place, turns)
        elif type(member) is dict and len(place) < DEEPEST and not is_turn(member):
            yield from _turns_below(member, place, names)
