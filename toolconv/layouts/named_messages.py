"""The core of layouts whose messages are the usual ones under other names, or in other places.

Frameworks, agents and evaluations store the same things: text, reasoning, calls and results, as messages, parts of
messages, steps or events. A layout is a table: the places of the messages, of what answers them and of the tools, the
names of roles, and the parts of messages (:class:`~toolconv.layouts.content_parts.Parts`). All other keys of a row stay
where they are. :class:`~toolconv.layouts.message_builder.MessageBuilder` assembles canonical messages.

No call is ignored silently: a call in an unknown part, or under a key that the layout does not read, counts as dropped.
Other keys of messages and parts are kept as keys of the canonical message. These formats write all keys they know, so
layouts that are only read leave out the empty ones (null, ``""``, ``[]``, ``{}``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from toolconv.core.conversation import Conversation
from toolconv.core.json_pointer import pointer_to
from toolconv.core.messages import Message, Row
from toolconv.core.notes import Notes
from toolconv.core.pairing import complete
from toolconv.core.row_fields import RowField
from toolconv.core.rows import moved
from toolconv.layouts.base import Layout, LayoutError, listed
from toolconv.layouts.call_forms import filled
from toolconv.layouts.call_items import extras
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder, joined
from toolconv.layouts.speakers import REPAIR, meaning_of
from toolconv.layouts.tool_places import Place, value_at
from toolconv.layouts.tool_schema import read_tools


class NamedMessages(Layout):
    """A list of messages, steps or events.

    Attributes:
        asked_at, answered_at: the places of the list, and of the message or the messages that answer it, each the first
            that is there; either may be missing. What is written is in the first place.
        answer_marks: keys that an answer has next to its message.
        role_key, content_key: the keys of an item.
        roles: the canonical roles of the format's names.
        parts: the table of parts.
        renamed: keys of items that have a canonical meaning under another name.
        ignored: keys of items that say nothing about the conversation.
        left_out: keys of a row that repeat the messages, or record the run.
        tools_at: the places of tools; the first that are there count.
    """

    leaves_out = True
    asked_at: ClassVar[tuple[Place, ...]] = (("messages",),)
    answered_at: ClassVar[tuple[Place, ...]] = ()
    answer_marks: ClassVar[tuple[str, ...]] = ()
    role_key: ClassVar[str] = "role"
    content_key: ClassVar[str] = "content"
    roles: ClassVar[dict[str, str]] = {}
    parts: ClassVar[Parts] = Parts({"text": Part("text", ("text",))})
    renamed: ClassVar[dict[str, str]] = {}
    ignored: ClassVar[tuple[str, ...]] = ()
    left_out: ClassVar[tuple[str, ...]] = ()
    tools_at: ClassVar[tuple[Place, ...]] = (("tools",),)

    # ── the row ──

    def is_item(self, item: Row) -> bool:
        """Whether an item of a list has this layout."""
        return isinstance(item.get(self.role_key), str)

    def find(self, row: Row) -> tuple[Place, list[Row]] | None:
        """The place of the list, and the list; ``None`` if there is none."""
        for place in self.asked_at:
            if place[0] in row and (items := listed(value_at(row, place))) is not None:
                return place, items
        return None

    def answered(self, row: Row) -> Place | None:
        """The place of the answer; ``None`` if there is none."""
        for place in self.answered_at:
            if place[0] in row and self.is_answer(value_at(row, place), value_at(row, place[:-1])):
                return place
        return None

    def is_answer(self, value: Any, holder: Any) -> bool:
        """Whether a value is an answer; ``holder`` is the object that it is in."""
        return isinstance(value, dict) and "role" in value and all(key in holder for key in self.answer_marks)

    def matches(self, row: Row) -> bool:
        found = self.find(row)
        return self.answered(row) is not None or (found is not None and self.are_items(found[1]))

    def are_items(self, items: list[Row]) -> bool:
        """Whether a list has this layout."""
        return all(map(self.is_item, items))

    def split(self, document: Any) -> Iterator[Row] | None:
        """A file that is one list of items is one conversation, if it has any and no answer could follow it."""
        if isinstance(document, list) and document and not self.answered_at:
            for place in self.asked_at:
                if self.fits(row := {place[0]: document}):
                    return iter([row])
        return None

    def decode(self, row: Row) -> Conversation:
        asked, answered = self.find(row), self.answered(row)
        if asked is None and answered is None:
            places = map(".".join, (*self.asked_at, *self.answered_at))
            raise LayoutError(f"no list of objects under {' or '.join(map(repr, places))}")
        notes = Notes()
        messages: list[Message] = []
        fields: list[RowField] = []
        found: Row = {}
        taken: dict[Place, str] = {}
        tools, at = self.declared(row)
        if tools is not None:
            found["tools"] = read_tools(tools, notes)
        if at is not None:
            taken[at] = "tools"
        if asked is not None:
            place, items = asked
            builder = MessageBuilder(notes)
            self.read_items(items, builder)
            messages = builder.messages
            fields.append(RowField(pointer_to(place), len(messages), items, builder.starts))
            taken[place] = "messages"
        if answered is not None:
            answer = value_at(row, answered)
            several = listed(answer)
            builder = MessageBuilder(notes)
            self.read_items(several or [answer], builder)
            size = len(builder.messages)
            fields.append(RowField(pointer_to(answered), size, *((several, builder.starts) if several else ())))
            taken[answered] = "messages"
            messages = [*messages, *builder.messages]
        complete(messages)
        found["messages"] = messages
        for key in self.left_out:
            taken.setdefault((key,), "")
        canonical = moved(row, found, taken)
        if tools is not None and at is None:
            canonical = {"tools": found["tools"], **canonical}
        return Conversation(canonical, notes, fields=fields)

    def declared(self, row: Row) -> tuple[Any, Place | None]:
        """The tools and their place, without one if they are in the list; ``None`` if there are none."""
        for place in self.tools_at:
            if place[0] in row and (value := value_at(row, place)) is not None:
                return value, place
        return None, None

    def read_items(self, items: Sequence[Row], builder: MessageBuilder) -> None:
        """Add what all items hold to ``builder``."""
        for builder.place, item in enumerate(items):
            self.read_item(item, builder)
            builder.end()

    # ── one item ──

    def read_item(self, item: Row, builder: MessageBuilder) -> None:
        """Add what an item holds to ``builder``."""
        role = self.role(item)
        if (meaning := meaning_of(role)) != role and meaning in ("assistant", "tool"):
            role = meaning
            builder.notes.repairs.append(REPAIR)
        content = item.get(self.content_key)
        keys = extras(item, self.role_key, self.content_key, *self.ignored, "tool_calls", *self.renamed)
        keys = keys if self.writable else filled(keys)  # a layout that is written keeps those without a value as well
        named = {name: item[key] for key, name in self.renamed.items() if filled({key: item.get(key)})}
        reasoning = named.pop("reasoning_content", None) or keys.pop("reasoning_content", None)
        if role == "tool":
            self.read_result(item, content, {**named, **keys}, builder)
            return
        builder.begin(role, {**named, **keys})
        if reasoning:
            builder.reasoning(reasoning)
        self.read_content(content, role, builder)
        builder.calls(item.get("tool_calls"))

    def role(self, item: Row) -> str:
        """The canonical role of an item.

        Raises:
            LayoutError: it has none.
        """
        role = item.get(self.role_key)
        if not isinstance(role, str):
            raise LayoutError(f"a message without {self.role_key!r}")
        return self.roles.get(role, role)

    def read_result(self, item: Row, content: Any, keys: Row, builder: MessageBuilder) -> None:
        """Add an item that is the result of one call, or of several in parts."""
        call_id, name = keys.pop("tool_call_id", None), keys.pop("name", None)
        if isinstance(content, list) and any(self.parts.kind(part) == "result" for part in content):
            self.read_content(content, "tool", builder)
            builder.mark(keys)
            return
        if isinstance(content, list):
            texts = [text for part in content if (text := self.text_of(part)) is not None]
            content = joined(texts, builder.notes) if len(texts) == len(content) else content
        builder.result(call_id, name, content, keys)

    def text_of(self, part: Any) -> str | None:
        """The text of a part that is text."""
        if isinstance(part, str):
            return part
        read = self.parts.read(part) if self.parts.kind(part) == "text" else None
        return read.value if read is not None and isinstance(read.value, str) else None

    def read_content(self, content: Any, role: str, builder: MessageBuilder) -> None:
        """Add content: text, or a list of parts."""
        if content is None:
            return
        for part in content if isinstance(content, list) else [content]:
            self.read_part(part, role, builder)

    def read_part(self, part: Any, role: str, builder: MessageBuilder) -> None:
        """Add one part."""
        builder.part(part, role, self.parts)
