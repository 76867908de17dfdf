"""Messages under any key: a list of turns that each have a speaker and a text.

The list is found by its form, also in an object of the row, and so are other keys of a turn (``speaker`` and ``text``,
``sender`` and ``message``). ``--messages-key`` names its key, ``--tools-key`` that of the tools, and ``--roles`` says
what the names of its speakers mean. What stands next to the list, such as a system text and tools, belongs to it, and
so does an answer under a usual key of the row, or in the form of an API. The turns are then read in the layout that
they have under its usual key. A question that is a text may have such an answer as well, or its calls as objects. All
other keys stay. Rows are only read.

A row of another layout that is wrapped, as in ``{"data": {…}}`` or as JSON text, is read in its own layout. So is one
whose list of turns has another shape: turns under their numbers or in columns, pairs of a speaker and a text or of a
question and its answer, texts under the names of their speakers, JSON texts, turns that are each in another object, the
steps or the events of an agent (:mod:`~toolconv.layouts.agent_steps`). So are rows in the forms of tables, databases
and exports: columns, flat keys, typed values, chains, linked turns.

Where no layout reads a row so, its only list of objects, its declarations, and the speaker and the text of its turns
are tried under the names that layouts know. What ``--messages-key`` names may have any of these forms.

A row with two such lists needs ``--messages-key``. A file that is one object with a list of rows, as ``{"data": […]}``,
is read as these rows; each other key of the object is a loss (``document_keys``).

Source: datasets whose cards name keys of their own; LLaMA-Factory's ``columns`` and ``tags`` and axolotl's
``field_messages`` and ``message_property_mappings`` name them in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from toolconv import layouts
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to
from toolconv.core.key_words import ANSWER_WORDS, REFERENCE_WORDS, words_of
from toolconv.core.messages import Row
from toolconv.core.notes import Notes
from toolconv.layouts.agent_steps import steps_in
from toolconv.layouts.answers import PROMPTS as QUESTIONS
from toolconv.layouts.arranged import NO_TURNS, Arranged, Arrangement, Path, opened_at, path_in
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.formats.completion import LAYOUT as COMPLETION
from toolconv.layouts.formats.completion import PROMPTS
from toolconv.layouts.found_answers import answer_beside, is_answer, is_plain_call, messages_of
from toolconv.layouts.found_turns import TurnsPlace, find_turns, turns_in
from toolconv.layouts.speakers import in_any_case, meaning_of, renamed
from toolconv.layouts.stored_rows import Unfolded, meant_row
from toolconv.layouts.tool_places import TOOL_KEYS
from toolconv.layouts.turn_shapes import TURN_KEYS, as_row, read_unfolded, unfolded
from toolconv.layouts.usual_names import (
    USUAL_KEYS,
    moved,
    under_usual_keys,
    under_usual_names,
    with_lists_opened,
    with_tools_moved,
)
from toolconv.layouts.wrapped import TEXT_ROWS, read_wrapped, wrapped_in

OTHER_ANSWERS = frozenset({"rejected", "rejected_response", "non_preferred_output", "history"})
"""Keys of lists of turns that are not the conversation, if there is another list."""


ASKING = frozenset({*PROMPTS, *QUESTIONS})
"""Keys of a question that calls may answer, next to it."""
STEP_KEYS = frozenset({"step_number", "model_input_messages"})
"""Keys of the steps of an agent, which are parts of a conversation."""
ROW_LISTS = frozenset({"data", "rows", "items", "examples", "samples", "records", "dataset", "train", "test"})
"""Keys of lists of rows of any layout."""
SEEN = 16
"""How many rows of a list are looked at to know it."""


def _holds_rows(document: Row, key: str) -> bool:
    """Whether questions and answers under a key are rows, not the exchanges of one conversation, which has an id."""
    return key in ROW_LISTS and not any(name.lower().endswith("id") for name in document)


class AnyKeys(Arranged):
    """Turns under any key.

    Args:
        messages_key: dotted path of the turns; ``None`` to find them.
        tools_key: dotted path of the tools; ``None`` for the usual keys.
        text_key: dotted path of the answer to the turns; ``None`` if they are the whole conversation.
        prompt_key: dotted path of a question that is a text, or turns, with an answer that is an object or calls.
        roles: what names of speakers mean, in any case: roles.
    """

    name = "any-keys"
    any_shape = True
    sample = (
        '{"dialog_turns":[{"speaker":"Customer","text":"Is it up?"},{"speaker":"Bot","text":'
        '"<tool_call>{\\"name\\":\\"ping\\",\\"arguments\\":{}}</tool_call>"}]}'
    )

    def __init__(
        self,
        messages_key: str | None = None,
        tools_key: str | None = None,
        text_key: str | None = None,
        roles: Mapping[str, str] | None = None,
        prompt_key: str | None = None,
    ) -> None:
        self.messages_key = messages_key
        self.tools_key = tools_key
        self.text_key = text_key
        self.prompt_key = prompt_key
        self.roles = in_any_case(roles)

    def matches(self, row: Row) -> bool:
        try:
            usual = super().matches(row) or (not self.is_told and wrapped_in(row) is not None)
            return usual or self._unfolded(row) is not None
        except LayoutError:  # several lists of turns: reading says so
            return True

    def decode(self, row: Row) -> Conversation:
        found = None if self.is_told else wrapped_in(row)
        if found is not None and not _goes_on(row, found[0]) and _question(row) is None:
            return read_wrapped(row, *found)
        usual = self.arrangement(row) is not None and (self.messages_key is None or self._names_turns(row))
        shaped = None if usual else self._unfolded(row)
        return super().decode(row) if shaped is None else read_unfolded(row, *shaped)

    def read_shaped(self, row: Row) -> Conversation | None:
        """The conversation in a row whose turns have another shape than a list of objects; ``None`` for others."""
        found = unfolded(row)
        shaped = self._in_layout(row, chain(() if found is None else (found,), _otherwise(row), with_lists_opened(row)))
        if shaped is None:
            return None
        read = read_unfolded(row, *shaped)
        read.origin = (self.name, row)
        return read

    def _unfolded(self, row: Row) -> tuple[Unfolded, Layout] | None:
        """A row whose turns have another shape than a list, with them as one, and the layout of that row."""
        if self.messages_key is None and TURN_KEYS.isdisjoint(row) and COMPLETION.matches(row):
            return None
        found = unfolded(row)
        usual = under_usual_keys(row) if self.messages_key is None else self._moved(row)
        shaped = self._in_layout(row, chain(usual if found is None else (found,), _otherwise(row)))
        return shaped if shaped is None or found is None or not self.is_told else (shaped[0], self)

    def _moved(self, row: Row) -> Iterator[Unfolded]:
        """A row with what the user names under each of the usual keys, unless its speakers are the user's, too."""
        path = path_in(row, self.messages_key or "")
        return iter(()) if path is None or self.roles else moved(row, path)

    def _names_turns(self, row: Row) -> bool:
        """Whether what the user names is a list of turns."""
        path = path_in(row, self.messages_key or "")
        return path is not None and turns_in(opened_at(row, path), frozenset(self.roles)) is not None

    def _in_layout(self, row: Row, shapes: Iterable[Unfolded]) -> tuple[Unfolded, Layout] | None:
        """The first of the shapes of a row that is a row of some layout, and that layout."""
        for each in shapes:
            layout = layouts.detect(each.row) if self._is_wanted(row, each) else None
            if layout is not None and layout.name not in TEXT_ROWS and _reads(layout, each.row):
                return each, layout
        return None

    def _is_wanted(self, row: Row, found: Unfolded) -> bool:
        """Whether turns are those that the user names, if any."""
        path = None if self.messages_key is None else path_in(row, self.messages_key)
        places = () if found.places is None else found.places.values()
        return path is None or pointer_to(path) in [pointer for pointer, _ in places]

    @property
    def is_told(self) -> bool:
        """Whether the user says where anything is."""
        keys = (self.messages_key, self.tools_key, self.text_key)
        return bool(self.roles) or any(key is not None for key in keys)

    def arrangement(self, row: Row) -> Arrangement | None:
        tools = None if self.tools_key is None else path_in(row, self.tools_key)
        turns = self._turns(row)
        if turns is None:
            return None if self.is_told else _question(row)
        answer = _answer(row, turns, self.roles) if self.text_key is None else path_in(row, self.text_key)
        return Arrangement(turns, answer, tools)

    def _turns(self, row: Row) -> Path | None:
        if (key := self.messages_key or self.prompt_key) is not None:
            return path_in(row, key)
        if not STEP_KEYS.isdisjoint(row):
            return None
        places = find_turns(row, frozenset(self.roles))
        if any(place.path[0].lower() in PROMPTS for place in places) and COMPLETION.key_of(row) is not None:
            return None  # a prompt of messages and a text
        if len(places) > 1:
            places = [place for place in places if place.path[0] not in OTHER_ANSWERS and not _answers(place)] or places
        return _only(places)

    def split(self, document: Any) -> Iterator[Row] | None:
        """The rows in the only list of an object, each possibly under ``row``, as the Hub's rows API answers."""
        if type(document) is not dict:
            return None
        shown = layouts.detect(document)
        if shown is not None and shown.name != self.name:
            return None
        lists = [(key, value) for key, value in document.items() if type(value) is list and value and key != "features"]
        if len(lists) != 1:
            return None
        ((key, items),) = lists
        streamed = layouts.detect({"chunks": items})
        if streamed is not None and streamed.joins(items[0]):
            return None  # the pieces of one answer
        rows = [as_row(_of_hub(item) if type(item) is dict else item) for item in items]
        if not all(type(row) is dict for row in rows):
            return None
        kinds = {layout.name for row in rows[:SEEN] if (layout := layouts.detect(row)) is not None}
        if shown is not None and not (kinds == {"completion"} and _holds_rows(document, key)):
            return None  # its turns, or its questions with their answers
        if layouts.gathering(document, but=self) is not None:
            return None
        if not kinds or (key not in ROW_LISTS and (key in USUAL_KEYS or not kinds.isdisjoint(TEXT_ROWS))):
            return None
        return iter(rows)

    def unread_keys(self, document: Row) -> int:
        return len(document) - 1

    def missing(self, row: Row) -> str:
        if self.messages_key is not None:
            return f"nothing under {self.messages_key!r}"
        return NO_TURNS


