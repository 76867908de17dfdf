"""What is settled of an assistant turn while it is still being written: nothing that follows changes it.

- Prose is settled up to the place where markup of any dialect may begin.
- A block of calls is settled once it is closed and its dialect reads it without a repair.
- Reasoning is settled up to its closing marker, or to any other marker in it.

After anything else, nothing is settled until the text is over. So it is in whole turns of the formats that mark prose
or write reasoning anywhere, and of those whose calls nothing announces.

Whole turns are read with what follows in sight, so two rules of the turn reader keep what was settled: calls between
the markers of the named dialect that need no repair are its own, whatever else the text holds; and words that were
given out as prose stay prose, even if they turn out to be the name of a call, or a damaged marker.

However a text is cut into chunks, each character is looked at a bounded number of times, and the same is settled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.core.tool_call import ToolCall
from toolconv.core.tools import ToolIndex
from toolconv.dialects.base import Dialect
from toolconv.dialects.live.arguments import LiveArguments
from toolconv.dialects.live.markup import LiveMarkup, markup_of, next_stop
from toolconv.dialects.reading.prose import without_start
from toolconv.dialects.reading.turn_parser import Parsed

EventKind = Literal["prose", "reasoning", "call_began", "arguments", "call_done", "repair", "displaced", "dropped"]
Read = Callable[[str, ToolIndex, bool | None], Parsed | None]
"""Reads a text in one dialect; ``None`` if that leaves anything unread."""

MAY_BE_MENTIONED: Final = lazy_re(r"[\w,(\"'“‘«]\s{0,9}[<\[][^<>\[\]\n]{0,80}[>\]](?=\Z|[\s.,;:)!?\"'”’»])")
"""A tag after a word: if words follow in its line, a sentence mentions it."""


ESCAPED_BLANKS: Final = lazy_re(r"(?:\\[nrt]\s*)*\\?\Z")
STEP: Final = 256
"""How many characters are looked at at once, so that what is taken from a long chunk costs little."""


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

    Arguments come in pieces where the format has them as JSON in a block with a closing marker, otherwise whole, as
    JSON, when the call is done. A call that began and is never done was cut off, or could not be read.
    """

    kind: EventKind
    text: str = ""
    index: int | None = None
    call: ToolCall | None = None
    reason: str = ""


