"""Reads assistant turns of unknown or mixed origin: each by itself, each block by the dialect that it is in.

A turn that the named dialect reads whole is read by it. Otherwise the markers in the text and the tools that it names
decide. What still looks like a call after that is a dropped call, so that no call is lost without being counted.

The way of a turn, each step for those that the one before does not settle:

1. ``reading/exact.py``: the text is what the dialect writes.
2. ``lexing/plain_text.py``: nothing in it may be a call.
3. ``choice/shown.py``: markup that the text only shows is hidden from the next steps.
4. ``reading/turn_parser.py`` and a grammar: the named dialect reads the text.
5. ``choice/named.py``, ``choice/detected.py``: the dialects that the text shows read it, as it is and with its markup
   mended (``reading/mending.py``). ``choice/candidates.py`` says which of them are asked and in what order,
   ``choice/best_reading.py`` what each reading is worth and which is taken, and ``choice/remainder.py`` reads its rest.
6. ``choice/accounting.py``: what still looks like a call is a dropped call. With no dialect named, calls that the text
   displays between its paragraphs (``choice/shown.py``) are hidden, too, and it takes steps 5 and 6 again.
7. ``choice/names.py``: names are mended.
8. ``choice/known_slips.py``: a text with a slip of real models takes steps 1 to 7 again, mended; so does one whose
   calls are between the markers of another format (``choice/wrappers.py``).
9. ``choice/displaced.py``: what a row has no place for is named.
"""

from __future__ import annotations

from typing import NamedTuple

