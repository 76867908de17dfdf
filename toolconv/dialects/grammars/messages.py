"""A turn as a chain of messages, each with a header that says whether it is reasoning, prose or a call to a tool.

OpenAI's Harmony and its relatives: ``<|start|>assistant to=functions.f<|channel|>commentary<|message|>{…}<|call|>``.
A header may stand without its opening marker at the beginning of the turn, where the prompt holds the marker. The body
of a message ends at a marker after which the chain goes on or the text ends; any other marker is a mention.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from toolconv.core.blanks import after_blanks
from toolconv.core.calls import NotACall, declared_name
from toolconv.core.lenient_json import Unreadable
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.call_template import CallTemplate
from toolconv.dialects.grammars.json_object import arguments_of
from toolconv.dialects.grammars.name_then_json import cut_marker, read_arguments
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser


class Header(NamedTuple):
    """What the header of a message says.

    Attributes:
        kind: what the body is; ``foreign`` for messages that are not the assistant's, which stay as they are, and
            ``unreadable`` where the header says more than can be understood, which stay and are noted as dropped.
        name: the tool that a call is for.
        start, end: where the header begins, and where the body does.
        repairs: what had to be repaired to read it.
    """

    kind: Literal["prose", "reasoning", "call", "foreign", "unreadable"]
    name: str
    start: int
    end: int
    repairs: tuple[str, ...] = ()


class Messages(Dialect):
    """Turns of several messages.

    Attributes:
        starts: markers at which a message may begin.
        ends: markers that end a message.
        call_ends: those of ``ends`` that end a call, if each is ended: another marker, or a missing one, is a repair.
            Only the last message of a text may lack its end: that is a stop token, which servers cut off.
        tail: what ends a turn.
        code_tools: tools whose body may be code instead of arguments; it is read as the one argument ``code``.
    """

    calls: CallTemplate
    starts: tuple[str, ...]
    ends: tuple[str, ...] = ()
    call_ends: tuple[str, ...] = ()
    tail: str = ""
    code_tools: tuple[str, ...] = ("python",)

    @property
    def between(self) -> str:
        """What stands between two messages."""
        return self.calls.between

    @property
    def markers(self) -> tuple[str, ...]:
        return self.starts

    @abstractmethod
    def header(self, text: str, at: int, tools: ToolIndex) -> Header | None:
        """The header at ``at``, or ``None`` if there is no header. Must look at a bounded stretch only."""

    def write_reasoning(self, reasoning: str) -> str | None:
        """A message of reasoning, or ``None`` for formats that have none and mark reasoning otherwise."""
        return None

    # ── writing ──

    def render_turn(self, content: str, reasoning: str | None, calls: Sequence[ToolCall]) -> str:
        turn = self.calls.write_turn(content, calls, "") if content or calls else ""
        message = self.write_reasoning(reasoning) if reasoning else None
        if message is not None:
            return self.between.join((message, turn)) if turn else message + self.tail
        return self.reasoning.render(reasoning) + turn if reasoning else turn

    # ── reading ──

    @cached_property
    def _ends(self) -> tuple[str, ...]:
        return (*self.ends, *self.turn_tokens)

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        return (*super().prose_stoppers, *self.stops)

    @cached_property
    def stops(self) -> tuple[str, ...]:
        """All markers that may follow a body."""
        return (*self._ends, *self.starts)

    def _reasoning(self, parser: TurnParser, opened: bool | None) -> str | None:
        if self.header(parser.text, 0, parser.tools) is not None:
            return None
        if not opened:
            return super()._reasoning(parser, opened)
        end, parser.at = self.end_of_body(parser, 0)
        if end == parser.at:
            parser.repair("unclosed_reasoning")
        return parser.text[:end].strip("\n") or None

    def find_calls(self, parser: TurnParser) -> None:
        text = parser.text
        while (header := self._next_header(parser)) is not None:
            self._orphaned_end(parser, header.start)
            if header.kind == "call":
                self._call(parser, header)
                continue
            end, after = self.end_of_body(parser, header.end)
            if header.kind == "foreign":
                parser.skip(header.start, after)
                continue
            if header.kind == "unreadable":
                parser.reject(header.start, after, "a header that can't be read")
                continue
            parser.repairs.extend(header.repairs)
            if text[end:after] in self.turn_tokens:
                parser.repair("leaked_token")
            if header.kind == "prose":
                parser.accept(header.start, after, prose=text[header.end : end])
            else:
                parser.accept_reasoning(header.start, after, text[header.end : end])
        self._after_last(parser)

    def _after_last(self, parser: TurnParser) -> None:
        """Cut what ends the turn, or begins a message that is not in the text."""
        text = parser.text
        at = after_blanks(text, parser.at)
        if self.tail and text.startswith(self.tail, at):
            parser.accept(at, at + len(self.tail))
        elif parser.cuts and self._only_begun(text, at):
            parser.accept(at, len(text))
            parser.repair("leaked_token")

    def _only_begun(self, text: str, at: int) -> bool:
        """Whether the text ends after or inside of the separator of two messages, which begins at ``at``."""
        begun = self.between.strip()
        is_whole = text.startswith(begun, at) and after_blanks(text, at + len(begun)) >= len(text)
        return bool(begun) and (is_whole or cut_marker(text, at, (begun,)))

    def _next_header(self, parser: TurnParser) -> Header | None:
        """The next header from ``parser.at`` on."""
        at = parser.at
        header = self.header(parser.text, at, parser.tools)
        while header is None and (found := parser.first(self.starts, at)) is not None:
            header = self.header(parser.text, found[0], parser.tools)
            at = found[0] + 1
        return header

    def _orphaned_end(self, parser: TurnParser, until: int) -> None:
        """Cut the marker of a message whose header is not in the text, where it stands right before the next."""
        before = parser.text[max(parser.at, until - 40) : until].rstrip()
        for marker in self.ends:
            if before.endswith(marker):
                place = max(parser.at, until - 40) + len(before)
                parser.accept(place - len(marker), place)

    def _call(self, parser: TurnParser, header: Header) -> None:
        repairs = list(header.repairs)
        end = header.end
        try:
            if not parser.charge(0):
                raise NotACall(GAVE_UP)
            call, end = self.read_call(parser, header, repairs)
            after = self._close(parser, end, repairs)
        except (NotACall, Unreadable) as error:
            parser.charge(max(end, getattr(error, "at", 0)) - header.start)
            _, after = self.end_of_body(parser, header.end)
            parser.reject(header.start, after, str(error))
            return
        parser.accept(header.start, after, (call,))
        parser.repairs.extend(repairs)

    def read_call(self, parser: TurnParser, header: Header, repairs: list[str]) -> tuple[ToolCall, int]:
        """The call that a message makes, and where its body ends.

        Raises:
            NotACall, Unreadable: it can't be read.
        """
        text = parser.text
        if header.name in self.code_tools and not text.startswith("{", after_blanks(text, header.end)):
            end, _ = self.end_of_body(parser, header.end)
            return ToolCall(header.name, {"code": text[header.end : end]}), end
        arguments, end = read_arguments(parser, header.end, arguments_of(header.name), self.stops, repairs)
        return ToolCall(declared_name(header.name, parser.tools, repairs), arguments), end

    def _close(self, parser: TurnParser, at: int, repairs: list[str]) -> int:
        """The place after the marker that closes a call whose body ends at ``at``."""
        text = parser.text
        at = after_blanks(text, at)
        while text.startswith("}", at):
            repairs.append("extra_bracket")
            at = after_blanks(text, at + 1)
        for marker in self._ends:
            if text.startswith(marker, at):
                if marker in self.turn_tokens:
                    repairs.append("leaked_token")
                elif self.call_ends and marker not in self.call_ends:
                    repairs.append("marker_spelling")
                return at + len(marker)
        if cut_marker(text, at, self.stops):
            repairs.append("truncated")
            return len(text)
        if at < len(text):
            if not text.startswith(self.starts, at) and self.header(text, at, parser.tools) is None:
                raise NotACall("text after the arguments")
            if self.call_ends:
                repairs.append("missing_close_tag")
        return at

    def end_of_body(self, parser: TurnParser, at: int) -> tuple[int, int]:
        """Where the body that begins at ``at`` ends, and the place after the marker that ends it."""
        text = parser.text
        while (found := parser.first(self.stops, at)) is not None:
            place, marker = found
            if marker in self.starts:
                if self.header(text, place, parser.tools) is not None:
                    return place, place
            elif self._goes_on(parser, place + len(marker)):
                return place, place + len(marker)
            at = place + 1
        return len(text), len(text)

    def _goes_on(self, parser: TurnParser, at: int) -> bool:
        """Whether the text ends at ``at`` or another message begins there."""
        text = parser.text
        at = after_blanks(text, at)
        if at >= len(text) or text.startswith(self._ends, at) or self._only_begun(text, at):
            return True
        return self.header(text, at, parser.tools) is not None