class LiveTurn:
    """The settled part of one assistant turn.

    Args:
        dialect: becomes an attribute.
        tools: the tools declared to the model.
        in_reasoning: whether the prompt ended inside an opened reasoning block; with ``None`` the text decides.
        read: reads settled blocks.

    Attributes:
        dialect: the dialect of the turn.
        prose, reasoning: the pieces that were settled.
        calls: the calls that were settled.
    """

    def __init__(self, dialect: Dialect, tools: ToolIndex, in_reasoning: bool | None, read: Read) -> None:
        self._events: list[StreamEvent] = []
        self.prose: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[ToolCall] = []
        self._after_call = False  # whether a call is the last that is settled
        self.dialect, self._tools, self._in_reasoning, self._read = dialect, tools, in_reasoning, read
        self._unread = ""  # what is to be looked at
        self._blanks: list[str] = []  # what is only settled if more follows: whitespace at the end
        self._segment: list[str] = []  # the prose since the last call
        self._block: list[str] = []
        self._tail = ""  # the end of the block: a closing marker may have begun there
        self._arguments: LiveArguments | None = None
        self._begun: list[str] = []  # the names of calls that began and are not done
        self._index = 0
        self._markup: tuple[LiveMarkup, ...] = ()
        self._closing = ""
        self._openings: tuple[str, ...] = ()
        self._state = self._wait
        if is_live(dialect):
            self._markup = markup_of(dialect, tools)
            self._closing = dialect.last_marker
            self._openings = tuple(marker for marker in dialect.markers if marker in dialect.template.head)
            self._state = self._begin

    def feed(self, chunk: str) -> None:
        """Add text."""
        for start in range(0, len(chunk), STEP):
            self._unread += chunk[start : start + STEP]
            while self._state():
                pass

    def _skip(self, characters: int) -> str:
        """Take text from the beginning of the unread input."""
        taken, self._unread = self._unread[:characters], self._unread[characters:]
        return taken

    # ── where in the turn we are: each of these looks at the unread input, and returns whether there is more to do ──

    def _wait(self) -> bool:
        """The rest is read when the text is over."""
        self._unread = ""
        return False

    def _begin(self) -> bool:
        """Before the first character that is not whitespace: the turn may begin with reasoning."""
        self._blanks.append(self._skip(len(self._unread) - len(self._unread.lstrip())))
        text = self._unread
        opening, markers = self.dialect.reasoning.open, self.dialect.markers
        if not text or (len(text) < len(opening) and opening.startswith(text)):
            return False
        if text.startswith(opening):
            self._skip(len(opening))
            self._blanks.clear()
            self._state = self._think
        elif self._in_reasoning:
            self._unread = "".join(self._blanks) + text
            self._blanks.clear()
            self._state = self._think
        elif self._in_reasoning is False or (text.startswith(markers) and not any(self._blanks)):
            self._state = self._plain
        elif any(len(text) < len(marker) and marker.startswith(text) for marker in markers):
            return False
        else:  # what closes reasoning may follow
            self._state = self._wait
        return True

    def _think(self) -> bool:
        """In reasoning."""
        close = self.dialect.reasoning.close
        end, finder = next_stop(self._unread, self._markup[:1])
        self._reason(self._skip(end))
        if finder is None:
            return False
        text = self._unread
        if text.startswith(close):
            self._skip(len(close))
            self._blanks.clear()
            self._state = self._after_reasoning
            return True
        known = finder.shows_marker(text)
        if known is False and text[0] in "<[":
            plain = finder.plain_length(text)
            known = None if plain is None else not plain
        if known is None:
            return False
        if known or text[0] == "`":  # a marker that is shown as code ends nothing
            self._state = self._wait
        else:
            self._reason(self._skip(1))
        return True

    def _reason(self, text: str) -> None:
        """Settle reasoning; line breaks at its end wait for more."""
        if not self.reasoning:
            text = text.lstrip("\n")
        body = text.rstrip("\n")
        if body:
            self._settle("reasoning", self.reasoning, "".join(self._blanks) + body)
            self._blanks.clear()
        if self.reasoning:
            self._blanks.append(text[len(body) :])

    def _after_reasoning(self) -> bool:
        self._skip(len(self._unread) - len(self._unread.lstrip("\n")))
        if self._unread:
            self._state = self._plain
        return bool(self._unread)

    def _plain(self) -> bool:
        """In prose."""
        end, finder = next_stop(self._unread, self._markup)
        self._say(self._skip(end))
        if finder is None:
            return False
        if self._closing and self._unread.startswith(self._openings):
            self._block, self._tail = [], ""
            self._arguments = LiveArguments(self.dialect)
            self._state = self._in_block
            return True
        plain = finder.plain_length(self._unread)
        if plain is None:
            return False
        if plain:
            self._say(self._skip(plain))
        else:
            self._state = self._wait
        return True

    def _say(self, text: str) -> None:
        """Settle prose; whitespace at its end waits for more."""
        if self._blanks and self._blanks[-1].endswith("\\"):
            text = self._blanks.pop() + text
        body = without_blank_end(text)
        if body:
            prose, joint = "".join(self._blanks) + body, ""
            self._blanks.clear()
            if self._after_call:
                prose = without_start(prose, self.dialect.separator or "\n")
                joint = joint_of(self.dialect) if self.prose else ""
                self._after_call = False
            self._segment.append(prose)
            self._settle("prose", self.prose, joint + prose)
        if len(body) < len(text):
            self._blanks.append(text[len(body) :])

    def _in_block(self) -> bool:
        """In a block of calls."""
        if not self._unread:
            return False
        before = self._tail
        chunk = self._skip(len(self._unread))
        seen = before + chunk
        place = seen.find(self._closing)
        if place < 0:
            self._block.append(chunk)
            self._tail = seen[max(0, len(seen) - len(self._closing) + 1) :]
            self._go_on(chunk)
            return False
        used = place + len(self._closing) - len(before)
        self._block.append(chunk[:used])
        self._go_on(chunk[:used])
        self._unread = chunk[used:]
        self._state = self._after_block
        return True

    def _go_on(self, chunk: str) -> None:
        """Tell of the calls in a block before it is closed."""
        if self._arguments is None:
            return
        for name, text in self._arguments.feed(chunk):
            if name:
                self._events.append(StreamEvent("call_began", name, self._index + len(self._begun)))
                self._begun.append(name)
            else:
                self._events.append(StreamEvent("arguments", text, self._index + len(self._begun) - 1))

    def _after_block(self) -> bool:
        """After a block that is closed: it is settled if it reads well and nothing that follows can change that."""
        block = "".join(self._block)
        if (final := self._is_final(block)) is None:
            return False
        self._state = self._wait
        if not final:
            return True
        prose = "".join(self._segment)
        blanks = "" if self._after_call else "".join(self._blanks)
        parsed = None if "```" in block else self._read(prose + blanks + block, self._tools, False)
        if parsed is None or not parsed.calls or parsed.repairs or parsed.reasoning:
            return True
        if not parsed.content.startswith(prose):
            return True
        if more := parsed.content[len(prose) :]:
            joint = joint_of(self.dialect) if self._after_call and self.prose else ""
            self._settle("prose", self.prose, joint + more)
        for call in parsed.calls:
            self._finish_call(call)
        self._segment.clear()
        self._blanks.clear()
        self._after_call = True
        self._state = self._plain
        return True

    def _is_final(self, block: str) -> bool | None:
        """Whether what follows a block can't change its reading; ``None`` if that is not known yet."""
        line = block[block.rfind("\n") + 1 :]
        if "`" in line or MAY_BE_MENTIONED.search(line):  # what follows in the line may make a sentence of it
            if not self._unread:
                return None
            if self._unread[0] != "\n":
                return False
        return self.dialect.is_final(self._unread)

    def finish(self, parsed: Parsed) -> None:
        """Add the events of the reading of the whole text, which agrees with what is settled."""
        if more := (parsed.reasoning or "")[len("".join(self.reasoning)) :]:
            self._settle("reasoning", self.reasoning, more)
        if more := parsed.content[len("".join(self.prose)) :]:
            self._settle("prose", self.prose, more)
        for call in parsed.calls[len(self.calls) :]:
            self._finish_call(call)
        self._events += [StreamEvent("repair", name) for name in parsed.repairs]
        self._events += [StreamEvent("displaced", name) for name in parsed.displaced]
        self._events += [StreamEvent("dropped", each.text, reason=each.reason) for each in parsed.dropped]

    def begins(self, parsed: Parsed) -> bool:
        """Whether a reading of the whole text begins with what is settled."""
        return (
            parsed.content.startswith("".join(self.prose))
            and (parsed.reasoning or "").startswith("".join(self.reasoning))
            and parsed.calls[: len(self.calls)] == self.calls
        )

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
        if call.name in self._begun:
            skipped = self._begun.index(call.name)
            index = self._index + skipped
            del self._begun[: skipped + 1]
        else:
            index = self._index + len(self._begun)
            self._begun.clear()
            self._events.append(StreamEvent("call_began", call.name, index))
            self._events.append(StreamEvent("arguments", jsontext.spaced(call.arguments), index))
        self._index = index + 1
        self._events.append(StreamEvent("call_done", "", index, call))

    def _settle(self, kind: EventKind, pieces: list[str], text: str) -> None:
        pieces.append(text)
        self._events.append(StreamEvent(kind, text))


