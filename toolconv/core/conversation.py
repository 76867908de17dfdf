"""The model that all steps share: a conversation, which is its canonical row, its notes and its other answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from toolconv.core.messages import Message, Row, Tool
from toolconv.core.notes import Notes
from toolconv.core.row_fields import RowField
from toolconv.core.tools import NO_TOOLS, ToolIndex


@dataclass(slots=True)
class Conversation:
    """A conversation while it is converted.

    Attributes:
        row: the canonical row. Keys keep their places.
        notes: what has happened to it so far.
        text_key: the key of the text of a ``completion`` row; ``None`` for other layouts.
        origin: the name of the layout it was read from, and the row itself, so that unchanged parts are written back
            verbatim.
        fields: the fields of that row that the messages were read from, in the order of the messages.
        prompt: the text that the output of a ``completion`` row answers; ``None`` if it is not a text, or not there.
        answers: its other answers, if it has several; the messages end with the first, the one to prefer.
        read_as: the layout that read it, where that layout's rows are wrapped or have other keys in this row.
        unparsed: the contents of its messages before their texts were parsed, after texts that were taken apart before.
    """

    row: Row
    notes: Notes = field(default_factory=Notes)
    text_key: str | None = None
    origin: tuple[str, Row] | None = None
    fields: Sequence[RowField] = ()
    prompt: str | None = None
    answers: Answers | None = None
    read_as: str | None = None
    unparsed: Sequence[Any] = ()
    _declared: ToolIndex = NO_TOOLS

    def _repr_html_(self) -> str:
        """The turns as markup, for notebooks."""
        from toolconv.core.transcript import markup, turns_of

        return markup(turns_of(self.all_messages), {})

    @property
    def messages(self) -> list[Message]:
        """The messages, in order."""
        messages: list[Message] = self.row["messages"]
        return messages

    @property
    def read_in(self) -> str:
        """The name of the layout that read it; that of canonical rows if none did."""
        return self.read_as or ("canonical" if self.origin is None else self.origin[0])

    @property
    def source(self) -> Row:
        """The row that it was read from; the canonical one if it was read from none."""
        if self.answers is not None:
            return self.answers.row
        return self.row if self.origin is None else self.origin[1]

    @property
    def all_messages(self) -> list[Message]:
        """The messages, followed by those of each other answer: its prompt is not repeated."""
        if self.answers is None:
            return self.messages
        start = self.answers.shared
        return self.messages + [message for other in self.answers.others for message in other.messages[start:]]

    @property
    def tools(self) -> list[Tool]:
        """The declared tools; empty when none are declared."""
        tools = self.row.get("tools")
        return tools if type(tools) is list else []

    @property
    def declared(self) -> ToolIndex:
        """The declared tools by name; the same object until other tools are declared."""
        tools = self.row.get("tools")
        if not tools or type(tools) is not list:
            return NO_TOOLS
        if self._declared.tools is not tools:
            self._declared = ToolIndex(tools)
        return self._declared


@dataclass(slots=True)
class Answers:
    """The other answers of a conversation that has several.

    Attributes:
        others: for each, the whole conversation that ends with it.
        shared: how many messages all of them begin with: the prompt.
        ranked: the first answer is preferred to the second; otherwise they are samples of equal rank.
        places: the JSON pointer of each answer, the first one's too, in the row that they were read from.
        row: that row.
        extra_keys: how many keys its answers have that no message holds, such as scores.
    """

    others: list[Conversation]
    shared: int
    ranked: bool
    places: list[str]
    row: Row
    extra_keys: int = 0

    def share(self, first: Conversation) -> None:
        """Make the prompts of all answers the messages of the first one's, so that a change of one changes all."""
        for other in self.others:
            if other.messages[: self.shared] == first.messages[: self.shared]:
                other.messages[: self.shared] = first.messages[: self.shared]
