"""Rows with several answers to one prompt: taken apart into rows with one answer each, and put together again.

A layout lists the forms in which its rows hold several answers. Everything else works on rows with one answer: such a
row is a conversation like any other, with every step that conversations take.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext
from toolconv.core.marks import MARK_KEYS
from toolconv.core.messages import Row
from toolconv.core.row_fields import RowField
from toolconv.core.rows import found_at, ordered_like, put_at, put_in_place, same
from toolconv.layouts.speakers import meaning_of

Turns = list[dict[str, Any]]

ANSWER_KEYS: Final = frozenset(
    {"chosen", "rejected", "chosen_messages", "rejected_messages", "rejected_response", "non_preferred_output"}
    | {"completions", "responses", "outputs", "generations", "samples", "candidates", "choices"}
)
"""A row without any of these keys has one answer."""


ANSWERS: Final = (
    "completion", "output", "response", "generated_text", "raw_output", "model_output", "model_response", "generation",
    "solution", "answer", "outputs", "target", "targets", "assistant", "reply", "responses", "completions",
    "generations", "answers", "assistant_message", "response_message", "final_answer", "final_response", "ideal",
)  # fmt: skip
"""The keys of an answer next to what it answers, in any case."""

PROMPTS: Final = ("question", "instruction", "query", "problem", "user_prompt", "user_query", "user_question")
"""Further keys of a prompt that is a text."""


class Apart(NamedTuple):
    """A row, taken apart.

    Attributes:
        rows: one row for each answer, the preferred one first, with all that answers don't concern.
        places: the pointer of each answer in the row.
        ranked: the first answer is preferred to the second.
        column: the pointer, in each of ``rows``, of the turns, or of the text of the answer.
        asked: how many of these turns are the prompt.
        prompt: the pointer of the prompt's turns in the row; ``None`` if each answer repeats them.
        listed: for the prompt, and for each answer, whether each of its turns is a value of its own in the row.
        extra_keys: how many keys the answers have that ``rows`` don't hold.
        first_goes_on: the first answer follows the prompt in the same list.
    """

    rows: list[Row]
    places: list[str]
    ranked: bool
    column: str
    asked: int = 0
    prompt: str | None = None
    listed: tuple[bool, ...] = ()
    extra_keys: int = 0
    first_goes_on: bool = False

    def fields(self, at: int, fields: Sequence[RowField]) -> list[RowField]:
        """The fields of the row from which the messages with the answer at an index come.

        Args:
            at: the index of the answer.
            fields: those of ``rows[at]`` from which they were read.
        """
        return [moved for field in fields for moved in self._moved(at, field)]

    def prompt_row(self) -> Row | None:
        """A row like those in ``rows``, with the turns of the prompt alone; ``None`` if no turns are the prompt."""
        column = self.column[1:]
        return {**self.rows[0], column: self.rows[0][column][: self.asked]} if self.asked else None

    def _moved(self, at: int, field: RowField) -> list[RowField]:
        place = self.places[at]
        if field.pointer != self.column:
            return [field]
        if field.pieces is None:
            return [field._replace(pointer=place)]
        if at == 0 and self.first_goes_on:
            return [field]
        starts = list(range(field.size)) if field.starts is None else list(field.starts)
        asked = 0 if self.prompt is None else self.asked
        size = sum(start < asked for start in starts)
        before, after = field.pieces[:asked], field.pieces[asked:]
        moved = []
        if self.prompt is not None and asked:
            pieces = before if self.listed[0] else None
            moved.append(RowField(self.prompt, size, pieces, starts[:size] if pieces else None))
        pieces = after if self.listed[at + 1] else None
        later = [start - asked for start in starts[size:]] if pieces else None
        return [*moved, RowField(place, field.size - size, pieces, later)]


class AnswersForm(ABC):
    """A way to hold several answers in a row."""

    @abstractmethod
    def apart(self, row: Row) -> Apart | None:
        """The row with each answer; ``None`` if it does not hold several in this form."""

    def together(self, rows: list[Row], column: str, asked: int, ranked: bool, came: Row | None) -> Row | None:
        """One row of the rows with one answer each; ``None`` if this form can't hold them, or is only read.

        Args:
            column: the key of their turns, or of the text of the answer.
            asked: how many turns of each are the prompt.
            ranked: the first answer is preferred to the second.
            came: the row they come from, if that has this form, for the style of its parts.
        """
        return None


class Pair(AnswersForm):
    """Two answers, a chosen and a rejected one.

    Args:
        column: the key of the turns in a row with one answer.
        prompt: the key of the turns that both answer; ``None`` if each answer is a whole conversation.
        answers: the keys of the answers.
        keys: a turn's keys for the speaker and the text, and the names of the user and the assistant.
        single: an answer is one turn.
    """

    def __init__(
        self,
        column: str = "messages",
        prompt: str | None = "prompt",
        answers: tuple[str, str] = ("chosen", "rejected"),
        keys: tuple[str, str, str, str] = ("role", "content", "user", "assistant"),
        *,
        single: bool = False,
    ) -> None:
        self.column = column
        self.prompt = prompt
        self.answers = answers
        self.keys = keys
        self.single = single

    def apart(self, row: Row) -> Apart | None:
        if not all(key in row for key in self.answers):
            return None
        given = [row[key] for key in self.answers]
        key = self._prompt_key(row)
        before = row.get(key) if key is not None else None
        turns = [self._turns(value, self.keys[3]) for value in given]
        asked = [] if before is None else self._turns(before, self.keys[2])
        if None in turns or asked is None or not any(map(_is_list, (before, *given))):
            return None
        answers = [each for each in turns if each is not None]
        used = {self.column, *self.answers}
        repeated = before is None or (isinstance(before, str) and not _is_list(before) and self._are_whole(answers))
        if repeated:
            asked = prompt_in(answers)
            if isinstance(before, str) and any(turn.get(self.keys[1]) == before for turn in asked):
                used |= {str(key)}  # it says again what the turns say
            if self.column in row and self.column != self.prompt and not same(row[self.column], given[0]):
                return None
        elif self.single and any(len(each) != 1 for each in answers):
            return None
        elif key is not None:
            if self.column in row and self.column != key:
                return None
            used |= {key}
            if asked and self._says(asked[-1:]) == self._says(answers[0][-1:]):
                asked = asked[:-1]  # the chosen answer, which is part of the messages, too
            answers = [asked + turns for turns in answers]
        rows = [_with(row, used, self.column, turns) for turns in answers]
        return Apart(
            rows,
            [f"/{key}" for key in self.answers],
            ranked=True,
            column=f"/{self.column}",
            asked=len(asked),
            prompt=None if repeated else f"/{key}",
            listed=tuple(isinstance(value, list) for value in (before, *given)),
        )

    def together(self, rows: list[Row], column: str, asked: int, ranked: bool, came: Row | None) -> Row | None:
        if not ranked or len(rows) != 2:
            return None
        turns: list[Turns] = [row[column] for row in rows]
        prompt = self.prompt if came is None else self._prompt_key(came)
        found = None if came is None else self.apart(came)
        repeated = prompt is None if found is None else found.prompt is None
        if not repeated and self.single and any(len(each) != asked + 1 for each in turns):
            asked = len(prompt_in(turns))
            if any(len(each) != asked + 1 for each in turns):
                return None
        parts: Row = {} if repeated or prompt is None else {prompt: turns[0][:asked]}
        for key, each in zip(self.answers, turns, strict=True):
            answer = each if repeated else each[asked:]
            parts[key] = answer[0] if self.single and not repeated else answer
        if came is not None:
            parts = {key: self._as_came(value, came.get(key)) for key, value in parts.items()}
        row = put_in_place(rows[0], column, parts)
        if came is not None and repeated:
            row |= {key: came[key] for key in (prompt, self.column) if key in came and key not in row}
            if self.column in came and self.column != prompt:
                row[self.column] = row[self.answers[0]]
        return row

    def _prompt_key(self, row: Row) -> str | None:
        """The key of the prompt in a row."""
        if self.prompt == "prompt" and self.prompt not in row:
            return next((key for key in PROMPTS if isinstance(row.get(key), str)), self.prompt)
        return self.prompt

    def _turns(self, value: Any, speaker: str) -> Turns | None:
        """A part of a row as turns: it is a list, an object, or JSON text of these, or a text."""
        role, text = self.keys[:2]
        found = jsontext.opened(value)
        if isinstance(found, dict):
            found = [found]
        if isinstance(found, list) and all(isinstance(turn, dict) and role in turn for turn in found):
            return found
        return [{role: speaker, text: value}] if isinstance(value, str) else None

    def _says(self, turns: Turns) -> list[Row]:
        """Turns without marks, and with the roles that their speakers' names mean."""
        role = self.keys[0]
        return [
            {
                key: meaning_of(str(value)) if key == role else value
                for key, value in turn.items()
                if key not in MARK_KEYS
            }
            for turn in turns
        ]

    def _are_whole(self, answers: list[Turns]) -> bool:
        """Whether answers are whole conversations: they begin with the same turn of someone else."""
        role = self.keys[0]
        return bool(shared_start(answers)) and all(turns[0].get(role) != self.keys[3] for turns in answers)

    def _as_came(self, value: Any, came: Any) -> Any:
        """A part in the style in which it came: a text, an object, JSON text."""
        turns = value if isinstance(value, list) else [value]
        role, text = self.keys[:2]
        if isinstance(came, dict) and len(turns) == 1:
            return turns[0]
        if not isinstance(came, str):
            return turns if isinstance(came, list) else value
        if _is_list(came):
            return jsontext.spaced(value)
        plain = len(turns) == 1 and turns[0].keys() == {role, text} and isinstance(turns[0][text], str)
        return turns[0][text] if plain else value


