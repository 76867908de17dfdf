"""What of an original row is nowhere in its conversation.

Each value of the row is kept (the same value is in the canonical row, or its words are), used (it says how the row is
built, or belongs to a record of the run, as tables say), or named here.
"""

from __future__ import annotations

from typing import Any, Final, Literal

from toolconv.convert.unread.carried import DECLARED
from toolconv.convert.unread.held import Held
from toolconv.convert.unread.signs import (
    CONTENTS,
    JOINED,
    NESTED,
    RESULTS,
    is_short,
    is_text_part,
    is_words,
    members_of,
    objects_in,
    speaker_of,
    texts_below,
)
from toolconv.convert.unread.values import ValueSearch
from toolconv.core.call_keys import ARGUMENT_KEYS, is_flattened, unread_key
from toolconv.core.calls import declares_tools
from toolconv.core.key_words import (
    ANSWER_WORDS,
    ARGUMENT_WORDS,
    CALL_WORDS,
    DESCRIBING,
    DETAILS,
    OTHER_ANSWERS,
    words_of,
)
from toolconv.core.marks import MARK_KEYS, has_marks
from toolconv.core.messages import Row
from toolconv.core.tool_call import ToolCall
from toolconv.layouts.base import TEXTS
from toolconv.layouts.call_forms import NOTHING, name_key
from toolconv.layouts.content_parts import ALL_PARTS, PARTS, kind_of
from toolconv.layouts.found_turns import SPEAKER_KEYS
from toolconv.layouts.nested_json import opened, values_of
from toolconv.layouts.pieces import pieces_in
from toolconv.layouts.speakers import ASKING, meaning_of
from toolconv.layouts.tool_places import TOOL_KEYS
from toolconv.layouts.turn_list import TurnList

STRUCTURE_WORDS: Final = frozenset(
    {
        "type", "kind", "id", "uuid", "index", "null", "bool", "encrypted", "protected", "signature", "thought", "mime",
        "step", "created", "jsonrpc",
    }
)  # fmt: skip
"""Words in the keys of names and numbers by which a row is built, and which no argument of a call has as its key."""
USED_WORDS: Final = STRUCTURE_WORDS | {
    "object", "format", "key", "name", "source", "event", "state", "status", "model", "version", "date", "stop",
    "count", "reason",
}  # fmt: skip
"""Words in the keys of all of them."""
RUN_WORDS: Final = frozenset({"time", "timestamp", "timeout", "metadata", "usage", "tokens"})
"""Words in the keys of measures of a run, or of objects of these."""
NO_ARGUMENT: Final = DESCRIBING | USED_WORDS | RUN_WORDS | RESULTS | CALL_WORDS | CONTENTS
"""Words in the key of a value in a call that is not one of its arguments."""
ARGUMENTS: Final = frozenset(ARGUMENT_KEYS)
"""Usual keys of the arguments of a call."""
NOT_OPEN: Final = ARGUMENTS | CONTENTS | {"description"}
"""Keys of what says whether it has arguments, of turns and of declarations."""
MISSING: Final = object()
"""What a table has for a key that it lacks."""
NEAR: Final = 3
"""How many keys on the path to a measure of a run may say so."""
Sought = Literal["calls", "words", "values", "texts", "pieces"]
"""What is looked for in a value: calls alone in a record of the run; words as well in what a log holds; else all.

In what is read of a stream, texts; in the rest of it, all that may be a piece, which the conversation need not lack.
"""
DECLARING_KEYS: Final = DECLARED - {"function"}
"""Keys below which objects with a name and parameters are no calls."""


