"""Reads plain rows as conversations, for commands that write nothing: their calls are structure, their texts prose.

Such a row is its conversation, except that arguments become objects, and results get the names of their calls. The
ordinary path reads the first rows of each kind as well, and some later ones.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

from toolconv.convert.plans.plain_rows import PlainRows, RowReading, RowShape
from toolconv.convert.plans.plain_values import objects_in
from toolconv.convert.plans.planner import SHAPES, Plans
from toolconv.convert.receipt import Receipt
from toolconv.convert.result import Result
from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.messages import Message
from toolconv.core.notes import Notes
from toolconv.core.pairing import number_calls
from toolconv.core.remembered import Remembered
from toolconv.core.row_fields import RowField
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex

TRUST: Final = 512
"""How many rows with a new tool, more than of those without, are tried before only few rows are."""
SELDOM: Final = 256
"""One row in so many is tried then."""
FAULT: Final = "this row is read otherwise than by the ordinary path, and maybe others before it"


class _Reading(RowReading):
    """The reading of a row of which no line is made: how its JSON is written is not part of its shape."""

    __slots__ = ()

    def read_data(self) -> bool:
        if (read := objects_in(self.data)) is None:
            return False
        for (_, call), value in zip(self.unread, read, strict=True):
            if call is not None:
                if not value:
                    return False
                call.arguments = value
        return True


class ReadRows(PlainRows):
    """Reads plain rows of which no dialect writes anything."""

    def reading(self, declared: bytes, row: dict[str, Any]) -> RowReading | None:
        listed = self.listed(declared, row)
        return None if listed is None else _Reading(self, *listed)

    def are_certain(self, answers: list[str], calling: list[tuple[str, list[ToolCall]]]) -> bool:
        return True


class KnownKind:
    """A kind of rows whose conversations are known."""

    __slots__ = ("uses",)

    def __init__(self) -> None:
        self.uses = 0

    def agrees(self, row: RowReading, result: Result) -> bool:
        """Whether the ordinary path reads the same conversation."""
        if len(result.readings) != 1 or (read := result.readings[0].conversation) is None:
            return False
        return as_facts(read) == as_facts(conversation_of(row))


class PlainReader(Plans[KnownKind, Conversation]):
    """Reads plain rows of the layout ``openai``. Their conversations share the declarations of tools that are alike."""

    fault = FAULT

    def __init__(self, rows: ReadRows, convert: Callable[[bytes], Result]) -> None:
        super().__init__(rows, convert)
        self._kinds: Remembered[Hashable, KnownKind | None] = Remembered(SHAPES)
        self._trust = TRUST
        self._untried = 0

    def made(self, file: str, number: int, line: bytes, receipt: Receipt) -> Conversation | None:
        """The conversation of a plain row; of a few rows only where most declare tools that none before has.

        To check a tool for the first time takes longer than to read it as part of its row.
        """
        if self._trust <= 0:
            self._untried += 1
            if self._untried % SELDOM:
                return None
        known = self._rows.tools.read
        made = super().made(file, number, line, receipt)
        is_known = known == self._rows.tools.read
        self._trust = min(self._trust + 1, TRUST) if is_known else max(self._trust - 1, 0)
        return made

    def _plan(self, shape: RowShape) -> KnownKind | None:
        kind = _kind(shape)
        try:
            return self._kinds[kind]
        except KeyError:
            return self._kinds.add(kind, KnownKind())

    def _mistrust(self, shape: RowShape) -> None:
        self._kinds[_kind(shape)] = None

    def _fill(self, plan: KnownKind, row: RowReading, receipt: Receipt) -> Conversation:
        return conversation_of(row)


def _kind(shape: RowShape) -> Hashable:
    """What the reading of a row depends on: its turns, in any order, since a layout looks at each by itself.

    Whether a text that the row carries along may be one of its turns depends on the others, too.
    """
    for field in shape.fields:
        if field[1] is str and len(field) > len(("key", "kind")):
            return shape
    return shape.fields, frozenset(shape.turns)


def conversation_of(read: RowReading) -> Conversation:
    """The conversation in a plain row."""
    row = read.row
    row["tools"] = tools = [tool.envelope.value for tool in read.tools.values()]
    messages: list[Message] = []
    calling = iter(read.calling)
    for given in row["messages"]:
        message = given.copy()
        if message.get("content") is None:
            message["content"] = ""
        if "tool_calls" in message:
            message["tool_calls"] = [
                {**call, "function": {"name": made.name, "arguments": made.arguments}}
                for call, made in zip(message["tool_calls"], next(calling)[1], strict=True)
            ]
        messages.append(message)
    number_calls(messages)
    conversation = Conversation(
        {**row, "messages": messages},
        origin=("openai", row),
        fields=(RowField("/messages", len(messages), row["messages"]),),
        unparsed=[message["content"] for message in messages],
    )
    functions = {name: tool.envelope.value["function"] for name, tool in read.tools.items()}
    conversation._declared = ToolIndex(tools, functions=functions)
    return conversation


def as_facts(conversation: Conversation) -> tuple[Any, ...]:
    """All that a conversation says, its notes and the order of its keys, too."""
    notes, nothing = conversation.notes, Notes()
    noted = {name: value for name in Notes.__slots__ if (value := getattr(notes, name)) != getattr(nothing, name)}
    row, source = jsontext.dumps(conversation.row), jsontext.dumps(conversation.source)
    others = (conversation.text_key, conversation.prompt, conversation.answers, conversation.read_as)
    fields, functions = list(conversation.fields), conversation.declared.functions
    return row, source, conversation.origin, list(conversation.unparsed), fields, functions, noted, others
