"""The core of layouts whose conversation is in an unusual place: another layout reads it from its usual place.

The place is a list of turns, the answer to them, and the tools; each may be anywhere in a row. What stands next to the
turns (a system text, tools) belongs to them. All other keys stay where they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from toolconv import layouts
from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.row_fields import RowField
from toolconv.core.rows import MISSHAPEN, put_at, same, without
from toolconv.layouts.answers import AnswersForm, Apart
from toolconv.layouts.base import Layout, LayoutError
from toolconv.layouts.call_items import extras
from toolconv.layouts.found_answers import answer_in, each_alone
from toolconv.layouts.found_turns import TurnsFound, turns_in
from toolconv.layouts.nested_json import opened
from toolconv.layouts.speakers import CALL, REPAIR, meaning_of, renamed
from toolconv.layouts.tool_places import count_others, value_at

Path = tuple[str, ...]
"""The keys that lead to a value in a row; values on the way may be JSON texts."""

NO_TURNS = "no list of turns, each with a speaker and a text"


class Arrangement(NamedTuple):
    """Where the parts of a conversation are.

    Attributes:
        turns: the list of turns, or a text of the user.
        answer: what answers them; ``None`` if they are the whole conversation.
        tools: the tools, where they are not next to the turns under a usual key.
    """

    turns: Path
    answer: Path | None = None
    tools: Path | None = None


class Arranged(Layout):
    """A conversation in an unusual place.

    Attributes:
        roles: what the user says that names of speakers mean.
    """

    roles: Mapping[str, str] = {}

    def arrangement(self, row: Row) -> Arrangement | None:
        """Where the conversation of a row is; ``None`` if it has none."""
        raise NotImplementedError

    def matches(self, row: Row) -> bool:
        return self.arrangement(row) is not None

    def read(self, row: Row) -> Conversation:
        found = self.apart(row)
        return self.read_one(row) if found is None else self._read_each(row, found[1])

    def apart(self, row: Row) -> tuple[AnswersForm, Apart] | None:
        form = Alternatives(self)
        found = form.apart(row)
        return None if found is None else (form, found)

    def decode(self, row: Row) -> Conversation:
        found = self.arrangement(row)
        if found is None:
            raise LayoutError(self.missing(row))
        notes = Notes()
        value = opened_at(row, found.turns)
        if type(value) is str:
            value = [{"role": "user", "content": value}]
        turns = turns_in(value, frozenset(self.roles))
        if turns is None:
            raise LayoutError(f"{NO_TURNS}, under {'.'.join(found.turns)!r}")
        answer, left = ([], None) if found.answer is None else answer_in(opened_at(row, found.answer), notes)
        asked = len(turns.items)
        if len(answer) > asked and same(answer[:asked], turns.items):
            answer = answer[asked:]  # the whole conversation, as the state of an agent is
        if found.answer is not None and not answer:
            raise LayoutError(f"no answer under {'.'.join(found.answer)!r}")
        key, items = self._spelled(turns, notes)
        holder = opened_at(row, found.turns[:-1]) if len(found.turns) > 1 else row
        parts = [path for path in (found.answer, found.tools) if path is not None]
        taken = [path[-1] for path in parts if path[:-1] == found.turns[:-1]]
        are_items = not all("role" in message for message in answer)  # of the Responses API
        foreign = are_items or (key != "messages" and not all(map(_fits_among_others, answer)))
        inner: Row = {} if found.tools is None else {"tools": opened_at(row, found.tools)}
        for name, beside in holder.items():
            if name == found.turns[-1]:
                inner[key] = items if foreign else [*items, *self._answer(answer, key)]
            elif name != key and name not in taken and not (name == "tools" and found.tools is not None):
                inner[name] = beside
        layout = _reader_of(inner, f"{NO_TURNS} that", found.turns)
        read = layout.decoded(inner)
        read.read_as = layout.name
        read.notes.losses += notes.losses
        read.notes.repairs += notes.repairs
        if found.tools is not None and found.tools != (*found.turns[:-1], "tools"):
            count_others(holder.get("tools"), read.row.get("tools"), read.notes)
        named = {item[turns.speaker]: None for item in turns.items} if self.roles else {}
        read.unparsed = [*read.unparsed, *named]  # the user says what they mean
        read.fields = _fields(row, read, found, key, value)
        if foreign:
            self._add(answer, found.answer or (), read)
        if key in holder and key != found.turns[-1]:  # turns that the user does not want
            if key == "messages":
                raise LayoutError("something under 'messages' beside the conversation, which stands elsewhere")
            read.row = {**read.row, key: holder[key]}
        if holder is not row or found.answer or found.tools:
            outer = found.turns[0]
            if len(found.turns) > 1 and outer in ("messages", "tools"):  # where the canonical row has its own
                whole = layouts.detect({**row, outer: value})
                if whole is None or whole.name != layout.name:  # which reads more of the row than the turns
                    raise LayoutError(f"turns in an object under {outer!r}: make {outer!r} the list of them")
                read.notes.losses += ["row_keys"] * len(read.row.keys() - {"messages", "tools"})
            read.row = _outer(row, found, read.row, left)
        return read

    def missing(self, row: Row) -> str:
        """Why a row has no conversation, as a message for users."""
        return NO_TURNS

    def _spelled(self, turns: TurnsFound, notes: Notes) -> tuple[str, list[Row]]:
        """The key under which other layouts look for turns, and the turns with a speaker and a text of usual keys.

        In corpora of dialogues, such as MultiWOZ, the speakers are the user and the system, who is the assistant.
        """
        speaker, text = turns.speaker, turns.text
        items = turns.items
        if self.roles:
            items = [{**item, speaker: renamed(self.roles, item[speaker])} for item in items]
        if (speaker, text) == ("from", "value"):
            return "conversations", items
        if (speaker, text) == ("role", "parts"):
            return "contents", items
        if (speaker, text) != ("role", "content"):
            names = {speaker: "role", text: "content"}
            items = [{names.get(name, name): value for name, value in item.items()} for item in items]
        named = [{**item, "role": _role(item["role"])} for item in items]
        if speaker != "role" and named[0]["role"] == "user" and {item["role"] for item in named} == {"user", "system"}:
            named = [{**item, "role": "assistant"} if item["role"] == "system" else item for item in named]
        if speaker == "role":
            notes.repairs += [REPAIR for item, came in zip(named, items, strict=True) if item["role"] != came["role"]]
        return "messages", named

    def _add(self, messages: list[Message], path: Path, read: Conversation) -> None:
        """Add the messages of an answer in another form than the turns that were read before it."""
        row = {"messages" if all("role" in message for message in messages) else "output": messages}
        answered = _reader_of(row, "no answer that", path).decoded(row)
        read.messages.extend(answered.messages)
        read.notes.losses += answered.notes.losses
        read.notes.repairs += answered.notes.repairs
        read.notes.dropped += answered.notes.dropped
        read.fields = [
            *(field for field in read.fields if field.size),
            RowField(pointer_to(path), len(answered.messages)),
        ]
        number_calls(read.messages)

    def _answer(self, messages: list[Message], key: str) -> list[Row]:
        """The messages of an answer as turns under a key."""
        if key == "conversations":
            return [_as_turn(message) for message in messages]
        if key == "contents":
            return [message if "parts" in message else _as_content(message) for message in messages]
        named = [
            message if meaning_of(message["role"]) != "assistant" else {**message, "role": "assistant"}
            for message in messages
        ]
        return [
            {**extras(message, "parts"), "content": message["parts"]}
            if "parts" in message and "content" not in message
            else message
            for message in named
        ]


class Alternatives(AnswersForm):
    """Several answers in the place of one, in the form of any API."""

    def __init__(self, layout: Arranged) -> None:
        self.layout = layout

    def apart(self, row: Row) -> Apart | None:
        try:
            found = self.layout.arrangement(row)
        except (LayoutError, *MISSHAPEN):
            return None  # as reading will say
        if found is None or found.answer is None:
            return None
        each = each_alone(value_at(row, found.answer))
        if len(each) < 2 or not all(answer_in(alone, Notes())[0] for _, alone in each):
            return None
        column = pointer_to(found.answer)
        rows = [put_at(row, found.answer, alone) for _, alone in each]
        return Apart(rows, [column + place for place, _ in each], ranked=False, column=column)


def _reader_of(row: Row, missing: str, path: Path) -> Layout:
    """The layout of a row that was made of what is at a path of another row.

    Raises:
        LayoutError: there is none, which ``missing`` says.
    """
    layout = layouts.detect(row)
    if layout is None or isinstance(layout, Arranged):
        raise LayoutError(f"{missing} another layout reads, under {'.'.join(path)!r}")
    return layout


def opened_at(row: Any, path: Path) -> Any:
    """The value at a path, or in the JSON text there; ``None`` if there is none."""
    return opened(value_at(row, path))


def path_in(row: Row, key: str) -> Path | None:
    """The path of a key, which may be dotted; ``None`` if the row has nothing there."""
    if key in row:
        return (key,)
    path = tuple(key.split("."))
    return path if opened_at(row, path) is not None else None


def _role(name: str) -> str:
    """The role that a speaker's name means, if it is known to be one."""
    meaning = meaning_of(name)
    return name if meaning in (None, CALL) else str(meaning)


