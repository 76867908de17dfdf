"""A marker, a header that names the tool, then the bare arguments: ``<marker>name<marker>{…}<marker>``.

DeepSeek's and Kimi's token sections, Mistral's ``[TOOL_CALLS]name[ARGS]{…}``, ``## Calling: name`` and the like.
"""

from __future__ import annotations

import re
from dataclasses import field
from functools import cached_property

from toolconv.core import lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.calls import NotACall, arguments_from, declared_name
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.schema_types import types_of
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.json_calls import header_pattern, json_object
from toolconv.dialects.call_template import CallTemplate, TemplateError, pieces_of, with_first
from toolconv.dialects.grammars.fences import OPENING, language_repairs
from toolconv.dialects.grammars.json_object import CallsIn, ObjectReader
from toolconv.dialects.grammars.marked_calls import MarkedCalls
from toolconv.dialects.lexing.trie import pattern_of
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser

MAX_HEADER = 400
HEADER_NAME = r"[^\s<>](?:[^\n<>]{0,126}[^\s<>])?"
FAILED_READ_COST = 100
"""Characters charged for a call that can't be read, whatever its length."""
FENCE = lazy_re(rf"{OPENING}\s*")
FIRST_TAG = lazy_re(r"\s*(<[^<>]*>|\[[^\[\]]*\])")
TAIL = lazy_re(r"\s*(?:\n?```)?\s*")
INNER = lazy_re(r"<[|｜][^<>{}]+[|｜]>|\[[A-Z_]+\]")
OPENED_FENCE = lazy_re(r"```\w*\s*\Z")
CUT_HEADER = lazy_re(r"\s*\S+\s*")
"""What follows a marker at the end of a text and may be a header that is cut off."""
BEGUN = lazy_re(r"[\w<]\S*\s*")
"""What follows a marker that begins a call, even if it is not a valid header."""