def look_for_gone(search: ValueSearch, source: Row) -> None:
    """Add what of an original row is nowhere in its conversation."""
    held = search.held
    row, records = held.conversation.row, held.layout.run_records
    kinds, lost = {key: values for key, values in records.items() if values}, held.layout.lost_records
    apart = {field.pointer for field in held.conversation.fields}  # a text in words: its parts were read one by one
    logged, marked = held.layout.leaves_out, has_marks(held.messages)
    streamed = held.layout.streamed(source)
    waiting: list[tuple[Any, tuple[str, ...], Sought]] = [
        (value, ("", key), "words" if logged else "values")
        for key, value in reversed(source.items())
        if row.get(key) is not value
        and key not in streamed
        and not (type(value) is str and f"/{key}" in apart and type(opened(value)) is str)
        and not _is_record(search, key, value)
    ]
    for name, places in streamed.items():
        chunks = source.get(name)
        pieces = pieces_in(values_of(chunks) if type(chunks) is str else chunks, places, ("", name))
        waiting += [(piece, path, "texts" if read else "pieces") for piece, path, read in pieces]
    named: set[tuple[str, ...]] = set()
    kept: dict[str, list[tuple[str, ...]]] = {}
    results: set[tuple[str, ...]] = set()
    while waiting:
        value, path, sought = waiting.pop()
        value = opened(value) if path not in results else value
        called = any(not words_of(key).isdisjoint({"call", "calls"}) for key in path)
        if sought not in ("calls", "texts") and not called and type(value) in NESTED and search.add_tools(value, path):
            continue
        if type(value) is dict:
            if any(type(kind := value.get(key)) is str and kind in lost[key] for key in lost):
                continue
            if any(type(kind := value.get(key)) in (str, bool) and kind in kinds[key] for key in kinds):
                waiting += [(member, place, "calls") for member, place in members_of(value, path)]
                continue
            if sought == "words" and _belongs(search, value, path):
                sought = "values"
            if held.shows(value):
                continue
            if sought not in ("calls", "texts") and search.is_lost_result(value):
                search.add(path, "messages", "the result of a call")
                continue
            if not marked and (marks := MARK_KEYS.intersection(value)) and speaker_of(value):
                search.add((*path, min(marks)), "mark", "a mark that is not kept")
            declared = sought == "texts" or declares_tools([value]) or not DECLARING_KEYS.isdisjoint(path)
            call = None if declared else search.call_in(value, path)
            made = call.arguments if call is not None and held.makes(call) else None
            if call is not None and made is None and not held.drops(value):
                search.add(path, "calls", "a call")
            elif (key := _unread_arguments(held, value)) is not None:
                search.add((*path, key), "calls", "what may be the arguments of a call")
            elif sought != "calls" and _may_be_arguments(held, value, path[-1]):
                search.add(path, "calls", "what may be the arguments of a call")
            elif sought == "values" and _is_gone(search, value, path):
                search.add(path, "value", "values that are not kept")
            else:
                # what a tool returns is data, whatever it looks like
                if sought != "pieces" and meaning_of(speaker_of(value)) == "tool":
                    results |= {place for member, place in members_of(value, path) if _is_held_text(held, member)}
                waiting += [
                    (member, place, sought)
                    for member, place in members_of(value, path)
                    if not _is_record(search, place[-1], member) and not (made and opened(member) == made)
                ]
        elif type(value) is list:
            waiting += [(member, place, sought) for member, place in members_of(value, path)]
        elif sought == "calls":
            continue
        elif path in results or _is_kept(search, value, path, sought):
            if type(value) is str and value and _key_of(path) in JOINED:
                kept.setdefault(value.strip(), []).append(path[1:])
        elif type(value) is str and value[:1] == "{" and (lines := objects_in(value)):
            waiting += [(member, place, sought) for member, place in members_of(lines, path)]
        else:
            piece = path[-1] in JOINED or (sought == "pieces" and _is_piece(path[-1]))
            says = type(value) is str and (piece or is_words(value))
            if not says and (sought not in ("values", "pieces") or _builds(path) or _is_fact(value, path)):
                continue
            is_text = says or (type(value) is str and is_short(value))
            if sought == "pieces" or not is_text:  # one of an object says enough, and of the same keys in a stream
                alike = path[:-1] if sought != "pieces" else tuple(key for key in path if not key.isdecimal())
                if alike in named:
                    continue
                named.add(alike)
            search.add(path, *(("messages", "a text") if is_text else ("value", "a value that is not kept")))
    for text, same in kept.items():
        if len(same) > 1 and 0 < (times := held.times(text)) < len(same):
            _look_for_lost_copies(search, source, same, times)


