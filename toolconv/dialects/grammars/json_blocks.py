"""Markers around JSON call objects: ``<tool_call>{"name": …, "arguments": …}</tool_call>`` and its many relatives.

The block may hold one object, several, or a list; the closing marker may not exist at all. Formats whose calls stand
bare in the text (Llama 3, xLAM) are the case without a marker.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cached_property
from typing import Any, Literal

from toolconv.core import lenient_json
from toolconv.core.blanks import after_blanks
from toolconv.core.call_keys import ARGUMENT_KEYS, NAME_KEYS, RARE_ARGUMENT_KEYS
from toolconv.core.calls import NotACall, call_from, declared_name, envelope_of, is_call
from toolconv.core.lazy_re import end_of, lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.call_readers.json_calls import json_object
from toolconv.dialects.grammars.fences import OPENING, language_repairs
from toolconv.dialects.grammars.json_block import FENCE, Block, cut_around
from toolconv.dialects.grammars.json_object import (
    FAILED_READ_COST,
    OBJECT,
    ObjectReader,
)
from toolconv.dialects.grammars.marked_calls import MarkedCalls
from toolconv.dialects.reading.turn_parser import GAVE_UP, TurnParser
from toolconv.dialects.registry import get

FENCE_MARK = "```"
TURN_START = "<|im_start|>"
KEYED_BY_NAME = lazy_re(r"\{\s*\{name\|json\}\s*:\s*\{args[^}]*\}\s*\}")
"""A call object whose only key is the tool's name."""
CALL_HEAD = lazy_re(
    r"\{\s*(?:\"(?:id|type)\"\s*:\s*\"[^\"\\\n]{0,99}\"\s*,\s*){0,2}(?:\"function\"\s*:\s*\{\s*)?"
    rf"[\"']?(?:{'|'.join(NAME_KEYS)})[\"']?\s*:\s*[\"']([^\"'\\\n]{{1,256}})[\"']\s*,\s*"
    rf"[\"']?(?:(?:{'|'.join((*ARGUMENT_KEYS, *RARE_ARGUMENT_KEYS))})[\"']?\s*:|\w{{0,9}}\Z)"
)
"""How a call begins: its name, and the key of its arguments, which may be cut."""


