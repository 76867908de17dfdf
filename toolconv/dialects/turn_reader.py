"""Reads assistant turns of unknown or mixed origin: each by itself, each block by the dialect that it is in.

A turn that the named dialect reads whole is read by it. Otherwise the markers in the text and the tools that it names
decide. What still looks like a call after that is a dropped call, so that no call is lost without being counted.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from toolconv.core.calls import lists_calls
from toolconv.core.lazy_re import lazy_re
from toolconv.core.notes import Dropped
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.core.work import TooMuchWork, Work
from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.accounting import accounted, remains
from toolconv.dialects.choice.best_reading import (
    DialectReading,
    best_reading,
    exact_reading,
    tolerant_reading,
    with_named,
)
from toolconv.dialects.choice.declared_names import as_declared, needs_names, strip_invisible
from toolconv.dialects.choice.displaced import displaced
from toolconv.dialects.choice.known_slips import OF_PROSE, makes_more, mended
from toolconv.dialects.choice.leaks import mend_names, name_leaks
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.choice.remainder import rest_reader
from toolconv.dialects.grammars.json_blocks import JsonBlocks
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.markers import (
    first_marker,
    marked_dialects,
    markerless_dialects,
    may_show_calls,
    plain_dialect,
    reasoning_dialect,
    rivals,
    tagged_dialects,
)
from toolconv.dialects.lexing.masking import masked, shown_places, unmasked
from toolconv.dialects.lexing.mentions import kind_of
from toolconv.dialects.lexing.plain_text import is_plain
from toolconv.dialects.reading.mending import best_mended, mendings_of_all, shows_no, taken_back
from toolconv.dialects.reading.parts import TurnPart, split
from toolconv.dialects.reading.turn_parser import Parsed, Reasoning, parts_of
from toolconv.dialects.registry import CATCH_ALL, get, registered


class TurnReader(NamedTuple):
    """Reads the assistant turns of rows.

    Attributes:
        named: the dialect that the user names; ``None`` to decide for each turn.
        default: with no dialect named, the one for texts that don't show theirs: they are read in it. ``None`` for
            texts without calls.
        reasoning: the mark that ends the reasoning at the beginning of a text, where the user names it.
        infer: whether values whose type nothing settles get one by their looks; otherwise they stay texts.
    """

    named: Dialect | None = None
    default: Dialect | None = None
    infer: bool = True
    reasoning: Reasoning | None = None

    @property
    def dialect(self) -> Dialect:
        """The dialect of what does not show its own."""
        return self.named or self.default or plain_dialect()

    def read(self, text: str, tools: ToolIndex = NO_TOOLS, *, in_reasoning: bool | None = None) -> Parsed:
        """Read one assistant turn; never raises.

        Args:
            text: the turn as the model wrote it.
            tools: the tools declared to the model.
            in_reasoning: whether the prompt ended inside an opened reasoning block; with ``None`` the text decides.
        """
        exact = self._exact(text, tools, in_reasoning)
        if exact is not None and self.reasoning is None:
            strip_invisible(exact, text)
            if not (exact.reasoning or exact.repairs) and (_is_clean(exact) or mended(text, tools) is None):
                return exact
        try:
            with Work(text):
                if self.reasoning is not None and (found := _leading(text, self.reasoning)) is not None:
                    thoughts, end = found
                    parsed = self._read_all(text[end:], tools, None, self._exact(text[end:], tools))
                    rest = [part.moved(end) for part in parts_of(parsed, text[end:])]
                    parsed.parts = [TurnPart(0, end, "reasoning", thoughts), *rest]
                    parsed.reasoning = "\n".join(filter(None, (thoughts, parsed.reasoning))) or None
                    return parsed
                return self._read_all(text, tools, in_reasoning, exact)
        except TooMuchWork as error:
            return Parsed(text, dropped=[Dropped(str(error), text)])

    def read_prose(self, text: str, in_reasoning: bool | None = None) -> Parsed:
        """Read a turn that holds no calls: its reasoning is split off."""
        return _plain(text, in_reasoning)

    def _read_all(self, text: str, tools: ToolIndex, in_reasoning: bool | None, exact: Parsed | None) -> Parsed:
        """A turn, and what a row has no place for in it. ``exact`` is what :meth:`_exact` reads.

        If words that a stream has given out look like the name of a call, or a damaged marker, once more of the text is
        known, they stay words: then the named dialect's own reading counts.
        """
        parsed, alone = self._read_turn(text, tools, in_reasoning, exact)
        if self.named is not None and not (alone and not parsed.repairs):
            from toolconv.dialects.live.turn import LiveTurn  # which exact turns do not need

            turn = LiveTurn(self.named, tools, in_reasoning, self.read_alone)
            turn.feed(text)
            if not turn.begins(parsed):
                parsed = self._read_own(self.named, text, tools, in_reasoning)
        if parsed.parts is not None or parsed.reasoning:
            dialect = get(parsed.dialect) if parsed.dialect else self.dialect
            parsed.displaced = displaced(
                parsed, text, tools, dialect, lambda part: self._read_part(part, tools, None)[0]
            )
        return parsed

    def _read_own(self, named: Dialect, text: str, tools: ToolIndex, in_reasoning: bool | None) -> Parsed:
        """The named dialect's reading of a turn, with no markup mended; the calls that it leaves are dropped ones."""
        shown = shown_places(text, tools) if self._shows_signs() else []
        read = masked(text, shown)
        parsed = accounted(named.parse_own(read, tools, in_reasoning, mend=False), tools, named)
        return _unmasked(parsed, read, shown)

    def read_alone(self, text: str, tools: ToolIndex, in_reasoning: bool | None) -> Parsed | None:
        """The reading of a turn in the named dialect; ``None`` if that leaves anything unread."""
        parsed, alone = self._read_part(text, tools, in_reasoning, others=False)
        return parsed if alone else None

    def _read_part(
        self, text: str, tools: ToolIndex, in_reasoning: bool | None, *, others: bool = True
    ) -> tuple[Parsed, bool]:
        """A part of a turn, or all of it, as :meth:`_read_turn`."""
        return self._read_turn(text, tools, in_reasoning, self._exact(text, tools, in_reasoning), others=others)

    def _read_turn(
        self, text: str, tools: ToolIndex, in_reasoning: bool | None, exact: Parsed | None, *, others: bool = True
    ) -> tuple[Parsed, bool]:
        """A turn, and whether the named dialect reads all of it; if not, ``others`` may.

        Without others the reading is only good for a turn that the named dialect reads alone. ``exact`` is what
        :meth:`_exact` reads.
        """
        parsed, alone = self._read_as_is(text, tools, in_reasoning, exact, others=others)
        strip_invisible(parsed, text)
        if (not others and not alone) or (exact is not None and _is_clean(exact)):
            return parsed, alone
        if (turn := mended(text, tools)) is None:
            return parsed, alone
        exact = self._exact(turn.text, tools, in_reasoning)
        again, _ = self._read_as_is(turn.text, tools, in_reasoning, exact, others=others)
        finds_nothing = not again.calls and again.reasoning is None and not OF_PROSE.issuperset(turn.repairs)
        if finds_nothing or not makes_more(again, parsed, tools):
            return parsed, alone
        return taken_back(again, len(text), turn, turn.repairs), False

    def _read_as_is(
        self, text: str, tools: ToolIndex, in_reasoning: bool | None, exact: Parsed | None, *, others: bool
    ) -> tuple[Parsed, bool]:
        """A turn without a look at known slips, as :meth:`_read_turn`."""
        if exact is not None:
            return exact, self.named is not None
        tools = self._typed(tools)
        if not in_reasoning and self._is_plain(text, tools):
            return Parsed(text), self.named is not None
        shown = shown_places(text, tools, plain_fences=self.named is None) if self._shows_signs() else []
        if shown and not in_reasoning:
            shown = _outside_values(shown, text, tools)
        read = masked(text, shown)
        if shown and not in_reasoning and self._is_plain(read, tools):
            return _unmasked(Parsed(read), read, shown), self.named is not None
        parsed, alone = self._read(read, tools, in_reasoning, others=others)
        if not others and not alone:
            return parsed, False
        dropped = len(parsed.dropped)
        parsed = accounted(parsed, tools, self.named or self.default)
        alone = alone and len(parsed.dropped) == dropped
        parsed = as_declared(_unmasked(parsed, read, shown) if shown else parsed, tools)
        if self.named is not None and parsed.repairs and not parsed.dropped and parsed.calls:
            _discard_false_repairs(parsed, text, self.named)
        return name_leaks(mend_names(parsed, text, tools), text), alone

    def _typed(self, tools: ToolIndex) -> ToolIndex:
        """The tools, with what the reader does about values without a type."""
        return tools if self.infer or not tools.infer else ToolIndex(tools.tools, infer=False)

    def _is_plain(self, text: str, tools: ToolIndex) -> bool:
        """Whether a turn is only prose, with nothing in it that may be left of a call."""
        return self._shows_signs() and is_plain(text, tools) and not remains(text, self.named or self.default)

    def _shows_signs(self) -> bool:
        """Whether it is known what calls look like: nothing is of a dialect that is only a response schema."""
        dialect = self.named or self.default
        return dialect is None or (dialect in registered() and (dialect.calls is not None or bool(dialect.markers)))

    def _exact(self, text: str, tools: ToolIndex, in_reasoning: bool | None = None) -> Parsed | None:
        """A turn that is what the dialect writes, with no call left in its prose; ``None`` for any other."""
        dialect = self.named or self.default
        if dialect is None or in_reasoning:
            return None
        tools = self._typed(tools)
        exact = dialect.parse_exact(text, tools)
        if exact is None or (exact.content and unread_calls(exact.content, tools)):
            return None
        if self.named is None:
            if not exact.calls:
                return None if exact.reasoning or may_show_calls(text) else exact
            if not exact.has_plain_edges or _is_contested(text, dialect, tools):
                return None
            exact.dialect, exact.assumed = dialect.name, _lacks_markers(text, exact, dialect, tools)
        for call in exact.calls:
            if "tool_uses" in call.arguments and call.name not in tools:
                return None  # it wraps calls
            if needs_names(call, tools):
                exact = mend_names(as_declared(exact, tools), text, tools)
                break
        else:
            if "[TOOL_CALLS]" in dialect.markers and tools:
                exact = mend_names(exact, text, tools)
        return name_leaks(exact, text) if exact.calls else exact

    def _read(self, text: str, tools: ToolIndex, in_reasoning: bool | None, *, others: bool) -> tuple[Parsed, bool]:
        """A turn by the named dialect, else by those that it shows, else by the default; and whether the first did."""
        named, default = self.named, self.default
        readings = Readings(text, tools, in_reasoning)
        if named is not None:
            parsed = readings.parse(named)
            if not parsed.dropped and not unread_calls(parsed.content, tools):
                return parsed, True
            if not others or named.alone:
                return parsed, named.alone
            best = _detected(text, readings, named)
            own = _read_between_markers(named, text, readings)
            if own is not None and not (best is not None and all(call in best.parsed.calls for call in own.calls)):
                return _with_remainder(DialectReading(named, own), text, readings, named), False
            if best is None or not best.parsed.calls or not _keeps_reasoning(best.parsed, parsed):
                best = DialectReading(named, parsed)
            same = (best.parsed.calls, best.parsed.content) == (parsed.calls, parsed.content)
            if same and len(best.parsed.dropped) == len(parsed.dropped):
                best = DialectReading(named, parsed)
            return _with_remainder(best, text, readings, named), False
        if may_show_calls(text):
            best = _detected(text, readings)
            if best is not None:
                return _with_remainder(best, text, readings, None), False
        if default is None:
            parsed = _plain(text, in_reasoning)
        else:
            parsed = default.parse(text, tools, in_reasoning=in_reasoning)
        if default is not None and parsed.calls:
            parsed.dialect, parsed.assumed = default.name, True
        elif unread_calls(text, tools):
            parsed = _with_remainder(DialectReading(plain_dialect(), Parsed(text)), text, readings, None)
            for call in parsed.calls:
                call.dialect = call.dialect or CATCH_ALL[0]
        elif not parsed.dropped and text.lstrip().startswith("<think>"):  # which belongs to no dialect
            parsed = _plain(text, in_reasoning)
        return parsed, False


