"""Assembles canonical messages from texts, reasoning, calls and results, in the order in which a format has them.

Readers of messages, of sessions and of traces say what comes next, in their format's order. Content parts are read by
:meth:`MessageBuilder.part`, with the table of the format or that of all APIs.
"""

from __future__ import annotations

from typing import Any

from toolconv.core import jsontext
from toolconv.core.conversation import Conversation
from toolconv.core.marks import MARK_KEYS
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import complete
from toolconv.core.row_fields import RowField
from toolconv.layouts.call_forms import drop_unread, filled, listed_calls, looks_like_call, read_form, unknown_call
from toolconv.layouts.call_items import call_item, extras
from toolconv.layouts.content_parts import (
    ALL_PARTS,
    TEXTS,
    THINKING,
    Parts,
    ReadPart,
    first_of,
    is_call,
    kind_of,
    plain,
)
from toolconv.layouts.nested_json import LayoutError

HIDDEN_REASONING = "hidden_reasoning"
"""The loss of reasoning that only its provider can read: encrypted, or only a signature."""

UNREAD_CALLS = "invalid_tool_calls"
"""The key of calls that can't be read, as LangChain has it: a dropped call is kept in its message."""
MEDIA: frozenset[Any] = frozenset({
    "text", "image", "image_url", "input_text", "input_image", "output_text", "audio", "document", "file", "media",
    "resource", "resource_link", "image-data", "image-url", "file-data", "file-url",
})  # fmt: skip
"""Types of content parts that a result may hold."""


