"""Read what a template wrote: the turns between its borders, the tools it declares, the responses of the tools.

A text is read from border to border (see ``borders.py``). What is between two borders is the text of a message; what
fills the wildcards in borders are the declared tools, and the names and ids of calls. Answers are then read in the
template's dialect, like those of any other row.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from toolconv.core.conversation import Conversation
from toolconv.core.lazy_re import lazy_re
from toolconv.core.messages import Message, Row, Tool
from toolconv.core.pairing import complete
from toolconv.dialects.base import Dialect
from toolconv.dialects.prompts.stated_tools import stated_tools
from toolconv.dialects.turn_reader import TurnReader
from toolconv.dialects.turns import parse_turns
from toolconv.layouts.worded_turns import REPAIR
from toolconv.templates.base import Template
from toolconv.templates.reading.borders import Border, Borders, Wildcard, WildcardName, borders_of, is_weak
from toolconv.templates.reading.probes import Place

_JSON: Final = json.JSONDecoder()

_NO_NAME: Final = lazy_re(r"[\n\"<>\[\]{}]")
"""What no name, id or date holds."""

LONGEST_FIELD: Final = 300
"""The longest name, id or date in a border, in characters."""


@dataclass
class SplitText:
    """The turns of a text, before their calls are read.

    Attributes:
        messages: the turns; answers hold calls and reasoning as text, responses are read.
        tools: the tools that the template declares; ``None`` if it declares none.
        template: the template that reads it; ``None`` for turns split by their headers alone.
        unread: a declaration that can't be read; it is also in the system text.
        explained: how many characters of the text are the template's own.
        cut: the last turn has no end.
        worded: words name the speakers.
    """

    messages: list[Message] = field(default_factory=list)
    tools: list[Tool] | None = None
    template: Template | None = None
    unread: str = ""
    explained: int = 0
    cut: bool = False
    worded: bool = False
    _read: tuple[tuple[object, ...], Conversation] | None = None

    @property
    def is_conversation(self) -> bool:
        """Whether there is a question, or an answer to a system text."""
        roles = {message["role"] for message in self.messages}
        return not roles.isdisjoint(("user", "tool")) or len(roles) > 1

    def conversation(
        self, *, sure: bool, infer: bool = True, prompt: str | None = None, shown: Dialect | None = None
    ) -> Conversation:
        """The conversation, with its calls read; read again with the same arguments, the same one.

        Args:
            sure: the template is known to be that of the text, so that answers are in its dialect.
            infer: whether values whose type nothing settles get one by their looks.
            prompt: the text before the answer, where it may declare tools in any turn.
            shown: the dialect that the answer shows, if it is not in the template's.
        """
        arguments = (sure, infer, prompt, shown)
        if self._read is not None and self._read[0] == arguments:
            return self._read[1]
        row: Row = {} if self.tools is None else {"tools": self.tools}
        conversation = Conversation({**row, "messages": self.messages}, prompt=prompt)
        dialect = shown
        if shown is None and self.template is not None and self.template.is_known:
            dialect = self.template.dialect
        reader = TurnReader(named=dialect, infer=infer) if sure else TurnReader(default=dialect, infer=infer)
        if self.unread:
            conversation.notes.losses.append("tools")
        if self.worded:
            conversation.notes.repairs.append(REPAIR)
        parse_turns(conversation, reader, responses_read=self.template is not None)
        complete(conversation.messages)
        self._read = (arguments, conversation)
        return conversation


_ORDER: Final[Mapping[Place, Sequence[Place]]] = {
    "start": ("end", "system", "user", "assistant", "tool"),
    "system": ("end", "user", "assistant", "system", "tool"),
    "user": ("end", "assistant", "tool", "system", "user"),
    "assistant": ("end", "tool", "user", "assistant", "system"),
    "tool": ("end", "assistant", "tool", "user", "system"),
}
"""What follows a border that several may follow, by what is before it: the first of these."""


class _Match(NamedTuple):
    """A border in a text, with what fills its wildcards."""

    start: int
    end: int
    border: Border
    fields: Mapping[WildcardName, str]


class _Finder:
    """Finds borders in a text, from left to right; ``tokens`` are those that no declaration of tools holds."""

    def __init__(self, text: str, tokens: Sequence[str]) -> None:
        self.text = text
        self.tokens = tokens
        self._next: dict[str, tuple[int, int]] = {}
        self._found: dict[int, tuple[int, _Match | None]] = {}

    def beginnings(self, borders: Sequence[Border]) -> list[_Match]:
        """The borders that the text may begin with, the longest first."""
        found = (self._find(border, 0, True) for border in borders)
        return sorted([match for match in found if match is not None], key=lambda match: _rank(match, "start"))

    def first(self, place: Place, borders: Sequence[Border], start: int) -> _Match | None:
        """The first of the ``borders`` after a ``place``, at or after ``start``; of several there, the longest."""
        best: _Match | None = None
        for border in borders:
            asked, match = self._found.get(id(border), (start + 1, None))
            if asked > start or (match is not None and match.start < start) or border.weak:
                match = self._find(border, start, False)
                self._found[id(border)] = start, match
            if match is not None and (best is None or _rank(match, place) < _rank(best, place)):
                best = match
        return best

    def _find(self, border: Border, start: int, here: bool) -> _Match | None:
        text, pieces = self.text, border.pieces
        if not pieces:
            return _Match(len(text), len(text), border, {}) if border.to == "end" and not here else None
        literal = pieces[0]
        if not isinstance(literal, str):
            return None
        if border.to == "end" and len(pieces) == 1:
            at = len(text) - len(literal)
            fits = at >= start and text.endswith(literal) and not (here and at > start)
            return _Match(at, len(text), border, {}) if fits else None
        if border.weak:
            at = self._after_result(literal, start, alone=border.to == "assistant")
            return _Match(at, at + len(literal), border, {}) if at >= 0 else None
        at = start
        while True:
            at = self._at(literal, at)
            if at < 0 or (here and at > start):
                return None
            if text.endswith(border.preceded_by, start, at):
                found = self._rest(pieces, at + len(literal))
                if found is not None and (border.to != "end" or found[0] == len(text)):
                    return _Match(at, found[0], border, found[1])
                if any(isinstance(piece, Wildcard) and piece.name == "tools" for piece in pieces):
                    return None
            at += 1

    def _after_result(self, literal: str, start: int, *, alone: bool) -> int:
        """Where a literal is after the JSON value at ``start``; next if it is ``alone`` and that is no such value."""
        try:
            at = _JSON.raw_decode(self.text, start)[1]
        except (ValueError, RecursionError):
            at = -1
        if at >= 0 and self.text.startswith(literal, at):
            return at
        return self._at(literal, start) if alone else -1

    def _may_fill(self, wildcard: Wildcard, text: str) -> bool:
        """Whether a text may fill a wildcard."""
        if wildcard.name in ("tools", "system"):
            return not any(token in text for token in self.tokens)
        return text.isdecimal() if wildcard.name == "number" else _NO_NAME.search(text) is None

    def _after_tools(self, at: int) -> int:
        """Where the JSON objects with parameters end that begin at ``at``; -1 if there are none."""
        end = -1
        while True:
            try:
                value, after = _JSON.raw_decode(self.text, at)
            except (ValueError, RecursionError):
                return end
            function = value.get("function", value) if isinstance(value, dict) else None
            if not isinstance(function, dict) or not ("parameters" in function or value.get("type") == "function"):
                return end
            end = at = after
            while self.text[at : at + 1] in ("\n", " ", ","):
                at += 1

    def _at(self, literal: str, start: int) -> int:
        """Where a literal is next, at or after ``start``; -1 if nowhere."""
        asked, found = self._next.get(literal, (start + 1, 0))
        if asked > start or 0 <= found < start:
            found = self.text.find(literal, start)
            self._next[literal] = start, found
        return found

    def _rest(self, pieces: Sequence[str | Wildcard], at: int) -> tuple[int, dict[WildcardName, str]] | None:
        """Where the border ends whose first piece ends at ``at``, and what fills its wildcards."""
        text = self.text
        fields: dict[WildcardName, str] = {}
        wildcard: Wildcard | None = None
        for piece in pieces[1:]:
            if isinstance(piece, Wildcard):
                wildcard = piece
            elif wildcard is None:
                return None
            else:
                last = len(text) if wildcard.name in ("tools", "system") else at + LONGEST_FIELD + len(piece)
                if wildcard.name == "tools" and is_weak((piece,)):
                    end = self._after_tools(at - len(wildcard.lead))
                    end = text.find(piece, at if end < 0 else end, last)
                else:
                    end = text.find(piece, at, last)
                if end < 0 or not self._may_fill(wildcard, text[at:end]):
                    return None
                fields[wildcard.name] = wildcard.lead + text[at:end]
                at, wildcard = end + len(piece), None
        return None if wildcard is not None else (at, fields)


def _rank(match: _Match, place: Place) -> tuple[int, int, int]:
    return match.start, -match.end, _ORDER[place].index(match.border.to)


def split(template: Template, text: str) -> SplitText | None:
    """The turns of a text that a template wrote; ``None`` if another wrote it.

    A text may be cut: then its last turn is what follows the last border.
    """
    borders = borders_of(template)
    finder = _Finder(text, borders.tokens)
    beginnings = finder.beginnings(borders.after["start"])
    for cut in (False, True):
        for beginning in beginnings:
            found = _split_after(beginning, template, borders, finder, cut)
            if found is not None:
                return found
    return None


def _split_after(match: _Match, template: Template, borders: Borders, finder: _Finder, cut: bool) -> SplitText | None:
    """The turns of a text that begins with a border; with ``cut``, its last turn may have no end."""
    found = SplitText(template=template, cut=cut)
    while True:
        found.explained += match.end - match.start - len(match.fields.get("tools", ""))
        _declare(found, template, match.fields.get("tools"))
        if match.border.to == "end":
            return found
        before, place, at = match, match.border.to, match.end
        after = finder.first(place, borders.after.get(place, ()), at)
        if after is None and not cut:
            return None
        end = len(finder.text) if after is None else after.start
        if not _add(found, borders, place, finder.text[at:end], before, after):
            return None
        if after is None:
            return found
        match = after


def _declare(found: SplitText, template: Template, listing: str | None) -> None:
    """Read the declared tools; what can't be read stays in the system text."""
    if listing is None or found.tools is not None or found.unread:
        return
    tools = template.dialect.chat.read(listing)
    if not tools and (stated := stated_tools(listing, template.dialect)) is not None:
        tools = stated.tools
    if tools:
        found.tools = tools
        return
    found.unread = listing
    if found.messages and found.messages[0]["role"] == "system":
        found.messages[0]["content"] += f"\n\n{listing}"
    else:
        found.messages.insert(0, {"role": "system", "content": listing})


