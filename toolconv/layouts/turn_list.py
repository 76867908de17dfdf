"""The core of layouts that are lists of turns, each with a speaker's name and a text: ShareGPT and its many relatives.

They differ by data: the key of the turns, the names of the speakers, whether calls have separate turns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

from toolconv.core import jsontext
from toolconv.core.calls import NotACall
from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row, calls_of, one_text
from toolconv.core.notes import Dropped, Notes
from toolconv.core.pairing import complete, in_call_order, results_after
from toolconv.core.row_fields import RowField, Unit
from toolconv.core.rows import put_in_place, replace_key, unchanged
from toolconv.layouts.answers import Pair
from toolconv.layouts.bare_calls import call_values, count_pairing, read_calls, read_results, result_value
from toolconv.layouts.base import Layout, LayoutError, Original, as_text, have, listed, row_for
from toolconv.layouts.call_forms import with_calls
from toolconv.layouts.speakers import CALL, meaning_of, without_developer
from toolconv.layouts.tool_schema import bare

THOUGHT = lazy_re(r"<think>\n?(.*?)\n?</think>(?:\n\n|\n)?", re.DOTALL)


class TurnList(Layout):
    """Turns of a name and a text.

    Attributes:
        columns: the keys that the turns may have in a row; the first is written.
        keys: a turn's keys for the name and the text.
        names: the meaning of each name: a canonical role, or :data:`CALL`.
        own: the name that is written for each meaning. A role that is not in it is written unchanged.
        system_column: the system text has a column ``system``.
        bare_tools: tools are written without the OpenAI envelope.
        one_call: a turn holds one call, and parallel calls are consecutive turns. Otherwise they are a list in a turn.
        one_result: the results of parallel calls are a list in one turn.
        prose_turn: prose next to a call is a separate turn before it.
        call_words: otherwise, prose comes before the call in its turn, and these words enclose the call. Without them,
            the prose can't be held.
    """

    columns: ClassVar[tuple[str, ...]] = ("conversations",)
    keys: ClassVar[tuple[str, str]] = ("from", "value")
    names: ClassVar[dict[str, str]]
    own: ClassVar[dict[str, str]]
    system_column: ClassVar[bool] = False
    bare_tools: ClassVar[bool] = True
    one_call: ClassVar[bool] = False
    one_result: ClassVar[bool] = False
    prose_turn: ClassVar[bool] = True
    call_words: ClassVar[tuple[str, str] | None] = None

    def __init_subclass__(cls) -> None:
        cls.own_keys = cls.own_result_keys = frozenset(cls.keys) - {"role", "content"}

    # ── reading ──

    @classmethod
    def pair(cls) -> Pair:
        """LLaMA-Factory's pair: the turns, and one turn for each answer."""
        return Pair(
            cls.columns[0], cls.columns[0], keys=(*cls.keys, cls.own["user"], cls.own["assistant"]), single=True
        )

    def turns_column(self, row: Row) -> str | None:
        return next((column for column in self.columns if column in row), None)

    def find(self, row: Row) -> tuple[str, list[dict[str, Any]]] | None:
        """The column of the turns, and the turns."""
        name, text = self.keys
        for column in self.columns:
            turns = listed(row.get(column))
            if turns is not None and have(turns, name, text):
                return column, turns
        return None

    def meaning(self, turn: dict[str, Any]) -> str:
        """The meaning of a turn's name; a name that no table has is its own."""
        name = turn[self.keys[0]]
        if not isinstance(name, str):
            return ""
        return self.names.get(name) or meaning_of(name) or name

    def matches(self, row: Row) -> bool:
        return self.find(row) is not None

    def decode(self, row: Row) -> Conversation:
        found = self.find(row)
        if found is None:
            name, text = self.keys
            raise LayoutError(
                f"no list of turns with {name!r} and {text!r} under {' or '.join(map(repr, self.columns))}"
            )
        return self.conversation(row, *found)

    def conversation(self, row: Row, column: str, turns: list[dict[str, Any]]) -> Conversation:
        """The conversation of a row whose ``turns`` are in ``column``."""
        notes = Notes()
        messages, starts = self.read_turns(turns, notes)
        fields = [RowField(f"/{column}", len(messages), turns, starts)]
        canonical = replace_key(row, column, "messages", messages)
        if self.system_column and (row.get("system") is None or isinstance(row["system"], str)):
            system = canonical.pop("system", None)
            if system:
                messages.insert(0, {"role": "system", "content": system})
                fields.insert(0, RowField("/system", 1))
        if not self.calls_in_text:
            complete(messages)
        return Conversation(canonical, notes, fields=fields)

    def read_turns(self, turns: list[dict[str, Any]], notes: Notes) -> tuple[list[Message], list[int]]:
        """The messages of the turns, and for each message the index of the first turn that holds it."""
        messages: list[Message] = []
        starts: list[int] = []
        meanings = [self.meaning(turn) for turn in turns]
        open_calls = at = 0
        while at < len(turns):
            meaning = meanings[at]
            start = at + 1 if self.prose_turn and meaning == "assistant" and at + 1 < len(turns) else at
            called = self._read_calls(turns, meanings, at, start, notes) if meanings[start] == CALL else None
            read, end = called or (self._read_turn(turns[at], meaning, open_calls), at + 1)
            messages += read
            starts += [at] * len(read)
            open_calls = len(calls_of(read[-1])) if self.one_result else 0
            at = end
        return messages, starts

    def _read_calls(
        self, turns: list[dict[str, Any]], meanings: list[str], at: int, start: int, notes: Notes
    ) -> tuple[list[Message], int] | None:
        """The message of the calls that begin at ``turns[start]``, in a list, and the index of the turn after it.

        Its prose is at ``turns[at]``, if that is another turn. ``None`` if prose and calls are separate messages.
        """
        text_key = self.keys[1]
        first = turns[at]
        extras = _extras(first, self.keys)
        if start > at and _extras(turns[start], self.keys) != extras:
            return None
        prose = first[text_key] if start > at else ""
        reasoning, prose = split_thought(prose) if isinstance(prose, str) else (None, prose)
        items: list[dict[str, Any]] = []
        end = start
        while end < len(turns) and meanings[end] == CALL:
            text = turns[end][text_key]
            thought, rest = split_thought(text) if isinstance(text, str) else (None, text)
            if self.call_words and isinstance(rest, str) and not prose and end == start:
                prose, rest = self._split_prose(rest)
            if end > start and _extras(turns[end], self.keys) != extras:
                break
            if thought is not None and (end > at or reasoning is not None):
                if end == start:
                    return None  # reasoning after prose: two messages
                break
            try:
                items += read_calls(self.calls_in(rest), notes)
            except NotACall as error:
                if end > start:
                    break
                if start > at:
                    return None
                if not text and (called := with_calls(extras, (), notes)) is not None:
                    return [{"role": "assistant", "content": "", **called}], at + 1
                notes.dropped.append(Dropped(str(error), text if isinstance(text, str) else ""))
                return [self._message(first, "assistant", "" if text is None else text)], at + 1
            reasoning = reasoning if thought is None else thought
            end += 1
        return [self._message(first, "assistant", "" if prose is None else prose, reasoning, items)], end

    def _split_prose(self, text: str) -> tuple[str, str]:
        """The prose before a call, and the call in :attr:`call_words`; no prose if these words are not there."""
        if self.call_words is None or text.lstrip()[:1] in ("{", "["):
            return "", text
        before, _, rest = text.partition(self.call_words[0])
        inner, close, after = rest.partition(self.call_words[1])
        return (before.removesuffix("\n"), inner) if close and not after else ("", text)

    def calls_in(self, text: Any) -> Any:
        """The JSON of the calls in a turn's text."""
        return text

    def call_text(self, value: Any) -> str:
        """The text of a turn that holds a call or a list of calls."""
        return jsontext.spaced(value)

    def _read_turn(self, turn: dict[str, Any], role: str, open_calls: int) -> list[Message]:
        """The messages of a turn without calls: one, or several results that answer ``open_calls`` parallel calls."""
        text = turn[self.keys[1]]
        text = "" if text is None else text
        if role == "tool" and self.one_result and open_calls > 1:
            results = read_results(text, open_calls)
            if results is not None:
                return [self._message(turn, role, result) for result in results]
        if role == "assistant" and not self.calls_in_text and isinstance(text, str):
            reasoning, text = split_thought(text)
            return [self._message(turn, role, text, reasoning)]
        return [self._message(turn, role, text)]

    def _message(
        self,
        turn: dict[str, Any],
        role: str,
        content: Any,
        reasoning: str | None = None,
        calls: list[dict[str, Any]] | None = None,
    ) -> Message:
        """The message of ``turn``, with the turn's other keys."""
        name, text = self.keys
        if reasoning is None and not calls and (*turn,) == self.keys:
            return {"role": role, "content": content}
        message: Message = {}
        for key, value in turn.items():
            if key == name:
                message["role"] = role
            elif key == text:
                message["content"] = content
                if reasoning is not None:
                    message["reasoning_content"] = reasoning
                if calls:
                    message["tool_calls"] = calls
            else:
                message[key] = value
        return message

    # ── writing ──

    def encode(self, conversation: Conversation, original: Original | None = None) -> Row:
        column, own = self.columns[0], dict(self.own)
        notes, messages = conversation.notes, conversation.messages
        came = original.read.fields[-1] if original else None
        if came is not None:
            column = came.pointer[1:]
            for turn in reversed(came.pieces or ()):
                if (meaning := self.meaning(turn)) in own:
                    own[meaning] = turn[self.keys[0]]
        system = None
        if self.system_column and messages and messages[0].get("role") == "system":
            system = _joined(messages[0].get("content"), notes)
            if isinstance(system, str):
                if len(messages[0]) > 2:
                    notes.losses.append("message_keys")
                if not system:
                    notes.losses.append("empty_system")
                messages = messages[1:]
            else:
                system = None
        units = self.write_units(messages, own, notes)
        if original is not None and came is not None:
            units = kept_units(units, came.units(original.read.messages[len(original.read.messages) - came.size :]))
        row = row_for(conversation, *{column} - {"messages"}, *(("system",) if self.system_column else ()))
        row = replace_key(row, "messages", column, [turn for unit in units for turn in unit.pieces])
        if system is not None:
            row = put_in_place(row, column, {column: row[column], "system": system})
        if isinstance(row.get("tools"), list):
            tools = bare(row["tools"]) if self.bare_tools else row["tools"]
            row["tools"] = as_text(tools) if original is None or "tools" not in original.row else tools
        if original is not None:
            if self.calls_in_text and "tools" in original.row:
                row.setdefault("tools", original.row["tools"])
            if self.system_column and "system" in original.row:
                row.setdefault("system", original.row["system"])
        return row

    def write_units(self, messages: Sequence[Message], own: dict[str, str], notes: Notes) -> list[Unit]:
        """The units that hold ``messages``."""
        units: list[Unit] = []
        at = 0
        while at < len(messages):
            message = messages[at]
            calls = calls_of(message)
            if calls and not self.calls_in_text:
                units.append(Unit([message], self._call_turns(message, calls, own, notes)))
                results = results_after(messages, at)
                count_pairing(calls, results, notes)
                if results and self.one_result and len(calls) > 1:
                    units.append(Unit(results, [self._result_turn(calls, results, own, notes)]))
                else:
                    ordered = in_call_order(calls, results)
                    units.extend(Unit([result], [self._turn(result, own, notes, called=True)]) for result in ordered)
                at += len(results)
            else:
                units.append(Unit([message], [self._turn(message, own, notes)]))
            at += 1
        if not self.calls_in_text and any(
            one.get("role") == other.get("role") == "assistant" for one, other in pairwise(messages)
        ):
            _, starts = self.read_turns([turn for unit in units for turn in unit.pieces], Notes())
            notes.losses.extend("turns_merged" for _ in range(len(units) - len(set(starts))))
        return units

    def _call_turns(
        self, message: Message, calls: list[dict[str, Any]], own: dict[str, str], notes: Notes
    ) -> list[dict[str, Any]]:
        """The turns of an assistant's message with calls."""
        extras = {key: value for key, value in message.items() if key not in _KNOWN}
        prose, reasoning = _joined(message.get("content"), notes) or "", message.get("reasoning_content")
        thought = as_thought(reasoning, notes)
        values = call_values(calls, notes)
        if len(calls) < len(message["tool_calls"]):
            notes.losses.append("call_keys")
        turns: list[dict[str, Any]] = []
        if self.prose_turn and (prose or thought):
            text = thought + prose if isinstance(prose, str) else prose
            turns.append({self.keys[0]: own["assistant"], self.keys[1]: text, **extras})
            thought = ""
        elif prose or thought:
            turn = self._enclosed(prose, thought, values)
            if turn is not None:
                return [{self.keys[0]: own[CALL], self.keys[1]: turn, **extras}]
            if prose:
                notes.losses.append("prose_beside_call")
        texts = values if self.one_call or len(values) == 1 else [values]
        for value in texts:
            turns.append({self.keys[0]: own[CALL], self.keys[1]: thought + self.call_text(value), **extras})
            thought = ""
        return turns

    def _enclosed(self, prose: Any, thought: str, values: list[dict[str, Any]]) -> str | None:
        """Reasoning, prose and calls as one text; ``None`` if it would not be read back the same."""
        if self.call_words is None or self.one_call or not isinstance(prose, str):
            return None
        first, last = self.call_words
        calls = self.call_text(values[0] if len(values) == 1 else values)
        if first in prose or last in calls or split_thought(prose)[0] is not None or prose.lstrip()[:1] in ("{", "["):
            return None
        return f"{thought}{prose}\n{first}{calls}{last}" if prose else f"{thought}{first}{calls}{last}"

    def _result_turn(
        self, calls: list[dict[str, Any]], results: list[Message], own: dict[str, str], notes: Notes
    ) -> dict[str, Any]:
        """One turn for the results of parallel calls: a list, in the order of the calls."""
        name, text = self.keys
        ordered = in_call_order(calls, results)
        for result in ordered:
            if not result.keys() <= _RESULT_KEYS:
                notes.losses.append("response_keys")
            if not isinstance(result.get("content"), str):
                notes.losses.append("content_parts")
        values = [result_value(result.get("content")) for result in ordered]
        alone = ordered[0].get("content") if len(ordered) == 1 else None
        if len(values) != len(calls) and (alone is None or read_results(alone, len(calls)) is not None):
            notes.losses.append("parallel_responses")
        if alone is not None:
            return {name: own["tool"], text: _joined(alone, Notes())}
        return {name: own["tool"], text: jsontext.spaced(values)}

    def _turn(self, message: Message, own: dict[str, str], notes: Notes, *, called: bool = False) -> dict[str, Any]:
        """The turn of a message without calls. ``called`` means that it answers a call just before it."""
        turn: dict[str, Any] = {}
        thought = "" if self.calls_in_text else as_thought(message.get("reasoning_content"), notes)
        for key, value in message.items():
            if key == "role":
                role = value if self.trainer or value in own else without_developer(value, notes)
                turn[self.keys[0]] = own.get(role, role)
            elif key == "content":
                value = _joined(value, notes)
                turn[self.keys[1]] = thought + value if thought and isinstance(value, str) else value
            elif key == "reasoning_content" and not self.calls_in_text:
                if not isinstance(message.get("content"), (str, list)) and thought:
                    notes.losses.append("reasoning")
            elif message.get("role") == "tool" and key in _RESULT_KEYS and not self.calls_in_text:
                if not called:
                    notes.losses.append("response_keys")
            else:
                turn[key] = value
        turn.setdefault(self.keys[1], thought)
        return turn


