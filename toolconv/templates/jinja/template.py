"""A chat template from a file, with the interface of the built-in templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial, reduce
from pathlib import Path
from typing import Any

from jinja2 import TemplateSyntaxError

from toolconv.core.errors import FileError
from toolconv.core.message_keys import unwritten_keys
from toolconv.core.messages import Tool, only_text_of
from toolconv.dialects.formats.openai import DIALECT as OPENAI
from toolconv.dialects.turns import RenderError
from toolconv.templates.base import ChatView, Template, TextWriter
from toolconv.templates.jinja import source
from toolconv.templates.jinja.adapter import CONVERSATION, Adapter, Turns
from toolconv.templates.jinja.child import Timed
from toolconv.templates.jinja.delimiters import TurnDelimiters, prompt_of
from toolconv.templates.jinja.generated import differences
from toolconv.templates.jinja.marks import MarkedText, Slot, SpansNotFound, locate
from toolconv.templates.jinja.missing import MissingVariables
from toolconv.templates.jinja.outlines import Located, Outlines
from toolconv.templates.jinja.probe import TemplateProfile, profile_of
from toolconv.templates.jinja.read_back import WrittenDialect, count_lost
from toolconv.templates.jinja.sandbox import Program, Stopped
from toolconv.templates.jinja.spans import undeclared_in, write
from toolconv.templates.writer import SpanWriter


class Variant:
    """One of a file's templates, with its profile."""

    def __init__(self, program: Program, variables: Mapping[str, Any]) -> None:
        self.program = program
        with program.within_limit():
            self.profile: TemplateProfile = profile_of(program, variables)
        self.adapter = Adapter(program, variables, self.profile.convention)
        self._outlines = Outlines(self.adapter)
        self._expected: dict[int, tuple[ChatView, dict[str, Any]]] = {}
        self._ahead: dict[int, tuple[ChatView, Timed]] = {}

    @cached_property
    def delimiters(self) -> TurnDelimiters:
        """What the template writes around texts.

        Raises:
            Stopped: finding out exceeds a limit.
        """
        with self.program.within_limit():
            return TurnDelimiters.of(self.adapter, ids=self.profile.writes_ids)

    def expect(self, chats: Sequence[ChatView]) -> None:
        """Prepare to write conversations, whose texts are rendered together when the first one is needed."""
        expected = {}
        for chat in chats:
            with suppress(Exception):  # it is raised again when the row is written
                expected[id(chat)] = chat, self._given(Turns.of(chat), chat)
        self._expected = expected

    def text(self, turns: Turns, chat: ChatView) -> str:
        """The text of a conversation.

        Raises:
            RenderError: the template raises an error.
            Stopped: the template exceeds a limit.
        """
        expected = self._expected  # which another thread may replace
        if id(chat) in expected:
            self._expected = {}
            chats, given = zip(*expected.values(), strict=True)
            texts = self.program.render_ahead(given)
            self._ahead = {id(one): (one, text) for one, text in zip(chats, texts, strict=False)}
        ahead = self._ahead.pop(id(chat), None)
        if ahead is not None and ahead[0] is chat:
            return self.program.take(ahead[1])
        return self.program.render(self._given(turns, chat))

    def _given(self, turns: Turns, chat: ChatView) -> dict[str, Any]:
        return self.adapter.given(turns, chat.tools, generate=chat.generate, variables=chat.variables)

    def locate(self, turns: Turns, chat: ChatView, text: str) -> Located:
        """Find the texts of a conversation in ``text``.

        Raises:
            SpansNotFound: they can't be found.
            Stopped: the template exceeds a limit.
        """
        return self._outlines.locate(
            turns,
            text,
            lambda: self._marked(turns, chat, chat.tools, text),
            names=chat.declared.functions,
            options=(chat.generate, bool(chat.tools), repr(chat.variables)),
        )

    def without_tools(self, turns: Turns, chat: ChatView) -> MarkedText | None:
        """The conversation rendered without its tools; ``None`` if its texts can't be found then.

        Raises:
            Stopped: the template exceeds a limit.
        """
        try:
            text = self.adapter.render(turns, [], generate=chat.generate, variables=chat.variables)
            return self._marked(turns, chat, [], text)
        except Stopped:
            raise
        except (RenderError, SpansNotFound):
            return None

    def _marked(self, turns: Turns, chat: ChatView, tools: Sequence[Tool], text: str) -> MarkedText:
        return locate(
            self.adapter,
            turns,
            tools,
            text,
            ids=self.profile.writes_ids,
            generate=chat.generate,
            variables=chat.variables,
        )


