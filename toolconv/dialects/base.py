"""The base class of dialects: what a family writes, and how a turn is split into reasoning, prose and calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any, SupportsIndex

from toolconv.core.errors import ToolconvError
from toolconv.core.facts import Facts
from toolconv.core.notes import Dropped
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.call_readers import call_reader
from toolconv.dialects.call_readers.base import CallReader
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.chat import PLAIN_CHAT, ChatFormat
from toolconv.dialects.lexing.markers import tokens_in
from toolconv.dialects.lexing.mentions import DISTINCTIVE
from toolconv.dialects.lexing.other_turns import is_conversation, other_turns
from toolconv.dialects.lexing.turn_tokens import TURN_HEADER, TURN_HEADERS, TURN_TOKENS
from toolconv.dialects.reading.exact import ExactReader
from toolconv.dialects.reading.mending import Mendings, best_mended, shows_no, taken_back
from toolconv.dialects.reading.parts import Kind, TurnPart
from toolconv.dialects.reading.prose import ProseReader
from toolconv.dialects.reading.reasoning import cut_later_reasoning, leading_reasoning
from toolconv.dialects.reading.turn_parser import THINK, Parsed, Reasoning, TurnParser, parts_of
from toolconv.dialects.registry import get


class RenderError(ToolconvError, ValueError):
    """A conversation that can't be written; the message gives the reason."""