from toolconv.core.notes import Dropped
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.core.work import TooMuchWork, Work
from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.accounting import accounted, in_blocks
from toolconv.dialects.choice.best_reading import DialectReading
from toolconv.dialects.choice.detected import detected
from toolconv.dialects.choice.displaced import calls_told_of, displaced
from toolconv.dialects.choice.known_slips import OF_PROSE, leaves_nothing, makes_more, may_hold_slips, mended
from toolconv.dialects.choice.named import with_others
from toolconv.dialects.choice.names import is_damaged, mend_names, name_leaks, needs_names
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.choice.remainder import with_remainder
from toolconv.dialects.choice.shown import displayed, hidden
from toolconv.dialects.choice.wrappers import leaves_words, may_be_wrapped, shown_in, unwrapped
from toolconv.dialects.lexing.call_signs import unread_calls
from toolconv.dialects.lexing.markers import (
    asked_before,
    may_show_calls,
    plain_dialect,
)
from toolconv.dialects.lexing.masking import shown_places
from toolconv.dialects.lexing.plain_text import is_plain
from toolconv.dialects.reading.mending import Mending, taken_back
from toolconv.dialects.reading.parts import TurnPart
from toolconv.dialects.reading.turn_parser import THINK, Parsed, Reasoning, parts_of
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
        exact = self.exact(text, tools, in_reasoning)
        is_plain = exact is not None and not (exact.reasoning or exact.repairs or self.reasoning)
        if (
            exact is not None
            and is_plain
            and (_is_clean(exact) or (not _may_show(exact) and mended(text, tools) is None))
        ):
            return exact
        try:
            with Work(text):
                if self.reasoning is not None and (found := _leading(text, self.reasoning)) is not None:
                    return self._read_after(*found, text, tools)
                parsed = self._read_all(text, tools, in_reasoning, exact)
                if _thinks_of_calls(parsed, text) and (found := _leading(text, THINK)) is not None:
                    return self._read_after(*found, text, tools)
                return parsed
        except TooMuchWork as error:
            return Parsed(text, dropped=[Dropped(str(error), text)])

    def _read_after(self, thoughts: str, end: int, text: str, tools: ToolIndex) -> Parsed:
        """A turn that begins with reasoning, up to ``end``."""
        rest = text[end:]
        parsed = self._read_turn(rest, tools, None, self.exact(rest, tools))
        moved = [part.moved(end) for part in parts_of(parsed, rest)]
        parsed.parts = [TurnPart(0, end, "reasoning", thoughts), *moved]
        parsed.reasoning = "\n".join(filter(None, (thoughts, parsed.reasoning))) or None
        return self._with_displaced(parsed, text, tools)

    def read_prose(self, text: str, in_reasoning: bool | None) -> Parsed:
        """Read a turn that holds no calls: its reasoning is split off."""
        return _plain(text, in_reasoning)

    def _read_all(self, text: str, tools: ToolIndex, in_reasoning: bool | None, exact: Parsed | None) -> Parsed:
        """A turn, and what a row has no place for in it. ``exact`` is what :meth:`exact` reads."""
        return self._with_displaced(self._read_turn(text, tools, in_reasoning, exact), text, tools)

    def _with_displaced(self, parsed: Parsed, text: str, tools: ToolIndex) -> Parsed:
        """A reading that names what a row has no place for."""
        is_told = parsed.parts is not None or parsed.reasoning or _may_show(parsed)
        if is_told or not (parsed.calls or parsed.dropped):
            dialect = get(parsed.dialect) if parsed.dialect else self.dialect
            parsed.displaced = displaced(parsed, text, tools, dialect, lambda part: self._read_part(part, tools))
        return parsed

    def _read_part(self, text: str, tools: ToolIndex) -> Parsed:
        """A part of a turn, as :meth:`_read_turn`."""
        return self._read_turn(text, tools, None, self.exact(text, tools))

    def _read_turn(self, text: str, tools: ToolIndex, in_reasoning: bool | None, exact: Parsed | None) -> Parsed:
        """A turn as it is, or mended if that reads better. ``exact`` is what :meth:`exact` reads."""
        parsed = self._read_as_is(text, tools, in_reasoning, exact)
        if (exact is not None and _is_clean(exact)) or leaves_nothing(parsed, tools):
            return parsed
        turn = mended(text, tools)
        if turn is not None and (more := self._more_of(turn, text, tools, in_reasoning, parsed)):
            parsed = more
        else:
            turn = Mending(text, [], set())
        bare = unwrapped(turn, tools, shown_in(parsed, len(text), turn)) if may_be_wrapped(parsed) else None
        if (
            bare is not None
            and (more := self._more_of(bare, text, tools, in_reasoning, parsed))
            and not leaves_words(more, text, bare)
        ):
            parsed = more
        return parsed

    def _more_of(
        self, turn: Mending, text: str, tools: ToolIndex, in_reasoning: bool | None, parsed: Parsed
    ) -> Parsed | None:
        """The reading of a mended turn; ``None`` if it makes no more of the turn than ``parsed``."""
        again = self._read_as_is(turn.text, tools, in_reasoning, self.exact(turn.text, tools, in_reasoning))
        finds_nothing = not again.calls and again.reasoning is None and not OF_PROSE.issuperset(turn.repairs)
        if finds_nothing or not makes_more(again, parsed, tools):
            return None
        return taken_back(again, len(text), turn, turn.repairs)

    def _read_as_is(self, text: str, tools: ToolIndex, in_reasoning: bool | None, exact: Parsed | None) -> Parsed:
        """A turn without a look at known slips, as :meth:`_read_turn`."""
        if exact is not None:
            return exact
        tools = self._typed(tools)
        if not in_reasoning and self._is_plain(text, tools):
            return Parsed(text)
        shown = shown_places(text, tools, plain_fences=self.named is None) if self._shows_signs() else []
        turn = hidden(text, shown)
        if shown and not in_reasoning and self._is_plain(turn.text, tools):
            return turn.back_in(Parsed(turn.text))
        parsed = self._read(turn.text, tools, in_reasoning)
        if shown and len(places := turn.but_in_names(parsed)) < len(shown):
            turn = hidden(text, places)
            parsed = self._read(turn.text, tools, in_reasoning)
        parsed = accounted(parsed, tools)
        is_nothing = not parsed.calls and not parsed.dropped
        calls = displayed(parsed, turn.text, tools) if self.named is None or is_nothing else []
        if calls:
            turn = turn.without(calls)
            parsed = accounted(self._read(turn.text, tools, in_reasoning), tools)
        elif is_nothing:
            parsed = in_blocks(parsed, turn.text, tools)
        parsed = mend_names(turn.back_in(parsed), text, tools)
        if self.named is not None and parsed.repairs and not parsed.dropped and parsed.calls:
            _discard_false_repairs(parsed, text, self.named)
        return name_leaks(parsed, text)

    def _typed(self, tools: ToolIndex) -> ToolIndex:
        """The tools, with what the reader does about values without a type."""
        return tools if self.infer else ToolIndex(tools.tools, infer=False)

    def _is_plain(self, text: str, tools: ToolIndex) -> bool:
        """Whether a turn is only prose, with nothing in it that may be left of a call."""
        return self._shows_signs() and is_plain(text, tools)

    def _shows_signs(self) -> bool:
        """Whether it is known what calls look like: nothing is of a dialect that is only a response schema."""
        dialect = self.named or self.default
        return dialect is None or (dialect in registered() and (dialect.calls is not None or bool(dialect.markers)))

    def exact(self, text: str, tools: ToolIndex = NO_TOOLS, in_reasoning: bool | None = None) -> Parsed | None:
        """A turn that is what the dialect writes, with no call left in its prose; ``None`` for any other."""
        dialect = self.named or self.default
        if dialect is None or in_reasoning:
            return None
        tools = self._typed(tools)
        exact = dialect.parse_exact(text, tools)
        if exact is None or (exact.content and _tells(exact.content, tools)):
            return None
        if self.named is None:
            if not exact.calls:
                return None if exact.reasoning or may_show_calls(text) else exact
            if not exact.has_plain_edges or _is_contested(text, exact, dialect, tools):
                return None
            exact.dialect, exact.assumed = dialect.name, _lacks_markers(text, exact, dialect, tools)
        for call in exact.calls:
            if needs_names(call, tools):
                if self.named is None or is_damaged(call.name, text, tools):
                    return None  # dots, or words that explain a call, may stand for its name
                exact = mend_names(exact, text, tools)
                break
        return name_leaks(exact, text) if exact.calls else exact

    def _read(self, text: str, tools: ToolIndex, in_reasoning: bool | None) -> Parsed:
        """A turn by the named dialect, else by those that it shows, else by the default."""
        named, default = self.named, self.default
        readings = Readings(text, tools, in_reasoning)
        if named is not None:
            parsed = readings.parse(named)
            is_whole = not parsed.dropped and not unread_calls(parsed.content, tools)
            return parsed if is_whole or named.alone else with_others(named, parsed, text, readings)
        if may_show_calls(text):
            best = detected(text, readings)
            if best is not None:
                return with_remainder(best, text, readings, None)
        if default is None:
            parsed = _plain(text, in_reasoning)
        else:
            parsed = default.parse(text, tools, in_reasoning=in_reasoning)
        if default is not None and parsed.calls:
            parsed.dialect, parsed.assumed = default.name, True
        elif unread_calls(text, tools):
            parsed = with_remainder(DialectReading(plain_dialect(), Parsed(text)), text, readings, None)
            for call in parsed.calls:
                call.dialect = call.dialect or CATCH_ALL[0]
        elif not parsed.dropped and text.lstrip().startswith("<think>"):  # which belongs to no dialect
            parsed = _plain(text, in_reasoning)
        return parsed


