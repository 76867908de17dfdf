"""Reads the texts of a conversation: their calls become structure, and what nothing reads is noted."""

from __future__ import annotations

from toolconv import layouts
from toolconv.convert.declared_tools import tools_of
from toolconv.convert.detect import reader_in, reader_of
from toolconv.convert.options import Options
from toolconv.convert.row_checks import check_read
from toolconv.convert.unread.carried import may_lack
from toolconv.core.answers import on_each_answer
from toolconv.core.conversation import Conversation
from toolconv.core.messages import SYSTEM_ROLES
from toolconv.dialects.base import Dialect
from toolconv.dialects.reasoning_parsers import reasoning_of
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import attach_tools, parse_turns
from toolconv.layouts.base import Layout
from toolconv.layouts.speakers import are_known, count_unknown


class TextReader:
    """Reads the texts of the conversations of one input.

    Args:
        options: how to read them.
        layout: the input's layout.
        source: the dialect of its texts; ``None`` to leave them alone.
    """

    def __init__(self, options: Options, layout: Layout, source: Dialect | None) -> None:
        self.options = options
        self.layout = layout
        self.reader = reader_of(options.source, source, infer=options.untyped == "infer")
        self.reasoning = reasoning_of(options.reasoning) if options.reasoning else None
        self.readers: dict[str, TurnReader | None] = {}
        self.declared = tools_of(options.declared)

    def read(self, conversation: Conversation) -> None:
        """Read the calls in the texts.

        Raises:
            Rejected: the row is not to be written.
        """
        if conversation.answers is None:
            self._read_answer(conversation)
        else:
            on_each_answer(conversation, self._read_answer)
        notes = conversation.notes
        messages = conversation.all_messages
        if not are_known(messages):
            count_unknown(messages, notes)
        layout = self.layout if _is_read_in(conversation, self.layout) else layouts.get(conversation.read_in)
        if conversation.answers is not None or may_lack(conversation, layout):
            from toolconv.convert.unread.find import find_unread  # which most rows don't need
            from toolconv.convert.unread.records import records_left_out

            notes.unread = find_unread(conversation, self._reader_of(conversation))
            notes.records_left_out = records_left_out(conversation, layout)
        check_read(notes, options=self.options)

    def _read_answer(self, conversation: Conversation) -> None:
        """Read the calls in the texts of a conversation with one answer."""
        reader = self._reader_of(conversation)
        if reader is not None and self.reasoning is not None:
            reader = reader._replace(reasoning=self.reasoning)
        declared = self.declared
        if self.options.tools_of is not None:
            declared = self.options.tools_of(conversation) or declared
        if declared:
            known = None if reader is None else reader.named or reader.default
            conversation.notes.given_tools = attach_tools(conversation, declared, known)
        if reader is not None:
            options = self.options
            parse_turns(
                conversation,
                reader,
                strict=options.strict,
                in_reasoning=options.in_reasoning,
                keep_prompt=options.keep_prompt,
            )
        if self.options.system is not None:
            _add_system(conversation, self.options.system)

    def _reader_of(self, conversation: Conversation) -> TurnReader | None:
        """The reader of the texts of a conversation."""
        if conversation.origin is None:
            return self.reader
        return self._reader_in(conversation.read_in)

    def _reader_in(self, layout: str) -> TurnReader | None:
        """The reader of texts in rows of a layout."""
        try:
            return self.readers[layout]
        except KeyError:
            return self.readers.setdefault(layout, reader_in(self.reader, layouts.get(layout)))


def _is_read_in(conversation: Conversation, layout: Layout) -> bool:
    """Whether a conversation was read in a layout."""
    return conversation.read_as is None and conversation.origin is not None and conversation.origin[0] == layout.name


def _add_system(conversation: Conversation, text: str) -> None:
    """Give a conversation without a system turn one."""
    messages = conversation.messages
    if not any(message.get("role") in SYSTEM_ROLES for message in messages):
        conversation.row = {**conversation.row, "messages": [{"role": "system", "content": text}, *messages]}