class Dialect(Facts, ABC):
    """A wire format of tool calls: facts, reading, writing. One instance per name.

    Attributes:
        name: vLLM's ``--tool-call-parser`` name, or the name in use in the field.
        aliases: other names for the same format.
        models: model families that write it.
        sample: literal model output.
        calls: what the family's template writes for calls, as one line with holes.
        separator: what the family's template writes between prose and the first call.
        reasoning: how the family marks reasoning.
        leads_with_reasoning: whether reasoning comes first in a turn, as in most families.
        turn_tokens: tokens that end a turn and may have been left in the text.
        fallback_dialects: names of dialects to try on a text without calls of this one: formats that the same models,
            or other tools that use the name, also write.
        alone: whether no other dialect reads what it leaves as prose: its calls are data, and any text is text.
        carries_ids: whether the text holds call ids.
        no_call: the name that the models call to say that no tool fits.
        losses: what the format can't carry of calls alone, by their names in :mod:`toolconv.dialects.losses`.
        chat: how the system turn declares tools and how results are fed back; plain JSON where the source has no words.
        module: the file that defines the dialect; its docstring is the dialect's page. Filled in by the registry.
    """

    name: str
    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    sample: str = ""
    calls: CallTemplate | None = None
    separator: str = ""
    reasoning: Reasoning = THINK
    leads_with_reasoning: bool = True
    turn_tokens: tuple[str, ...] = TURN_TOKENS
    fallback_dialects: tuple[str, ...] = ()
    alone: bool = False
    carries_ids: bool = False
    no_call: str | None = None
    losses: tuple[str, ...] = ()
    chat: ChatFormat = PLAIN_CHAT
    module: str = ""

    # ── what each grammar provides ──

    @property
    @abstractmethod
    def markers(self) -> tuple[str, ...]:
        """Texts that begin a call, most telling first; empty when calls begin with no marker."""

    @abstractmethod
    def find_calls(self, parser: TurnParser) -> None:
        """Find the calls of ``parser.text`` from ``parser.at`` on."""

    def render_each(self, calls: Sequence[ToolCall]) -> list[str]:
        """Write the calls of a turn as the family's template does: a text for each; joined, they are the calls.

        The text before all calls is part of the first, the text after them part of the last, and a separator part of
        the call that follows it.

        Raises:
            RenderError: the format can only be read.
        """
        return self.template.write_each(calls)

    @property
    def template(self) -> CallTemplate:
        """What the family's template writes for calls.

        Raises:
            RenderError: the format can only be read.
        """
        if self.calls is None:
            raise RenderError(f"dialect {self.name!r} can only be read")
        return self.calls

    # ── what all share ──

    def render(self, calls: Sequence[ToolCall]) -> str:
        """Write the calls of a turn as the family's template does; an empty text for none."""
        return "".join(self.render_each(calls))

    def parse(self, text: str, tools: ToolIndex = NO_TOOLS, *, in_reasoning: bool | None = None) -> Parsed:
        """Read one assistant turn; never raises.

        Args:
            text: the turn as the model wrote it.
            tools: the tools declared to the model: types for formats without, names for formats without markers.
            in_reasoning: whether the prompt ended inside an opened reasoning block; with ``None`` the text decides.
        """
        if not in_reasoning and (written := self._parse_written(text, tools)) is not None:
            return written
        parsed = self.parse_own(text, tools, in_reasoning)
        if self.fallback_dialects and not parsed.calls:
            return self._read_as_another(text, tools, in_reasoning) or parsed
        return parsed

    def _parse_written(self, text: str, tools: ToolIndex) -> Parsed | None:
        """Read a text that is what the family's template writes, but perhaps for damage in its tags."""
        if (written := self.parse_exact(text, tools)) is not None:
            return written
        if self.exact is None or (mended := self._mendings.spelt(text)) is None or mended.once:
            return None
        written = self.parse_exact(mended.text, tools)
        if written is None or not written.calls or not shows_no(mended.markers, written):
            return None
        return taken_back(written, len(text), mended, mended.repairs)

    def parse_exact(self, text: str, tools: ToolIndex) -> Parsed | None:
        """Read a text that is exactly what the family's template writes; ``None`` for any other text.

        Faster than the tolerant grammar, with the same result.
        """
        exact = self.exact
        if exact is None:
            return None
        mark = self.reasoning
        reasoning = None
        if self.leads_with_reasoning and mark.open and text.startswith(mark.open):
            end = text.find(mark.close, len(mark.open))
            if end < 0:
                return None
            reasoning = text[len(mark.open) : end].strip("\n") or None
            text = text[end + len(mark.close) :].lstrip("\n")
            if text.isspace():
                return None
        found = exact.read(text, tools)
        if found is None:
            return None
        if reasoning and not found[1]:
            for start in self.call_starts:  # the end of the reasoning may be in a call
                if start in reasoning:
                    return None
        for call in found[1]:
            if _wraps_calls(call, tools):
                return None
        return Parsed(found[0], reasoning, found[1], [], [])

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        """How a dialect is pickled: a registered one by its name, since there is one of each."""
        if self.module and get(self.name) is self:
            return get, (self.name,)
        return super().__reduce_ex__(protocol)

    @cached_property
    def exact(self) -> ExactReader | None:
        """The reader of what the family's template writes."""
        if self.calls is None:
            return None
        readers = [self, *map(get, self.fallback_dialects)]
        more = [text for reader in readers for text in (*reader.prose_stoppers, *reader.bare_starts)]
        return ExactReader(self.calls, self.call_reader(self.calls), self.separator, self.prose_stoppers, more)

    def call_reader(self, template: CallTemplate) -> CallReader:
        """The exact reader of the calls that a template writes, without reasoning and prose."""
        return call_reader(template)

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        """Markers that prose around calls does not hold; the exact reader goes by the characters they begin with."""
        return (*self.markers, *self.turn_tokens, self.reasoning.open, self.reasoning.close)

    @property
    def bare_starts(self) -> tuple[str, ...]:
        """What a call that lost its markers begins with."""
        return ("{",)

    def parse_own(
        self,
        text: str,
        tools: ToolIndex,
        in_reasoning: bool | None = None,
        *,
        rest: Callable[[TurnParser], None] | None = None,
        mend: bool = True,
    ) -> Parsed:
        """Read any assistant turn with the tolerant grammar of this dialect, without fallbacks.

        Args:
            text: the turn.
            tools: the tools declared to the model.
            in_reasoning: whether the prompt ended inside an opened reasoning block; with ``None`` the text decides.
            rest: looks for further calls in what the grammar leaves as prose.
            mend: whether the turn is read with its markup mended if that reads better.
        """
        if (header := TURN_HEADER.match(text)) is not None:
            rest_of_text = text[header.end() :]
            parsed = self.parse_own(rest_of_text, tools, in_reasoning, rest=rest, mend=mend)
            parts = (part.moved(header.end()) for part in parts_of(parsed, rest_of_text))
            parsed.parts = [TurnPart(0, header.end(), "markup"), *parts]
            parsed.repairs.append("leaked_token")
            return parsed
        parsed = self._parse_as_is(text, text, tools, in_reasoning, rest)
        if parsed.repairs and self._is_verbatim(text, parsed, tools):
            parsed.repairs.clear()
        if not mend:
            return parsed
        return best_mended(
            parsed,
            len(text),
            self._mendings.of(text, parsed),
            tools,
            lambda mended: self._parse_as_is(mended, text, tools, in_reasoning, rest),
        )

    def _is_verbatim(self, text: str, parsed: Parsed, tools: ToolIndex) -> bool:
        """Whether a reading had to take the closing tags in values for text: the template writes this very text.

        Where a declared argument is missing, or the tool is not declared, such a value may have swallowed something.
        """
        if parsed.dropped or any(name != "markup_in_value" for name in parsed.repairs):
            return False
        for call in parsed.calls:
            declared = tools.properties(call.name)
            if declared is None or not declared.keys() <= call.arguments.keys():
                return False
        return self.round_trips(text, parsed)

    def round_trips(self, text: str, parsed: Parsed) -> bool:
        """Whether ``text`` is what the family's template writes for a reading of it, except for white space."""
        if self.calls is None:
            return False
        words = text.split()
        written = [self.render_turn(parsed.content, parsed.reasoning, parsed.calls)]
        if not parsed.content:  # white space is read as no prose, but templates may write it as prose
            written += [self.render_turn(" ", parsed.reasoning, parsed.calls), self.render(parsed.calls)]
        return any(words == each.split() for each in written)

    def may_round_trip(self, text: str) -> bool:
        """Whether a text with calls may be what the family's template writes, by how calls begin and turns end."""
        exact = self.exact
        return exact is not None and (not self._is_plain or exact.may_hold_calls(text))

    def _parse_as_is(
        self,
        text: str,
        turn: str,
        tools: ToolIndex,
        in_reasoning: bool | None,
        rest: Callable[[TurnParser], None] | None,
    ) -> Parsed:
        """Read a text as it stands: a turn, or a mended ``turn``."""
        parser = TurnParser(text, tools)
        reasoning = self._reasoning(parser, in_reasoning)
        kind: Kind = "markup" if reasoning is None else "reasoning"
        lead = [TurnPart(0, parser.at, kind, reasoning or "")] if parser.at else []
        opening = self.prose_opening
        if opening and parser.text.startswith(opening, parser.at):
            lead.append(TurnPart(parser.at, parser.at + len(opening), "markup"))
            parser.at += len(opening)
        prose_from = parser.prose_from = parser.at
        self.find_calls(parser)
        closing = self.calls.closing if self.calls else ""
        if closing and parser.places:
            parser.accept_again(closing)
        if self.reasoning.repeats:
            cut_later_reasoning(self.reasoning, parser)
        self._other_turns(parser, turn)
        if rest is not None:
            rest(parser)
            self._other_turns(parser, turn)
        parser.reject_unread(prose_from, self._telling_markers, closing)
        if self.inner_markers:
            parser.reject_unread(prose_from, self.inner_markers, closing)
        content, parts = self._prose_reader.read(parser, prose_from)
        parts = [*lead, *parts]
        thoughts = [part.text for part in parts if part.kind == "reasoning" and part.text]
        calls = [part.call for part in parts if part.call is not None]
        dropped = [Dropped(part.reason, part.text) for part in parts if part.kind == "dropped"]
        parsed = Parsed(content, "\n".join(thoughts) or None, calls, parser.repairs, dropped, parts=parts)
        return self.rearranged(parsed)

    def rearranged(self, parsed: Parsed) -> Parsed:
        """A turn with its prose and reasoning where they belong, for families that write one in place of the other."""
        return parsed

    def _read_as_another(self, text: str, tools: ToolIndex, in_reasoning: bool | None) -> Parsed | None:
        """The reading of the first dialect of ``fallback_dialects`` that finds a call."""
        for name in self.fallback_dialects:
            other = get(name)
            if not other.markers or any(marker in text for marker in other.markers):
                parsed = other.parse_own(text, tools, in_reasoning)
                if parsed.calls:
                    return parsed
        return None

    def leaves_reasoning(self, parsed: Parsed) -> bool:
        """Whether a reading begins with ``<think>``, which families with another mark of reasoning take for prose."""
        return self.reasoning.open != THINK.open and parsed.content.lstrip().startswith(THINK.open)

    @property
    def all_markers(self) -> tuple[str, ...]:
        """The markers whose spelling is mended, opening and closing: in most grammars the tags of the call template."""
        return () if self.calls is None else self.calls.tags

    @property
    def prose_opening(self) -> str:
        """The text before the prose of a turn, which is not part of it; empty for grammars that have their own way."""
        return ""

    @property
    def inner_markers(self) -> tuple[str, ...]:
        """The markers within a call, which show that there is one even if the opening marker is lost."""
        return ()

    @cached_property
    def all_tags(self) -> frozenset[str]:
        """The tags of calls and of their parts, whose spelling is mended."""
        whole = "".join(self.all_markers)
        parts = () if self.calls is None else (tag for tag in self.calls.tags if tag not in whole)
        return frozenset((*self.all_markers, *parts, *filter(DISTINCTIVE.search, self.markers)))

    @cached_property
    def _mendings(self) -> Mendings:
        closers = () if self.calls is None else self.calls.closers
        return Mendings(self.all_tags, self.leaking_tokens, [closers], lambda text: tokens_in(text, self))

    @cached_property
    def leaking_tokens(self) -> tuple[str, ...]:
        """The turn tokens and headers that the family does not write in calls."""
        written = "" if self.calls is None else "".join((*self.calls.literals, *self.calls.tags))
        return tuple(token for token in (*TURN_HEADERS, *TURN_TOKENS, *self.turn_tokens) if token not in written)

    @cached_property
    def last_marker(self) -> str:
        """The marker that closes the calls of a turn; empty where none does, or where calls may go on after it."""
        if self.calls is None or self.calls.between.strip() or getattr(self, "closing", "always") != "always":
            return ""
        return self.calls.closing if DISTINCTIVE.search(self.calls.closing) else ""

    @cached_property
    def _telling_markers(self) -> tuple[str, ...]:
        """The markers that are not words which prose may hold as well."""
        return tuple(marker for marker in self.markers if DISTINCTIVE.search(marker))

    def is_final(self, following: str) -> bool | None:
        """Whether a block of calls that is closed stays as it reads, given what follows; ``None`` if not yet known."""
        return True

    def call_id(self, call: ToolCall, index: int) -> str | None:
        """The id a call has in this format, ``index`` being its place among the calls of the whole conversation."""
        return call.id if self.calls is None else self.calls.id_of(call, index)

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        """Write a whole assistant turn, without turn tokens: reasoning, prose, calls."""
        turn = self.template.write_turn(content, calls, self.separator) if calls or self.calls is not None else content
        return self.reasoning.render(reasoning) + turn if reasoning else turn

    def certainly_round_trips(
        self, content: str, reasoning: str | None, calls: Sequence[ToolCall], tools: ToolIndex
    ) -> bool:
        """Whether a turn is certainly read back unchanged. False negatives are allowed, false positives are not."""
        exact = self.exact
        if exact is None:
            return False
        if content and not (self._writes_prose_plainly and exact.certainly_round_trips_prose(content, bool(calls))):
            return False
        if reasoning and not (
            self._leads_with_marked_reasoning and exact.certainly_round_trips_prose(reasoning, False)
        ):
            return False
        for call in calls:
            if not self.certainly_round_trips_call(call, tools):
                return False
            if not exact.certainly_round_trips_arguments(call):
                return False
        return True

    @cached_property
    def call_starts(self) -> tuple[str, ...]:
        """What calls begin with, with or without markers."""
        return (*self.markers, *self.bare_starts)

    @cached_property
    def _writes_prose_plainly(self) -> bool:
        is_last = self.calls is not None and self.calls.prose_is_last  # the exact reader reads prose before calls
        return type(self).render_turn is Dialect.render_turn and not is_last

    @cached_property
    def _is_plain(self) -> bool:
        """Whether turns are written, and read exactly, as the template says."""
        return self._writes_prose_plainly and type(self).parse_exact is Dialect.parse_exact

    @cached_property
    def _leads_with_marked_reasoning(self) -> bool:
        mark = self.reasoning
        leads = self.leads_with_reasoning and mark.open != "" and mark.before.startswith(mark.open)
        return leads and self._writes_prose_plainly

    def certainly_round_trips_call(self, call: ToolCall, tools: ToolIndex) -> bool:
        """Whether a call is certainly read back unchanged. False negatives are allowed, false positives are not."""
        if self.exact is None or _wraps_calls(call, tools):
            return False
        return self.exact.calls.certainly_round_trips(call, tools)

    def certainly_round_trips_types(self, call: ToolCall, tools: ToolIndex) -> bool:
        """The same for all calls with its name and the names and types of its arguments, in which no ``<`` is."""
        asks_more = type(self).certainly_round_trips_call is not Dialect.certainly_round_trips_call
        if asks_more or self.exact is None or _wraps_calls(call, tools):
            return False
        return self.exact.calls.certainly_round_trips_types(call, tools)

    def _reasoning(self, parser: TurnParser, opened: bool | None) -> str | None:
        """Split leading reasoning off the text and move ``parser.at`` past it."""
        return leading_reasoning(self, parser, opened)

    @cached_property
    def _prose_reader(self) -> ProseReader:
        return ProseReader(self.separator, self.turn_tokens)

    def _other_turns(self, parser: TurnParser, turn: str) -> None:
        """Cut out what only another role says, after the first call.

        A ``turn`` in which another role speaks before is a conversation, and stays whole. It may be damaged where the
        parser's text is mended.
        """
        if parser.places:
            first = min(parser.places)
            following = [gap for gap in parser.gaps() if gap[0] > first]
            found = [place for gap in following for place in other_turns(parser.text, *gap, self._response_words)]
            if found and not is_conversation(turn, first):
                for place in found:
                    parser.accept_other_turn(*place)

    @cached_property
    def _response_words(self) -> str:
        """The words that responses begin with; empty if it is a tag."""
        words = self.chat.response.partition("{")[0].strip()
        return words if words.endswith(":") or words.startswith("##") else ""


@lru_cache(maxsize=4)
def mendings_of_all(dialects: tuple[Dialect, ...]) -> Mendings:
    """What may be damaged in the turns of any of some dialects."""
    tags = frozenset().union(*(dialect.all_tags for dialect in dialects))
    tokens = {token for dialect in dialects for token in dialect.leaking_tokens}
    return Mendings(tags, tokens, (dialect.calls.closers for dialect in dialects if dialect.calls is not None))


def _wraps_calls(call: ToolCall, tools: ToolIndex) -> bool:
    """Whether a call is OpenAI's ``multi_tool_use.parallel``, by its argument: it is read as the calls in it."""
    return "tool_uses" in call.arguments and call.name not in tools