def is_live(dialect: Dialect) -> bool:
    """Whether anything of a dialect's turns is settled before they are over."""
    from toolconv.dialects.grammars.python_calls import PythonCalls
    from toolconv.dialects.grammars.xml_parameters import XmlParameters

    calls, kind = dialect.calls, type(dialect)
    marks_calls_only = calls is not None and (calls.turn, calls.turn_without_prose, calls.turn_without_calls) == (
        "",
        "{calls}",
        "{prose}",
    )
    splits_as_usual = (
        kind.parse is Dialect.parse
        and kind.rearranged is Dialect.rearranged
        and kind._reasoning in (Dialect._reasoning, XmlParameters._reasoning)
        and not getattr(dialect, "reasoning_name", "")
        and not getattr(dialect, "prose_tags", ())
    )
    announced = bool(dialect.markers) and not isinstance(dialect, PythonCalls)
    return (
        marks_calls_only
        and splits_as_usual
        and announced
        and dialect.leads_with_reasoning
        and not dialect.separator.strip()
    )


def without_blank_end(text: str) -> str:
    """A text without whitespace at its end, also those that show as ``\\n`` in a text that was escaped twice."""
    text = text.rstrip()
    found = ESCAPED_BLANKS.search(text, max(0, len(text) - 48))
    return text[: found.start()].rstrip() if found else text


def joint_of(dialect: Dialect) -> str:
    """What joins the prose before a call and the prose after it."""
    return dialect.separator if dialect.separator.isspace() else "\n"
