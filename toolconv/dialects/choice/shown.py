"""Markup that a turn only shows: it is hidden from the dialects that read the turn, and back in what they read.

Which calls a line shows, ``lexing/`` says. Which calls a turn displays between its paragraphs, :func:`displayed` says,
when they are read.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from toolconv.core.blanks import after_blanks
from toolconv.core.calls import lists_calls
from toolconv.core.lazy_re import lazy_re
from toolconv.core.notes import Dropped
from toolconv.core.tools import NO_TOOLS, ToolIndex
from toolconv.dialects.choice.best_reading import best_reading
from toolconv.dialects.choice.readings import Readings
from toolconv.dialects.lexing.markers import marked_dialects
from toolconv.dialects.lexing.masking import masked, unmasked
from toolconv.dialects.lexing.mentions import FENCE, TAG
from toolconv.dialects.reading.parts import TurnPart, split
from toolconv.dialects.reading.turn_parser import Parsed, parts_of

DISPLAYED: Final = "set off by blank lines"
"""Why a part of a turn that was read as a call is shown."""

ONLY_SHOWN: Final = "what its markup holds is only shown, such as the declaration of a tool"
"""Why a call is dropped where its tags hold no call."""

_BLANK_LINE: Final = lazy_re(r"\n[ \t\r]*\n")
_BEFORE_CALL: Final = " \t\r\n[({"
_LEADS_ON: Final = lazy_re(r"[\w,:，：]")
"""What ends a line of a sentence that goes on."""
_HEADING: Final = lazy_re(r"#{1,6} |\*\*[^*\n]{1,80}\*\*:?[ \t]*\n")
_PYTHON: Final = lazy_re(r"[^\W\d][\w.]{0,127}\(")
"""A call in Python, outside of a list."""
_DOTS: Final = ("...", "…")
"""What stands for a name or a value in a call that explains calls; in real ones, words in brackets may be values."""
_SENTENCE: Final = lazy_re(r"\w+(?:\W?\s\w+){3}")
"""What is not a name, unless it is a title: ``Get Question by ID``."""
_LONG_WORD: Final = lazy_re(r"[^\W\d_]{4,}")
_MENTION: Final = lazy_re(r"(?:<[^<>\n]{1,60}>|\[[A-Z_]{4,30}\])[ ,]?(?:[^\W\d_]+,? ){3}[^\W\d_]")
"""A tag, and a sentence about it."""
_WORDS: Final = lazy_re(r"[^\W\d_]{2}")


class Hidden(NamedTuple):
    """A turn whose shown markup is hidden.

    Attributes:
        text: the turn with other characters where that markup is.
        places: where it is.
        displayed: those of the places that :func:`displayed` found.
    """

    text: str
    places: list[tuple[int, int]]
    displayed: frozenset[tuple[int, int]] = frozenset()

    def without(self, calls: list[tuple[int, int]]) -> Hidden:
        """The turn with some of its calls hidden, too: :func:`displayed` found them."""
        places: list[tuple[int, int]] = []
        for start, end in sorted([*self.places, *calls], key=lambda place: (place[0], -place[1])):
            if not places or end > places[-1][1]:  # else it lies in a call
                places.append((start, end))
        return Hidden(masked(self.text, calls), places, frozenset(calls))

    def but_in_names(self, parsed: Parsed) -> list[tuple[int, int]]:
        """The places that are not in a call whose name, as ``parsed`` has it, is shown markup: that is no name."""
        parts = parts_of(parsed, self.text) if any(unmasked(call.name) != call.name for call in parsed.calls) else ()
        named = [part for part in parts if part.call is not None and unmasked(part.call.name) != part.call.name]
        return [place for place in self.places if not any(part.start <= place[0] < part.end for part in named)]

    def back_in(self, parsed: Parsed) -> Parsed:
        """A reading of :attr:`text`, with the markup of the turn."""
        if not self.places:
            return parsed
        parts = parts_of(parsed, self.text)
        parsed.content, parsed.reasoning = unmasked(parsed.content), unmasked(parsed.reasoning)
        for call in parsed.calls:
            call.name, call.arguments = unmasked(call.name), unmasked(call.arguments)
        parsed.dropped = [Dropped(_reason(each.reason), unmasked(each.text)) for each in parsed.dropped]
        parsed.parts = list(self._with_shown(parts, deque(self.places)))
        return parsed

    def _with_shown(self, parts: Iterable[TurnPart], shown: deque[tuple[int, int]]) -> Iterator[TurnPart]:
        """The parts of a text, with their markup; what is shown in prose is a part of its own."""
        for part in parts:
            part.text, part.reason = unmasked(part.text), _reason(part.reason)
            inner = []
            while shown and shown[0][0] < part.end:
                start, end = shown[0]
                reason = DISPLAYED if shown[0] in self.displayed else ""
                if end > part.end:
                    shown[0] = part.end, end
                else:
                    shown.popleft()
                start, end = max(start, part.start), min(end, part.end)
                inner.append(
                    TurnPart(start, end, "shown", part.text[start - part.start : end - part.start], None, reason)
                )
            plain = part.kind == "prose" and len(part.text) == part.end - part.start
            yield from split(part, inner) if plain else [part]


def _reason(reason: str) -> str:
    """Why a call is dropped: a placeholder that a grammar complains of stands for what is only shown."""
    return ONLY_SHOWN if "'\\ue" in reason else reason


def hidden(text: str, places: list[tuple[int, int]]) -> Hidden:
    """A turn with the markup at some places hidden."""
    return Hidden(masked(text, places), places)


def displayed(parsed: Parsed, text: str, tools: ToolIndex) -> list[tuple[int, int]]:
    """The places of the calls, read or dropped, that a text displays, in order.

    Where there are none, it displays the code blocks that are calls.

    A writer who shows a call, in whatever language, sets it off from the words before it and after it by blank lines. A
    model that makes one seldom goes on in a paragraph of its own. Calls that are not all set off like that are made,
    and so are those that a turn begins or ends with, and a declared tool's whole tag.
    """
    if not parsed.calls and not parsed.dropped:
        blocks = FENCE.finditer(text) if "```" in text else ()
        return [each.span() for each in blocks if lists_calls(each[0], NO_TOOLS) or _holds_marked_call(each[0], tools)]
    parts = parts_of(parsed, text)
    found = [(part.start, part.end) for part in parts if part.kind in ("call", "dropped") and _explains(part, text)]
    if all(part.kind in ("call", "markup") for part in parts) or "\n" not in text:
        return found  # no words
    block = FENCE.match(text) if text.startswith("```") else None
    if block is not None and text[after_blanks(text, block.end()) :][:1].islower():
        return [block.span()]  # a sentence begins with it
    if tools and any(part.call and part.call.name in tools and TAG.match(text, part.start) for part in parts):
        return found
    stretches = _stretches(parts, text)
    calls = [number for number, stretch in enumerate(stretches) if stretch.kind == "calls"]
    if all(_is_set_off(text, stretches[max(0, number - 1) : number + 2]) for number in calls):
        found = [(stretches[number].start, stretches[number].end) for number in calls]
    return found


def _holds_marked_call(block: str, tools: ToolIndex) -> bool:
    """Whether a code block holds a call in tags, which some dialect reads."""
    best = best_reading(block, Readings(block, tools, None), marked_dialects(block))
    return best is not None and bool(best.parsed.calls)


def _is_title(name: str) -> bool:
    """Whether all long words of a name begin with a capital letter, as in the names of many public APIs."""
    return all(word[0].isupper() for word in _LONG_WORD.findall(name))


def _explains(part: TurnPart, text: str) -> bool:
    """Whether a part explains calls: dots stand for its name or all its values, or there is a sentence instead.

    It is taken for a name, or follows the tag of a call that can't be read.
    """
    if part.start == part.end:
        return False
    if part.call is None:
        is_whole = "</" in text[part.start : part.end]
        return not is_whole and _MENTION.match(text, part.start) is not None
    name, values = part.call.name, part.call.arguments.values()
    if name in _DOTS or (" " in name and _SENTENCE.match(name) is not None and not _is_title(name)):
        return True
    return bool(values) and not any(value not in _DOTS for value in values)


def _is_set_off(text: str, stretches: list[_Stretch]) -> bool:
    """Whether the second of three stretches is set off from the others, which are words, and no fence says what it is.

    Blank lines, or a heading, are around it, a sentence that begins before it goes on in the line after it, or it is a
    line of a program.
    """
    if [stretch.kind for stretch in stretches] != ["words", "calls", "words"]:
        return False
    before, calls, after = stretches
    gaps = text[before.end : calls.start], text[calls.end : after.start]
    above = max(before.start, text.rfind("\n", before.start, before.end) + 1)
    if text.startswith("```", calls.start) or text.startswith("```", above) or not all("\n" in gap for gap in gaps):
        return False
    if _PYTHON.match(text, calls.start) is not None:
        return True
    if _LEADS_ON.match(text, before.end - 1) is not None and text[after.start].islower():
        return True
    is_begun = _BLANK_LINE.search(gaps[0]) is not None or _HEADING.match(text, above) is not None
    return is_begun and _BLANK_LINE.search(gaps[1]) is not None


class _Stretch(NamedTuple):
    """Parts of a turn that follow each other and are of a kind, without the white space around them."""

    kind: str
    start: int
    end: int


_KINDS: Final = {"prose": "words", "shown": "words", "call": "calls", "dropped": "calls", "markup": "markup"}


def _stretches(parts: Iterable[TurnPart], text: str) -> list[_Stretch]:
    """The stretches of a turn, in order. Markup belongs to the calls beside it; at the end it is left out."""
    found: list[_Stretch] = []
    for part in parts:
        for stretch in _without_next_paragraph(part, text):
            kind, start, end = stretch
            if start == end or (kind == "words" and _WORDS.search(TAG.sub("", text[start:end])) is None):
                continue
            last = found[-1] if found else None
            if last is not None and (last.kind == kind or {last.kind, kind} == {"calls", "markup"}):
                found[-1] = _Stretch("calls" if last.kind != kind else kind, last.start, end)
            else:
                found.append(stretch)
    if found and found[-1].kind == "markup":
        found.pop()
    return found


def _without_next_paragraph(part: TurnPart, text: str) -> Iterator[_Stretch]:
    """A part as a stretch; of a call that can't be read, nobody knows the end: what follows a blank line is words."""
    kind = _KINDS.get(part.kind, "other")
    blank = _BLANK_LINE.search(text, part.start, part.end) if part.kind == "dropped" else None
    yield _trimmed(kind, text, part.start, part.end if blank is None else blank.start())
    if blank is not None:
        yield _trimmed("words", text, blank.end(), part.end)


def _trimmed(kind: str, text: str, start: int, end: int) -> _Stretch:
    """A stretch without the white space around it, and words without the bracket of the call after them."""
    stretch = text[start:end]
    length = len(stretch.rstrip(_BEFORE_CALL if kind == "words" else None))
    return _Stretch(kind, start + min(length, len(stretch) - len(stretch.lstrip())), start + length)