def _add(found: SplitText, borders: Borders, place: Place, text: str, before: _Match, after: _Match | None) -> bool:
    """Add a message; returns whether its text holds no token of the template."""
    for token in borders.tokens:
        if token in text:
            return False
    template = found.template
    assert template is not None
    if place == "assistant":
        mark = template.dialect.reasoning
        last = before.border.pieces[-1]
        if isinstance(last, str) and last.rfind(mark.open) > last.rfind(mark.close):
            text = last[last.rfind(mark.open) :] + text
        elif mark.own_close and mark.open not in text.partition(mark.close)[0] and _closes(text, template.dialect):
            text = mark.open + text
        found.messages.append({"role": "assistant", "content": text})
    elif place == "tool":
        found.messages += _responses(template, before, after, text)
    else:
        found.messages.append({"role": place, "content": text})
    return True


def _closes(text: str, dialect: Dialect) -> bool:
    """Whether a turn ends its reasoning: an argument of a call may hold the mark, too."""
    return dialect.reasoning.close in text and TurnReader(dialect).read(text).reasoning is not None


def _responses(template: Template, before: _Match, after: _Match | None, text: str) -> list[Message]:
    """The responses in the text of a response: one, or those that the template writes together."""
    chat = template.dialect.chat
    ending = after.fields if after is not None else {}
    call_id = before.fields.get("id") or ending.get("last_id")
    name = before.fields.get("name") or ending.get("last_name")
    messages: list[Message] | None = None
    if before.border.encoded:
        messages = chat.read_responses(chat.response_role, chat.responses_open + text + chat.responses_close)
    if messages is None:
        messages = [{"role": "tool", "content": text}]
    if len(messages) == 1:
        tied: Message = {"role": "tool"}
        if call_id:
            tied["tool_call_id"] = call_id
        if name:
            tied["name"] = name
        messages = [{**tied, **messages[0]}]
    return messages