class WholePair(Pair):
    """Two answers, each with all that both answer before it."""

    def __init__(self) -> None:
        super().__init__(prompt=None)

    def apart(self, row: Row) -> Apart | None:
        found = super().apart(row)
        return found if found is not None and found.asked else None


class TextPair(AnswersForm):
    """Two answers as texts, with a prompt, or each after the text of its prompt.

    Args:
        prompted: the key of the text in a row with one answer and a prompt.
        whole: this key where there is no prompt.
    """

    answers: Final = ("chosen", "rejected")

    def __init__(self, prompted: str = "completion", whole: str = "completion") -> None:
        self.prompted = prompted
        self.whole = whole

    def apart(self, row: Row) -> Apart | None:
        if not all(isinstance(row.get(key), str) for key in self.answers):
            return None
        column = self.prompted if "prompt" in row else self.whole
        if column in row and column not in self.answers:
            return None
        rows = [_with(row, {*self.answers}, column, row[key]) for key in self.answers]
        return Apart(rows, [f"/{key}" for key in self.answers], ranked=True, column=f"/{column}")

    def together(self, rows: list[Row], column: str, asked: int, ranked: bool, came: Row | None) -> Row | None:
        if not ranked or len(rows) != 2:
            return None
        texts = [row[column] for row in rows]
        return put_in_place(rows[0], column, dict(zip(self.answers, texts, strict=True)))


