"""The signs by which parts of a row are known: prose, turns, declarations, results, and keys that say what is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.calls import declares_tools
from toolconv.core.conversation import Row
from toolconv.core.key_words import QUESTIONS, SYSTEMS, words_of
from toolconv.layouts.found_turns import TEXT_KEYS, turns_in
from toolconv.layouts.speakers import meaning_of

PROSE: Final = 4
"""The words of a text that is taken for an answer, whatever its key, where a conversation has none."""
SENTENCE_ENDS: Final = frozenset(".!?。！？…")
"""The last characters of a text that is a sentence."""
SYSTEM_NAMES: Final = frozenset({"system", "sys"})
SYSTEM_WORDS: Final = SYSTEM_NAMES | {"instructions", "persona", "preamble"}
"""Words in the keys of system texts: in any object, and in those of a row."""
LONGEST: Final = 32
"""How long the name of a speaker is at most."""
CONTENT_KEYS: Final = (*TEXT_KEYS, "blocks", "contents")
CONTENTS: Final = frozenset(CONTENT_KEYS)
TURN_TEXTS: Final = frozenset(TEXT_KEYS)
"""Keys of the text of a turn."""
SHARES: Final = frozenset({"text", "message"})
"""Keys of the text of a part, and of the message of one of several answers."""
DECLARING: Final = frozenset(
    {"name", "function", "custom", "toolSpec", "functionDeclarations", "function_declarations"}
)
"""Keys of which a declaration has one."""
CALL_SIZE: Final = 3
"""How many keys a canonical call has."""
RESULTS: Final = frozenset({"result", "results", "output", "response", "observation"})
"""Keys of a call that hold its result."""


def is_prose(text: str) -> bool:
    """Whether a text is words that someone says, rather than a name or a number: four of them, or a sentence."""
    if len(text.split(maxsplit=PROSE)) >= PROSE:
        return True
    return text.rstrip()[-1:] in SENTENCE_ENDS and any(map(str.isalpha, text))


def is_short(text: str) -> bool:
    """Whether a text is one or a few words, but no prose."""
    return not is_prose(text) and text[:1] not in ("{", "[") and (text.isalpha() or " " in text.strip())


def is_system(key: str, words: bool, alone: bool) -> bool:
    """Whether a text is a system text by a key: a usual one of the row, or, of words, one that says so."""
    said = words_of(key)
    return (alone and key.lower() in SYSTEMS) or (
        words and not said.isdisjoint(SYSTEM_WORDS if alone else SYSTEM_NAMES)
    )


def is_question(key: str, words: bool) -> bool:
    """Whether a text is a question by a key: a usual one, or, of words, one that says so."""
    return key.lower() in QUESTIONS or (words and not words_of(key).isdisjoint(QUESTIONS))


def texts_below(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The texts in a value, which may be JSON text, in order, each with its path."""
    waiting = [(value, path)]
    while waiting:
        value, path = waiting.pop()
        value = jsontext.opened(value)
        if type(value) is str:
            yield path, value
        elif type(value) is dict or type(value) is list:
            waiting += members_of(value, path)


def members_of(value: Any, path: tuple[str, ...]) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """The members of a list or an object, the last one first, each with its path."""
    if type(value) is dict:
        return ((member, (*path, key)) for key, member in reversed(value.items()))
    return ((value[at], (*path, str(at))) for at in range(len(value) - 1, -1, -1))


def turn_text(value: Any) -> str | None:
    """The key of the text of a turn, whose speaker may be under any key; ``None`` for anything else."""
    if type(value) is not dict or CONTENTS.isdisjoint(value) or not speaker_of(value):
        return None
    return next((key for key in CONTENT_KEYS if value.get(key) and type(value[key]) in (str, list)), None)


def is_turn(part: Any) -> bool:
    """Whether a part of a message's content is a turn itself, or a list of turns."""
    if type(part) is list:
        return bool(part) and all(map(is_turn, part))
    if type(part) is not dict or CONTENTS.isdisjoint(part):
        return False
    return turn_text({key: value for key, value in part.items() if key != "type"}) is not None


def speaker_of(turn: Row) -> str:
    """The name of a turn's speaker, under any key; empty if it has none."""
    named = (name for key, name in turn.items() if key not in TURN_TEXTS and type(name) is str and len(name) < LONGEST)
    return next((name for name in named if meaning_of(name) is not None), "")


def is_messages(text: str) -> bool:
    """Whether a text is the JSON of messages, or of the parts of one."""
    value = jsontext.opened(text)
    if type(value) is dict:
        return type(value.get("role")) is str and not {"content", "parts", "tool_calls"}.isdisjoint(value)
    if type(value) is not list or not value:
        return False
    if not all(type(item) is dict for item in value):
        return all(map(turns_in, value))
    if all(not SHARES.isdisjoint(item) and ("index" in item or item.get("type") == "text") for item in value):
        return True
    return any(type(item.get("role")) is str and "content" in item for item in value)


def declares(value: Any) -> bool:
    """Whether a value is the declaration of a tool, also one with a flat list of its parameters."""
    if type(value) is not dict:
        return type(value) is list and declares_tools([value])
    if DECLARING.isdisjoint(value):
        return False
    named = type(value.get("name")) is str and type(value.get("description")) is str
    return declares_tools([value]) or (named and type(value.get("parameters")) is dict)


def results_in(calls: Any) -> list[tuple[str, str]]:
    """The keys of calls, of those that no conversation has, that hold a result, each with the index of its call."""
    if type(calls) is not list:
        return []
    found = []
    for at, call in enumerate(calls):
        if type(call) is dict and len(call) > CALL_SIZE and not RESULTS.isdisjoint(call):
            found += [(str(at), key) for key, value in call.items() if value and key in RESULTS]
    return found
