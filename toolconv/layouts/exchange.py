"""The core of layouts that hold a request and its answer: a list of messages, and one message that answers them.

The row itself is the request, or has it under ``request``. The row itself is the answer, or has it under ``response``.
Either may be missing. All other keys of the two are kept where they are.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

from toolconv.core.conversation import Conversation, Message, Notes, Row, RowField, complete
from toolconv.layouts.base import LayoutError, listed
from toolconv.layouts.call_items import extras
from toolconv.layouts.named_messages import NamedMessages


class AnswerPlace(NamedTuple):
    """Where an answer is.

    Attributes:
        pointer: the JSON pointer of its message.
        key: the key of the row that holds it.
        message: the message.
        rest: what else is under the key; ``None`` for nothing.
    """

    pointer: str
    key: str
    message: Row
    rest: Any = None


class Exchange(NamedMessages):
    """Messages and the one that answers them.

    Attributes:
        marks: keys that an answer has next to its message.
    """

    marks: ClassVar[tuple[str, ...]] = ()

    def answer(self, row: Row) -> AnswerPlace | None:
        """The answer in a row; ``None`` if there is none."""
        if self.is_answer(row):
            return AnswerPlace("/message", "message", row["message"])
        response = row.get("response")
        if isinstance(response, dict) and self.is_answer(response):
            return AnswerPlace(
                "/response/message", "response", response["message"], extras(response, "message") or None
            )
        return None

    def is_answer(self, holder: Any) -> bool:
        """Whether an object is an answer."""
        return (
            isinstance(holder, dict)
            and isinstance(holder.get("message"), dict)
            and "role" in holder["message"]
            and all(key in holder for key in self.marks)
        )

    def find(self, row: Row) -> tuple[str, list[Row]] | None:
        request = row.get("request")
        items = listed(request.get("messages")) if isinstance(request, dict) else None
        return super().find(row) if items is None else ("request/messages", items)

    def matches(self, row: Row) -> bool:
        return self.answer(row) is not None or super().matches(row)

    def tools_of(self, row: Row) -> Any:
        """The declared tools; ``None`` if there are none."""
        request = row.get("request")
        return request.get("tools") if isinstance(request, dict) else row.get("tools")

    def decode(self, row: Row) -> Conversation:
        found, answer = self.find(row), self.answer(row)
        if found is None and answer is None:
            raise LayoutError("neither a request with messages nor an answer with a message")
        notes = Notes()
        messages: list[Message] = []
        fields: list[RowField] = []
        rest = dict(row)
        tools = self.tools_of(row)
        if found is not None:
            pointer, items = found
            messages, starts = self.read_items(items, notes)
            fields.append(RowField(f"/{pointer}", len(messages), items, starts))
            rest.pop("messages", None)
        if isinstance(row.get("request"), dict):
            rest["request"] = extras(row["request"], "messages", "tools")
        if answer is not None:
            read, _ = self.read_items([answer.message], notes)
            messages = [*messages, *read]
            fields.append(RowField(answer.pointer, len(read)))
            rest[answer.key] = answer.rest
        complete(messages)
        kept = {key: value for key, value in rest.items() if key != "tools" and (value or value == row[key])}
        declared = {"tools": self.read_tools(tools, notes)} if tools is not None else {}
        return Conversation({**declared, "messages": messages, **kept}, notes, fields=fields)

    def split(self, document: Any) -> None:
        """A list of messages has no mark of this layout."""
        return
