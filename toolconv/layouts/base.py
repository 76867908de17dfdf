"""The contract of a layout: how a row is read to a conversation, and a conversation written as a row.

A new layout needs ``matches`` and ``decode``, and ``encode`` if it can be written. ``decode`` gives the fields that it
read the messages from. The pointers of messages, the check that no second conversation is lost, and the parts of a
changed row that are written back unchanged all follow from these fields. Where a document holds several conversations,
``split`` takes it apart; where a conversation takes several lines, ``joins`` and ``gather`` make one row of them.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import is_
from typing import Any, ClassVar, Final, Literal, NamedTuple

from toolconv.core import jsontext
from toolconv.core.answers import on_each_answer
from toolconv.core.conversation import Answers, Conversation
from toolconv.core.key_words import SYSTEMS
from toolconv.core.marks import NO_MARKS, MarkStyle
from toolconv.core.messages import Message, Row, text_of
from toolconv.core.rows import MISSHAPEN, Line, misshapen, ordered_like, same
from toolconv.layouts.answers import ANSWER_KEYS, AnswersForm, Apart, keys_only_in, prompt_in, shared_turns, styled_like
from toolconv.layouts.nested_json import LayoutError as LayoutError
from toolconv.layouts.nested_json import NoConversation as NoConversation
from toolconv.layouts.nested_json import maybe_json as maybe_json
from toolconv.layouts.nested_json import value_of as value_of
from toolconv.layouts.other_keys import drop_taken_keys, settle_keys
from toolconv.layouts.pieces import Places
from toolconv.layouts.speakers import are_known, settle_roles, take_system
from toolconv.layouts.tool_places import put_back, take_tools
from toolconv.layouts.tool_schema import count_foreign, needs_reading, read_tools

_OBJECTS = frozenset({dict})
_COLUMNS: Final = {f"{kind}{ending}": f"<{kind}>" for kind in ("image", "video", "audio") for ending in ("s", "")}
"""Columns of media, and what stands for each of them in the texts."""
_OF_EACH_TURN = frozenset({"empty_tool_calls", "role_name"})
"""Repairs that any turn of the assistant may have had."""
_TURNS = frozenset({"conversations", "conversation"})
"""Keys of conversations in several layouts."""


class Original(NamedTuple):
    """An original row, and the conversation that was read from it."""

    row: Row
    read: Conversation


Part = Literal["tools", "responses", "answer"]
"""A part of a conversation that rows of some layouts never hold: declarations, tool responses, a last answer."""

TEXTS: Final[frozenset[Any]] = frozenset()
"""Of the key of a record of a run: its value may be any text."""
_NOT_OF_TURNS: Final = frozenset({"null_padding"})
"""Repairs of a row that change no turn of the assistant."""
WITHOUT_TOOLS: Final[frozenset[Part]] = frozenset({"tools"})
"""What logs of sessions and lists of messages can't hold: the program that made them declares the tools."""


