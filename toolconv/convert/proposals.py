"""Which option reads a row that no layout fits, by what its keys hold."""

from __future__ import annotations

from typing import Any

from toolconv.core.key_words import ANSWER_WORDS, NO_ANSWER, QUESTIONS, words_of
from toolconv.core.messages import Row
from toolconv.layouts.found_turns import ONE_TURN, find_turns, is_turn

QUESTION_WORDS = frozenset({*QUESTIONS, "input", "human", "ask", "request"})


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
    found = proposal(row)
    if found is None:
        return reason
    return found if guessed else f"{reason}; {found}"


def proposal(row: Row) -> str | None:
    """What a row seems to hold, and the option that reads it; ``None`` if nothing is known of it."""
    if is_turn(row):
        alone = "; --from-layout message reads answers that stand alone" if row.get("role") == "assistant" else ""
        return f"{ONE_TURN}: make a list of the turns of each conversation, one list a line{alone}"
    places = find_turns(row)
    if places:
        paths = [".".join(place.path) for place in places]
        return f"messages under {' and '.join(map(repr, paths))}: --messages-key {quoted(paths[0])} reads them"
    texts = {key: value for key, value in row.items() if isinstance(value, str) and value.strip()}
    answer = next((key for key in texts if _is(key, ANSWER_WORDS)), None)
    question = next((key for key in texts if key != answer and _is(key, QUESTION_WORDS)), None)
    options = [f"--prompt-key {quoted(question)}"] if question else []
    if answer is None:
        path = _text_below(row)
        answer = None if path is None else ".".join(path)
    if answer is None:
        return None
    options.append(f"--text-key {quoted(answer)}")
    return f"an answer may be under {answer!r}: {' '.join(options)}"


def quoted(key: str) -> str:
    """A key as it is typed in a shell."""
    from shlex import quote

    return quote(key)


def _is(key: str, words: frozenset[str]) -> bool:
    found = words_of(key)
    return not found.isdisjoint(words) and found.isdisjoint(NO_TEXT)


def _text_below(value: Any, path: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """The path of the first text in an object or a list under a key with a word for answers."""
    members = value.items() if isinstance(value, dict) else enumerate(value)
    for key, member in members:
        place = (*path, str(key))
        answers = isinstance(member, str) and path and words_of(place[-1]).isdisjoint(NO_TEXT)
        if answers and any(_is(step, ANSWER_WORDS) or step == "choices" for step in place):
            return place
        if isinstance(member, dict | list) and len(place) < DEEPEST:
            found = _text_below(member, place)
            if found is not None:
                return found
    return None