def _unread_arguments(held: Held, value: Row) -> str | None:
    """The key of what may be the arguments of a call that the conversation makes without any, by its id or name."""
    if not held.without_arguments:
        return None
    typed = value.get("type") == "function"  # which is no speaker
    if kind_of(value) == "result" or (meaning_of(speaker_of(value)) == "tool" and not typed):
        return None
    ids = {member for key, member in value.items() if type(member) is str and "id" in words_of(key)}
    function = value.get("function")
    holder = function if type(function) is dict else value
    named = function if type(function) is str else holder.get(name_key(holder) or "")
    names = {named} if type(named) is str else set()
    known = RESULTS.union(held.layout.run_records)
    others = {key: opened(member) for key, member in value.items() if key not in known}
    given = held.without_arguments & (ids | names if kind_of(value) == "call" else ids)
    key = unread_key(others) if given else None
    if key is None and held.without_arguments & names and holder is value and _says_no_arguments(others):
        return next((key for key, member in others.items() if _may_be_argument(key, member)), None)
    if key is None or any(text in given for _, text in texts_below(value[key], ("",))):
        return None  # the call itself
    if type(others[key]) is dict and not ARGUMENTS.isdisjoint(others[key]):
        return None  # it has none, and says so
    return key


def _says_no_arguments(call: Row) -> bool:
    """Whether a call has no key for arguments, so that these may be elsewhere. It is no turn or declaration."""
    return NOT_OPEN.isdisjoint(call) and dict not in map(type, call.values())


def _may_be_argument(key: str, value: Any) -> bool:
    """Whether a name or a number in a call is one of its arguments, which have no key of their own."""
    if type(value) not in (str, int, float) or value in NOTHING:
        return False
    return is_flattened(key) or words_of(key).isdisjoint(NO_ARGUMENT)


def _may_be_arguments(held: Held, value: Row, key: str) -> bool:
    """Whether an object is under a key for the arguments of a call, where a call has none, and no other has these."""
    words = words_of(key)
    if words.isdisjoint(ARGUMENT_WORDS) or words.isdisjoint(CALL_WORDS) or not value:
        return False
    return not all(call.arguments for call in held.made) and not held.makes(ToolCall("", value))


def _look_for_lost_copies(search: ValueSearch, source: Row, places: list[tuple[str, ...]], times: int) -> None:
    """Add the places of a text that more turns of one list hold, under the same keys, than the conversation has.

    Other copies are fine: logs repeat the history, and a message as an event.
    """
    alike: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for place in places:
        at = _turn_in(source, place)
        if at is not None:
            alike.setdefault((*place[:at], "", *place[at + 1 :]), []).append(place)
    for same in alike.values():
        for place in same[times:]:
            search.add(("", *place), "messages", "a text that is kept fewer times")


def _turn_in(source: Row, place: tuple[str, ...]) -> int | None:
    """Which step on the way to a text is the number of the innermost turn, rather than of a part of one."""
    turn, held = None, source
    for at, key in enumerate(place):
        numbered = type(held := opened(held)) is list
        held = held[int(key)] if numbered else held[key]
        if numbered and type(inner := opened(held)) is not str:
            part = type(inner) is dict and not speaker_of(inner) and (is_text_part(inner) or ALL_PARTS.read(inner))
            turn = turn if part else at
    return turn


