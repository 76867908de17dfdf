"""A conversation put together from what a session or a trace recorded, for layouts whose items are no messages.

Parts of one answer become one assistant message, in the order reasoning, text, calls; a part that comes too late for
that begins another message. All else is as in :mod:`~toolconv.layouts.message_builder`. The parts of all APIs are read
by :meth:`Transcript.part`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from toolconv.core.call_keys import argument_key
from toolconv.core.conversation import Conversation, Notes, Row, RowField, complete
from toolconv.layouts.base import LayoutError
from toolconv.layouts.call_forms import filled, read_form
from toolconv.layouts.content_blocks import call_item, extras
from toolconv.layouts.content_parts import (
    RESULT,
    first_of,
    id_in,
    is_call,
    name_in,
    part_in,
    plain,
    reasoning_text,
    result_value,
)
from toolconv.layouts.message_builder import MessageBuilder, text_in

HIDDEN_REASONING = "hidden_reasoning"
"""The loss of reasoning that only its provider can read: encrypted, or only a signature."""


class Transcript(MessageBuilder):
    """The messages so far, and the one that is open."""

    def __init__(self) -> None:
        super().__init__(Notes())

    def say(self, role: Any, content: Any) -> None:
        """A message of the user or the system, whose content is text or a list of parts.

        Raises:
            LayoutError: the role is not text.
        """
        if not isinstance(role, str):
            raise LayoutError(f"a message whose role is not text: {role!r}")
        self.begin(role)
        self._add(content, role)
        self.end()

    def reason(self, text: str, block: Any = None) -> None:
        """Reasoning of the assistant. ``block`` is the part it came from, if that holds more than text."""
        if not text:
            return
        if any(not (isinstance(part, str) and part.isspace()) for part in self._texts):
            self.end()
        self.reasoning(text, block)

    def hide(self) -> None:
        """Reasoning that can't be read."""
        self.notes.losses.append(HIDDEN_REASONING)

    def write(self, content: Any) -> None:
        """Text of the assistant, or content parts."""
        self._add(content, "assistant")

    def invoke(self, call_id: Any, name: Any, arguments: Any, **extra: Any) -> None:
        """A call of a tool; ``arguments`` are an object or its JSON text."""
        self.call(call_item(call_id, name, arguments, extra, self.notes))

    def part(self, part: Any, role: str) -> bool:
        """A content part of any API; returns whether it was taken, which texts and media of the user are not."""
        found = part_in(part)
        kind, inner = ("text", part) if found is None else (found[0].kind, found[1])
        if kind == "call":
            arguments = inner.get(argument_key(inner) or "arguments")
            self.invoke(id_in(inner), name_in(inner), arguments or {})
        elif kind == "result":
            failed = {"is_error": True} if inner.get("is_error") else {}
            self.result(id_in(inner), name_in(inner), result_value(first_of(inner, RESULT.value)), failed)
            self.end()
        elif kind == "reasoning":
            text = reasoning_text(inner)
            if text:
                self.reason(text, part if inner.get("signature") else None)
            else:
                self.hide()
        elif is_call(part) and (call := read_form(part, self.notes)) is not None:
            self.call(call)
        elif role == "assistant":
            self.write([plain(part)])
        else:
            return False
        return True

    @property
    def answered(self) -> bool:
        """Whether a call of the open message has its result."""
        return bool(self._results)

    def conversation(self, row: Row, pointer: str = "", pieces: list[Any] | None = None) -> Conversation:
        """All messages as a conversation.

        Args:
            row: the keys of the canonical row, ``messages`` not among them.
            pointer: where the pieces are that places count; without pieces, where the messages are.
            pieces: these pieces.
        """
        self.end()
        complete(self.messages)
        size = len(self.messages)
        field = RowField(pointer, size) if pieces is None else RowField(pointer, size, pieces, self.starts)
        return Conversation({**row, "messages": self.messages}, self.notes, fields=(field,))

    def _add(self, content: Any, role: str) -> None:
        for part in content if isinstance(content, list) else [content]:
            text = text_in(part)
            if text is None and part is not None:
                self.text(part, role)
            elif text:
                self.text(text, role)
                if isinstance(part, dict):
                    self.keep(filled(extras(part, "type", "text")))


def identifier(value: Any) -> str | int | None:
    """An id; ``None`` for a value that can't be one."""
    return value if isinstance(value, str | int) else None


def added(total: Any, counts: Any) -> Any:
    """Two counts, or two objects of counts, added; anything else is left out."""
    if isinstance(counts, dict):
        result = dict(total) if isinstance(total, dict) else {}
        for key, value in counts.items():
            if isinstance(value, dict) or _is_number(value):
                result[key] = added(result.get(key), value)
        return result
    return counts + total if _is_number(total) else counts


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def only(values: Iterator[Any]) -> Any:
    """The values, each once: ``None`` if there are none, the value if there is one, otherwise a list."""
    found: list[Any] = []
    for value in values:
        if value not in (None, "") and value not in found:
            found.append(value)
    return found[0] if len(found) == 1 else found or None