class Layout(ABC):
    """A row shape. There is one instance per name.

    Attributes:
        name: the name on the command line; ``aliases`` are other names.
        sample: a row, as JSON text.
        shape: what rows have, as the end of an error that says ``no …``. With it, ``decode`` is given only rows that
            match; without it, ``decode`` says itself what a row lacks.
        calls_in_text: calls are text in some dialect (``chat``, ``completion``); otherwise they are structure.
        only_structure: texts never hold calls, whatever they look like: no dialect is detected in them.
        in_one_text: the whole conversation is one text, of which no message can be changed by itself.
        dialect: the usual dialect of that text, if there is one.
        response_role: the role of tool responses in that text, if the layout prescribes one.
        tools_keys: the keys that tools may have in a row.
        leaves_out: rows hold records of a run that no conversation has a place for, and these are left out.
        run_records: what such records are known by: a key and its values, :data:`TEXTS` if it may be any text, or
            ``None`` if it may be anything.
        lost_records: what objects are known by, as by ``run_records``, whose loss the layout counts itself.
        references: how texts begin that stand for others, which are kept instead, or for nothing.
        containers: the keys of a document that holds rows, with those that say nothing of a row.
        any_shape: rows have keys of their own, which no program defines.
        lacks: the parts of a conversation that its rows can't hold, so that none is missing.
        prompt_apart: the last field of a row is an answer, apart from what it answers: trainers compute the loss on it
            alone.
        trained: the pointers of other fields that trainers compute the loss on.
        object_arguments: the arguments of calls are objects, never JSON text.
        flat_parameters: declarations list the parameters without an enclosing schema.
        trainer: the only trainer that reads such rows: what it would lose of them is counted where they are written.
        preamble: how a line begins that the program which writes such rows prints before one.
        runs: whose own tools the API runs, in the words of :mod:`toolconv.layouts.tool_schema`; ``None`` for any.
        own_keys, own_result_keys: the keys of its messages, and of its results, that canonical ones don't have: what
            the messages of another layout have under these is not kept.
        mark_style: how messages say what to train on.
        answers: the forms in which a row holds several answers; the first that can is written.
        answer_keys: a row without any of these keys has one answer.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    sample: ClassVar[str]
    shape: ClassVar[str] = ""
    calls_in_text: ClassVar[bool] = False
    only_structure: ClassVar[bool] = False
    in_one_text: ClassVar[bool] = False
    dialect: ClassVar[str | None] = None
    response_role: ClassVar[str | None] = None
    tools_keys: ClassVar[tuple[str, ...]] = ("tools",)
    leaves_out: ClassVar[bool] = False
    run_records: ClassVar[Mapping[str, frozenset[Any] | None]] = {}
    lost_records: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    references: ClassVar[tuple[str, ...]] = ()
    containers: ClassVar[frozenset[str]] = frozenset()
    any_shape: ClassVar[bool] = False
    lacks: ClassVar[frozenset[Part]] = frozenset()
    prompt_apart: ClassVar[bool] = False
    trained: ClassVar[frozenset[str]] = frozenset()
    object_arguments: ClassVar[bool] = False
    flat_parameters: ClassVar[bool] = False
    trainer: ClassVar[str] = ""
    preamble: ClassVar[str] = ""
    runs: ClassVar[frozenset[str] | None] = None
    own_keys: ClassVar[frozenset[str]] = frozenset()
    own_result_keys: ClassVar[frozenset[str]] = frozenset()
    mark_style: ClassVar[MarkStyle] = NO_MARKS
    answers: Sequence[AnswersForm] = ()
    answer_keys: frozenset[str] = ANSWER_KEYS

    @abstractmethod
    def matches(self, row: Row) -> bool:
        """Whether ``row`` has this shape. It may fail with any of :data:`~toolconv.core.rows.MISSHAPEN`."""

    @abstractmethod
    def decode(self, row: Row) -> Conversation:
        """The conversation in a row, with the ``fields`` that hold it. ``row`` and its messages are not changed.

        Raises:
            LayoutError: the row does not have this shape.
        """

    def split(self, document: Any) -> Iterator[Row] | None:
        """The rows in a JSON document that holds one conversation or more in a form of its own.

        The document is a whole file (a list, too), a line, or an element of an array. Each row that comes out is read
        like any other row, with :meth:`read`. It may fail with any of :data:`~toolconv.core.rows.MISSHAPEN`.

        Returns:
            ``None`` if this is no such document. So this can't be a generator function; it may return a generator.
        """
        return None

    def unread_keys(self, document: dict[str, Any]) -> int:
        """How many keys of an object that is taken apart are no part of any row, and no known records."""
        return len(document.keys() - self.containers) if self.containers else 0

    def streamed(self, row: Row) -> Places:
        """The places at which something is read in what of a row is a stream."""
        return {}

    def joins(self, document: Any) -> bool:
        """Whether a JSON document is a part of a conversation that :meth:`gather` joins, such as a line of a session.

        It decides for a whole input, by its first document. It may fail with any of
        :data:`~toolconv.core.rows.MISSHAPEN`.
        """
        return False

    def gather(self, lines: Iterator[Line], *, each_call: bool = False) -> Iterator[Line]:
        """Make rows of the lines of an input, or of the elements of an array: as given here, by :meth:`split`.

        A layout whose conversations take several lines overrides this, together with :meth:`joins`. A line that is no
        part of any conversation is passed on, so that it is rejected as a row.

        Args:
            lines: JSON texts, possibly malformed. Blank lines are left out.
            each_call: of traces, every model call is a row, not only the last one of each trace.

        Returns:
            Rows as JSON texts, each with the number of its conversation's first line. The numbers never decrease.
        """
        for line in lines:
            try:
                rows = self.split(value_of(line.text))
                texts = None if rows is None else [jsontext.dumps(row) for row in rows]
            except MISSHAPEN:
                texts = None
            if texts is None:
                yield line
            else:
                yield from (Line(line.number, text) for text in texts)

    def gathers(self, document: Any) -> bool:
        """Whether an input that begins with this document goes through :meth:`gather`."""
        try:
            return self.joins(document) or self.split(document) is not None
        except MISSHAPEN:
            return False

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        """A conversation as a row. The conversation is not changed, except for its ``notes``.

        Args:
            original: the row it came from, if that has this layout. A layout may use its names, its grouping and its
                unchanged pieces, or ignore it.

        Raises:
            LayoutError: the layout can't hold the conversation.
        """
        raise LayoutError(f"layout {self.name!r} is only read: choose another with --to-layout")

    @property
    def writable(self) -> bool:
        """Whether rows can be written: there is an ``encode``."""
        return type(self).encode is not Layout.encode

    def refusal(self, conversation: Conversation) -> str | None:
        """Why a conversation can't be held, as a message for users; ``None`` if it can.

        For layouts with limits, such as one call per row. What can be written with a loss is not refused.
        """
        return None

    def keeps_prompt(self, conversation: Conversation) -> bool:
        """Whether a conversation that came with its prompt apart is written so."""
        return self.prompt_apart

    def fits(self, row: Row) -> bool:
        """Whether ``row`` has this shape. Fields of any type are allowed."""
        try:
            return self.matches(row)
        except MISSHAPEN:
            return False

    def apart(self, row: Row) -> tuple[AnswersForm, Apart] | None:
        """The rows with one answer each of a row with several, and the form of that row; ``None`` if it has one.

        It may fail with any of :data:`~toolconv.core.rows.MISSHAPEN`.
        """
        if self.answer_keys.isdisjoint(row):
            return None
        return next(((form, found) for form in self.answers if (found := form.apart(row)) is not None), None)

    def with_answers(self, answers: Sequence[AnswersForm]) -> Layout:
        """The same layout, with other forms in which a row holds several answers."""
        changed = copy.copy(self)
        changed.answers = answers
        return changed

    def decodes_like(self, other: Layout) -> bool:
        """Whether a row that fits both layouts is certainly the same conversation in both."""
        return False

    def read(self, row: Row) -> Conversation:
        """Read a row, and remember it so that unchanged parts are written back verbatim.

        Raises:
            LayoutError: the row, or something inside it, does not have this shape, or holds a second conversation.
        """
        try:
            found = None if self.answer_keys.isdisjoint(row) else self.apart(row)
        except MISSHAPEN:
            found = None
        return self.read_one(row) if found is None else self._read_each(row, found[1])

    def read_one(self, row: Row) -> Conversation:
        """Read a row with one answer."""
        if self.shape and not self.fits(row):
            raise LayoutError(f"no {self.shape}")
        try:
            conversation = self.decoded(row)
            take_tools(conversation)
        except MISSHAPEN as error:
            raise LayoutError(misshapen(error)) from error
        if "messages" in row:
            _refuse_second(row, conversation)
            messages = conversation.row["messages"]
            if type(messages) is not list or not _OBJECTS.issuperset(map(type, messages)):
                raise LayoutError("the row has 'messages' beside its conversation, and these are no list of objects")
        if not are_known(conversation.row["messages"]):
            settle_roles(conversation)
        settle_keys(conversation)
        if conversation.read_as is None and not SYSTEMS.isdisjoint(conversation.row):
            take_system(conversation)  # in a row of another layout, its text may be that layout's declarations
        conversation.origin = (self.name, row)
        return conversation

    def decoded(self, row: Row) -> Conversation:
        """The conversation in a row, in which declarations under ``tools`` that came as they are have been read."""
        conversation = self.decode(row)
        tools = conversation.row.get("tools")
        if tools is row.get("tools") and needs_reading(tools):
            conversation.row = {**conversation.row, "tools": read_tools(tools, conversation.notes)}
        return conversation

    def _read_each(self, row: Row, apart: Apart) -> Conversation:
        """Read a row with several answers."""
        first, *others = conversations = [self.read_one(each) for each in apart.rows]
        for at, each in enumerate(conversations):
            each.fields = apart.fields(at, each.fields)
        if (asked := apart.prompt_row()) is not None:
            prompt = self.read_one(asked)
            shared, seen = len(prompt.messages), prompt.notes
        else:
            shared, seen = len(prompt_in([each.messages for each in conversations])), first.notes.copy()
        kept = {**first.row, "messages": None, "tools": None}
        extra = sum(keys_only_in({**other.row, "messages": None, "tools": None}, kept) for other in others)
        first.answers = Answers(others, shared, apart.ranked, apart.places, row, apart.extra_keys + extra)
        for other, place in zip(others, apart.places[1:], strict=True):
            first.notes.add(other.notes, seen, place)
        first.answers.share(first)
        return first

    def owns_tools(self, row: Row, place: tuple[str, ...] | None) -> bool:
        """Whether the tools of ``row`` have this layout's shape and place; if not, they are converted.

        Args:
            place: where its tools were, if they were not under the layout's own key.
        """
        return True

    def owns_messages(self, read: Conversation) -> bool:
        """Whether the messages of a row of this layout, as it was read, are in the layout's own form.

        If not, those that are in another form are written, even if nothing in them changed.
        """
        return True

    def pointers(self, conversation: Conversation) -> list[str]:
        """The JSON pointer of each message in the row that it was read from; ``""`` is the whole row."""
        return [pointer for field in conversation.fields for pointer in field.pointers()]

    def write(self, conversation: Conversation, finish: Callable[[Row], Row] | None = None) -> Row:
        """Write a conversation. If it was read from this layout, unchanged parts are written back verbatim.

        Args:
            conversation: what to write.
            finish: the last change of each row with one answer.

        Raises:
            LayoutError: the layout can't hold it.
        """
        try:
            if conversation.answers is not None:
                return self._write_each(conversation, conversation.answers, finish)
            row = self.write_one(conversation)
        except MISSHAPEN as error:
            raise LayoutError(f"layout {self.name} can't hold this row: {misshapen(error)}") from error
        return row if finish is None else finish(row)

    def write_one(self, conversation: Conversation) -> Row:
        """Write a conversation with its first answer."""
        if (reason := self.refusal(conversation)) is not None:
            raise LayoutError(reason)
        if conversation.origin is None or conversation.origin[0] != self.name:
            if self.runs is not None:
                conversation.notes.losses += ["foreign_tools"] * count_foreign(conversation.tools, self.runs)
                if not _COLUMNS.keys().isdisjoint(conversation.row):
                    conversation.notes.losses += ["content_parts"] * _media_in_columns(conversation)
            drop_taken_keys(conversation, self.own_keys, self.own_result_keys)
            return self.encode(conversation)
        return self._rewrite(conversation, conversation.origin[1])

    def _write_each(self, conversation: Conversation, answers: Answers, finish: Callable[[Row], Row] | None) -> Row:
        """Write a conversation with several answers; those that the layout has no place for are a loss."""
        rows, prompt = on_each_answer(conversation, self.write_one)
        if finish is not None:
            rows = list(map(finish, rows))
        came = [
            each.origin[1] for each in (conversation, *answers.others) if each.origin and each.origin[0] == self.name
        ]
        found = self.apart(answers.row) if len(came) == len(rows) else None
        if found is not None and all(map(is_, rows, came)):
            return answers.row
        column = self.turns_column(rows[0])
        for form in self.answers if found is None else (found[0],):
            if column is None:
                break
            asked = shared_turns([row[column] for row in rows], prompt and prompt.get(column))
            row = form.together(rows, column, asked, answers.ranked, None if found is None else answers.row)
            if row is not None and found is not None:
                before = form.together(came, column, found[1].asked, answers.ranked, answers.row)
                return styled_like(row, before, answers.row)
            if row is not None:
                conversation.notes.losses += ["answer_keys"] * answers.extra_keys
                replaced = [key for key in rows[0] if key != column and row.get(key, rows[0][key]) is not rows[0][key]]
                conversation.notes.losses += ["row_keys"] * len(replaced)
                return row
        conversation.notes.losses += ["other_answers"] * len(answers.others)
        return rows[0]

    def turns_column(self, row: Row) -> str | None:
        """The key, in a row with one answer, of its turns or of the text of the answer."""
        return "messages" if "messages" in row else None

    def _rewrite(self, conversation: Conversation, origin: Row) -> Row:
        """The row ``origin`` with the changes in its conversation."""
        read = self.decoded(origin) if self.writable else self.read_one(origin)
        if self.writable and not _NOT_OF_TURNS.issuperset(read.notes.repairs):
            every = not _OF_EACH_TURN.isdisjoint(read.notes.repairs)
            read.row = {**read.row, "messages": [_repaired(message, every=every) for message in read.messages]}
        place = take_tools(read)
        own = read.row.get("tools") is origin.get("tools") or self.owns_tools(origin, place)
        own_messages = self.owns_messages(read)
        if own and own_messages and same(conversation.row, read.row):
            return origin
        row = ordered_like(self.encode(conversation, Original(origin, read)), origin)
        for key in row.keys() & origin.keys():
            if type(row[key]) not in (list, dict) or type(origin[key]) is not str:
                continue
            if own if key in self.tools_keys else type(jsontext.opened(origin[key])) is not str:
                row[key] = as_text(row[key])
        kept: list[str] = []
        if own and same(conversation.row.get("tools"), read.row.get("tools")):
            kept += self.tools_keys
            if place is not None and "tools" in row:
                row = put_back(row, origin, place, next(iter(self.pointers(read)), ""))
        now, before = conversation.messages, read.messages
        at = 0
        for field in read.fields:
            end = at + field.size
            if own_messages and field.pieces is None and len(now) == len(before) and same(now[at:end], before[at:end]):
                kept.append(field.pointer[1:])
            at = end
        for key in kept:
            if key in row and key in origin:
                row[key] = origin[key]
        return row


def _repaired(message: Message, *, every: bool) -> Message:
    """A message as it was read; unlike any that is written, if it may have been repaired.

    That is a turn of the assistant with calls, or ``every`` turn of the assistant.
    """
    is_repaired = message["role"] == "assistant" and (every or "tool_calls" in message)
    return {**message, "": None} if is_repaired else message


def _refuse_second(row: Row, conversation: Conversation) -> None:
    """Raise an error if a row holds a conversation that was not read.

    Raises:
        LayoutError: there is one under ``messages``, or there are turns next to the ``messages`` that were read.
    """
    read = [field.pointer for field in conversation.fields]
    if "/messages" in read and _TURNS.isdisjoint(row):
        return
    inside = any(pointer.startswith("/messages/") for pointer in read)
    if "/messages" not in read and not inside and (row["messages"] or row["messages"] is conversation.row["messages"]):
        raise LayoutError("something under 'messages' beside the conversation, which stands elsewhere")
    for key in _TURNS.intersection(row):
        turns = row[key]
        if isinstance(turns, list) and turns and _OBJECTS.issuperset(map(type, turns)) and f"/{key}" not in read:
            raise LayoutError(f"turns under {key!r} beside the conversation under 'messages': take one of them out")


def row_for(conversation: Conversation, *columns: str) -> Row:
    """The canonical row without unknown keys that have a meaning in the layout, each of which is a loss."""
    taken = [key for key in columns if key in conversation.row]
    conversation.notes.losses.extend("row_keys" for _ in taken)
    return {key: value for key, value in conversation.row.items() if key not in taken} if taken else conversation.row


def _media_in_columns(conversation: Conversation) -> int:
    """How many media in a column of the row have their places in texts, as LLaMA-Factory and ms-swift have them."""
    texts = [text_of(message.get("content"))[0] for message in conversation.messages]
    marks = {mark for column, mark in _COLUMNS.items() if conversation.row.get(column)}
    return sum(text.count(mark) for text in texts for mark in marks)


def as_text(value: Any) -> Any:
    """A nested field as JSON text. Text stays as it is."""
    return value if isinstance(value, str) else jsontext.spaced(value)


def listed(value: Any) -> list[dict[str, Any]] | None:
    """A list of objects, which may be JSON text; ``None`` if it is something else, or empty."""
    if isinstance(value, str) and value.lstrip()[:1] == "[":
        value = value_of(value)
    if not isinstance(value, list) or not value:
        return None
    if _OBJECTS.issuperset(map(type, value)) or all(isinstance(item, dict) for item in value):
        return value
    return None


def have(turns: list[dict[str, Any]], *keys: str) -> bool:
    """Whether all turns have all keys."""
    for turn in turns:
        for key in keys:
            if key not in turn:
                return False
    return True
