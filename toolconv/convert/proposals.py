"""Which option reads a row that no layout fits, by what its keys hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from toolconv import layouts
from toolconv.convert.described import described
from toolconv.convert.trial import KeyOption, is_read_at, read_with, typed
from toolconv.convert.unread.find import find_unread
from toolconv.core.calls import is_call
from toolconv.core.json_pointer import pointer_to, steps_of
from toolconv.core.key_words import ANSWER_WORDS, NO_ANSWER, QUESTIONS, words_of
from toolconv.core.messages import Row
from toolconv.core.tools import NO_TOOLS
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.layouts.formats.completion import PROMPTS, TEXTS
from toolconv.layouts.formats.rendered import TURN_OPENINGS
from toolconv.layouts.found_answers import ALTERNATIVES, is_answer
from toolconv.layouts.found_turns import ONE_TURN, find_turns, is_turn
from toolconv.layouts.nested_json import opened
from toolconv.layouts.tool_places import TOOL_KEYS, value_at

QUESTION_WORDS = frozenset({*QUESTIONS, "input", "human", "ask", "request"})


WORDS_OR_MARKUP = frozenset(" {[<")
"""Characters of which an answer has one, and a name none."""
SPOKEN = frozenset({"messages", "answer", "calls"})
"""What a row is not read for, if any of it is left unread."""
TRIALS = 8
"""How many texts are tried."""
NO_TEXT = NO_ANSWER | {"role"}
"""Words in the last key of a text that describes an answer."""
DEEPEST = 5
"""In so many objects and lists, nothing is looked for."""


def better_reason(row: Row, reason: str, *, guessed: bool) -> str:
    """Why a row is rejected, with the option that reads it.

    Args:
        row: the row.
        reason: what its layout says.
        guessed: the layout was only the most likely one, so its reason says little.
    """
    found = proposal(row) or (described(row) if guessed else None)
    if found is None:
        return reason
    return found if guessed else f"{reason}; {found}"


def proposal(row: Row) -> str | None:
    """What a row seems to hold, and the option that reads it; ``None`` if nothing is known of it."""
    if is_turn(row):
        alone = "; --from-layout message reads answers that stand alone" if row.get("role") == "assistant" else ""
        return f"{ONE_TURN}: make a list of the turns of each conversation, one list a line{alone}"
    if _is_of_rows(row):
        return "each key holds a row: make a list of the rows, one row a line (jq -c '.[]')"
    places = [".".join(place.path) for place in find_turns(row)]
    if places:
        read = next((path for path in places if read_with(row, {"messages_key": path}) is not None), None)
        found = f"messages under {' and '.join(map(repr, places))}"
        if read is not None:
            return f"{found}: {typed({'messages_key': read})} reads them"
        why = described(row)
        return None if why is None else f"{found}, which no option reads; {why}"
    texts = {key: value for key, value in row.items() if isinstance(value, str) and value.strip()}
    texts = {key: value for key, value in texts.items() if value[:1] != '"' or type(opened(value)) is str}
    named = next((key for key in texts if _is(key, ANSWER_WORDS)), None)
    question = next((key for key in texts if key != named and _is(key, QUESTION_WORDS)), None)
    for path in (named,) if named else islice((*_texts_below(row), *_answers_in(row)), TRIALS):
        asked = question or _question_beside(row, path)
        keys: dict[KeyOption, str] = {"prompt_key": asked} if asked else {}
        if (options := _reading(row, {**keys, "text_key": path})) is not None:
            return f"an answer may be under {path!r}: {options}"
    for path in islice(_marked_in(row), TRIALS):
        if (options := _reading(row, {"text_key": path})) is not None:
            return f"turns or calls may be in the text {path!r}: {options}"
    for path in islice(_lists_in(row), TRIALS):
        if (options := _reading(row, {"messages_key": path})) is not None:
            return f"messages may be under {path!r}: {options}"
    return None


def _is_of_rows(document: Row) -> bool:
    """Whether an object holds rows of one layout under keys that say nothing of them, such as their ids."""
    if len(document) < 2 or not all(type(row) is dict for row in document.values()):
        return False
    kinds = {layouts.detect(row) for row in islice(document.values(), TRIALS)}
    has_turns = any(not words_of(key).isdisjoint(ANSWER_WORDS | QUESTION_WORDS) for key in document)
    return len(kinds) == 1 and None not in kinds and not has_turns


def _answers_in(row: Row) -> Iterator[str]:
    """The dotted paths of calls and of other answers that are no texts."""
    for path in _lists_in(row):
        value = opened(value_at(row, tuple(path.split("."))))
        calls = type(value) is list and all(is_call(item, NO_TOOLS) for item in value)
        if (calls or is_answer(value)) and all(words_of(key).isdisjoint(NO_TEXT) for key in path.split(".")):
            yield path


def _question_beside(row: Row, path: str) -> str | None:
    """The dotted path of the question in the object in which an answer is; ``None`` if there is none."""
    *above, _ = path.split(".")
    holder = opened(value_at(row, tuple(above))) if above else None
    if type(holder) is not dict:
        return None
    found = (key for key, value in holder.items() if type(value) is str and _is(key, QUESTION_WORDS))
    return next((".".join((*above, key)) for key in found), None)


def _below(value: Row, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The members of a row, and those of its objects, also of JSON texts, each with its path; the outer ones first."""
    inner = {key: member for key, member in value.items() if key not in TOOL_KEYS}
    yield from (((*path, key), member) for key, member in inner.items())
    for key, member in inner.items():
        if len(path) < DEEPEST and type(member := opened(member)) is dict:
            yield from _below(member, (*path, key))