def _read_between_markers(named: Dialect, text: str, readings: Readings) -> Parsed | None:
    """The named dialect's own reading, if its markers hold calls that need no repair: these are calls of its own.

    Whatever else the text holds, in another dialect or damaged, does not change what they are.
    """
    if not any(marker in text for marker in named.markers):
        return None
    own = readings.of(named, text)
    if not own.calls or own.repairs or named.leaves_reasoning(own):
        return None
    left = [own.content[sign.start : sign.end] for sign in unread_calls(own.content, readings.tools)]
    only_closes = bool(left) and not own.dropped and all(kind_of(tag) == "close" for tag in left)
    return None if only_closes else own  # a tag too many, which another dialect may know


def _keeps_reasoning(parsed: Parsed, own: Parsed) -> bool:
    """Whether a reading by another dialect has the reasoning that the named dialect found, up to a marker in it."""
    thoughts = own.reasoning or ""
    marker = first_marker(thoughts)
    return (parsed.reasoning or "").startswith(thoughts if marker < 0 else thoughts[:marker].rstrip())


def _leading(text: str, mark: Reasoning) -> tuple[str, int] | None:
    """The reasoning at the beginning of a text, and where the rest begins; ``None`` if a mark does not end it."""
    close = text.find(mark.close)
    if close < 0:
        return None
    start = len(text) - len(text.lstrip())
    start = start + len(mark.open) if text.startswith(mark.open, start) else 0
    if text.find(mark.open, start, close) >= 0:
        return None
    end = close + len(mark.close)
    while text.startswith("\n", end):
        end += 1
    return text[start:close].strip("\n"), end


