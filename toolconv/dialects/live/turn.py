"""What is settled of an assistant turn while it is still being written: nothing that follows changes it.

A turn is reasoning, then prose and blocks of calls by turns. It is cut where the markup of any dialect may begin:

- Prose is settled up to there.
- A block of calls is settled once it is closed and the reader of whole turns reads it without a repair. Its arguments
  are given out as they are written, from where the call template has them.
- Reasoning is settled up to its closing marker, or to any other marker in it.

After anything else, nothing is settled until the text is over. So it is in whole turns of the formats that mark prose
or write reasoning anywhere, and of those whose calls nothing announces.

Whole turns are read with what follows in sight, and a rule of the turn reader keeps the calls that were settled: those
between the markers of the named dialect that need no repair are its own, whatever else the text holds. Words that turn
out to be the name of a call, or a damaged marker, were given out as prose; the call is read all the same, as a repair.

However a text is cut into chunks, each character is looked at a bounded number of times, and the same is settled.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final, Literal, TypeVar

from toolconv.core import jsontext, lenient_json
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.lexing.surroundings import Form, may_be_shown
from toolconv.dialects.lexing.trie import beginning_of
from toolconv.dialects.live.arguments import JsonEnd, headers_of
from toolconv.dialects.live.markup import LiveMarkup, markup_of
from toolconv.dialects.reading.prose import without_start
from toolconv.dialects.reading.turn_parser import Parsed
from toolconv.dialects.turn_reader import TurnReader

EventKind = Literal["prose", "reasoning", "call_began", "arguments", "call_done", "repair", "displaced", "dropped"]

ESCAPED_BLANKS: Final = lazy_re(r"(?:\\[nrt]\s*)*\\?\Z")
HEADER: Final = 500
"""How many characters a name and what stands around it have."""
STEP: Final = 256
"""How many characters are looked at at once, so that what is taken from a long chunk costs little."""

_T = TypeVar("_T")
Way = Generator[None, None, _T]
_OVER: Final = object()


@dataclass(frozen=True, slots=True)
class StreamEvent:
    """What a piece of a turn means.

    - ``prose``: ``text`` continues the prose.
    - ``reasoning``: ``text`` continues the reasoning.
    - ``call_began``: a call of the tool ``text`` has begun; ``index`` counts the calls that began, from 0.
    - ``arguments``: ``text`` continues the arguments of the call ``index``, as the model writes them.
    - ``call_done``: the call ``index`` is closed, and ``call`` is what was read.
    - ``repair``: ``text`` names a repair, as in :attr:`toolconv.Parsed.repairs`.
    - ``displaced``: ``text`` names what a row has no place for, as in :attr:`toolconv.Parsed.displaced`.
    - ``dropped``: ``text`` is a call that can't be read; ``reason`` says why.

    Arguments come in pieces where a format with markers has them as JSON after the name, otherwise whole, as JSON, when
    the call is done. A call that began and is never done was cut off or could not be read, or what was read differs
    from what the model wrote: then the call that was read has a number of its own.
    """

    kind: EventKind
    text: str = ""
    index: int | None = None
    call: ToolCall | None = None
    reason: str = ""


class LiveTurn:
    """The settled part of one assistant turn.

    Args:
        reader: reads settled blocks, in the dialect of the turn.
        tools: the tools declared to the model.
        in_reasoning: whether the prompt ended inside an opened reasoning block; with ``None`` the text decides.

    Attributes:
        dialect: the dialect of the turn.
        words: the pieces of prose and reasoning that were settled.
        calls: the calls that were settled.
    """

    def __init__(self, reader: TurnReader, tools: ToolIndex, in_reasoning: bool | None) -> None:
        self._events: list[StreamEvent] = []
        self.words: dict[EventKind, list[str]] = {"reasoning": [], "prose": []}
        self.calls: list[ToolCall] = []
        self.dialect = dialect = reader.dialect
        self._tools, self._in_reasoning, self._read = tools, in_reasoning, reader.read
        self._unread = ""  # what is to be looked at
        self._blanks: list[str] = []  # what is only settled if more follows: whitespace at the end
        self._segment: list[str] = []  # the prose since the last call
        self._begun: list[tuple[str, list[str]]] = []  # the calls that began and are not done: name and arguments
        self._index = 0
        self._openings = tuple(marker for marker in dialect.markers if dialect.calls and marker in dialect.calls.head)
        self._way = self._read_turn() if is_live(dialect) else iter(())

    def feed(self, chunk: str) -> None:
        """Add text."""
        for start in range(0, len(chunk), STEP):
            self._unread += chunk[start : start + STEP]
            if next(self._way, _OVER) is _OVER:  # the rest is read when the text is over
                self._unread = ""
                return

    def _take(self, characters: int) -> str:
        """Take text from the beginning of the unread input."""
        taken, self._unread = self._unread[:characters], self._unread[characters:]
        return taken

    # ── the way of a turn: where more text is needed, these yield; where nothing more is settled, they return ──

    def _read_turn(self) -> Way[None]:
        """Reasoning, then prose and blocks of calls by turns."""
        begins = yield from self._beginning()
        if begins == "reasoning":
            markup = markup_of(self.dialect, NO_TOOLS)
            if not (yield from self._words("reasoning", markup, (self.dialect.reasoning.close,))):
                return
            yield from self._end_of_reasoning()
        if begins is not None:
            markup = markup_of(self.dialect, self._tools)
            while (yield from self._words("prose", markup, self._openings)) and (yield from self._block()):
                pass

    def _beginning(self) -> Way[EventKind | None]:
        """What a turn begins with; ``None`` where what closes reasoning may follow."""
        opening, markers = self.dialect.reasoning.open, self.dialect.markers
        while True:
            self._blanks.append(self._take(len(self._unread) - len(self._unread.lstrip())))
            text = self._unread
            if text.startswith(opening):
                self._take(len(opening))
                self._blanks.clear()
                return "reasoning"
            if not opening.startswith(text):
                if self._in_reasoning is not None:
                    return "reasoning" if self._in_reasoning else "prose"
                if text.startswith(markers):
                    return None if any(self._blanks) else "prose"
                if not any(marker.startswith(text) for marker in markers):
                    return None
            yield

    def _words(self, kind: EventKind, markup: LiveMarkup, ends: tuple[str, ...]) -> Way[bool]:
        """Prose or reasoning, up to one of its ``ends``; false where other markup may begin before."""
        while True:
            self._say(kind, self._take(markup.first_place(self._unread)))
            text = self._unread
            if text.startswith(ends):
                return True
            if not text or any(end.startswith(text) for end in ends):
                yield
            elif kind == "reasoning" and text[0] == "{":
                self._say(kind, self._take(1))
            elif (plain := markup.plain_length(text)) is None:
                yield
            elif not plain:
                return False
            else:
                self._say(kind, self._take(plain))

    def _say(self, kind: EventKind, text: str) -> None:
        """Settle words; whitespace at their end waits for more."""
        if self._blanks and self._blanks[-1].endswith("\\"):
            text = self._blanks.pop() + text
        body = without_blank_end(text)
        if body:
            words = "".join(self._blanks) + body
            self._blanks.clear()
            if kind == "reasoning":
                self._reason(words)
            else:
                self._say_prose(without_start(words, self.dialect.separator or "\n") if self._follows_call else words)
        self._blanks.append(text[len(body) :])

    def _reason(self, words: str) -> None:
        self._settle("reasoning", words if self.words["reasoning"] else words.lstrip("\n"))

    def _say_prose(self, words: str) -> None:
        separator = self.dialect.separator
        joint = (separator if separator.isspace() else "\n") if self._follows_call and self.words["prose"] else ""
        self._settle("prose", joint + words)
        self._segment.append(words)

    @property
    def _follows_call(self) -> bool:
        """Whether a call is the last that is settled."""
        return bool(self.calls) and not self._segment

    def _end_of_reasoning(self) -> Way[None]:
        """The mark that closes reasoning, and the line breaks after it."""
        self._reason("".join(self._blanks).rstrip("\n"))
        self._blanks.clear()
        self._take(len(self.dialect.reasoning.close))
        while True:
            self._take(len(self._unread) - len(self._unread.lstrip("\n")))
            if self._unread:
                return
            yield

    def _block(self) -> Way[bool]:
        """A block of calls, up to the marker that closes it; false if it can't be settled."""
        block: list[str] = []
        headers, closing = headers_of(self.dialect), self.dialect.last_marker
        header = headers and headers.first
        while header is not None or closing:
            place = self._unread.find(closing) if closing else -1
            found = header.match(self._unread, 0, HEADER) if header is not None else None
            if place >= 0 and (found is None or place < found.end()):
                block.append(self._take(place + len(closing)))
                return (yield from self._settles("".join(block)))
            if found is not None:
                block.append(self._take(found.end()))
                yield from self._arguments(found["name"], block)
                header = headers and headers.following
                continue
            if header is None or len(self._unread) >= HEADER:  # the calls are written otherwise
                header = None
                block.append(self._take(max(0, len(self._unread) - len(closing) + 1)))
            yield
        return False

    def _arguments(self, name: str, block: list[str]) -> Way[None]:
        """The arguments of a call, after their first brace."""
        index, written, json_end = self._index + len(self._begun), ["{"], JsonEnd()
        self._begun.append((name, written))
        self._events += [StreamEvent("call_began", name, index), StreamEvent("arguments", "{", index)]
        while True:
            end = json_end.find(self._unread)
            text = self._take(end if end >= 0 else len(self._unread))
            block.append(text)
            written.append(text)
            self._events.append(StreamEvent("arguments", text, index))
            if end >= 0:
                return
            yield

    def _settles(self, block: str) -> Way[bool]:
        """Settle the calls of a block that is closed, if it reads well and what follows can't change its reading."""
        prose, blanks = "".join(self._segment), "".join(self._blanks)
        lead = prose + blanks
        if "`" in block.rpartition("\n")[2] or may_be_shown(Form.MARKED, lead + block, len(lead), len(lead + block)):
            while not self._unread:
                yield
            if self._unread[0] != "\n":  # what follows in the line may make a sentence of it
                return False
        while (final := self.dialect.is_final(self._unread)) is None:
            yield
        if not final or "```" in block:
            return False
        parsed = self._read((prose if self._follows_call else lead) + block, self._tools, in_reasoning=False)
        if not parsed.calls or parsed.repairs or parsed.dropped:
            return False
        if not parsed.content.startswith(prose):
            return False
        if len(parsed.content) > len(prose):
            self._say_prose(parsed.content[len(prose) :])
        for call in parsed.calls:
            self._finish_call(call)
        self._segment.clear()
        self._blanks.clear()
        return True

    def finish(self, parsed: Parsed) -> None:
        """Add the events of the reading of the whole text, which has the calls that are settled."""
        read: dict[EventKind, str] = {"reasoning": parsed.reasoning or "", "prose": parsed.content}
        for kind, words in read.items():
            self._settle(kind, words[len(beginning_of(("".join(self.words[kind]), words))) :])
        for call in parsed.calls[len(self.calls) :]:
            self._finish_call(call)
        self._events += [StreamEvent("repair", name) for name in parsed.repairs]
        self._events += [StreamEvent("displaced", name) for name in parsed.displaced]
        self._events += [StreamEvent("dropped", each.text, reason=each.reason) for each in parsed.dropped]

    def take_events(self) -> list[StreamEvent]:
        """The events since they were last taken, text that belongs together in one."""
        events: list[StreamEvent] = []
        for (kind, index), run in groupby(self._events, key=lambda event: (event.kind, event.index)):
            if kind in ("prose", "reasoning", "arguments"):
                events.append(StreamEvent(kind, "".join(event.text for event in run), index))
            else:
                events += run
        self._events = []
        return events

    def _finish_call(self, call: ToolCall) -> None:
        """Add the events of a call that is read: those that did not come before."""
        self.calls.append(call)
        for skipped, (name, written) in enumerate(self._begun):
            if name == call.name and _are(call.arguments, "".join(written)):
                index = self._index + skipped
                del self._begun[: skipped + 1]
                break
        else:
            index = self._index + len(self._begun)
            self._begun.clear()
            self._events.append(StreamEvent("call_began", call.name, index))
            self._events.append(StreamEvent("arguments", jsontext.spaced(call.arguments), index))
        self._index = index + 1
        self._events.append(StreamEvent("call_done", "", index, call))

    def _settle(self, kind: EventKind, text: str) -> None:
        """Settle words, if there are any."""
        if text:
            self.words[kind].append(text)
            self._events.append(StreamEvent(kind, text))


