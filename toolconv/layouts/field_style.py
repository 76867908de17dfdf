"""How to write nested fields of rows, on request: as values or as JSON text, as null or not at all.

The default is the layout's own convention. Messages are any list of objects with roles in a row.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from toolconv.core import jsontext
from toolconv.core.messages import Message, Row, calls_of
from toolconv.layouts.answers import are_turns


class FieldStyle(NamedTuple):
    """How to write nested fields; ``None`` leaves a field as the layout writes it.

    Attributes:
        arguments: call arguments: an ``object`` or a JSON ``string``.
        tools: tool declarations: a ``list`` or a JSON ``string``.
        empty_content: content of a turn with calls and no prose: ``null``, ``empty`` text, or ``omit`` the key.
    """

    arguments: Literal["object", "string"] | None = None
    tools: Literal["list", "string"] | None = None
    empty_content: Literal["null", "empty", "omit"] | None = None

    def apply(self, row: Row) -> Row:
        """``row`` with its fields written in this style."""
        if self.tools is not None and "tools" in row:
            row = {**row, "tools": _as_text(row["tools"]) if self.tools == "string" else _as_value(row["tools"])}
        if self.arguments is None and self.empty_content is None:
            return row
        return {
            key: [self._message(message) for message in value] if are_turns(value) else value
            for key, value in row.items()
        }

    def _message(self, message: Message) -> Message:
        calls = calls_of(message)
        if not calls:
            return message
        message = dict(message)
        if self.arguments is not None:
            convert = _as_text if self.arguments == "string" else _as_value
            for call in (calls := [{**call, "function": dict(call["function"])} for call in calls]):
                call["function"]["arguments"] = convert(call["function"].get("arguments"))
            message["tool_calls"] = calls
        if self.empty_content is not None and not message.get("content"):
            message["content"] = None if self.empty_content == "null" else ""
            if self.empty_content == "omit":
                del message["content"]
        return message


def _as_text(value: Any) -> Any:
    return value if isinstance(value, str) else jsontext.spaced({} if value is None else value)


def _as_value(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return jsontext.loads(value)
    except ValueError:  # invalid JSON was counted when the row was read
        return value


LAYOUT_STYLE = FieldStyle()
"""The layout's own convention."""