class JinjaTemplate(Template):
    """A chat template from a file.

    Attributes:
        usual: the template.
        with_tools: the template for conversations with tools.
        spans: write spans; a conversation whose spans can't be found is an error.
        names: the variables that it uses, other than the conversation.
        missing: those that it writes and nobody gave.
        path: its file.
        profile_notices: what the template accepts and leaves out, one line per variant.
        written_dialect: the dialect of the calls that it writes; ``None`` if that is not known.
    """

    usual: Variant
    with_tools: Variant
    spans: bool
    names: tuple[str, ...]
    missing: MissingVariables
    path: str
    profile_notices: tuple[str, ...]
    written_dialect: WrittenDialect | None = None

    @property
    def is_known(self) -> bool:
        return False

    @property
    def stops(self) -> tuple[str, ...]:
        return (*self.usual.delimiters.stops, *self.with_tools.delimiters.stops)

    @property
    def accepted(self) -> tuple[str, ...]:
        return self.names

    @property
    def notices(self) -> tuple[str, ...]:
        return (*self.profile_notices, *self.warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (self.missing.message(self.path),) if self.missing.names else ()

    def check_tokens(self) -> None:
        if self.missing.tokens:
            raise FileError(self.missing.message(self.path))

    def written(self, chat: ChatView, *, spans: bool = False) -> TextWriter:
        out = SpanWriter() if spans else TextWriter()
        with self._variant(chat).program.within_limit():
            left_out = self._write(chat, out)
            count_lost(chat, self.written_dialect, left_out, partial(self._text, chat), self.stops)
        return out

    def expect(self, chats: Sequence[ChatView]) -> None:
        for variant in {self.usual, self.with_tools}:
            variant.expect([chat for chat in chats if self._variant(chat) is variant])

    def write(self, chat: ChatView, out: TextWriter) -> None:
        with self._variant(chat).program.within_limit():
            self._write(chat, out)

    def _write(self, chat: ChatView, out: TextWriter) -> list[Slot]:
        """Write a conversation; returns the texts that the template leaves out."""
        variant = self._variant(chat)
        turns = self._turns(chat)
        text = variant.text(turns, chat)
        if "call_id" not in variant.profile.drops:
            chat.notes.repairs += ["call_id_format"] * variant.adapter.changed_ids(turns)
        self._lose_keys(chat, turns, text)
        if not variant.profile.convention.parts:
            for message in chat.messages:
                content = message.get("content")
                chat.notes.losses += ["content_parts"] * (not only_text_of(content)[1])
                chat.notes.repairs += ["parts_joined"] * isinstance(content, list)
        try:
            located = variant.locate(turns, chat, text)
        except SpansNotFound as error:
            if self.spans:
                raise RenderError(f"its spans can't be found: {error}") from None
            out.turn(text)
            return _lose_by_profile(chat, turns, variant.profile)
        _lose_missing(chat, located)
        _lose_unmarked(chat, turns, variant.profile)
        if not self.spans:
            out.turn(text)
            return located.missing
        try:
            self._write_spans(chat, turns, located, out)
        except SpansNotFound as error:
            raise RenderError(f"its spans can't be found: {error}") from None
        if isinstance(out, SpanWriter) and self._differences(chat, turns, out):
            chat.lose("mask_differs")
        return located.missing

    def mask_differences(self, chat: ChatView) -> list[str]:
        turns, spans = self._turns(chat), SpanWriter()
        try:
            text = self._text(chat, turns, generate=chat.generate)
            self._write_spans(chat, turns, self._variant(chat).locate(turns, chat, text), spans)
        except (RenderError, SpansNotFound):
            return []
        return self._differences(chat, turns, spans)

    def _differences(self, chat: ChatView, turns: Turns, out: SpanWriter) -> list[str]:
        """What the template's marks of generated text, if it has some, train otherwise than the spans, for users."""
        adapter = self._variant(chat).adapter
        if not adapter.program.marks_generated:
            return []
        marked = adapter.render(
            turns, chat.tools, generate=chat.generate, variables=chat.variables, generated=True
        )  # it is the same text, with marks
        return differences(marked, [(text, train) for text, _, train, *_ in out.segments])

    def _lose_keys(self, chat: ChatView, turns: Turns, text: str) -> None:
        """Record the keys of messages that the template leaves out: it writes the same text without them."""
        for index, message in enumerate(turns.messages):
            for key in unwritten_keys(message):
                messages = [*turns.messages]
                messages[index] = {name: value for name, value in message.items() if name != key}
                if self._text(chat, Turns(messages, turns.calls), generate=chat.generate) == text:
                    chat.lose("response_keys" if message.get("role") == "tool" else "message_keys")

    def generation(self, chat: ChatView) -> str:
        variant = self._variant(chat)
        return prompt_of(variant.adapter, self._turns(chat), chat.tools, chat.variables)

    def prompt_end(self, chat: ChatView, out: SpanWriter, asked: int | None) -> int:
        """Where the completion starts, after the generation prompt.

        Usually the text starts with the rendered earlier turns, and the last turn follows them. Some templates render
        earlier turns differently when later ones follow; then the spans show where the last turn starts.

        Raises:
            RenderError: the start of the turn can't be found.
        """
        text, turns = out.text, self._turns(chat)
        if text.startswith(
            prompt := self._text(chat, turns.until(len(chat.messages) - 1 if asked is None else asked), generate=True)
        ):
            return len(prompt)
        spans = SpanWriter()
        try:
            self._write_spans(chat, turns, self._variant(chat).locate(turns, chat, text), spans)
        except SpansNotFound as error:
            raise RenderError(f"the beginning of the last turn can't be found: {error}") from None
        return super().prompt_end(chat, spans, asked)

    def _write_spans(self, chat: ChatView, turns: Turns, located: Located, out: TextWriter) -> None:
        """Write a conversation span by span.

        Raises:
            SpansNotFound: the spans can't be found.
        """
        roles = [chat.roles[index] for index in range(len(chat.messages))]
        undeclared = self._undeclared(chat, turns, located)
        write(out, located.marked, self._variant(chat).delimiters, undeclared, roles)

    def _undeclared(self, chat: ChatView, turns: Turns, located: Located) -> Mapping[int, str]:
        """What the template writes between texts without tools, where it is less."""
        outline = located.outline
        if not chat.tools:
            return {}
        if outline is not None and outline.undeclared is not None:
            return outline.undeclared
        found = undeclared_in(self._variant(chat).without_tools(turns, chat), located.marked)
        if outline is not None:
            outline.show_undeclared(found)
        return found

    def _turns(self, chat: ChatView) -> Turns:
        """The turns of a conversation in the form in which its texts are found again."""
        turns = Turns.of(chat)
        return turns if self._variant(chat).profile.convention.parts else turns.with_joined_parts()

    def _variant(self, chat: ChatView) -> Variant:
        return self.with_tools if chat.tools else self.usual

    def _text(self, chat: ChatView, turns: Turns, *, generate: bool = False) -> str:
        adapter = self._variant(chat).adapter
        return adapter.render(turns, chat.tools, generate=generate, variables=chat.variables)


def from_file(path: str, name: str | None, variables: Mapping[str, Any], spans: bool) -> JinjaTemplate:
    """See :func:`toolconv.templates.jinja.load`."""
    templates, tokens, without = source.read(path)
    given = {*CONVERSATION, *tokens, *without, *variables}
    usual = name or source.DEFAULT
    if usual not in templates:
        raise FileError(f"{path}: no template {usual!r}; the file has {', '.join(map(repr, templates))}")
    with_tools = usual if name or source.TOOL_USE not in templates else source.TOOL_USE
    variants: dict[str, Variant] = {}
    for chosen in dict.fromkeys((usual, with_tools)):
        try:
            variants[chosen] = Variant(Program(templates[chosen], given), {**tokens, **variables})
        except TemplateSyntaxError as error:
            raise FileError(f"{path}: not a chat template: line {error.lineno}: {error.message}") from None
        except Stopped as error:
            raise FileError(f"{path}: {error}") from None
    label = Path(path).name
    names = frozenset[str]().union(*(one.program.variables for one in variants.values()))
    missing = reduce(MissingVariables.joined, (one.program.missing for one in variants.values()))
    if any(name in missing.tokens for name in missing.needed):
        raise FileError(missing.message(path))
    notices = [f"{label}, template {key!r}: {one.profile}" for key, one in variants.items()]
    return JinjaTemplate(
        name=label,
        names=tuple(sorted(names.difference(CONVERSATION))),
        missing=missing,
        path=path,
        dialect=replace(OPENAI, carries_ids="call_id" not in variants[with_tools].profile.drops),
        usual=variants[usual],
        with_tools=variants[with_tools],
        spans=spans,
        profile_notices=tuple(notices) if len(notices) > 1 else (f"{label}: {variants[usual].profile}",),
    )


# ── losses ──


def _lose_missing(chat: ChatView, located: Located) -> None:
    """Record the texts that the template did not write."""
    written = {slot.message for slot in located.found if slot.kind == "call"} if located.missing else set()
    for slot in located.missing:
        if slot.kind == "prose":
            chat.lose("content_with_call" if chat.calls(slot.message) else "content")
        elif slot.kind == "call":
            chat.lose("parallel_calls" if slot.message in written else "calls")
        else:
            chat.lose("content" if slot.kind == "user" else slot.kind)


def _lose_unmarked(chat: ChatView, turns: Turns, found: TemplateProfile) -> None:
    """Record the losses that marks don't show: declared tools, and call names that the ids don't contain."""
    if chat.tools and "tools" in found.drops:
        chat.lose("tools")
    if "call_name" in found.drops:
        for calls in turns.calls.values():
            for call in calls:
                if call.name not in (call.id or ""):
                    chat.lose("call_name")


def _lose_by_profile(chat: ChatView, turns: Turns, found: TemplateProfile) -> list[Slot]:
    """Record losses by the template's profile, when marks can't show them for this conversation.

    Returns:
        The texts of assistant turns that are left out.
    """
    _lose_unmarked(chat, turns, found)
    left_out: list[Slot] = []
    for index in range(len(chat.messages)):
        role, calls = chat.roles[index], chat.calls(index)
        present = {
            "system": role == "system",
            "response": role == "tool",
            "reasoning": bool(chat.reasoning(index)),
            "calls": bool(calls),
            "parallel_calls": len(calls) > 1,
            "content_with_call": bool(calls and chat.messages[index].get("content")),
            "calls_with_content": bool(calls and chat.messages[index].get("content")),
        }
        for loss in found.drops:
            if present.get(loss):
                chat.lose("calls" if loss == "calls_with_content" else loss)
                if loss == "reasoning":
                    left_out.append(Slot("reasoning", index))
                elif loss == "content_with_call":
                    left_out.append(Slot("prose", index))
                elif loss in ("calls", "calls_with_content", "parallel_calls"):
                    first = 1 if loss == "parallel_calls" else 0
                    left_out += [Slot("call", index, place) for place in range(first, len(calls))]
    return left_out