def _fits_among_others(message: Message) -> bool:
    """Whether a message can stand among turns of ``contents`` or ``conversations``: it has parts, or is a text."""
    if "parts" in message:
        return True
    return type(message.get("content")) is str and not message.get("tool_calls") and "function_call" not in message


def _as_turn(message: Message) -> Row:
    """A message of text as a turn of ``conversations``."""
    return {"from": message["role"], "value": message.get("content"), **extras(message, "role", "content")}


def _as_content(message: Message) -> Row:
    """A message of text as one of Gemini's contents."""
    return {"role": "model", "parts": [{"text": message.get("content")}], **extras(message, "role", "content")}


def _fields(row: Row, read: Conversation, found: Arrangement, key: str, turns: list[Any]) -> list[RowField]:
    """The fields of the row that a conversation was read from, by those of the row that was made of it."""
    fields: list[RowField] = []
    above = pointer_to(found.turns[:-1])
    for field in read.fields:
        if field.pointer != f"/{key}" or field.pieces is None:
            fields.append(field._replace(pointer=above + field.pointer))
            continue
        starts = field.starts if field.starts is not None else range(field.size)
        asked = sum(start < len(turns) for start in starts)
        listed = type(opened_at(row, found.turns)) is list
        pieces = (turns, list(starts)[:asked]) if listed else (None, None)
        fields.append(RowField(pointer_to(found.turns), asked, *pieces))
        if found.answer is not None:
            fields.append(RowField(pointer_to(found.answer), field.size - asked))
    return fields


