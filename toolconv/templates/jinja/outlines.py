"""What a template writes around the texts of conversations of one form, learnt from the first ones, which are marked.

An outline is filled with what another conversation says. If that gives exactly what the template wrote, each text is
where the outline has it, and what has no place in it is left out. Only declarations of tools are not compared: they are
what is left between two parts that are. A conversation for which the outline gives another text is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from itertools import accumulate
from typing import Any, Final

from toolconv.core import jsontext
from toolconv.core.remembered import Remembered
from toolconv.templates.jinja.adapter import Adapter, Turns
from toolconv.templates.jinja.argument_style import style_of
from toolconv.templates.jinja.marks import MARKS, MarkedText, Slot, SlotSpan, after_texts, has_marks
from toolconv.templates.jinja.pieces import (
    ChatForm,
    OutlineParts,
    Spell,
    ValuePlace,
    as_text,
    form_of,
    merged,
    parts_of,
)
from toolconv.templates.jinja.turn_pieces import TurnPieces

LONGEST: Final = 100_000
"""The longest text whose outline is learnt."""
LESSONS: Final = 8
"""How many conversations of a form teach its outline at most."""
PATIENCE: Final = 128
"""How many conversations of new forms teach what is written for turns, more than were then found by that."""


class Located:
    """A text in which the texts of a conversation were found.

    Attributes:
        found: those texts.
        missing: those that the template leaves out.
        outline: the outline of such texts, if there is one.
    """

    def __init__(self, marked: MarkedText | Callable[[], MarkedText], found: list[Slot], missing: list[Slot]) -> None:
        self._marked = marked
        self.found = found
        self.missing = missing
        self.outline: Outline | None = None

    @classmethod
    def of(cls, marked: MarkedText) -> Located:
        """The texts that were found by marks."""
        return cls(marked, [one.slot for one in marked.found], marked.missing)

    @cached_property
    def marked(self) -> MarkedText:
        """Where they are."""
        return self._marked() if callable(self._marked) else self._marked


class Outlines:
    """The outlines of a template, learnt while it writes conversations.

    Args:
        adapter: runs the template.
    """

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self._known: Remembered[Hashable, Outline] = Remembered(4_096)
        self._turns = TurnPieces()
        self._patience = PATIENCE

    @cached_property
    def _styles(self) -> list[Spell]:
        """How arguments may be written."""
        own = style_of(self._adapter)
        return [jsontext.spaced, jsontext.compact, as_text, *([own] if own is not None else [])]

    def locate(
        self, turns: Turns, text: str, mark: Callable[[], MarkedText], *, names: Collection[str], options: Hashable
    ) -> Located:
        """Find the texts of a conversation.

        Args:
            turns: the conversation.
            text: what the template wrote.
            mark: finds the texts by marking them.
            names: those of the tools that the conversation declares.
            options: what else its text depends on.
        """
        form = None if len(text) > LONGEST or has_marks(text) else form_of(turns)
        if form is None:
            return Located.of(mark())
        key = options, form.turns
        outline = self._known.get(key)
        if is_new := outline is None:
            outline = self._known.add(key, Outline(self._turns.parts(form, options)), len(text))
        if (read := outline.read(text, form.values)) is not None:
            self._patience = min(self._patience + is_new, PATIENCE)
            return read
        marked = mark()
        if is_new and self._patience > 0:
            self._patience -= 1
        elif is_new:
            return Located.of(marked)  # most likely, no other conversation is of this form
        parts = outline.learn(marked, form, self._styles, names)
        if parts is not None:
            self._turns.learn(parts, form, options, names)
        located = Located.of(marked)
        located.outline = outline
        return located


class Outline:
    """What a template writes for conversations of a form.

    Attributes:
        undeclared: the template's own text without tools, by the number of the gap where it differs; ``None`` until two
            conversations showed the same.

    Args:
        parts: what its turns show.
    """

    def __init__(self, parts: OutlineParts | None) -> None:
        self.undeclared: Mapping[int, str] | None = None
        self._shown: Mapping[int, str] | None = None
        self._lessons = 0
        self._parts = parts

    def read(self, text: str, values: Sequence[Any]) -> Located | None:
        """Find the texts in a text; ``None`` if that is not as the outline has it."""
        parts = self._parts  # which another thread may learn meanwhile
        if parts is None:
            return None
        pieces, slots, missing = parts
        spelled: list[str] = []
        declared: int | None = None
        for number, piece in enumerate(pieces):
            if type(piece) is str:
                spelled.append(piece)
            elif type(piece) is ValuePlace:
                try:
                    spelled.append(piece.spell(values[piece.number]))
                except KeyError:  # an argument of a kind that is not known
                    return None
            else:
                declared = number
                spelled.append("")
        if declared is None:
            if "".join(spelled) != text:
                return None
        else:
            begins, ends = pieces[declared]
            before, after = "".join(spelled[:declared]), "".join(spelled[declared + 1 :])
            middle = text[len(before) : len(text) - len(after)]
            if not (text.startswith(before) and text.endswith(after) and len(middle) >= len(begins) + len(ends)):
                return None
            if not (middle.startswith(begins) and middle.endswith(ends)):
                return None
            spelled[declared] = middle
        located = Located(partial(_marked, text, parts, spelled, values), [slot for slot, *_ in slots], missing)
        located.outline = self
        return located

    def learn(
        self, marked: MarkedText, form: ChatForm, styles: Iterable[Spell], names: Collection[str]
    ) -> OutlineParts | None:
        """Learn from a conversation whose texts were found, and return it in pieces, unless it teaches nothing.

        The parameters are those of :func:`.parts_of`, and the names of the tools that it declares.
        """
        if self._lessons >= LESSONS:
            return None
        self._lessons += 1
        parts = parts_of(marked, form, styles)
        known = self._parts
        self._parts = parts if parts is None or known is None else merged(known, parts, names) or parts
        return parts

    def show_undeclared(self, shown: Mapping[int, str]) -> None:
        """Take from a conversation what the template writes without tools."""
        if shown == self._shown:
            self.undeclared = shown
        self._shown = shown


def _marked(text: str, parts: OutlineParts, spelled: Sequence[str], values: Sequence[Any]) -> MarkedText:
    """A text of known pieces, and where the texts of the conversation are in it."""
    starts = [0, *accumulate(map(len, spelled))]
    found = []
    for slot, first, *more in parts.slots:
        end = starts[first + 1]
        for number in more:
            piece = parts.pieces[number]
            size = _size_of_texts(values[piece.number], piece.spell, spelled[number])
            end = max(end, starts[number] + size if size else 0)
        found.append(SlotSpan(starts[first], end, slot))
    return MarkedText(text, found, parts.missing)


def _size_of_texts(value: Any, spell: Spell, spelled: str) -> int:
    """How long a piece is up to the end of the last text in it; 0 if it holds none."""
    if type(value) is str:
        return len(spelled)
    last = value
    while last and type(last) in (dict, list):
        last = [*last.values()][-1] if type(last) is dict else last[-1]
    if type(last) is str and spell in (jsontext.spaced, jsontext.compact):
        return spelled.rfind('"')
    marked = spell(after_texts(value, chr(MARKS.start)))
    return max(marked.rfind(chr(MARKS.start)) - marked.count(chr(MARKS.start)) + 1, 0)