def _discard_false_repairs(parsed: Parsed, text: str, named: Dialect) -> None:
    """Discard the repairs of a reading if the named dialect renders this exact text, except those that warn of a value.

    Prose and values may hold whatever makes the text look damaged, or another dialect's.
    """
    if named.round_trips(text, parsed):
        marked = any("<" in str(value) for call in parsed.calls for value in call.arguments.values())
        kept = ("odd_name", "markup_in_value") if marked else ("odd_name",)
        parsed.repairs = [name for name in parsed.repairs if name in kept]
        parsed.dialect = None


_MARKUP: Final = frozenset("<{[(&\\")
"""What slips of markup are made of, in ASCII."""


def _is_clean(parsed: Parsed) -> bool:
    """Whether a turn holds calls, and what is left of it holds nothing of markup."""
    if not parsed.calls or parsed.reasoning:
        return False
    return not parsed.content or (parsed.content.isascii() and _MARKUP.isdisjoint(parsed.content))


def _is_contested(text: str, default: Dialect, tools: ToolIndex) -> bool:
    """Whether a text that ``default`` reads exactly is the text of a dialect that detection asks before it."""
    for other in rivals(default):
        exact = other.parse_exact(text, tools)
        if exact is not None and exact.calls:
            return True
    return False


def _lacks_markers(text: str, parsed: Parsed, dialect: Dialect, tools: ToolIndex) -> bool:
    """Whether a text with calls holds neither a marker of its dialect nor the name of a declared tool."""
    return not any(marker in text for marker in dialect.markers) and parsed.calls[0].name not in tools