def _lists_in(row: Row) -> Iterator[str]:
    """The dotted paths of the lists and objects in a row that may be turns."""
    members = ((path, opened(member)) for path, member in _below(row))
    return (".".join(path) for path, member in members if type(member) in (dict, list) and member)


def _marked_in(row: Row) -> Iterator[str]:
    """The dotted paths of the texts in a row that begin with turn tokens, or may show calls."""
    for path, member in _below(row):
        if type(member) is not str or any(not words_of(key).isdisjoint(NO_TEXT) for key in path):
            continue
        if _begins_with_tokens(member) or unread_calls(member, NO_TOOLS):
            yield ".".join(path)


def _begins_with_tokens(text: str) -> bool:
    return text.startswith(TURN_OPENINGS) and not text[0].isalpha()  # as words do


def _reading(row: Row, keys: dict[KeyOption, str]) -> str | None:
    """Options, as they are typed, with which a row is read; ``None`` if more of the row is left unread.

    The option that reads its question is added.
    """
    read = read_with(row, keys)
    if read is None:
        return None
    left = find_unread(read, None)
    asked = next((each.pointer for each in left if each.kind == "question"), None)
    if asked is not None and keys.keys() == {"text_key"}:
        return _reading(row, {"prompt_key": ".".join(steps_of(asked)), **keys})
    if "messages_key" in keys and (asked is not None or not is_read_at(read, tuple(keys["messages_key"].split(".")))):
        return None
    read_at = pointer_to(tuple(keys["text_key"].split("."))) if "text_key" in keys else ""
    return None if any(each.kind in SPOKEN and each.pointer != read_at for each in left) else typed(keys)


def _is(key: str, words: frozenset[str]) -> bool:
    found = words_of(key)
    return not found.isdisjoint(words) and found.isdisjoint(NO_TEXT)


def _texts_below(value: Any, path: tuple[str, ...] = ()) -> Iterator[str]:
    """The dotted paths of the texts in an object or a list that are under a key with a word for answers."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        if isinstance(value, list) and path[-1] not in ALTERNATIVES:
            return  # one of several, none of which is all
        place = (*path, str(key))
        asked = place[-1] in TEXTS and isinstance(value, dict) and not value.keys().isdisjoint(PROMPTS)
        says = isinstance(member, str) and member and (asked or not WORDS_OR_MARKUP.isdisjoint(member))
        answers = says and path and words_of(place[-1]).isdisjoint(NO_TEXT)
        if answers and any(_is(step, ANSWER_WORDS) or step == "choices" for step in place):
            yield ".".join(place)
        if isinstance(member, dict | list) and len(place) < DEEPEST:
            yield from _texts_below(member, place)