class Samples(AnswersForm):
    """Any number of answers in a list.

    Args:
        keys: the keys that the list may have.
        texts: an answer is a text, or an object with a text; otherwise a list of turns.
        column: the key of the turns, or of the text, of a row with one answer.
    """

    def __init__(self, keys: tuple[str, ...], column: str, *, texts: bool) -> None:
        self.keys = keys
        self.column = column
        self.texts = texts

    def apart(self, row: Row) -> Apart | None:
        key = next((key for key in self.keys if isinstance(row.get(key), list) and row[key]), None)
        if key is None:
            return None
        places = [f"/{key}/{at}" for at in range(len(row[key]))]
        if self.texts:
            found = [each for answer in row[key] if (each := _text_in(answer)) is not None]
            if len(found) < len(row[key]) or isinstance(row.get(self.column), str):
                return None
            extra = sum(len(answer) - 1 for answer in row[key] if isinstance(answer, dict))
            rows = [_with(row, {key}, self.column, text) for _, text in found]
            places = [f"{place}/{inner}" if inner else place for place, (inner, _) in zip(places, found, strict=True)]
            return Apart(rows, places, ranked=False, column=f"/{self.column}", extra_keys=extra)
        asked: Any = row.get("prompt")
        if not (asked == [] or are_turns(asked)) or not all(map(are_turns, row[key])) or self.column in row:
            return None
        rows = [_with(row, {"prompt", key}, self.column, asked + turns) for turns in row[key]]
        listed = (True,) * (len(rows) + 1)
        return Apart(rows, places, False, f"/{self.column}", len(asked), "/prompt", listed)

    def together(self, rows: list[Row], column: str, asked: int, ranked: bool, came: Row | None) -> Row | None:
        key = self.keys[0]
        if ranked:
            return None
        answers = [row[column] for row in rows]
        if not self.texts:
            return put_in_place(
                rows[0], column, {"prompt": answers[0][:asked], key: [each[asked:] for each in answers]}
            )
        if came is not None:
            key = next(key for key in self.keys if isinstance(came.get(key), list) and came[key])
            for at, (text, before) in enumerate(zip(answers, came[key], strict=True)):
                if found := _text_in(before):
                    answers[at] = {**before, found[0]: text} if found[0] else text
        return put_in_place(rows[0], column, {key: answers})