class NameThenJson(MarkedCalls):
    """Calls whose name is in a header before the arguments.

    Attributes:
        section_opens, section_closes: markers around all calls of a turn that are read in place of the family's.
        slipped_opens: opening markers that models write by mistake.
        fences: arguments in a markdown fence are the format, not a repair.
    """

    calls: CallTemplate = field()
    section_opens: tuple[str, ...] = ()
    section_closes: tuple[str, ...] = ()
    slipped_opens: tuple[str, ...] = ()
    fences: bool = False

    @cached_property
    def written_markers(self) -> tuple[str, str]:
        template = self.calls
        if json_object(template.call) is not None:  # a list of objects
            return super().written_markers
        return first_tag(str(template.pieces[0])), str(template.pieces[-1]).removeprefix("\n```").strip()

    @cached_property
    def all_opens(self) -> tuple[str, ...]:
        return (*super().all_opens, *self.slipped_opens)

    @cached_property
    def sections(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The markers that open and close a section; what the family writes comes first."""
        template = self.calls
        if json_object(template.call) is not None:
            return (), ()
        written = template.before.strip(), template.after.strip()
        return with_first(written[0], self.section_opens), with_first(written[1], self.section_closes)

    @property
    def markers(self) -> tuple[str, ...]:
        return (*self.sections[0], *self.all_opens)

    @property
    def all_markers(self) -> tuple[str, ...]:
        opens, closes = self.sections
        return (*opens, *closes, *super().all_markers, *self.inner_markers)

    @cached_property
    def inner_markers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(INNER.findall(self.calls.call[1:])))

    def __post_init__(self) -> None:
        own = type(self)
        if (own.header, own.find_calls) == (NameThenJson.header, NameThenJson.find_calls):
            self._headers  # raises for a template without a header  # noqa: B018

    def header(self, text: str) -> tuple[str, str | None] | None:
        """The name and the id in a header, or ``None`` if the text only mentions the marker.

        Headers are those of the call template, with any whitespace around its literals. A family with other headers
        overrides this.

        Args:
            text: the text between the opening marker and the arguments.

        Raises:
            NotACall: it is a header that holds more than a name and an id.
        """
        for pattern in self._headers:
            if (match := pattern.fullmatch(text)) is not None:
                return match["name"], match.groupdict().get("id")
        return None

    @cached_property
    def _headers(self) -> tuple[re.Pattern[str], ...]:
        """The patterns of the headers that the template writes: of a call with an id, and of one without.

        Raises:
            TemplateError: the template has no header before the arguments.
        """
        template = self.calls
        patterns = []
        for call in filter(None, (template.call, template.without_id)):
            start, *header, before_args, args, _ = pieces_of(call)
            if getattr(args, "word", "") != "args" or not first_tag(str(start)):
                raise TemplateError(f"'calls' must be a marker, {{name}} or {{id}}, then {{args}}: {call!r}")
            rest = str(start).lstrip().removeprefix(first_tag(str(start)))
            pieces = (rest, *header, OPENED_FENCE.sub("", str(before_args)))
            patterns.append(re.compile(header_pattern(pieces, template.id, HEADER_NAME, loose)))
        return tuple(patterns)

    def name_for(self, parser: TurnParser, name: str, arguments: dict[str, object], repairs: list[str]) -> str:
        """The tool's name, given the one in the header."""
        return declared_name(name, parser.tools, repairs)

    @cached_property
    def stops(self) -> tuple[str, ...]:
        opens, closes = self.sections
        return (*self.all_closes, *closes, *self.all_opens, *opens, *self.turn_tokens)

    @cached_property
    def after_header(self) -> re.Pattern[str]:
        """What ends a header: the arguments, or a marker when there are none."""
        return re.compile("|".join([r'[{"“]', "```", *map(re.escape, self.stops)]))

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        return (*super().prose_stoppers, *(() if self.all_opens else "{\n"))

    # ── reading ──

    def read_block(self, parser: TurnParser, start: int, at: int) -> None:
        taken, repaired = len(parser.calls), len(parser.repairs)
        before = max((cut.end for cut in parser.cuts[-2:]), default=parser.prose_from)  # a call's, and its section's
        end = self.read_call(parser, start, at)
        if end is None:
            parser.at = at
            return
        if len(parser.calls) > taken:
            if parser.text[start:at] in self.slipped_opens and "marker_spelling" not in parser.repairs[repaired:]:
                parser.repair("marker_spelling")
            if self.sections[0] and (sections := list(self._opened_section.finditer(parser.text, before, at))):
                parser.accept(*sections[-1].span())
            end = self._close_section(parser, end)
        parser.at = end

    @cached_property
    def _opened_section(self) -> re.Pattern[str]:
        """The marker of a section before that of its first call, which may be one that can't be read."""
        return re.compile(rf"{pattern_of(self.sections[0])}(?=\s*{pattern_of(self.all_opens)})")

    def _close_section(self, parser: TurnParser, at: int) -> int:
        """Cut the marker that closes the section, if it is at ``at``; return the place to go on from."""
        end = after_blanks(parser.text, at)
        for marker in self.sections[1]:
            if parser.text.startswith(marker, end):
                parser.accept(end, end + len(marker))
                return end + len(marker)
        return at

    def read_call(self, parser: TurnParser, start: int, at: int) -> int | None:
        """Read the call whose marker is at ``start``; return where it ends, or ``None`` if it is not a call."""
        text = parser.text
        limit = min(len(text), at + MAX_HEADER)
        match = self.after_header.search(text, at, limit)
        until = limit if match is None else match.start()
        try:
            header = self.header(text[at:until])
            if header is None and until == len(text) and CUT_HEADER.fullmatch(text, at):
                raise NotACall("a name without arguments")
            if header is None and BEGUN.fullmatch(text, at, until):
                raise NotACall("a header that can't be read")
        except NotACall as error:
            end = self.end_of_broken(parser, until)
            parser.reject(start, end, str(error))
            return end
        return None if header is None else self.read_body(parser, start, until, *header)

    def read_body(self, parser: TurnParser, start: int, at: int, name: str, call_id: str | None = None) -> int:
        """Read the arguments at ``at`` of the call that begins at ``start``; where it ends."""
        repairs: list[str] = []
        try:
            arguments, end = self.read_arguments(parser, at, name, repairs)
            name = self.name_for(parser, name, arguments, repairs)
        except (NotACall, lenient_json.Unreadable) as error:
            parser.charge(max(FAILED_READ_COST, getattr(error, "at", 0) - start))
            end = self.end_of_broken(parser, at)
            parser.reject(start, end, str(error))
            return end
        parser.accept(start, end, (self.typed(parser, ToolCall(name, arguments, call_id), repairs),))
        parser.repairs.extend(repairs)
        return end

    def typed(self, parser: TurnParser, call: ToolCall, repairs: list[str]) -> ToolCall:
        """A call whose arguments have their types: JSON's, unless a family writes values otherwise."""
        return call

    def read_arguments(
        self, parser: TurnParser, at: int, name: str, repairs: list[str]
    ) -> tuple[dict[str, object], int]:
        """The arguments of a call of ``name`` that begin at ``at``, and where the call ends.

        Raises:
            NotACall, Unreadable: they can't be read.
        """
        text = parser.text
        arguments, end = self.read_object(parser, at, name, repairs)
        after = end_of(TAIL, text, end)
        while self.all_closes and text.startswith("}", after):
            repairs.append("extra_bracket")
            after = end_of(TAIL, text, after + 1)
        if marker := self.closer_at(text, after):
            if marker != self.all_closes[0]:
                repairs.append("marker_spelling")
            return arguments, after + len(marker)
        if self.all_closes:
            if cut_marker(text, after, self.all_closes):
                repairs.append("truncated")
                return arguments, len(text)
            if after < len(text) and not text.startswith(self.stops, after) and self.goes_on(parser, after):
                parser.charge(after - at)
                raise NotACall("text after the arguments")
            repairs.append("missing_close_tag")
        return arguments, end

    def goes_on(self, parser: TurnParser, at: int) -> bool:
        """Whether text that follows the arguments may belong to the call, which can't be read then."""
        return True

    def read_object(self, parser: TurnParser, at: int, name: str, repairs: list[str]) -> tuple[dict[str, object], int]:
        """The object of the arguments of a call of ``name``, and where it ends.

        Raises:
            NotACall, Unreadable: it can't be read.
        """

        def call_of(value: object, made: list[str]) -> list[ToolCall]:
            arguments = arguments_from(value, made)
            return [ToolCall(self.name_for(parser, name, arguments, []), arguments)]

        return read_arguments(parser, at, call_of, self.stops, repairs, fences=self.fences)


def loose(literal: str) -> str:
    """The pattern of a literal with any whitespace at its edges and around its line ends."""
    lines = [re.escape(line.strip()) for line in literal.strip().splitlines()]
    return r"\s*".join(["", *lines, ""]) if lines else r"\s*"


def first_tag(text: str) -> str:
    """The token that a text begins with: in angle or square brackets, or all of it without whitespace at its edges."""
    match = FIRST_TAG.match(text)
    return match[1] if match else text.strip()


def read_arguments(
    parser: TurnParser, at: int, call_of: CallsIn, stops: tuple[str, ...], repairs: list[str], *, fences: bool = False
) -> tuple[dict[str, object], int]:
    """The arguments that begin at ``at``, in a fence or not, and where they end; nothing there is no arguments.

    Args:
        parser: the reading they belong to.
        at: where they begin.
        call_of: the call that they are the arguments of.
        stops: markers that end them wherever they stand outside a string.
        repairs: names of repairs are added to it.
        fences: a fence is the format and no repair.

    Raises:
        NotACall: it is not an object, or too much broken markup was read before.
        Unreadable: nothing that can be read.
    """
    text = parser.text
    fence = FENCE.match(text, at)
    if fence is not None:
        at = fence.end()
        repairs.extend(language_repairs(fence))
        if not fences:
            repairs.append("markdown_fence")
    at = after_blanks(text, at)
    if at >= len(text):
        raise NotACall("the text ends before the arguments")
    if text.startswith(stops, at):
        if fence is not None:
            raise NotACall("a fence without arguments")
        repairs.append("empty_arguments")
        return {}, at
    if not parser.charge(0):
        raise NotACall(GAVE_UP)
    reading = ObjectReader(parser, stops, call_of, is_arguments=True).read(at)
    repairs.extend(reading.repairs)
    end = end_of(TAIL, text, reading.end) if fence is not None else reading.end
    return arguments_from(reading.value, repairs), end


def plain_arguments(name: str, text: str, tools: ToolIndex) -> dict[str, object]:
    """Plain text as the one argument that it can be: the tool's only required or only parameter, if that is text.

    Raises:
        NotACall: there is no such parameter.
    """
    schema = tools.parameters(name) or {}
    properties = tools.properties(name) or {}
    for keys in (schema.get("required"), list(properties)):
        if isinstance(keys, list) and len(keys) == 1 and isinstance(keys[0], str) and keys[0] in properties:
            allowed = types_of(properties[keys[0]], schema)
            if allowed is None or "string" in allowed:
                return {keys[0]: text}
    raise NotACall("plain text where the arguments should stand")


def cut_marker(text: str, at: int, markers: tuple[str, ...]) -> bool:
    """Whether the text ends at ``at`` with the beginning of one of ``markers``."""
    rest = text[at : at + 64]
    return 0 < len(rest) == len(text) - at and any(marker.startswith(rest) for marker in markers)
