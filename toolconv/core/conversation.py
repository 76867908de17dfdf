"""The model that all layouts and dialects share: a conversation and its messages.

A conversation is stored as its *canonical row*, plain JSON data: the OpenAI chat row with ``arguments`` as objects and
``content`` always text (or a list of content parts). Plain data keeps unknown row keys and message keys, and their
order, without extra code. Calls are also :class:`~toolconv.core.tool_call.ToolCall`, the typed form that dialects read
and write.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolconv.core import jsontext
from toolconv.core.marks import MARK_KEYS
from toolconv.core.notes import Notes
from toolconv.core.tools import NO_TOOLS, ToolIndex

if TYPE_CHECKING:
    from toolconv.core.answers import Answers
    from toolconv.core.row_fields import RowField

Row = dict[str, Any]
"""A JSON object: one row of a dataset."""

Message = dict[str, Any]
"""A message of a canonical row: ``role``, ``content``, ``reasoning_content``, ``tool_calls``, ``tool_call_id``, …"""

Tool = dict[str, Any]
"""A declared tool, ``{"type": "function", "function": {"name", "description", "parameters"}}``."""


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
    """

    row: Row
    notes: Notes = field(default_factory=Notes)
    text_key: str | None = None
    origin: tuple[str, Row] | None = None
    fields: Sequence[RowField] = ()
    prompt: str | None = None
    answers: Answers | None = None
    read_as: str | None = None
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


TEXT_PARTS = ("text", "input_text", "output_text", None)
"""The types of content parts that are text, in the APIs of OpenAI and those who copy it."""


def text_of(content: Any, between: str = "") -> tuple[str, bool]:
    """The text of a content, and whether that is all of it.

    The texts of content parts are joined by ``between``: nothing, as the providers do. Parts that are not text,
    such as images, are left out. Anything else than text and parts becomes JSON.
    """
    if isinstance(content, str):
        return content, True
    if content is None:
        return "", True
    if not isinstance(content, list):
        return jsontext.spaced(content), False
    texts = text_parts(content)
    return between.join(texts), len(texts) == len(content) > 0


def text_parts(parts: Sequence[Any]) -> list[str]:
    """The texts of those content parts that are text."""
    texts = []
    for part in parts:
        if isinstance(part, dict) and part.get("type") in TEXT_PARTS:
            part = part.get("text")
        if isinstance(part, str):
            texts.append(part)
    return texts


WRITTEN_KEYS = frozenset({"role", "content", "reasoning_content", "tool_calls", "tool_call_id"})
"""The keys of messages whose values texts hold."""
RESULT_KEYS = WRITTEN_KEYS | {"name"}


def unwritten_keys(message: Message) -> list[str]:
    """The keys of a message that a text has no place for. Empty ones, and training marks, don't count."""
    if WRITTEN_KEYS.issuperset(message):
        return []
    known = RESULT_KEYS if message.get("role") == "tool" else WRITTEN_KEYS
    reasoning = message.get("reasoning_content")
    return [
        key
        for key, value in message.items()
        if key not in known and key not in MARK_KEYS and value not in (None, "", [], {}) and value != reasoning
    ]


def calls_of(message: Message) -> list[dict[str, Any]]:
    """The well-formed call items of a canonical message."""
    calls = message.get("tool_calls")
    if not calls or type(calls) is not list:
        return []
    for call in calls:
        if type(call) is not dict or type(call.get("function")) is not dict:
            return [call for call in calls if isinstance(call, dict) and isinstance(call.get("function"), dict)]
    return calls
