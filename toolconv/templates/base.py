"""The base of all templates: the usual order of the parts of a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from toolconv.core.facts import Facts
from toolconv.dialects.base import Dialect
from toolconv.dialects.turns import RenderError
from toolconv.templates.chat_view import ChatView as ChatView
from toolconv.templates.writer import SpanKind as SpanKind
from toolconv.templates.writer import SpanWriter
from toolconv.templates.writer import TextWriter as TextWriter

USUAL_ROLES = ("system", "user", "assistant", "tool")


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
