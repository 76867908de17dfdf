"""The core of layouts whose messages are the usual ones under other names.

Frameworks, agents and evaluations store the same things: text, reasoning, calls and results, as messages, parts of
messages, steps or events. A layout lists its keys in a table of :class:`~toolconv.layouts.content_parts.Part` and its
roles in another table. :class:`~toolconv.layouts.message_builder.MessageBuilder` assembles canonical messages. Parts
of types that are not in the layout's table are read as those of all APIs.

No call is ignored silently: a call in an unknown part, or under a key that the layout does not read, counts as dropped.
Other keys of messages and parts are kept as keys of the canonical message. These formats write all keys they know, so
layouts that are only read leave out the empty ones (null, ``""``, ``[]``, ``{}``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from toolconv.core.conversation import Conversation, Message, Notes, Row, RowField, complete
from toolconv.layouts.base import Layout, LayoutError, listed
from toolconv.layouts.call_forms import filled, read_calls
from toolconv.layouts.call_items import extras
from toolconv.layouts.content_parts import Part, Parts
from toolconv.layouts.message_builder import MessageBuilder, joined
from toolconv.layouts.tool_places import Place, value_at
from toolconv.layouts.tool_schema import read_tools


class NamedMessages(Layout):
    """A list of messages, steps or events.

    Attributes:
        columns: the keys that the list may have in a row; the first is written.
        role_key, content_key: the keys of an item.
        roles: the canonical roles of the format's names.
        parts: the table of parts.
        renamed: keys of items that have a canonical meaning under another name.
        ignored: keys of items that say nothing about the conversation.
        left_out: keys of a row that repeat the messages, or record the run.
        tools_at: the places of tools other than :attr:`tools_keys`; the first that are there count.
    """

    leaves_out: ClassVar[bool] = True
    columns: ClassVar[tuple[str, ...]] = ("messages",)
    role_key: ClassVar[str] = "role"
    content_key: ClassVar[str] = "content"
    roles: ClassVar[dict[str, str]] = {}
    parts: ClassVar[Parts] = Parts({"text": Part("text", ("text",))})
    renamed: ClassVar[dict[str, str]] = {}
    ignored: ClassVar[tuple[str, ...]] = ()
    left_out: ClassVar[tuple[str, ...]] = ()
    tools_at: ClassVar[tuple[Place, ...]] = ()

    # ── the row ──

    def is_item(self, item: Row) -> bool:
        """Whether an item of a list has this layout."""
        return isinstance(item.get(self.role_key), str)

    def find(self, row: Row) -> tuple[str, list[Row]] | None:
        """The key of the list, and the list; ``None`` if there is none."""
        for column in self.columns:
            items = listed(row.get(column))
            if items is not None:
                return column, items
        return None

    def matches(self, row: Row) -> bool:
        found = self.find(row)
        return found is not None and self.are_items(found[1])

    def are_items(self, items: list[Row]) -> bool:
        """Whether a list has this layout."""
        return all(map(self.is_item, items))

    def split(self, document: Any) -> Iterator[Row] | None:
        """A file that is one list of items is one conversation."""
        if isinstance(document, list):
            for column in self.columns:
                if self.fits(row := {column: document}):
                    return iter([row])
        return None

    def decode(self, row: Row) -> Conversation:
        found = self.find(row)
        if found is None:
            raise LayoutError(f"no list of objects under {' or '.join(map(repr, self.columns))}")
        column, items = found
        notes = Notes()
        messages, starts = self.read_items(items, notes)
        complete(messages)
        declared = self.declared(row)
        canonical: Row = {"tools": read_tools(declared, notes)} if declared else {}
        for key, value in row.items():
            if key == column:
                canonical["messages"] = messages
            elif key in self.left_out:
                continue
            elif key in self.tools_keys:
                canonical["tools"] = self.read_tools(value, notes)
            else:
                canonical[key] = value
        return Conversation(canonical, notes, fields=(RowField(f"/{column}", len(messages), items, starts),))

    def declared(self, row: Row) -> Any:
        """The tools at :attr:`tools_at`; something false if there are none."""
        return next((found for place in self.tools_at if (found := value_at(row, place))), None)

    def read_tools(self, value: Any, notes: Notes) -> Any:
        """The canonical tools for the value of one of :attr:`tools_keys`."""
        return read_tools(value, notes)

    def read_items(self, items: Sequence[Row], notes: Notes) -> tuple[list[Message], list[int]]:
        """The messages of all items, and for each message the index of the item where it begins."""
        builder = MessageBuilder(notes)
        for at, item in enumerate(items):
            builder.place = at
            self.read_item(item, builder, notes)
            builder.end()
        return builder.messages, builder.starts

    # ── one item ──

    def read_item(self, item: Row, builder: MessageBuilder, notes: Notes) -> None:
        """Add what an item holds to ``builder``."""
        role = self.role(item)
        content = item.get(self.content_key)
        keys = extras(item, self.role_key, self.content_key, *self.ignored, "tool_calls", *self.renamed)
        keys = self.kept(keys)
        named = {name: item[key] for key, name in self.renamed.items() if filled({key: item.get(key)})}
        reasoning = named.pop("reasoning_content", None) or keys.pop("reasoning_content", None)
        if role == "tool":
            self.read_result(item, content, {**named, **keys}, builder, notes)
            return
        builder.begin(role, {**named, **keys})
        if reasoning:
            builder.reasoning(reasoning)
        self.read_content(content, role, builder)
        for call in read_calls(item.get("tool_calls"), notes):
            builder.call(call)

    def role(self, item: Row) -> str:
        """The canonical role of an item.

        Raises:
            LayoutError: it has none.
        """
        role = item.get(self.role_key)
        if not isinstance(role, str):
            raise LayoutError(f"a message without {self.role_key!r}")
        return self.roles.get(role, role)

    def read_result(self, item: Row, content: Any, keys: Row, builder: MessageBuilder, notes: Notes) -> None:
        """Add an item that is the result of one call, or of several in parts."""
        call_id, name = keys.pop("tool_call_id", None), keys.pop("name", None)
        if isinstance(content, list) and any(self.parts.kind(part) == "result" for part in content):
            self.read_content(content, "tool", builder)
            builder.mark(keys)
            return
        if isinstance(content, list):
            texts = [text for part in content if (text := self.text_of(part)) is not None]
            content = joined(texts, notes) if len(texts) == len(content) else content
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

    def kept(self, keys: Row) -> Row:
        """The keys that stay: all that hold something. A layout that is written keeps the others as well."""
        return keys if self.writable else filled(keys)