class MessageBuilder:
    """Assembles canonical messages from parts.

    Consecutive calls belong to one message, and their results follow it, even if the format puts each result directly
    after its call. Text or reasoning after a call begins another message, and so does what :meth:`reason` adds after
    text.

    Attributes:
        messages: complete messages.
        starts: for each of them, the place where it began.
        notes: what happened.
        place: the index, in the row's list, of the item that is being read.
        recorded: the parts of a message were recorded one by one, as in a trace: reasoning after text, and anything
            after a result, begins another message, and reasoning without a text can't be read.
    """

    def __init__(self, notes: Notes | None = None, *, recorded: bool = False) -> None:
        self.recorded = recorded
        self.messages: list[Message] = []
        self.starts: list[int] = []
        self.notes = Notes() if notes is None else notes
        self.place = 0
        self._begun = 0
        self._role = "user"
        self._keys: Row = {}
        self._marks: tuple[int, Row] = (0, {})
        self._texts: list[Any] = []
        self._reasonings: list[tuple[str, Any]] = []
        self._calls: list[dict[str, Any]] = []
        self._unread: list[Any] = []
        self._results: list[tuple[int, Message]] = []
        self._open = False

    def begin(self, role: str, keys: Row | None = None) -> None:
        """Begin a message. ``keys`` are further keys of it; marks hold for all messages of the same item."""
        self.end()
        if keys is not None:
            self._marks = self.place, {key: keys[key] for key in MARK_KEYS.intersection(keys)}
        elif role == "assistant" and self._marks[0] == self.place:
            keys = self._marks[1]
        self._role, self._keys, self._open, self._begun = role, dict(keys or {}), True, self.place

    def keep(self, keys: Row) -> None:
        """Add keys to the message. One that has another value already counts as a loss."""
        for key, value in keys.items():
            if self._keys.setdefault(key, value) != value:
                self.notes.losses.append("part_keys")

    def text(self, text: Any, role: str = "assistant") -> None:
        """Add text, or an unchanged content part of another kind."""
        self._continue(role)
        if text != "":
            self._texts.append(text)

    def reasoning(self, text: str, block: Any = None) -> None:
        """Add reasoning. ``block`` is the part it came from, if that holds more than text, such as a signature."""
        self._continue("assistant")
        self._reasonings.append((text, block))

    def call(self, item: dict[str, Any]) -> None:
        """Add a canonical call item. One without an id is numbered later."""
        if self._role != "assistant" or not self._open:
            self.begin("assistant")
        self._calls.append(item if "id" in item else {"id": None, **item})

    def calls(self, value: Any) -> None:
        """Add a list of calls in any form, which may be JSON text. Those that can't be read stay as they are."""
        for each in listed_calls(value):
            if (item := read_form(each, self.notes)) is not None:
                self.call(item)
            else:
                if not self._open:
                    self.begin("assistant")
                self._unread.append(each)

    def result(self, call_id: Any, name: Any, content: Any, keys: Row | None = None, *, verbatim: bool = False) -> None:
        """Add the result of a call. What is neither text nor content parts becomes JSON text, or is ``verbatim``."""
        message: Message = {"role": "tool"}
        if call_id is not None:
            message["tool_call_id"] = call_id
        if isinstance(name, str) and name:
            message["name"] = name
        content = content if verbatim else result_text(content, self.notes)
        self._results.append((self.place, {**message, "content": content, **(keys or {})}))

    def mark(self, keys: Row) -> None:
        """Add keys to the first of the results."""
        place, message = self._results[0]
        self._results[0] = place, {**keys, **message}

    def end(self) -> None:
        """End the message, and add the results after it."""
        if self._open and (
            self._texts or self._reasonings or self._calls or self._unread or self._keys or not self._results
        ):
            self.messages.append(self._message())
            self.starts.append(self._begun)
        for place, message in self._results:
            self.messages.append(message)
            self.starts.append(place)
        self._open = False
        self._keys, self._texts, self._reasonings, self._calls, self._results = {}, [], [], [], []
        self._unread = []

    def say(self, role: Any, content: Any) -> None:
        """A message of the user or the system, whose content is text or a list of parts.

        Raises:
            LayoutError: the role is not text.
        """
        if not isinstance(role, str):
            raise LayoutError(f"a message whose role is not text: {role!r}")
        self.begin(role)
        self.write(content, role)
        self.end()

    def reason(self, text: str, block: Any = None) -> None:
        """Reasoning of the assistant. ``block`` is the part it came from, if that holds more than text."""
        if not text:
            return
        if any(not (isinstance(part, str) and part.isspace()) for part in self._texts):
            self.end()
        self.reasoning(text, block)

    def write(self, content: Any, role: str = "assistant") -> None:
        """Text, or content parts."""
        for part in content if isinstance(content, list) else [content]:
            text = text_in(part)
            if text is None and part is not None:
                self.text(part, role)
            elif text:
                self.text(text, role)
                if isinstance(part, dict):
                    self.keep(filled(extras(part, "type", "text")))

    def invoke(self, call_id: Any, name: Any, arguments: Any, **extra: Any) -> None:
        """A call of a tool; ``arguments`` are an object or its JSON text."""
        self.call(call_item(call_id, name, arguments, extra, self.notes))

    def part(self, part: Any, role: str, parts: Parts = ALL_PARTS) -> None:
        """A content part of a message with a role, by the table of its format."""
        read = parts.read(part)
        if read is None:
            self._other(part, role)
        else:
            self.add(read, role)

    def add(self, read: ReadPart, role: str) -> None:
        """What a part of a message with a role says."""
        entry, value, rest = read.entry, read.value, read.rest
        if entry.kind == "text" and (value != "" or not self.recorded):
            self.text(value if isinstance(value, str) else read.came, entry.role or role)
            self.keep(rest)
        elif entry.kind == "call" and (not read.name or not isinstance(read.name, str)):
            self._other(read.came, role)
        elif entry.kind == "call":
            self.call(call_item(read.id, read.name, value, rest, self.notes))
            if entry.result:
                self._carried(read)
        elif entry.kind == "result":
            self.result(read.id, read.name, value, rest)
            if self.recorded:
                self.end()
        elif entry.kind == "reasoning":
            self._reasoning(value, read.came if rest else None)
        elif entry.kind == "step" and (self._texts or self._reasonings or self._calls or self._results):
            self.end()
        elif entry.kind == "media":
            self._other(read.came, role)

    def _carried(self, read: ReadPart) -> None:
        """The result that a part with a call has, or its error."""
        result, error = first_of(read.came, read.entry.result), first_of(read.came, read.entry.error)
        if result is not None or error is not None:
            self.result(read.id, read.name, result or error, {"is_error": True} if error else {})

    def _other(self, part: Any, role: str) -> None:
        """A part that is not in a table: a call in another form, or content of any kind."""
        if is_call(part) or (kind_of(part) == "call" and looks_like_call(part)):
            if (call := read_form(part, self.notes)) is not None:
                self.call(call)
            else:
                self.text(part, role)
            return
        if kind_of(part) == "call" if self.recorded else isinstance(part, dict) and looks_like_call(part):
            self.notes.dropped.append(unknown_call(part))
        if self.recorded:
            self.write([plain(part)], role)
        else:
            self.text(part, role)

    def _reasoning(self, text: str, block: Any) -> None:
        if text and self.recorded:
            self.reason(text, block)
        elif self.recorded:
            self.notes.losses.append(HIDDEN_REASONING)
        elif text or block is not None:
            self.reasoning(text, block)

    def conversation(self, row: Row, pointer: str = "", pieces: list[Any] | None = None) -> Conversation:
        """All messages as a conversation.

        Args:
            row: the keys of the canonical row, ``messages`` not among them.
            pointer: where the pieces are that places count; without pieces, where the messages are.
        """
        self.end()
        complete(self.messages)
        size = len(self.messages)
        field = RowField(pointer, size) if pieces is None else RowField(pointer, size, pieces, self.starts)
        return Conversation({**row, "messages": self.messages}, self.notes, fields=(field,))

    def _continue(self, role: str) -> None:
        if not self._open or role != self._role or self._calls or self._results:
            self.begin(role)

    def _message(self) -> Message:
        message: Message = {"role": self._role, "content": joined(self._texts, self.notes)}
        if reasoning := "\n\n".join(text for text, _ in self._reasonings if text):
            message["reasoning_content"] = reasoning
        if self._calls:
            message["tool_calls"] = self._calls
        else:
            drop_unread(self._keys, self.notes)
        blocks = [block for _, block in self._reasonings if block is not None]
        if blocks:
            message[THINKING] = blocks
        if self._unread:
            message[UNREAD_CALLS] = self._unread
        return {**message, **{key: value for key, value in self._keys.items() if key not in message}}


def joined(parts: list[Any], notes: Notes) -> Any:
    """Texts as one text, or a list of content parts if some are not text. The joints are a loss."""
    if not parts:
        return ""
    if all(isinstance(part, str) for part in parts):
        notes.losses.extend(["content_parts"] * (len(parts) - 1))
        return "\n\n".join(parts)
    return [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]


def text_in(part: Any) -> str | None:
    """A text, or the text of a text part; ``None`` for anything else."""
    if isinstance(part, dict) and part.get("type", "text") in TEXTS:
        part = part.get("text")
    return part if isinstance(part, str) else None


def result_text(content: Any, notes: Notes) -> Any:
    """The content of a tool message: text and lists of content parts stay, other values become JSON text.

    A list of text parts becomes text; the joints are a loss.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and content:
        if all(isinstance(part, dict) and "type" in part and text_in(part) is not None for part in content):
            return joined([part["text"] for part in content], notes)
        types = {part.get("type") if isinstance(part, dict) else None for part in content}
        if types <= MEDIA:
            return content
    return jsontext.spaced(content)
