"""The base of all templates: their view of a conversation, and the usual order of its parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any

from toolconv.core.conversation import Conversation
from toolconv.core.facts import Facts
from toolconv.core.message_keys import RESULT_KEYS, WRITTEN_KEYS, unwritten_keys
from toolconv.core.messages import Message, Tool, one_text, only_text_of, text_of
from toolconv.core.notes import Notes
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.read_back import certainly_round_trips, lost_in
from toolconv.dialects.turns import RenderError, spoken_calls, with_id
from toolconv.templates.writer import SpanKind as SpanKind
from toolconv.templates.writer import SpanWriter
from toolconv.templates.writer import TextWriter as TextWriter

USUAL_ROLES = ("system", "user", "assistant", "tool")


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


class Template(Facts):
    """How a model family writes a whole conversation. There is one instance per name.

    A family sets the attributes below and overrides the methods for the parts that it writes differently.

    Attributes:
        name: the family's name for ``--template``.
        dialect: how the family writes calls, declares tools and returns results.
        aliases: other names.
        models: the models that have this chat template.
        variables: the template's variables, such as ``enable_thinking``.
        begin: the start of a text.
        open: the start of a turn, with ``{role}``.
        roles: the family's names for roles, where they differ.
        stop: the token with which the model ends its turn.
        close: the text after ``stop``; other turns end with both.
        default_system: the system text of a conversation that has none; ``None`` for no system turn.
        names_speakers: turns hold the ``name`` of their message.
        keeps_prose: prose is written in turns with calls; if not, it is lost there.
        always_apart: the separator between prose and calls also precedes calls without prose.
        tools_always_apart: what is between the system text and the tools also precedes tools without a system text.
        opens_thought: the generation prompt opens the reasoning.
        empty_thoughts: a turn whose reasoning is not written has empty markers of it.
        also_read: templates whose texts are read under this name, too: what an original writes and this one doesn't.
        module: the module that defines the template; its docstring is the template's page. Set by the registry.
    """

    name: str
    dialect: Dialect
    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    begin: str = ""
    open: str = "<|im_start|>{role}\n"
    roles: Mapping[str, str] = field(default_factory=dict)
    stop: str = "<|im_end|>"
    close: str = "\n"
    default_system: str | None = None
    names_speakers: bool = False
    keeps_prose: bool = True
    always_apart: bool = False
    tools_always_apart: bool = False
    opens_thought: bool = False
    empty_thoughts: bool = False
    also_read: tuple[Template, ...] = ()
    module: str = ""

    def write(self, chat: ChatView, out: TextWriter) -> None:
        """Write a conversation.

        Raises:
            RenderError: the template can't express the conversation; the message says why.
        """
        out.turn(self.begin)
        at = self.head(chat, out)
        roles, count = chat.roles, len(chat.messages)
        while at < count:
            end = at + 1
            if roles[at] == "assistant":
                if roles[at - 1] == "assistant" and self.joins(chat, at):
                    chat.lose("turns_merged")
                self.assistant(chat, out, at)
            elif roles[at] != "tool":
                self.plain(chat, out, at)
            else:
                while roles[end] == "tool":
                    end += 1
                self.responses(chat, out, at, end)
            at = end
        if chat.generate:
            out.turn(self.generation(chat))

    def expect(self, chats: Sequence[ChatView]) -> None:
        """Prepare to write some conversations; a template that runs elsewhere is asked for all of them at once."""

    def written(self, chat: ChatView, *, spans: bool = False) -> TextWriter:
        """Write a conversation, and record what it loses; with ``spans``, to a :class:`SpanWriter`.

        Raises:
            RenderError: see :meth:`write`.
        """
        doubtful = chat.doubtful(self.dialect)
        chat.lose_keys(names=self.names_speakers)
        if chat.developers and "developer" not in self.roles.values():
            chat.notes.losses += ["role"] * chat.developers
        if not spans and not doubtful:
            out = TextWriter()
            self.write(chat, out)
            return out
        page = SpanWriter()
        self.write(chat, page)
        for index in doubtful:
            chat.count_lost(index, page, self.stop)
        return page

    @property
    def is_known(self) -> bool:
        """Whether the template writes what its dialect reads, and nothing else. A template file may write anything."""
        return True

    def mask_differences(self, chat: ChatView) -> list[str]:
        """What the template's own marks of generated text train otherwise than the spans, for users.

        Only template files have such marks (``{% generation %}``).
        """
        return []

    @property
    def stops(self) -> tuple[str, ...]:
        """The tokens with which the model ends its turn."""
        return (self.stop,)

    def prompt_end(self, chat: ChatView, out: SpanWriter, asked: int | None) -> int:
        """Where the completion begins: the part of its first turn, an assistant turn, that the model generates.

        Args:
            chat: the conversation.
            out: its text.
            asked: how many messages are the prompt; ``None`` for all but the last.

        Raises:
            RenderError: the template writes nothing of that turn.
        """
        first, end = len(chat.messages) - 1 if asked is None else asked, 0
        for text, _, train, message, _ in out.segments:
            if train and message is not None and message >= first:
                return end
            end += len(text)
        raise RenderError("the template leaves out the last turn")

    @property
    def accepted(self) -> tuple[str, ...]:
        """The names of the variables that make a difference."""
        return self.variables

    @property
    def notices(self) -> tuple[str, ...]:
        """Messages for the user about a template that is not built in."""
        return ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of the notices that say what is missing in its texts."""
        return ()

    def check_tokens(self) -> None:
        """Check that the template has the special tokens that it writes, since a model is trained on them.

        Raises:
            FileError: nobody gave one of them.
        """

    # ── the parts ──

    def head(self, chat: ChatView, out: TextWriter) -> int:
        """Write the system text and the tools; returns the number of messages written."""
        given = chat.roles[0] == "system"
        system = self.system(chat, self.content(chat, 0) if given else None)
        if chat.tools:
            self.declare(chat, out, system or "", 0 if given else None)
        elif system is not None:
            message = 0 if given else None
            out.enclosed("system", self.headers["system"], system, self.ending, message)
        return int(given)

    def system(self, chat: ChatView, given: str | None) -> str | None:
        """The system text: the given one, or the family's default; ``None`` for no system turn."""
        return self.default_system if given is None else given

    def declare(self, chat: ChatView, out: TextWriter, system: str, message: int | None) -> None:
        """Write the system turn of a conversation with tools; ``message`` is the index of ``system``."""
        out.turn(self.headers["system"], message)
        block = self.block(chat)
        style = self.dialect.chat
        if style.tools_first:
            out.add("tools", block)
            out.add("system", f"{style.tools_apart}{system}" if system else "", message)
        else:
            out.add("system", system, message)
            apart = system or message is not None or self.tools_always_apart
            out.add("tools", f"{style.tools_apart}{block}" if apart else block)
        out.turn(self.ending, message)

    def block(self, chat: ChatView) -> str:
        """The text that declares the tools."""
        text, kept = self.dialect.chat.declaration(chat.tools)
        if not kept:
            chat.lose("tool_schema")
        return text

    def plain(self, chat: ChatView, out: TextWriter, index: int) -> None:
        """Write a turn that is neither an assistant turn nor a tool response."""
        role = chat.roles[index]
        kind: SpanKind = "system" if role == "system" else "user"
        out.enclosed(kind, self.headers[role], self.content(chat, index), self.ending, index)

    def assistant(self, chat: ChatView, out: TextWriter, index: int) -> None:
        """Write an assistant turn."""
        out.turn(self.headers["assistant"], index)
        self.body(chat, out, index)
        out.end(self.stop, self.close, index)

    def joins(self, chat: ChatView, index: int) -> bool:
        """Whether nothing marks where the assistant turn at ``index`` begins, which follows another directly."""
        return False

    def body(self, chat: ChatView, out: TextWriter, index: int) -> None:
        """Write the body of an assistant turn: reasoning, prose, calls."""
        self.reasoning(chat, out, index)
        content = self.prose(chat, index)
        out.trained("prose", content, index)
        self.calls(chat, out, index, content)

    def reasoning(self, chat: ChatView, out: TextWriter, index: int) -> None:
        """Write the reasoning of a turn; what the family doesn't show is lost."""
        reasoning = chat.reasoning(index)
        if reasoning and not self.shows_reasoning(chat, index):
            chat.lose("reasoning")
            reasoning = ""
        if reasoning or self.empty_thoughts:
            self.marked_reasoning(chat, out, index, reasoning)

    def shows_reasoning(self, chat: ChatView, index: int) -> bool:
        """Whether the reasoning of a turn is written."""
        return False

    def marked_reasoning(self, chat: ChatView, out: TextWriter, index: int, reasoning: str) -> None:
        """Write reasoning between its markers; what the generation prompt already contains is not trained on."""
        mark, prompt = self.dialect.reasoning, self.generation(chat)
        text = mark.render(reasoning)
        held = text if prompt.endswith(text) else mark.before if prompt.endswith(mark.before) else ""
        out.add("reasoning", held, index)
        out.trained("reasoning", text[len(held) :], index)

    def content(self, chat: ChatView, index: int) -> str:
        """The text of a message."""
        content = chat.messages[index].get("content")
        return content if isinstance(content, str) else chat.content(index)

    def prose(self, chat: ChatView, index: int) -> str:
        """The prose of a turn; empty, and lost, if the turn has calls and the family writes no prose there."""
        content = self.content(chat, index)
        if not self.keeps_prose and content and chat.calls(index):
            chat.lose("content_with_call")
            return ""
        return content

    def calls(self, chat: ChatView, out: TextWriter, index: int, prose: str = "") -> None:
        """Write the calls of a turn, after a separator if there is ``prose`` before them."""
        calls = chat.calls(index)
        if not calls:
            return
        if prose or self.always_apart:
            out.trained("turn", self.dialect.separator, index)
        out.calls(self.dialect.render_each(calls), index)

    def responses(self, chat: ChatView, out: TextWriter, start: int, end: int) -> None:
        """Write the consecutive tool responses ``start`` to ``end``."""
        style = self.dialect.chat
        opening, closing = self.headers[style.response_role] + style.responses_open, style.responses_close + self.ending
        for index in range(start, end):
            before = opening if index == start or not style.one_turn else style.responses_between
            after = closing if index == end - 1 or not style.one_turn else ""
            out.enclosed("response", before, self.response(chat, index), after, index)

    def response(self, chat: ChatView, index: int) -> str:
        """The text of a tool response."""
        return self.dialect.chat.write_response(chat.messages[index], self.content(chat, index))

    def generation(self, chat: ChatView) -> str:
        """The generation prompt: the start of the model's next turn."""
        return self.headers["assistant"] + (self.dialect.reasoning.before if self.opens_thought else "")

    def generation_prompt(self, *, thinks: bool) -> str:
        """The generation prompt with the beginning of a thought, or with an empty one."""
        mark = self.dialect.reasoning
        return self.headers["assistant"] + (mark.before if thinks else mark.render(""))

    def header(self, role: str) -> str:
        """The start of a turn of a role; use ``headers``, which caches it."""
        return self.open.replace("{role}", self.roles.get(role, role))

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """The start of a turn, by role."""
        return Headers(self.header)

    @cached_property
    def ending(self) -> str:
        """The end of a turn that is not an assistant turn."""
        return self.stop + self.close


class Headers(dict[str, str]):
    """The starts of turns by role; those of the usual roles are cached."""

    def __init__(self, header: Callable[[str], str]) -> None:
        super().__init__({role: header(role) for role in USUAL_ROLES})
        self.header = header

    def __missing__(self, role: str) -> str:
        return self.header(role)