def _detected(text: str, readings: Readings, named: Dialect | None = None) -> DialectReading | None:
    """The best reading by the dialects that the text shows and the ``named`` one, with its markup mended if need be.

    ``None`` if it shows none.
    """
    tools, is_opened = readings.tools, readings.opened(text)
    marked = with_named(named, marked_dialects(text))
    if not is_opened and (exact := exact_reading(text, tools, marked, named)) is not None:
        return exact
    mendings = mendings_of_all(registered())
    if not is_opened and (turn := mendings.spelt(text)) is not None:
        exact = exact_reading(turn.text, tools, marked_dialects(turn.text))
        if exact is not None and shows_no(turn.markers, exact.parsed):
            return exact._replace(parsed=taken_back(exact.parsed, len(text), turn, turn.repairs), exact=False)
    best = _detected_as_is(text, readings, tolerant_reading(text, readings, marked, named), named)
    tried = {} if best is None else {id(best.parsed): best}

    def read(mended: str) -> Parsed:
        others = Readings(mended, tools, readings.in_reasoning)
        found = _detected_as_is(mended, others, best_reading(mended, others, marked_dialects(mended)))
        if found is None:
            return Parsed(mended)
        tried[id(found.parsed)] = found
        return found.parsed

    parsed = Parsed(text) if best is None else best.parsed
    parsed = best_mended(parsed, len(text), mendings.of(text, parsed), tools, read)
    return tried.get(id(parsed))


