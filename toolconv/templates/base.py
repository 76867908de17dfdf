"""What all templates share: the conversation, the page it is written on, and the usual order of the parts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cached_property
from typing import Any, Literal

from toolconv.conversation import Conversation, Message, Notes, Tool, ToolCall
from toolconv.dialects.base import Dialect
from toolconv.turns import Unspeakable, spoken_calls, with_id

Kind = Literal["system", "tools", "user", "reasoning", "prose", "call", "response", "turn"]
"""What a part of a page is; ``turn`` is all that only sets the others apart: turn tokens, role names, line breaks."""

USUAL_ROLES = ("system", "user", "assistant", "tool")

Part = tuple[str, Kind, bool, int | None, int | None]
"""Text, kind, whether it is trained on, the index of its message, the index of its call in that message."""


class Page:
    """The text of a conversation, put together part by part, each of which says what it is."""

    __slots__ = ("parts",)

    def __init__(self) -> None:
        self.parts: list[Part] = []

    def add(
        self, kind: Kind, text: str, message: int | None = None, call: int | None = None, *, train: bool = False
    ) -> None:
        """Write ``text``, part of message ``message``, and there of call ``call``; ``train`` if the model says it."""
        if text:
            self.parts.append((text, kind, train, message, call))

    def turn(self, text: str, message: int | None = None, *, train: bool = False) -> None:
        """Write what sets parts apart: turn tokens, role names, line breaks."""
        if text:
            self.parts.append((text, "turn", train, message, None))

    @property
    def text(self) -> str:
        """All that was written."""
        return "".join([part[0] for part in self.parts])

    def spans(self) -> list[dict[str, Any]]:
        """The parts as ``start``, ``end`` (in characters), ``kind``, ``train``, ``message``, ``call``.

        They tile the text; neighbours that differ in nothing are one span.
        """
        spans: list[dict[str, Any]] = []
        at = 0
        before: tuple[Any, ...] = ()
        for text, *what in self.parts:
            end = at + len(text)
            if tuple(what) == before:
                spans[-1]["end"] = end
            else:
                kind, train, message, call = before = tuple(what)
                spans.append({"start": at, "end": end, "kind": kind, "train": train, "message": message, "call": call})
            at = end
        return spans


class Chat:
    """A conversation as a template looks at it.

    Attributes:
        messages: all turns; tool responses name their calls by the ids that the calls have in the text.
        tools: what is declared.
        generate: the text ends where the model's next turn begins.
        variables: the template's own variables, such as ``enable_thinking``.
        notes: where losses are recorded.
    """

    __slots__ = ("_calls", "_last_user", "_roles", "generate", "messages", "notes", "tools", "variables")

    def __init__(
        self,
        conversation: Conversation,
        dialect: Dialect,
        *,
        generate: bool = False,
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        self.notes: Notes = conversation.notes
        self._calls, ids = spoken_calls(conversation.messages, conversation.tools, dialect, self.notes)
        self.messages: list[Message] = conversation.messages
        if ids:
            self.messages = [with_id(one, ids) if one.get("role") == "tool" else one for one in self.messages]
        self.tools: list[Tool] = conversation.tools
        self.generate = generate
        self.variables = variables or {}
        self._last_user: int | None = None
        roles = [str(message.get("role")) for message in self.messages]
        self._roles = ["system" if role == "developer" else role for role in roles] + [""]

    def lose(self, kind: str) -> None:
        """Record that the template can't carry something."""
        self.notes.losses.append(kind)

    def role(self, index: int) -> str:
        """The role of a message; ``developer`` is ``system``. An empty text behind the last."""
        return self._roles[index]

    def content(self, index: int) -> str:
        """The text of a message. Content parts are spelled as Jinja prints a list."""
        content = self.messages[index].get("content")
        if isinstance(content, str):
            return content
        if content is None:
            return ""
        self.lose("content_parts")
        return str(content)

    def text(self, index: int, between: str = "") -> str:
        """The text of a message; of content parts, the texts of those that are text, ``between`` between two."""
        content = self.messages[index].get("content")
        if not isinstance(content, list):
            return self.content(index)
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        said = [text for text in texts if isinstance(text, str)]
        if len(said) < len(content):
            self.lose("content_parts")
        return between.join(said)

    def reasoning(self, index: int) -> str:
        """The reasoning of an assistant turn; empty where there is none."""
        reasoning = self.messages[index].get("reasoning_content")
        return reasoning if isinstance(reasoning, str) else ""

    def calls(self, index: int) -> list[ToolCall]:
        """The calls of an assistant turn, with the ids they have in the text."""
        return self._calls.get(index, [])

    def answered(self, index: int) -> str:
        """The name of the tool that a response is of: that of the call it names, else the one it says itself."""
        message = self.messages[index]
        wanted = message.get("tool_call_id")
        calls = self.calls(self.assistant_before(index))
        return next((call.name for call in calls if call.id and call.id == wanted), str(message.get("name") or ""))

    def in_call_order(self, start: int, end: int) -> list[int]:
        """The responses ``start`` to ``end`` in the order of the calls they name; as they are if one names none."""
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
            users = (index for index in range(len(self.messages) - 1, -1, -1) if self.role(index) == "user")
            self._last_user = next(users, -1)
        return self._last_user

    @property
    def last_query(self) -> int:
        """The index of the last user turn; that of the last turn of all where there is none."""
        return self.last_user if self.last_user >= 0 else len(self.messages) - 1

    def date(self) -> date:
        """The day that templates print: today, or that of ``SOURCE_DATE_EPOCH``, so that texts can be made again."""
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        return datetime.fromtimestamp(int(epoch), UTC).date() if epoch.isdecimal() else date.today()