def _outer(row: Row, found: Arrangement, inner: Row, left: Any) -> Row:
    """The canonical row: the keys of a row without the parts of its conversation, and these parts.

    Of the answer, what is ``left`` next to its messages stays.
    """
    rest = row if not left or found.answer is None else put_at(row, found.answer, left)
    for path in (found.turns, None if left else found.answer, found.tools):
        rest = rest if path is None else _without(rest, path)
    parts: Row = {name: inner[name] for name in ("tools", "messages") if name in inner}
    own = {name: value for name, value in inner.items() if name not in parts}
    if len(found.turns) == 1:
        cut = [path[0] for path in (found.answer, found.tools) if path is not None]
        kept = {name: rest[name] if name in cut else value for name, value in own.items() if name in rest}
        kept |= {name: rest[name] for name in cut if left and name in rest}
    else:
        above = found.turns[:-1]
        beside = {found.answer[-1]: left} if left and found.answer is not None and found.answer[:-1] == above else {}
        kept = replaced_at(rest, above, {**own, **beside})
    place = found.turns[0]
    result: Row = {}
    for name in row:
        if name == place:
            result.update(parts)
        if name in kept and name not in parts:
            result[name] = kept[name]
    return {**result, **parts}


def _without(row: Row, path: Path) -> Row:
    """A row without the value at a path; the list or the object around it stays."""
    *above, key = path
    holder = opened_at(row, tuple(above))
    if type(holder) is list:
        rest: Any = [*holder[: int(key)], *holder[int(key) + 1 :]]
    elif type(holder) is dict and key in holder:
        rest = extras(holder, key)
    else:
        return row
    changed: Row = put_at(row, above, rest) if above else rest
    return changed


def replaced_at(row: Row, path: Path, value: Row) -> Row:
    """A row with an object at a path, or without the path if the object is empty."""
    changed: Row = put_at(row, path, value) if value else without(row, path)
    return changed
