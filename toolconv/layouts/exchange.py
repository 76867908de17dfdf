"""The core of layouts that hold a request and its answer: messages in one place of a row, what answers them in another.

A layout is a table of places. Either part may be missing. All other keys stay where they are.
"""

from __future__ import annotations

from typing import Any, ClassVar

from toolconv.core.conversation import Conversation, Message, Notes, Row, RowField, complete
from toolconv.core.rows import moved
from toolconv.layouts.base import LayoutError, listed
from toolconv.layouts.named_messages import NamedMessages
from toolconv.layouts.tool_places import Place, value_at


class Exchange(NamedMessages):
    """Messages and what answers them.

    Attributes:
        asked_at, answered_at: the places of the messages, and of the message or the messages that answer them; the
            first that is there counts.
        marks: keys that an answer has next to its message.
    """

    asked_at: ClassVar[tuple[Place, ...]] = (("request", "messages"), ("messages",))
    answered_at: ClassVar[tuple[Place, ...]] = (("message",), ("response", "message"))
    tools_at: ClassVar[tuple[Place, ...]] = (("request", "tools"), ("tools",))
    marks: ClassVar[tuple[str, ...]] = ()

    def answered(self, row: Row) -> Place | None:
        """Where the answer is; ``None`` if there is none."""
        for place in self.answered_at:
            if place[0] in row and self.is_answer(value_at(row, place), value_at(row, place[:-1])):
                return place
        return None

    def is_answer(self, value: Any, holder: Any) -> bool:
        """Whether a value is an answer; ``holder`` is the object that it is in."""
        return isinstance(value, dict) and "role" in value and all(key in holder for key in self.marks)

    def find(self, row: Row) -> tuple[str, list[Row]] | None:
        for place in self.asked_at:
            if (items := listed(value_at(row, place))) is not None:
                return "/".join(place), items
        return None

    def matches(self, row: Row) -> bool:
        return self.answered(row) is not None or super().matches(row)

    def decode(self, row: Row) -> Conversation:
        asked, answered = self.find(row), self.answered(row)
        if asked is None and answered is None:
            raise LayoutError("neither a request with messages nor an answer with a message")
        notes = Notes()
        messages: list[Message] = []
        fields: list[RowField] = []
        taken: dict[Place, str] = {}
        found: Row = {}
        declared = next((place for place in self.tools_at if value_at(row, place) is not None), None)
        if declared is not None:
            found["tools"] = self.read_tools(value_at(row, declared), notes)
            taken[declared] = "tools"
        if asked is not None:
            messages, starts = self.read_items(asked[1], notes)
            fields.append(RowField(f"/{asked[0]}", len(messages), asked[1], starts))
            taken[tuple(asked[0].split("/"))] = "messages"
        if answered is not None:
            answer = value_at(row, answered)
            read, starts = self.read_items(answer if isinstance(answer, list) else [answer], notes)
            pieces = (answer, starts) if isinstance(answer, list) else ()
            fields.append(RowField(f"/{'/'.join(answered)}", len(read), *pieces))
            taken[answered] = "messages"
            messages = [*messages, *read]
        complete(messages)
        return Conversation(moved(row, {**found, "messages": messages}, taken), notes, fields=fields)

    def split(self, document: Any) -> None:
        """A list of messages has no mark of this layout."""
        return