def _may_show(parsed: Parsed) -> bool:
    """Whether a turn may show a call in a code block, next to those it makes."""
    return bool(parsed.calls) and "```" in parsed.content


def _thinks_of_calls(parsed: Parsed, text: str) -> bool:
    """Whether a reading has a call before the end of ``<think>``: its family marks reasoning otherwise."""
    if not text.lstrip().startswith(THINK.open):
        return False
    end = text.find(THINK.close)
    return any(part.kind in ("call", "dropped") and part.end <= end for part in parsed.parts or ())


def _tells(text: str, tools: ToolIndex) -> bool:
    """Whether prose may hold calls, or tells of one."""
    return bool(unread_calls(text, tools) or calls_told_of(text, tools))


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


def _is_clean(parsed: Parsed) -> bool:
    """Whether a turn holds calls, and no slip can be in what is left of it."""
    return bool(parsed.calls) and not parsed.reasoning and not (parsed.content and may_hold_slips(parsed.content))


def _is_contested(text: str, exact: Parsed, default: Dialect, tools: ToolIndex) -> bool:
    """Whether a dialect that detection asks before ``default`` reads calls in a text exactly, but otherwise."""
    readings = (other.parse_exact(text, tools) for other in asked_before(default, text))
    return any(read is not None and read.calls and read != exact for read in readings)


def _lacks_markers(text: str, parsed: Parsed, dialect: Dialect, tools: ToolIndex) -> bool:
    """Whether a text with calls holds neither a marker of its dialect nor the name of a declared tool."""
    return not any(marker in text for marker in dialect.markers) and parsed.calls[0].name not in tools


def _plain(text: str, in_reasoning: bool | None) -> Parsed:
    """A text without calls, its reasoning split off."""
    if in_reasoning or "<" in text:
        parsed = plain_dialect().parse_own(text, NO_TOOLS, in_reasoning)
        if not parsed.calls and not parsed.dropped:
            return parsed
    return Parsed(text)
