"""What a conversation has: its calls, its texts and who says something, with which values of its row are compared."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import Any, Final

from toolconv import layouts
from toolconv.convert.unread.signs import READ_IN_CALLS, is_answered, is_silent, texts_below
from toolconv.convert.unread.wording import WORK, Wording
from toolconv.core import jsontext
from toolconv.core.answers import conversations_of
from toolconv.core.conversation import Conversation
from toolconv.core.messages import SYSTEM_ROLES, Message, Row, calls_of, text_of
from toolconv.core.pairing import is_numbered
from toolconv.core.tool_call import ToolCall
from toolconv.layouts.call_forms import CALL_IDS, by_tool
from toolconv.layouts.other_keys import MESSAGE_KEYS
from toolconv.layouts.part_forms import OPENAI, text_in

ONE_TEXT: Final = 2
"""How many keys a message has that says nothing but one text."""


class Held:
    """What a conversation has.

    Attributes:
        conversation: the conversation, whose texts have been parsed.
        messages: the messages of all its answers.
        layout: the layout that it was read in.
        answered: it ends with an answer, or its layout has none.
        spoken: it ends with an answer other than a call.
        roles: the roles of messages that say something.
        silent: a message says nothing.
        unasked: it begins with a call, or nobody but the assistant speaks.
        dropped: the texts of dropped calls.
    """

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.messages = conversation.all_messages
        self.layout = layouts.get(conversation.read_in)
        each = [each.messages for each in conversations_of(conversation)]
        self.answered = "answer" in self.layout.lacks or all(map(is_answered, each))
        self.spoken = self.answered and not (self.messages and self.messages[-1].get("tool_calls"))
        self.silent = any(map(is_silent, self.messages))
        speaking = [message for message in self.messages if message.get("content") or len(message) > ONE_TEXT]
        self.roles = {role for message in speaking if type(role := message.get("role")) is str}
        first = next((message for message in speaking if message.get("role") not in SYSTEM_ROLES), {})
        alone = self.roles <= {"assistant", *SYSTEM_ROLES}
        self.unasked = first.get("role") == "assistant" and (alone or "tool_calls" in first)
        self.dropped = {dropped.text for dropped in conversation.notes.dropped}
        self._work = WORK

    @cached_property
    def made(self) -> list[ToolCall]:
        """The calls of the conversation, in order."""
        return [call for message in self.messages for call in calls_in(message)]

    @cached_property
    def calls(self) -> dict[str, set[str]]:
        """The calls of the conversation, each with its ids; several may be the same except for these."""
        found: dict[str, set[str]] = {}
        for call in self.made:
            found.setdefault(signature(call), set()).add(call.id or "")
        return found

    def has_call(self, call: ToolCall, *written: Row) -> bool:
        """Whether a call is one of the conversation's. It is another if it has an id, and theirs came with others.

        ``written`` are the objects that the call is read from.
        """
        ids = self.calls.get(signature(call))
        if ids is None:
            return False
        given = {each[key] for each in written for key in CALL_IDS if type(each.get(key)) is str}
        return not given or not given.isdisjoint(ids) or any(map(is_numbered, ids))

    @cached_property
    def unanswered(self) -> set[str]:
        """The ids of calls without a response."""
        made = {call["id"] for message in self.messages for call in calls_of(message) if type(call.get("id")) is str}
        return made - {given for message in self.messages if type(given := message.get("tool_call_id")) is str}

    @cached_property
    def texts(self) -> set[str]:
        """The texts of the conversation, and those that were parsed."""
        texts = [*self._spoken, *self._unparsed]
        return {*texts, *map(str.strip, texts)}

    @cached_property
    def _spoken(self) -> list[str]:
        """The texts of the messages."""
        keys = ("content", "reasoning_content")
        return [text for message in self.messages for key in keys if (text := text_of(message.get(key))[0])]

    @cached_property
    def _unparsed(self) -> list[str]:
        """The texts before they were parsed, of all answers."""
        others = () if self.conversation.answers is None else self.conversation.answers.others
        return [text_of(content)[0] for each in (self.conversation, *others) for content in each.unparsed]

    @cached_property
    def _row(self) -> Row:
        """The canonical row with all its answers, the texts that were parsed, and the dropped calls."""
        return {**self.conversation.row, "messages": self.messages, "": [*self._unparsed, *self.dropped]}

    @property
    def _contents(self) -> list[Any]:
        """The contents of the messages."""
        return [message.get("content") for message in self.messages]

    @cached_property
    def _dropped_values(self) -> set[bytes]:
        return {jsontext.dumps(jsontext.opened(text)) for text in self.dropped}

    def drops(self, value: Any) -> bool:
        """Whether a value is a dropped call, or several, however its text is spaced."""
        return bool(self.dropped) and jsontext.dumps(value) in self._dropped_values

    def makes(self, call: ToolCall) -> bool:
        """Whether a call of the conversation has the same arguments: records may name it as none of them is."""
        apart = by_tool(call.name, call.arguments)
        if apart is not None and all(jsontext.dumps_sorted(given) in self._arguments for given in apart.values()):
            return True
        arguments = call.arguments.get("input") if call.arguments.keys() == {"input"} else None
        wanted = {jsontext.dumps_sorted(call.arguments), jsontext.dumps_sorted(jsontext.opened(arguments))}
        if not call.arguments:
            return any(made.partition(" ")[0].endswith(call.name) for made in self.calls)
        named = call.name in self._names
        return any(call.name in self._arguments[each] or not named for each in wanted & self._arguments.keys())

    @cached_property
    def _arguments(self) -> dict[bytes, set[str]]:
        """The arguments of the calls, with the names of those that have them."""
        found: dict[bytes, set[str]] = {}
        for call in self.made:
            found.setdefault(jsontext.dumps_sorted(call.arguments), set()).add(call.name)
        return found

    @cached_property
    def _names(self) -> set[str]:
        return {call.name for call in self.made}

    @cached_property
    def without_arguments(self) -> set[str]:
        """The ids and the names of calls that have no arguments."""
        return {each for call in self.made if not call.arguments for each in (call.id, call.name) if each}

    @cached_property
    def _kept(self) -> Wording:
        return Wording(self._row, self._contents)

    @cached_property
    def _said(self) -> Wording:
        read = [[_as_read(message) for message in self.messages], self._row.get("tools"), self._row[""]]
        return Wording(read, self._contents)

    @cached_property
    def _searched(self) -> tuple[str, str]:
        """All texts of the messages, after and before they were parsed."""
        now = (each for _, each in texts_below(self.messages, ("",)))
        return "\n".join(now), "\n".join(self._row[""])

    def times(self, text: str) -> int:
        """How many times a text is in the messages, before or after their texts were parsed, also within others."""
        self._work -= len(self._searched[0])
        return max(whole.count(text) for whole in self._searched) if self._work > 0 else sys.maxsize

    def holds(self, text: str, *, copied: bool = False) -> bool:
        """Whether a text is in the canonical row, or what a layout made of it; ``copied``: as it is."""
        return self._kept.has(text, copied=copied)

    def keeps(self, key: str, value: Any) -> bool:
        """Whether a value is in the canonical row as a whole; ``key`` is the one that it had."""
        return self._kept.has_value(key, value)

    def says(self, text: str) -> bool:
        """Whether a text is in the messages or the declarations, or they are in it, or what a layout made of it."""
        if text.strip() in self.texts or (self._spoken and all(each.strip() in text for each in self._spoken)):
            return True
        return self._said.has(text, copied=True)

    @cached_property
    def _parts(self) -> set[bytes]:
        """The parts of contents that are no texts."""
        lists = [content for content in self._contents if type(content) is list]
        return {jsontext.dumps_sorted(part) for parts in lists for part in parts if text_in(part) is None}

    def shows(self, value: Row) -> bool:
        """Whether an object is a part with media that is in the conversation in OpenAI's form."""
        return bool(self._parts) and jsontext.dumps_sorted(OPENAI.write(value)[0]) in self._parts

    def has_argument(self, text: str) -> bool:
        """Whether a call of the conversation has a text as an argument, as one that gives the final answer."""
        return any(text == argument for call in self.made for _, argument in texts_below(call.arguments, ("",)))

    def ends_with(self, *roles: str) -> bool:
        return bool(self.messages) and self.messages[-1].get("role") in roles


def calls_in(message: Message) -> list[ToolCall]:
    """The calls of a canonical message."""
    calls = []
    for item in calls_of(message):
        try:
            calls.append(ToolCall.from_openai(item))
        except ValueError:  # which was counted when it was read
            continue
    return calls


def signature(call: ToolCall) -> str:
    """A call without its id, for comparison."""
    return f"{call.name} {jsontext.dumps_sorted(call.arguments)!r}"


def _as_read(message: Message) -> Message:
    """A message without the keys that nobody reads, also of its calls."""
    read = {key: value for key, value in message.items() if key in MESSAGE_KEYS}
    if calls := calls_of(message):
        read["tool_calls"] = [_call_as_read({**call, "function": _call_as_read(call["function"])}) for call in calls]
    return read


def _call_as_read(holder: Row) -> Row:
    return {key: value for key, value in holder.items() if key in READ_IN_CALLS}