def _belongs(search: ValueSearch, value: Row, path: tuple[str, ...]) -> bool:
    """Whether an object belongs to the conversation: it has a text of it, or is a call, a part or a turn without parts.

    Or it is an answer, where there is none. What it holds is no record of the run.
    """
    held = search.held
    texts = [text.strip() for text in value.values() if type(text) is str and text]
    if any(text in held.texts for text in texts):
        return True
    if ALL_PARTS.read(value) is not None or search.call_in(value, path) is not None:
        return True
    names = [name for key in SPEAKER_KEYS if type(name := value.get(key)) is str]
    if any(map(meaning_of, names)) and not any(type(member) in NESTED and member for member in value.values()):
        return True
    return not held.answered and any(not words_of(key).isdisjoint(ANSWER_WORDS) for key in path[1:])


def _is_record(search: ValueSearch, key: str, value: Any) -> bool:
    """Whether a value is a record of the run by its key, where these may have any value, or be any text.

    One that the messages were read from is not one.
    """
    values = search.held.layout.run_records.get(key, MISSING)
    if values is None:
        return all(field.pointer != f"/{key}" for field in search.held.conversation.fields)
    return values == TEXTS and type(value) is str


def _is_held_text(held: Held, value: Any) -> bool:
    return type(value) is str and held.holds(value)


def _is_kept(search: ValueSearch, value: Any, path: tuple[str, ...], sought: Sought = "values") -> bool:
    """Whether a value that is neither an object nor a list is in the conversation, or says nothing."""
    held = search.held
    key = _key_of(path)
    if value is None or value is False or value in ("", "null"):
        return True
    if sought == "texts" and (type(value) is not str or (key not in JOINED and key not in DETAILS)):
        return True
    if sought == "pieces" and type(value) is str:
        return False  # the others may hold the same by chance
    if held.keeps(key, value):
        return True
    if isinstance(held.layout, TurnList) and key == held.layout.keys[0]:
        return True  # who speaks
    if type(value) is not str:
        return False
    if value.startswith(held.layout.references) or (_declares(path) and _builds(path)):
        return True
    other = any(not words_of(name).isdisjoint(OTHER_ANSWERS) for name in path[1:])
    return (is_words(value) or key in JOINED) and held.holds(value, copied=other)


def _is_gone(search: ValueSearch, value: Row, path: tuple[str, ...]) -> bool:
    """Whether an object is not kept at all, whose keys alone might say how the row is built: it may be arguments."""
    if path[-1].isdecimal() or _builds(path) or _is_fact(value, path):
        return False
    members = [
        (key, member)
        for key, member in value.items()
        if (member or member == 0) and words_of(key).isdisjoint(STRUCTURE_WORDS) and not _is_fact(member, (key,))
    ]
    if not all(_builds((key,)) and type(member) not in NESTED for key, member in members):
        return False
    return bool(members) and not any(_is_kept(search, member, (*path, key)) for key, member in members)


def _builds(path: tuple[str, ...]) -> bool:
    """Whether a value says by its key how the row is built."""
    return not words_of(_key_of(path)).isdisjoint(USED_WORDS)


def _is_piece(key: str) -> bool:
    """Whether a text in a stream may be a piece by its key, which says no more than how the stream is built."""
    words = words_of(key)
    return words.isdisjoint(STRUCTURE_WORDS) and not words <= USED_WORDS - {"name"}


def _key_of(path: tuple[str, ...]) -> str:
    """The last key on a path other than a number."""
    return next((key for key in reversed(path) if not key.isdecimal()), "")


def _declares(path: tuple[str, ...]) -> bool:
    return not DECLARING_KEYS.isdisjoint(path) or not TOOL_KEYS.isdisjoint(path[1:2])


def _is_fact(value: Any, path: tuple[str, ...]) -> bool:
    """Whether a value measures a run, belongs to a declaration, or names a speaker or a kind of part."""
    if type(value) is str and (value in PARTS or meaning_of(value) is not None):
        return True
    if path[-1] in SPEAKER_KEYS and str(value).lower() in ASKING:
        return True
    return _declares(path) or any(not words_of(key).isdisjoint(RUN_WORDS) for key in path[-NEAR:])