def _of_hub(item: Row) -> Any:
    """The row in an item of the Hub's rows API, which has its number beside it, and the names of values that are cut.

    An item that holds more, or cut values, is a row itself.
    """
    only_row = item.keys() <= {"row", "row_idx", "truncated_cells"} and not item.get("truncated_cells")
    return item.get("row", item) if only_row else item


def _otherwise(row: Row) -> Iterator[Unfolded]:
    """The rows that a row may mean, other than by the shape of its turns."""
    if (stored := meant_row(row)) is not None:
        yield stored
    yield from under_usual_names(row)
    yield from with_tools_moved(row)


def _reads(layout: Layout, row: Row) -> bool:
    """Whether a layout reads a row that was made of another one: its keys alone may not say so."""
    try:
        layout.read(row)
    except LayoutError:
        return False
    return True


def _question(row: Row) -> Arrangement | None:
    """A text of the user that a message, an answer of an API, or calls answer; ``None`` if there is none."""
    key = next((key for key in row if key.lower() in ASKING and type(row[key]) is str and row[key].strip()), None)
    if key is None or COMPLETION.fits(row) or steps_in(row) is not None:
        return None
    answer = answer_beside(row, key, texts=False) or _calls_beside(row)
    items = [] if answer is None else _items(row[answer])
    answers = all(map(is_answer, items)) or all(map(is_plain_call, items))
    return Arrangement((key,), (answer,)) if answer is not None and answers else None


