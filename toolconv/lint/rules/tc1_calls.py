"""TC1xx: calls as a whole: empty, repeated, or not readable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolconv import dialects
from toolconv.core import jsontext
from toolconv.core.calls import NotACall
from toolconv.core.lazy_re import lazy_re
from toolconv.core.notes import Notes
from toolconv.dialects.base import Dialect
from toolconv.dialects.choice.accounting import UNREAD
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.turn_reader import TurnReader
from toolconv.layouts.bare_calls import call_values, read_calls
from toolconv.layouts.base import LayoutError
from toolconv.layouts.turn_list import TurnList
from toolconv.lint.engine.habits import OTHER_MARKUP, OWN_WAYS, READ, is_own_way, is_unread
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Edit, Finding, Once
from toolconv.lint.model.markup import empty_block_in
from toolconv.lint.model.row import LintRow
from toolconv.lint.model.turns import LintTurn
from toolconv.lint.names import shown
from toolconv.lint.rule import AssistantRule, RowRule, rule

_CHANCE = lazy_re(
    r"random|dice\b|shuffle|lottery|flip_?coin|coin_?(?:flip|toss)|(?:flip|toss)\w{0,40}+ (?:of )?a coin", re.I
)

NO_CALL_REPAIRS = frozenset({"leaked_token", "unclosed_reasoning", "unopened_reasoning"})
"""Repairs of a turn that don't concern its calls."""


@rule("TC114", "empty-call", "error", guards=("unfit", "malformed"), fix="safe")
class EmptyCall(RowRule):
    """An empty list of calls, or a call block without a call.

    Anti-pattern: ``tool_calls: []`` on every turn; padding with null.

    Why it hurts: several templates write call markup whenever the key is present, and the model learns to write empty
    calls.

    Best practice: omit ``tool_calls`` on turns without calls.

    Bad: ``{"role": "assistant", "content": "Hello!", "tool_calls": []}``

    Good: ``{"role": "assistant", "content": "Hello!"}``

    Fix: removes an empty ``tool_calls``, and empty items next to calls; a block in a text stays.

    Source: chat templates that test ``is defined``; OpenAI's API rejects an empty list.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        for turn in row.turns:
            if turn.role != "assistant":
                continue
            message = row.look(turn.pointer) if row.own_messages is None else None  # whose calls are not empty
            items = message.get("tool_calls") if isinstance(message, dict) else None
            pointer = f"{turn.pointer}/tool_calls"
            if isinstance(items, list):
                empty = [index for index, item in enumerate(items) if not item]
                if len(empty) == len(items):
                    edit = Edit(pointer, remove=True)
                    report = f"tool_calls is {shown(items)}, expected calls, or no such key"
                    yield self.finding(row, pointer, report, edit)
                elif empty:
                    edit = Edit(pointer, [item for item in items if item])
                    yield self.finding(row, pointer, f"{len(empty)} of {len(items)} calls are empty", edit)
            elif turn.message in row.parsed and (block := empty_block_in(turn.raw_text)) is not None:
                place = row.text_pointer(turn.message)
                yield self.finding(row, place, f"{shown(block)}: a call block without a call")


@rule("TC115", "duplicate-call", "warning", guards=("repeated",))
class DuplicateCall(AssistantRule):
    """The same call twice in one turn.

    Anti-pattern: turns merged twice; generators that repeat themselves.

    Why it hurts: the model learns to repeat calls; the tool's work and its side effects happen twice.

    Best practice: keep one call and one response.

    Bad: ``get_weather(city="Rome")`` and ``get_weather(city="Rome")`` in one turn

    Good: one of them

    Not reported are calls of a tool that draws at random by its name or description, such as ``roll_dice``, and calls
    without arguments that have different responses.

    Source: xLAM and BFCL outputs; parallel calls are for different arguments.
    """

    def check(self, row: LintRow, turn: LintTurn) -> Iterator[Finding]:
        seen: dict[tuple[str, bytes], LintCall] = {}
        chance: dict[str, bool] = {}
        differ: dict[str, bool] = {}
        for call in turn.calls if len(turn.calls) > 1 else ():
            name = call.name
            if not isinstance(name, str):
                continue
            first = seen.setdefault((name, jsontext.dumps(call.arguments)), call)
            if first is call:
                continue
            if name not in chance:
                empty = [each for each in turn.calls if each.name == name and not each.arguments]
                chance[name], differ[name] = _is_chance(row, name), _responses_differ(row, empty)
            if not chance[name] and (call.arguments or not differ[name]):
                message = f"the same call of {name} as call {first.index} of this turn, arguments and all"
                yield self.finding(row, call.pointer, message)


def _is_chance(row: LintRow, name: str) -> bool:
    """Whether a tool gives another result each time, by its name or description."""
    function = row.index.functions.get(name, {})
    return _CHANCE.search(f"{name} {function.get('description', '')}") is not None


def _responses_differ(row: LintRow, calls: list[LintCall]) -> bool:
    """Whether these calls of a turn have different responses."""
    pointers = {call.pointer for call in calls}
    rounds = row.pairing.rounds
    answers = (answer for each in rounds for answer in each.answers if answer.call.pointer in pointers)
    return len({jsontext.dumps(answer.response.content) for answer in answers}) > 1


def _dialect_of(reader: TurnReader, parsed: Parsed, text: str) -> Dialect:
    """The dialect that a damaged text was written in: the input's, unless only another has a marker in the text."""
    if reader.named is None and parsed.dialect is not None:
        other = dialects.get(parsed.dialect)
        if any(map(text.__contains__, other.markers)) and not any(map(text.__contains__, reader.dialect.markers)):
            return other
    return reader.dialect