class Choices(AnswersForm):
    """The answers of a chat completion with ``n`` above 1: ``choices``, at any of some places."""

    def __init__(self, places: Sequence[tuple[str, ...]]) -> None:
        self.places = places

    def apart(self, row: Row) -> Apart | None:
        for path in self.places:
            choices = found_at(row, (*path, "choices"))
            if isinstance(choices, list) and len(choices) > 1:
                rows = [put_at(row, (*path, "choices"), [choice]) for choice in choices]
                prefix = "".join(f"/{key}" for key in path)
                places = [f"{prefix}/choices/{at}/message" for at in range(len(choices))]
                return Apart(rows, places, ranked=False, column=f"{prefix}/choices/0/message")
        return None


def shared_start(answers: Sequence[Turns]) -> Turns:
    """The turns that all answers begin with."""
    first = answers[0]
    end = next((at for at, turns in enumerate(zip(*answers, strict=False)) if not _are_same(turns)), None)
    return first[: min(map(len, answers)) if end is None else end]


def _are_same(values: Sequence[Any]) -> bool:
    return all(same(values[0], value) for value in values[1:])


def shared_turns(answers: Sequence[Any], prompt: Any) -> int:
    """How many turns all ``answers`` begin with: those of ``prompt`` before its last, if they are the same."""
    if not all(isinstance(turns, list) for turns in answers):
        return 0
    most = len(shared_start(answers))
    return min(len(prompt) - 1, most) if isinstance(prompt, list) else most


def prompt_in(answers: Sequence[Turns]) -> Turns:
    """The prompt of answers that are whole conversations: what all begin with, without the last turn of any."""
    return shared_start(answers)[: max(min(map(len, answers)) - 1, 0)]


def keys_only_in(value: Any, kept: Any) -> int:
    """How many values there are in one of two values that the other does not have in the same place."""
    if value is kept:
        return 0
    if type(value) is dict:
        return sum(keys_only_in(inner, kept.get(key) if type(kept) is dict else None) for key, inner in value.items())
    if type(value) is list:
        return sum(keys_only_in(*pair) for pair in zip_longest(value, kept if type(kept) is list else ()))
    return int(value is not None and not same(value, kept))


def styled_like(row: Row, unchanged: Row | None, came: Row) -> Row:
    """A row put together with the original of each part that did not change, in the original order.

    Args:
        row: the row.
        unchanged: what would be put together had nothing changed.
        came: the original row.
    """
    if unchanged is not None:
        row = {key: came[key] if key in came and same(row[key], unchanged.get(key)) else row[key] for key in row}
    return ordered_like(row, came)


def _with(row: Row, used: set[str], column: str, value: Any) -> Row:
    """A copy of ``row`` with ``column`` in the place of the first of the keys ``used``, which it does not have."""
    result: Row = {}
    for key, kept in row.items():
        if key not in used:
            result[key] = kept
        else:
            result.setdefault(column, value)
    return result


def _is_list(value: Any) -> bool:
    """Whether a value is a list or an object, or JSON text of one."""
    return isinstance(jsontext.opened(value), list | dict)


def are_turns(value: Any) -> bool:
    """Whether a value is a list of objects with roles."""
    return isinstance(value, list) and bool(value) and all(isinstance(turn, dict) and "role" in turn for turn in value)


TEXT_KEYS: Final = ("text", "content", "response", "completion", "output", "generated_text")
"""The keys of the text of an answer that is an object."""


def _text_in(answer: Any) -> tuple[str, str] | None:
    """The key and the text of an answer, without a key if it is a text; ``None`` if it holds no text."""
    if isinstance(answer, str):
        return "", answer
    if isinstance(answer, dict):
        return next(((key, answer[key]) for key in TEXT_KEYS if isinstance(answer.get(key), str)), None)
    return None