def _joined(content: Any, notes: Notes) -> Any:
    """A content as text if it is content parts: the texts of its parts, joined."""
    return one_text(content, notes)[0] if isinstance(content, list) else content


_KNOWN = frozenset({"role", "content", "reasoning_content", "tool_calls"})
_RESULT_KEYS = frozenset({"role", "content", "tool_call_id", "name"})


def _extras(turn: dict[str, Any], keys: tuple[str, str]) -> dict[str, Any]:
    """The keys of a turn other than its name and its text, which it has."""
    return {} if len(turn) == 2 else {key: value for key, value in turn.items() if key not in keys}


# ── reasoning ──


def split_thought(text: str) -> tuple[str | None, str]:
    """The reasoning in ``<think>`` at the beginning of a text, and the rest."""
    match = THOUGHT.match(text)
    return (match[1], text[match.end() :]) if match else (None, text)


def as_thought(reasoning: Any, notes: Notes) -> str:
    """Reasoning in ``<think>``, as written before a text. It is a loss if it would not be read back the same."""
    if not isinstance(reasoning, str):
        if reasoning is not None:
            notes.losses.append("reasoning")
        return ""
    text = f"<think>\n{reasoning}\n</think>\n\n"
    if split_thought(text) != (reasoning, ""):
        notes.losses.append("reasoning")
    return text


# ── what did not change ──


def kept_units(new: list[Unit], old: list[Unit]) -> list[Unit]:
    """The units of ``new``, with unchanged ones as they are in ``old``."""
    kept = unchanged([unit.messages for unit in new], [unit.messages for unit in old])
    return [unit if at is None else old[at] for unit, at in zip(new, kept, strict=True)]