def _detected_as_is(
    text: str, readings: Readings, marked: DialectReading | None, named: Dialect | None = None
) -> DialectReading | None:
    """The best reading of a text as it stands: ``marked``, by the dialects whose markers it has, if there is one.

    Otherwise by those that write calls without a marker, or that have some other tag in it.
    """
    if marked is not None and (marked.parsed.calls or named is None):
        return marked
    if (
        marked is not None
        and marked.parsed.dropped
        and isinstance(named, JsonBlocks)
        and named in marked_dialects(text)
    ):
        return marked  # what follows its marker is broken for all that read JSON
    tools, best, bare = readings.tools, None, None
    if not tools and lists_calls(text, tools):
        best = best_reading(text, readings, (plain_dialect(),))
        if best is not None and best.parsed.calls:
            return best
    if _LIST_OF_CALLS.match(text) and text.rstrip().endswith(")]"):
        bare = best_reading(text, readings, markerless_dialects(text))
        if bare is not None and _fills(bare.parsed):
            return bare
        bare = None
    if tools and _names_tool(text, tools):
        bare = best_reading(text, readings, markerless_dialects(text))
        bare = bare if bare is not None and _is_plausible(bare, text, tools) else None
        if bare is not None and bare.parsed.calls and not bare.parsed.repairs and not bare.parsed.dropped:
            return bare
    if unread_calls(text, tools):
        best = best_reading(text, readings, tagged_dialects(text))
    if bare is not None and (best is None or len(bare.parsed.calls) > len(best.parsed.calls)):
        return bare
    if best is not None and best.parsed.calls:
        return best
    dialect = None if readings.in_reasoning else reasoning_dialect(text)
    return None if dialect is None else DialectReading(dialect, dialect.parse_own(text, tools))


_LIST_OF_CALLS: Final = lazy_re(r"\s*\[\s*[^\W\d][\w.]{0,127}\((?:[^\W\d]\w{0,63}\s?=(?!=)|\))")
"""A list that begins with a call in Python whose arguments have names."""


def _fills(parsed: Parsed) -> bool:
    """Whether a reading of a turn in Python leaves nothing but its calls, and needs no repair for them."""
    whole = not parsed.content and not parsed.dropped and not parsed.reasoning
    return bool(parsed.calls) and whole and all(name == "python_literal" for name in parsed.repairs)


