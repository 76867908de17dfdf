"""A template's view of a conversation: its messages, calls, results and tools, and what writing them loses."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.message_keys import RESULT_KEYS, WRITTEN_KEYS, unwritten_keys
from toolconv.core.messages import Message, Tool, one_text, only_text_of, text_of
from toolconv.core.notes import Notes
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.read_back import certainly_round_trips, lost_in
from toolconv.dialects.turns import spoken_calls, with_id
from toolconv.templates.writer import SpanWriter


class ChatView:
    """A template's view of a conversation.

    Attributes:
        messages: all messages; tool responses refer to the ids that the calls have in the text.
        roles: the role of each message, with ``developer`` as ``system``, and an empty string at the end. So the role
            before the first message and after the last one is empty.
        developers: how many messages have the role ``developer``.
        tools: the declared tools.
        generate: the text ends with the generation prompt.
        variables: the template's variables, such as ``enable_thinking``.
        notes: where losses are recorded.
    """

    __slots__ = (
        "_calls", "_declared", "_dialect", "_in_parts", "_last_user", "developers", "generate", "messages", "notes",
        "roles", "tools", "variables",
    )  # fmt: skip

    def __init__(
        self,
        conversation: Conversation,
        dialect: Dialect,
        *,
        generate: bool = False,
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        self.notes: Notes = conversation.notes
        self.messages: list[Message] = conversation.messages
        self.tools: list[Tool] = conversation.tools
        self.generate = generate
        self.variables = variables or {}
        self._dialect, self._declared = dialect, conversation.declared
        self._calls, ids = spoken_calls(self.messages, dialect, self.notes)
        if ids:
            self.messages = [with_id(one, ids) if one.get("role") == "tool" else one for one in self.messages]
        self.roles = [str(message.get("role")) for message in self.messages]
        self.developers = self.roles.count("developer")
        if self.developers:
            self.roles = ["system" if role == "developer" else role for role in self.roles]
        self.roles.append("")
        self._last_user: int | None = None
        self._in_parts: set[int] = set()

    def lose(self, kind: str) -> None:
        """Record a loss: something that the template can't express."""
        self.notes.losses.append(kind)

    def lose_keys(self, *, names: bool) -> None:
        """Record the keys of messages that a text has no place for; ``names``: it has one for the names of speakers."""
        for message in self.messages:
            if WRITTEN_KEYS.issuperset(message) or (message.get("role") == "tool" and RESULT_KEYS.issuperset(message)):
                continue
            keys = unwritten_keys(message)
            if keys:
                kind = "response_keys" if message.get("role") == "tool" else "message_keys"
                self.notes.losses += [kind for key in keys if not (key == "name" and names)]

    @property
    def declared(self) -> ToolIndex:
        """The declared tools, by name."""
        return self._declared

    def doubtful(self, dialect: Dialect) -> list[int]:
        """The assistant turns that may not be read back as they are from what ``dialect`` writes."""
        indexes = []
        declared, calls = self._declared, self._calls
        for index, role in enumerate(self.roles):
            if role == "assistant":
                message = self.messages[index]
                content, reasoning = message.get("content"), message.get("reasoning_content")
                if type(content) is not str:
                    content = text_of(content)[0]
                if type(reasoning) is not str:
                    reasoning = None
                if not certainly_round_trips(dialect, content, reasoning, calls.get(index, ()), declared):
                    indexes.append(index)
        return indexes

    def count_lost(self, index: int, out: SpanWriter, stop: str) -> None:
        """Record what an assistant turn loses when its text in ``out`` is read back.

        What the template leaves out is not counted here: it records that itself. ``stop`` ends the turn.
        """
        segments = [segment for segment in out.segments if segment[3] == index]
        thought = "".join([text for text, kind, *_ in segments if kind == "reasoning"])
        reasoning = self.reasoning(index)
        if reasoning.strip() not in thought:
            reasoning = ""
        content = ""
        if any(kind == "prose" for _, kind, *_ in segments):
            content = text_of(self.messages[index].get("content"))[0]
        kept = [
            text
            for text, kind, train, *_ in segments
            if (bool(reasoning) if kind == "reasoning" else train or kind != "turn")
        ]
        self.notes.losses += lost_in(
            "".join(kept).removesuffix(stop),
            self._dialect,
            content,
            reasoning,
            self.calls(index),
            self._declared,
            in_reasoning=(bool(reasoning) and self._dialect.reasoning.open not in thought.partition(reasoning)[0])
            or None,
        )

    def content(self, index: int, between: str = "") -> str:
        """The text of a message. Of content parts, the texts, joined by ``between``.

        The joints are a loss, and so are other parts.
        """
        content = self.messages[index].get("content")
        if isinstance(content, str):
            return content
        if index in self._in_parts:  # a template may ask again
            return only_text_of(content, between)[0]
        self._in_parts.add(index)
        return one_text(content, self.notes, between)[0]

    def reasoning(self, index: int) -> str:
        """The reasoning of an assistant turn; empty if there is none."""
        reasoning = self.messages[index].get("reasoning_content")
        return reasoning if isinstance(reasoning, str) else ""

    def calls(self, index: int) -> Sequence[ToolCall]:
        """The calls of an assistant turn, with the ids they have in the text."""
        return self._calls.get(index, ())

    def response_name(self, index: int) -> str:
        """The tool name of a response: that of the call it refers to, else its own ``name``."""
        message = self.messages[index]
        wanted = str(message.get("tool_call_id"))
        calls = self.calls(self.assistant_before(index))
        return next((call.name for call in calls if call.id and call.id == wanted), str(message.get("name") or ""))

    def in_call_order(self, start: int, end: int) -> list[int]:
        """The responses ``start`` to ``end`` in the order of their calls; unchanged if a response refers to no call."""
        places = {call.id: place for place, call in enumerate(self.calls(self.assistant_before(start))) if call.id}
        named = {index: places.get(str(self.messages[index].get("tool_call_id")), -1) for index in range(start, end)}
        return list(named) if -1 in named.values() else sorted(named, key=named.__getitem__)

    def assistant_before(self, index: int) -> int:
        """The nearest assistant turn before ``index``; -1 if there is none."""
        while index > 0:
            index -= 1
            if self.messages[index].get("role") == "assistant":
                return index
        return -1

    @property
    def last_user(self) -> int:
        """The index of the last user turn; -1 if there is none."""
        if self._last_user is None:
            last_first = self.roles[::-1]
            self._last_user = len(self.messages) - last_first.index("user") if "user" in last_first else -1
        return self._last_user

    @property
    def last_query(self) -> int:
        """The index of the last user turn; of the last turn if there is no user turn."""
        asked = self.last_user
        return asked if asked >= 0 else len(self.messages) - 1

    def date(self) -> date:
        """The date that templates print: today, or the date of ``SOURCE_DATE_EPOCH``, for reproducible texts."""
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        return datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdecimal() else date.today()