class JsonBlocks(MarkedCalls):
    """Calls as JSON objects, between markers or bare.

    Attributes:
        closing: whether the family writes the closing marker. ``always``: a missing one is a repair; ``never``: a
            closing marker is a repair; ``optional``: neither is, except that a missing one is where the
            block is opened by one of ``closed``.
        name_key, argument_key, id_key: the keys the family writes.
        other_keys: keys that variants of the format use instead.
        bare: whether calls may appear in the text without any marker: ``always`` where that is the format, ``repair``
            where it is a model's slip, ``never``.
        listed: several objects in one block, or a list of them, are the format, not a repair.
        native: names of repairs that are not reported, since the format itself is written that way.
        prose_tags: opening and closing marker of a prose section; a pair is cut out where the turn's prose begins.
        around: tags around all calls of a turn that variants of the format write; they are cut out.
    """

    closing: Literal["always", "optional", "never"] = "always"
    closed: tuple[str, ...] = ()
    name_key: str = "name"
    argument_key: str = "arguments"
    id_key: str = "id"
    other_keys: tuple[str, ...] = ()
    bare: Literal["always", "repair", "never"] = "repair"
    listed: bool = False
    native: tuple[str, ...] = ()
    prose_tags: tuple[tuple[str, str], ...] = ()
    around: tuple[str, str] | None = None

    @cached_property
    def written_markers(self) -> tuple[str, str]:
        opening, closing = super().written_markers
        return opening, "" if closing == FENCE_MARK else closing  # :class:`Block` reads fences

    # ── reading ──

    @property
    def prose_stoppers(self) -> tuple[str, ...]:
        begins = ("{", "[", "`") if self.bare == "always" else ()
        tags = (tag for pair in self.prose_tags for tag in pair)
        return (*super().prose_stoppers, *tags, *begins)

    def find_calls(self, parser: TurnParser) -> None:
        open_prose = self._open_prose(parser)
        start = parser.at
        super().find_calls(parser)
        if not parser.calls and not parser.has_dropped and self._may_be_bare(parser.text):
            parser.at = start
            self._bare(parser, len(parser.text))
        if open_prose is not None:
            self._close_prose(parser, *open_prose)
        if self.around is not None and parser.calls:
            cut_around(parser, *self.around)
        if self.native:
            parser.repairs[:] = [name for name in parser.repairs if name not in self.native]

    def read_before(self, parser: TurnParser, until: int) -> None:
        if self.bare == "always":
            self._bare(parser, until)

    def _may_be_bare(self, text: str) -> bool:
        """Whether to look for calls that lost their markers: not where the text holds a fallback dialect's marker."""
        if self.bare != "repair":
            return False
        return not any(marker in text for name in self.fallback_dialects for marker in get(name).markers)

    def _open_prose(self, parser: TurnParser) -> tuple[int, str] | None:
        """Cut the marker that opens a prose section; where the section begins, and the marker that closes it."""
        start = after_blanks(parser.text, parser.at)
        for opening, closing in self.prose_tags:
            if parser.text.startswith(opening, start):
                parser.accept(parser.at, start + len(opening))
                return parser.at, closing
        return None

    def _close_prose(self, parser: TurnParser, at: int, closing: str) -> None:
        """Cut the marker that closes the prose section that begins at ``at``: the first one outside of calls."""
        text = parser.text
        for start, end in [*parser.cut_places(), (len(text), len(text))]:
            place = text.find(closing, at, start) if closing else -1
            if place >= 0:
                parser.accept(place, place + len(closing))
                return
            at = max(at, end)

    def call(self, value: Any, tools: ToolIndex, repairs: list[str]) -> list[ToolCall]:
        """The calls that one JSON value holds; names of repairs are added to ``repairs``.

        Raises:
            NotACall: it holds none.
        """
        if self.is_keyed_by_name and type(value) is dict and len(value) == 1:
            ((name, arguments),) = value.items()
            if type(arguments) is dict and name:
                return [ToolCall(declared_name(name, tools, repairs), arguments)]
        call = call_from(
            value,
            self.argument_key,
            tools,
            repairs,
            name_key=self.name_key,
            id_key=self.id_key,
            variants=self.other_keys,
        )
        if (items := call.arguments.get("tool_uses")) and type(items) is list and len(call.arguments) == 1:
            repairs.append("parallel_wrapper")
            return [call for item in items for call in self.call(item, tools, repairs)]
        return [call]

    def calls_of(self, value: Any, tools: ToolIndex, repairs: list[str]) -> tuple[list[ToolCall], str]:
        """The calls in a value, which is one or an object around several, and the prose beside them.

        What else such an object says goes with the first call, as its keys of other meaning do.

        Raises:
            NotACall: it holds none.
        """
        envelope = envelope_of(value)
        if envelope is None:
            return self.call(value, tools, repairs), ""
        repairs.append("openai_envelope")
        calls = [call for item in envelope.items for call in self.call(item, tools, repairs)]
        if envelope.others and calls:
            calls[0].extra = {**envelope.others, **(calls[0].extra or {})}
        return calls, envelope.prose

    @cached_property
    def is_keyed_by_name(self) -> bool:
        """Whether the family's call object has the tool's name as its only key."""
        return self.calls is not None and KEYED_BY_NAME.search(self.calls.call) is not None

    def read_block(self, parser: TurnParser, start: int, at: int) -> None:
        text = parser.text
        tools = parser.tools
        block = Block(parser, at, self.stops, lambda value, made: self.calls_of(value, tools, made)[0], text[start:at])
        close = self.closer_at(text, block.end)
        end = block.end + len(close)
        if not block.values and not block.broken:
            self._without_value(parser, start, at, end, bool(close), block)
            return
        calls: list[tuple[int, ToolCall]] = []
        repairs = block.repairs
        kept = list(block.words)
        words: list[str] = []
        reason = str(block.broken[0][2]) if block.broken else ""
        for value_start, value_end, value in self._joined(block):
            made: list[str] = []
            try:
                found, prose = self.calls_of(value, tools, made)
                calls.extend((value_start, call) for call in found)
                repairs.extend(made)
                words += [prose] if prose else []
            except NotACall as error:
                kept.append((value_start, value_end))
                if len(block.values) > 1 or block.broken:
                    parser.reject(value_start, value_end, str(error))
                else:
                    reason = str(error)
        if not calls:
            parser.charge(FAILED_READ_COST)
            parser.reject(start, end, reason)
            return
        for broken, until, why in block.broken:
            kept.append((broken, until))
            parser.reject(broken, until, str(why))
        repairs += self._of_several(block)
        closed = text[start:at].lstrip().startswith(self.closed)  # a line break before the marker may belong to it
        needed = self.closing == "always" or (self.closing == "optional" and closed)
        if needed and self.all_closes and not close:
            repairs.append("missing_close_tag")
        elif self.closing == "never" and close:
            repairs.append("extra_close_tag")
        if "markdown_fence" in repairs:
            start = _start_of_lead(text, start, parser.at)
        parser.keep(words)
        parser.accept_around(start, end, kept, calls)
        parser.repairs.extend(repairs)

    def _of_several(self, block: Block) -> list[str]:
        """The repair that a block of several objects takes, where the family writes a block for each."""
        several = len(block.values) > 1 and not self.listed
        return ["list_in_block" if block.listed else "several_objects"] * several

    def _joined(self, block: Block) -> list[tuple[int, int, Any]]:
        """The values of a block; an object of a name alone and the object after it, which has none, are one call."""
        values: list[tuple[int, int, Any]] = []
        for start, end, value in block.values:
            before = values[-1][2] if values else {}
            if before.keys() == {self.name_key} and value.keys().isdisjoint((self.name_key, self.argument_key)):
                values[-1] = values[-1][0], end, {**before, self.argument_key: value}
                block.repairs.append("split_call")
            else:
                values.append((start, end, value))
        return values

    def _without_value(self, parser: TurnParser, start: int, at: int, end: int, closed: bool, block: Block) -> None:
        """A marker that no value follows: an empty block, a marker too many, or a marker that prose mentions."""
        parser.charge(FAILED_READ_COST)
        if block.words:
            parser.at = at
        elif block.emptied:  # an empty list means that nothing is called
            parser.accept(start, end)
            if not self.listed:
                parser.repair("empty_block")
        elif closed or (end >= len(parser.text) and not parser.calls):
            parser.reject(start, end, "an empty block" if closed else "the text ends behind the opening marker")
        else:  # another opening marker, or one that stands for a closing one
            parser.accept(start, at)
            parser.repair("extra_open_tag")

    def read_unopened(self, parser: TurnParser, close: int, end: int) -> bool:
        brace = parser.text.find("{", parser.at, close)
        if brace < 0 or not parser.charge(close - brace):
            return False
        stops = (*self.all_closes, *self.all_opens)
        start = _start_of_lead(parser.text, brace, parser.at)
        block = Block(parser, start, stops, lambda value, made: self.calls_of(value, parser.tools, made)[0])
        repairs: list[str] = []
        if block.end == close and block.values and not block.words and not block.broken:
            with suppress(NotACall):
                found = [self.calls_of(value, parser.tools, repairs) for *_, value in block.values]
                prose = "\n".join(words for _, words in found if words)
                parser.accept(start, end, [call for calls, _ in found for call in calls], prose)
                parser.repairs.extend([*block.repairs, *repairs, *self._of_several(block), "missing_open_tag"])
                return True
        parser.charge(FAILED_READ_COST)
        return False

    def _bare(self, parser: TurnParser, until: int) -> None:
        """Calls that begin before ``until`` without any marker."""
        text = parser.text
        start = parser.at
        objects = ObjectReader(
            parser, self.turn_tokens, lambda value, made: self.bare_calls(parser, value, made)[0], is_bare=True
        )
        while (match := OBJECT.search(text, start, until)) is not None:
            brace = match.start()
            if parser.budget <= 0:
                parser.reject(brace, len(text), GAVE_UP)
                return
            try:
                before = text[max(0, brace - 40) : brace].rstrip(" \t")
                reading = objects.read(brace, mend=not before or before[-1] in "\n[,;")
            except lenient_json.Unreadable as error:
                start = self._drop_begun(parser, brace, until, str(error))
                continue
            repairs = list(reading.repairs)
            quoted = text[brace - 1 : brace] == text[reading.end : reading.end + 1] == "`"
            calls, prose = ([], "") if quoted else self.bare_calls(parser, reading.value, repairs)
            if not calls and not prose:
                start = reading.end
                continue
            if parser.calls and self.bare == "repair" and 0 <= parser.find(TURN_START, parser.at) < brace:
                parser.reject(brace, len(text), "it stands in another turn")
                return
            if self.bare == "repair":
                repairs.append("missing_tags")
            start, end = around(text, brace, reading.end, parser.at)
            if (fence := FENCE.match(text, start)) is not None:
                repairs.extend(language_repairs(fence))
                if "markdown_fence" not in parser.repairs:
                    repairs.append("markdown_fence")
            parser.accept(start, end, calls, prose)
            parser.repairs.extend(repairs)
            start = end

    def _drop_begun(self, parser: TurnParser, start: int, until: int, reason: str) -> int:
        """Drop what begins at ``start`` as a call of a declared tool but can't be read; the place to go on from."""
        text = parser.text
        head = CALL_HEAD.match(text, start, until)
        if head is None or head[1] not in parser.tools or text[start - 1 : start] == "`":
            return start + 1
        following = _declared_head(parser, head.end(), until)
        end = len(text[:until].rstrip()) if following is None else following.start()
        parser.reject(start, start + len(text[start:end].rstrip(" \t\r\n,;[")), reason)
        return end

    def bare_calls(self, parser: TurnParser, value: Any, repairs: list[str]) -> tuple[list[ToolCall], str]:
        """The calls and the prose in a value without a marker; neither if it is not shaped like a call."""
        envelope = envelope_of(value)
        if not all(self.shaped(parser, item) for item in ([value] if envelope is None else envelope.items)):
            return [], ""
        try:
            return self.calls_of(value, parser.tools, repairs)
        except NotACall:
            return [], ""

    def shaped(self, parser: TurnParser, value: Any) -> bool:
        """Whether a value without a marker is a call: by shape and name, or as it is just what the family writes."""
        if is_call(value, parser.tools) or parser.lists_calls:
            return True
        return self.bare == "always" and isinstance(value, dict) and value.keys() - {self.id_key} == self._own_keys

    @cached_property
    def _own_keys(self) -> set[str]:
        found = json_object(self.calls.call) if self.calls else None
        return set() if found is None else {*found[1]} - {self.id_key}


def _declared_head(parser: TurnParser, start: int, until: int) -> re.Match[str] | None:
    """The first beginning of a call of a declared tool between ``start`` and ``until``."""
    return next((head for head in CALL_HEAD.finditer(parser.text, start, until) if head[1] in parser.tools), None)


_LEAD = lazy_re(rf"(?:{OPENING}(?:\n\s*)?)?(?:\[\s*)?\Z")
_TAIL = lazy_re(r"\s*+(?:[;,]\s*+(?=\{)|\]\s*+;?)?(?:\s*+```)?")


def around(text: str, start: int, end: int, floor: int) -> tuple[int, int]:
    """Widen a bare call to the punctuation that only holds calls together: list brackets, separators, a fence."""
    after = end_of(_TAIL, text, end)
    return _start_of_lead(text, start, floor), after if text[end:after].strip() else end


def _start_of_lead(text: str, start: int, floor: int) -> int:
    """Where the list bracket or the fence directly before a call begins."""
    lead = _LEAD.search(text, max(floor, start - 40), start)
    return start if lead is None else lead.start()