def _names_tool(text: str, tools: ToolIndex) -> bool:
    """Whether a text may hold a call of a declared tool that has no marker."""
    return any(name in text for name in tools.functions)


def _is_plausible(best: DialectReading, text: str, tools: ToolIndex) -> bool:
    """Whether calls without a marker are calls: of declared tools, and not a line of code in a sentence."""
    if not all(call.name in tools for call in best.parsed.calls):
        return False
    if best.exact or not best.parsed.content or isinstance(best.dialect, JsonBlocks):
        return True
    if text.lstrip().startswith(("[", "{")) and text.rstrip().endswith(("]", "}")):
        return True
    first = re.escape(best.parsed.calls[0].name) if best.parsed.calls else ""
    if text.rstrip().endswith(")]") and re.search(rf"\w:? \[{first}\(", text) is not None:
        return True  # words lead to a list that ends the turn
    return re.search(rf"(?:^|>)[ \t\[]*+{first}[(\n]", text, re.MULTILINE) is not None


def _plain(text: str, in_reasoning: bool | None) -> Parsed:
    """A text without calls, its reasoning split off."""
    if in_reasoning or "<" in text:
        parsed = plain_dialect().parse_own(text, NO_TOOLS, in_reasoning)
        if not parsed.calls and not parsed.dropped:
            return parsed
    return Parsed(text)


def _outside_values(shown: list[tuple[int, int]], text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places of ``shown`` that are not inside of a call, if a turn is read exactly: those inside are in values."""
    exact = exact_reading(text, tools, tuple(marked_dialects(text)))
    if exact is None:
        return shown
    calls = [part for part in parts_of(exact.parsed, text) if part.kind == "call"]
    return [place for place in shown if not any(call.start < place[0] and place[1] <= call.end for call in calls)]


def _unmasked(parsed: Parsed, text: str, shown: list[tuple[int, int]]) -> Parsed:
    """A reading of ``text``, in which the markers at ``shown`` were masked, with the markers."""
    parts = parts_of(parsed, text)
    parsed.content, parsed.reasoning = unmasked(parsed.content), unmasked(parsed.reasoning)
    for call in parsed.calls:
        call.name, call.arguments = unmasked(call.name), unmasked(call.arguments)
    parsed.dropped = [Dropped(each.reason, unmasked(each.text)) for each in parsed.dropped]
    parsed.parts = list(_with_shown(parts, deque(shown)))
    return parsed


def _with_shown(parts: Iterable[TurnPart], shown: deque[tuple[int, int]]) -> Iterator[TurnPart]:
    """The parts of a text, with their markers; what is shown in prose is a part of its own."""
    for part in parts:
        part.text = unmasked(part.text)
        while shown and shown[0][1] <= part.start:
            shown.popleft()
        inner = []
        while shown and shown[0][0] < part.end:
            start, end = shown[0]
            if end > part.end:
                shown[0] = part.end, end
            else:
                shown.popleft()
            start, end = max(start, part.start), min(end, part.end)
            inner.append(TurnPart(start, end, "shown", part.text[start - part.start : end - part.start]))
        plain = part.kind == "prose" and len(part.text) == part.end - part.start
        yield from split(part, inner) if plain else [part]


def _with_remainder(best: DialectReading, text: str, readings: Readings, named: Dialect | None) -> Parsed:
    """A reading with what its dialect leaves as prose read by other dialects, or counted as dropped."""
    dialect, parsed = best.dialect, best.parsed
    if unread_calls(parsed.content, readings.tools):
        rest = rest_reader(dialect, readings)
        parsed = dialect.parse_own(text, readings.tools, readings.in_reasoning, rest=rest)
    if named is None:
        parsed.dialect = dialect.name
    elif dialect is not named:
        parsed.dialect = dialect.name
        parsed.repairs.append("other_dialect")
    return parsed