@rule("TC122", "malformed-call", "error", guards=("malformed",), fix="unsafe")
class MalformedCall(RowRule):
    """A call in a text that strict parsers can't read.

    Anti-pattern: raw model output used as training data: extra commas, Python quotes, unclosed tags.

    Why it hurts: the model learns to write such calls, and a strict server finds no call in them.

    Best practice: repair the calls once (``toolconv convert``), or drop the row.

    A file that writes its calls under other keys (``parameters`` for ``arguments``) from the first one on has a dialect
    of its own, which may have several calls in a block: that is a warning, reported once a file. So are calls in other
    markup than the family of a whole text has, such as a JSON list between Gemma's turns, and calls that no dialect
    reads in two rows or more, if no row before them has one that is read.

    Bad: ``<tool_call>{'name': 'ping', 'arguments': {}}</tool_call>``

    Good: ``<tool_call>{"name": "ping", "arguments": {}}</tool_call>``

    Fix: writes the turn again, with the calls that a tolerant reader finds, if it reads the whole turn. Unsafe,
    because the reading may be wrong.

    Source: hermes-function-calling-v1, glaive-function-calling-v2; vLLM's parsers.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.read_as is not None and row.read_as.in_one_text:
            yield from self._in_one_text(row)
            return
        for at, parsed in row.parsed.items():
            pointer = row.text_pointer(at)
            for dropped in parsed.dropped:
                message = f"a call that can't be read ({dropped.reason}): {shown(dropped.text)}"
                if dropped.reason == UNREAD and row.does(READ) is False and is_unread(row):
                    yield self.finding(row, pointer, message, level="warning", cause=UNREAD, once=READ)
                    return  # one finding a row
                yield self.finding(row, pointer, message)
            repairs = [name for name in dict.fromkeys(parsed.repairs) if name not in NO_CALL_REPAIRS]
            if repairs and parsed.calls and row.reader is not None:
                dialect = _dialect_of(row.reader, parsed, row.messages[at]["content"])
                edits: tuple[Edit, ...] = ()
                whole = not parsed.dropped and "other_turn" not in parsed.displaced
                if whole and row.at(pointer) == row.messages[at]["content"]:
                    text = dialect.render_turn(parsed.content, parsed.reasoning, parsed.calls)
                    edits = (Edit(pointer, text),)
                names = ", ".join(repairs)
                message = f"a call that no strict {dialect.name} reader takes; a tolerant one repairs: {names}"
                is_own = OWN_WAYS.issuperset(repairs) or is_own_way(repairs)
                if is_own and row.does("calls as its dialect has them") is False:
                    once: Once = "calls as its dialect has them"
                    yield self.finding(row, pointer, message, *edits, level="warning", once=once)
                else:
                    yield self.finding(row, pointer, message, *edits)

        yield from self._in_call_turns(row)

    def _in_call_turns(self, row: LintRow) -> Iterator[Finding]:
        """Findings in turns that hold nothing but calls, as ShareGPT's ``function_call`` does."""
        if row.own_messages is not None or row.conversation is None:
            return
        repaired = row.conversation.notes.repairs
        key = row.read_as.keys[1] if isinstance(row.read_as, TurnList) else ""
        for pointer in dict.fromkeys(call.pointer for call in row.calls if not call.in_text) if repaired else ():
            text, notes = row.at(pointer), Notes()
            if isinstance(text, dict) and isinstance(text.get(key), str):  # not JSON: no pointer leads into it
                text, pointer = text[key], f"{pointer}/{key}"
            if not isinstance(text, str):
                continue
            try:
                calls = call_values(read_calls(text, notes), Notes())
            except (NotACall, LayoutError):
                continue
            if names := [name for name in dict.fromkeys(notes.repairs) if name in repaired]:
                better = jsontext.dumps(calls[0] if len(calls) == 1 else calls).decode()
                message = f"a call that no strict reader takes; a tolerant one repairs: {', '.join(names)}"
                yield self.finding(row, pointer, message, Edit(pointer, better))

    def _in_one_text(self, row: LintRow) -> Iterator[Finding]:
        """Findings in a conversation that is one text, all of whose turns are read at once."""
        if row.conversation is None:
            return
        notes, pointer = row.conversation.notes, row.message_pointer(0)
        for dropped in notes.dropped:
            yield self.finding(row, pointer, f"a call that can't be read ({dropped.reason}): {shown(dropped.text)}")
        if repairs := [name for name in dict.fromkeys(notes.repairs) if name not in NO_CALL_REPAIRS]:
            message = f"calls that no strict reader takes; a tolerant one repairs: {', '.join(repairs)}"
            if OTHER_MARKUP.issuperset(repairs) and row.does("calls as its dialect has them") is False:
                yield self.finding(row, pointer, message, level="warning", once="calls as its dialect has them")
            else:
                yield self.finding(row, pointer, message)