def _calls_beside(row: Row) -> str | None:
    """The only key of a row that holds nothing but calls, other than those with which an answer is compared."""
    found = [key for key, value in row.items() if key not in TOOL_KEYS and _are_calls(_items(value))]
    return found[0] if len(found) == 1 and words_of(found[0]).isdisjoint(REFERENCE_WORDS) else None


def _are_calls(items: list[Any]) -> bool:
    return bool(items) and all(map(is_plain_call, items))


def _items(value: Any) -> list[Any]:
    value = jsontext.opened(value)
    return value if type(value) is list else [value]


def _goes_on(row: Row, inner: Path) -> bool:
    """Whether the only turns in a row are answered outside of the object at a path that they are in."""
    places = find_turns(row)
    answer = _answer(row, places[0].path, {}) if len(places) == 1 else None
    return answer is not None and answer[: len(inner)] != inner


def _answer(row: Row, turns: Path, roles: Mapping[str, str]) -> Path | None:
    """The path of what answers the turns at a path; ``None`` if they end with an answer, or nothing is one."""
    found = turns_in(opened_at(row, turns), frozenset(roles))
    if found is None or meaning_of(renamed(roles, found.items[-1][found.speaker])) == "assistant":
        return None
    for depth in range(len(turns)):
        above = opened_at(row, turns[:depth])
        key = answer_beside(above, turns[depth], texts=True) if type(above) is dict else None
        if key is not None and messages_of(above[key], Notes()):
            return (*turns[:depth], key)
    return None


def _answers(place: TurnsPlace) -> bool:
    """Whether turns are under a key that says that they answer, and begin with the assistant."""
    turns = place.turns
    named = any(not words_of(key).isdisjoint(ANSWER_WORDS) for key in place.path)
    return named and meaning_of(turns.items[0][turns.speaker]) == "assistant"


def _only(places: list[TurnsPlace]) -> Path | None:
    """The path of the only list of turns; ``None`` if there are none.

    Raises:
        LayoutError: there are several.
    """
    if not places:
        return None
    if len(places) > 1:
        paths = [".".join(place.path) for place in places]
        raise LayoutError(f"turns under {' and '.join(map(repr, paths))}")
    return places[0].path


LAYOUT = AnyKeys()