@dataclass(frozen=True, kw_only=True, eq=False)
class Template:
    """How a model family spells a whole conversation. One instance per name.

    A family sets the facts below and overrides the methods whose part it writes in its own way.

    Attributes:
        name: the family's name, as ``--template`` takes it.
        dialect: how it spells calls, declares tools and feeds results back.
        aliases: other names.
        models: the models whose chat template this is.
        variables: template variables that the family knows, such as ``enable_thinking``.
        begin: what a text begins with.
        open: what a turn begins with, with ``{role}``.
        roles: role names that the family writes otherwise.
        stop: the token that the model ends its turn with.
        close: what follows it, and ends all other turns with it.
        default_system: the system text of a conversation without one; ``None`` for no system turn.
        keeps_prose: prose beside a call is written; where it is not, it is a loss.
        module: the file that defines the template; its docstring is the template's page. Filled in by the registry.
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
    keeps_prose: bool = True
    module: str = ""

    def write(self, chat: Chat, page: Page) -> None:
        """Write a conversation.

        Raises:
            Unspeakable: it can't be said in this template; the message says why.
        """
        page.turn(self.begin)
        at = self.head(chat, page)
        count = len(chat.messages)
        while at < count:
            role = chat.role(at)
            if role == "tool":
                end = at + 1
                while chat.role(end) == "tool":
                    end += 1
                self.responses(chat, page, at, end)
                at = end
                continue
            if role == "assistant":
                self.assistant(chat, page, at)
            else:
                self.plain(chat, page, at)
            at += 1
        if chat.generate:
            page.turn(self.generation(chat))

    def prompt_end(self, chat: Chat, page: Page) -> int:
        """Where in the text of a conversation its last turn, the assistant's, begins that the model is to write.

        Raises:
            Unspeakable: the template writes nothing of that turn.
        """
        last, end = len(chat.messages) - 1, 0
        for text, _, train, message, _ in page.parts:
            if train and message == last:
                return end
            end += len(text)
        raise Unspeakable("the template leaves out the last turn")

    @property
    def told(self) -> tuple[str, ...]:
        """Lines for people about a template that is not built in."""
        return ()

    # ── the parts ──

    def head(self, chat: Chat, page: Page) -> int:
        """Write the system text and the tools; how many messages that were."""
        given = chat.role(0) == "system"
        system = self.system(chat, self.content(chat, 0) if given else None)
        if chat.tools:
            self.declare(chat, page, system or "", 0 if given else None)
        elif system is not None:
            message = 0 if given else None
            page.turn(self.opened("system"), message)
            page.add("system", system, message)
            page.turn(self.stop + self.close, message)
        return int(given)

    def system(self, chat: Chat, given: str | None) -> str | None:
        """The system text: the one given, or the family's own; ``None`` for no system turn."""
        return self.default_system if given is None else given

    def declare(self, chat: Chat, page: Page, system: str, message: int | None) -> None:
        """Write the system turn of a conversation with tools; ``message`` is the index of ``system``."""
        page.turn(self.opened("system"), message)
        block = self.block(chat)
        form = self.dialect.chat
        if form.tools_first:
            page.add("tools", block)
            page.add("system", f"{form.tools_apart}{system}" if system else "", message)
        else:
            page.add("system", system, message)
            page.add("tools", f"{form.tools_apart}{block}" if system or message is not None else block)
        page.turn(self.stop + self.close, message)

    def block(self, chat: Chat) -> str:
        """The text that declares the tools."""
        form = self.dialect.chat
        if not form.keeps(chat.tools):
            chat.lose("tool_schema")
        return form.block(chat.tools)

    def plain(self, chat: Chat, page: Page, index: int) -> None:
        """Write a turn that is neither the assistant's nor a tool's."""
        role = chat.role(index)
        page.turn(self.opened(role), index)
        page.add("system" if role == "system" else "user", self.content(chat, index), index)
        page.turn(self.stop + self.close, index)

    def assistant(self, chat: Chat, page: Page, index: int) -> None:
        """Write one of the model's turns."""
        page.turn(self.opened("assistant"), index)
        self.said(chat, page, index)
        page.turn(self.stop, index, train=True)
        page.turn(self.close, index)

    def said(self, chat: Chat, page: Page, index: int) -> None:
        """Write what the model says in a turn: reasoning, prose, calls."""
        self.reasoning(chat, page, index)
        content = self.prose(chat, index)
        page.add("prose", content, index, train=True)
        self.calls(chat, page, index, apart=bool(content))

    def reasoning(self, chat: Chat, page: Page, index: int) -> None:
        """Write the reasoning of a turn; most families have none."""
        if chat.reasoning(index):
            chat.lose("reasoning")

    def thought(self, chat: Chat, page: Page, index: int, reasoning: str) -> None:
        """Write reasoning in its markers; the model does not say what the generation prompt holds of them."""
        mark, prompt = self.dialect.reasoning, self.generation(chat)
        text = mark.render(reasoning)
        held = next((part for part in (text, mark.before) if prompt.endswith(part)), "")
        page.add("reasoning", held, index)
        page.add("reasoning", text[len(held) :], index, train=True)

    def content(self, chat: Chat, index: int) -> str:
        """The text of a message; for families that do not print content parts as a list, their texts."""
        return chat.content(index)

    def prose(self, chat: Chat, index: int) -> str:
        """The prose of a turn, or nothing where the family leaves it out beside calls."""
        content = self.content(chat, index)
        if not self.keeps_prose and content and chat.calls(index):
            chat.lose("content_with_call")
            return ""
        return content

    def calls(self, chat: Chat, page: Page, index: int, *, apart: bool) -> None:
        """Write the calls of a turn; ``apart`` where prose stands before them."""
        calls = chat.calls(index)
        if calls and apart:
            page.turn(self.dialect.separator, index, train=True)
        for place, text in enumerate(self.dialect.render_each(calls)):
            page.add("call", text, index, place, train=True)

    def responses(self, chat: Chat, page: Page, start: int, end: int) -> None:
        """Write the tool responses ``start`` to ``end``, which follow each other."""
        form = self.dialect.chat
        together = form.one_turn
        for index in range(start, end):
            if index == start or not together:
                page.turn(self.opened(form.response_role) + form.responses_open, index)
            else:
                page.turn(form.responses_between, index)
            self.response(chat, page, index)
            if index == end - 1 or not together:
                page.turn(form.responses_close + self.stop + self.close, index)

    def response(self, chat: Chat, page: Page, index: int) -> None:
        """Write one tool response."""
        page.add("response", self.dialect.chat.write_response(chat.messages[index], self.content(chat, index)), index)

    def generation(self, chat: Chat) -> str:
        """What the model's next turn begins with."""
        return self.opened("assistant")

    def opened(self, role: str) -> str:
        """What a turn of a role begins with."""
        return self._opened.get(role) or self.open.replace("{role}", self.roles.get(role, role))

    @cached_property
    def _opened(self) -> dict[str, str]:
        return {role: self.open.replace("{role}", self.roles.get(role, role)) for role in USUAL_ROLES}