def is_live(dialect: Dialect) -> bool:
    """Whether anything of a dialect's turns is settled before they are over."""
    from toolconv.dialects.grammars.python_calls import PythonCalls
    from toolconv.dialects.grammars.xml_parameters import XmlParameters

    calls, kind = dialect.calls, type(dialect)
    return (
        calls is not None
        and (calls.turn, calls.turn_without_prose.strip(), calls.turn_without_calls) == ("", "{calls}", "{prose}")
        and (kind.parse, kind.rearranged) == (Dialect.parse, Dialect.rearranged)
        and kind._reasoning in (Dialect._reasoning, XmlParameters._reasoning)
        and not (getattr(dialect, "reasoning_name", "") or getattr(dialect, "prose_tags", ()))
        and bool(dialect.markers)
        and not isinstance(dialect, PythonCalls)
        and dialect.leads_with_reasoning
        and not dialect.separator.strip()
    )


def _are(arguments: dict[str, Any], written: str) -> bool:
    """Whether a text is the whole of some arguments, as a model writes them."""
    try:
        return bool(lenient_json.read(written).value == arguments)
    except lenient_json.Unreadable:
        return False


def without_blank_end(text: str) -> str:
    """A text without whitespace at its end, also those that show as ``\\n`` in a text that was escaped twice."""
    text = text.rstrip()
    at = max(0, len(text) - 48)
    return (text[:at] + ESCAPED_BLANKS.sub("", text[at:], count=1)).rstrip()
