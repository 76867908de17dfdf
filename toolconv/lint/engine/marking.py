"""Marks turns with findings as not trained on, in the text of a row: everything else stays, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from toolconv.core import jsontext
from toolconv.core.marks import DETAILS, INVERTED, MARK_KEYS, InvalidMark, default_weight, weight_of
from toolconv.core.messages import Message
from toolconv.core.plural import plural
from toolconv.lint.model import pointers
from toolconv.lint.model.finding import Edit, Finding
from toolconv.lint.model.row import LintRow


class Marked(NamedTuple):
    """What became of the findings of a row; those of several rows are added up.

    Attributes:
        turns: how many turns were marked.
        rows: how many rows changed.
        untrained: how many of these have no turn left to train on.
        elsewhere: findings that are in no turn that is trained on.
        no_place: findings in turns that can't be marked: the layout has no place for it.
        foreign: marked turns in layouts that have no mark of their own, so that only toolconv reads it.
    """

    turns: int = 0
    rows: int = 0
    untrained: int = 0
    elsewhere: int = 0
    no_place: int = 0
    foreign: int = 0

    def plus(self, other: Marked) -> Marked:
        """Both."""
        return Marked(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def notes(self) -> Iterator[str]:
        """What could not be marked, and what is left without use."""
        if self.elsewhere:
            yield f"--mark: {plural(self.elsewhere, 'finding')} in no turn that is trained on: nothing to mark"
        if self.no_place:
            yield f"--mark: {plural(self.no_place, 'finding')} in rows whose layout has no place for a mark"
        if self.foreign:
            turns = plural(self.foreign, "turn")
            yield f"--mark: {turns} in a layout without marks of its own: convert the rows to use them"
        if self.untrained:
            yield f"--mark: {plural(self.untrained, 'row')} with no turn left to train on (TC516)"


NOTHING = Marked()


def mark(row: LintRow, findings: Iterable[Finding]) -> tuple[LintRow, Marked]:
    """The row in which the turns with findings are not trained on, and the account of it.

    A turn has the mark that its layout has, or changes the one that it has. The new row is read again: it is taken only
    if exactly these turns are no longer trained on, and nothing else differs.
    """
    messages = list(_messages(row))
    place_of = {piece: index for index, (_, pieces) in enumerate(messages) for piece in pieces}
    chosen: dict[int, int] = {}
    elsewhere = 0
    for finding in findings:
        index = _turn_of(finding.deep or finding.pointer, place_of)
        if index is None or not _weight(messages[index][0]):
            elsewhere += finding.count
        else:
            chosen[index] = chosen.get(index, 0) + finding.count
    account = Marked(elsewhere=elsewhere)
    if not chosen:
        return row, account
    new = _changed(row, [piece for index in chosen for piece in messages[index][1]])
    if new is None or not _same_but_marks([message for message, _ in messages], new, chosen):
        return row, account._replace(no_place=sum(chosen.values()))
    left = any(_weight(message) for message, _ in _messages(new))
    foreign = len(chosen) if row.read_as is not None and row.read_as.mark_style.key is None else 0
    return new, account._replace(turns=len(chosen), rows=1, untrained=int(not left), foreign=foreign)


def _messages(row: LintRow) -> Iterator[tuple[Message, list[str]]]:
    """The messages of all answers of a row, each with the pointers of its pieces; what answers share comes once."""
    seen: set[str] = set()
    for each in (row, *row.other_answers()):
        found = [(message, each.pieces_of(index)) for index, message in enumerate(each.messages)]
        new = [(message, pieces) for message, pieces in found if seen.isdisjoint(pieces)]
        yield from new
        seen.update(piece for _, pieces in new for piece in pieces)


def _turn_of(pointer: str, place_of: Mapping[str, int]) -> int | None:
    """The message that a pointer leads into; ``None`` if it leads elsewhere."""
    while pointer:
        if pointer in place_of:
            return place_of[pointer]
        pointer = pointer.rpartition("/")[0]
    return None


def _weight(message: Message) -> float | int:
    """The weight of a message; that of an invalid mark is what it is without."""
    try:
        weight = weight_of(message)
    except InvalidMark:
        weight = None
    return default_weight(message) if weight is None else weight


def _changed(row: LintRow, pieces: Iterable[str]) -> LintRow | None:
    """The row with these pieces of its messages marked; ``None`` if one of them has no place for a mark."""
    from toolconv.lint.model import fixes

    layout = row.read_as
    if row.row is None or layout is None or layout.in_one_text:
        return None
    style = layout.mark_style
    new = ("weight", 0) if style.key is None else (style.key, False if style.flag else 0)
    edits: list[Edit] = []
    texts: dict[str, Any] = {}  # messages that are JSON text
    for piece in pieces:
        value = row.at(piece)
        if not isinstance(value, dict):
            return None
        text = row.place(piece)
        if text == piece:
            edits += _edits(piece, value, new)
            continue
        inner = texts.setdefault(text, jsontext.opened(row.at(text)))
        holder = pointers.look(inner, piece[len(text) :])
        for edit in _edits("", holder, new):
            key = edit.pointer[1:]
            if edit.remove:
                del holder[key]
            else:
                holder[key] = edit.value
    edits += [Edit(text, pointers.respelled(row.at(text), inner)) for text, inner in texts.items()]
    try:
        raw = fixes.apply(row.raw.decode("utf-8", "surrogatepass"), edits).encode("utf-8", "surrogatepass")
    except fixes.CannotEdit:
        return None
    return row.with_text(raw)


def _edits(pointer: str, message: Message, new: tuple[str, Any]) -> list[Edit]:
    """What marks a message: its own marks say no, or else a new one does."""
    edits = [Edit(f"{pointer}/{key}", remove=True) for key in message if key in DETAILS]
    own = [key for key in message if key in MARK_KEYS - DETAILS and message[key] is not None]
    for key in own:
        number = isinstance(message[key], int | float) and not isinstance(message[key], bool)
        edits.append(Edit(f"{pointer}/{key}", int(key in INVERTED) if number else key in INVERTED))
    return edits if own else [*edits, Edit(f"{pointer}/{new[0]}", new[1])]


def _same_but_marks(before: list[Message], row: LintRow, chosen: Mapping[int, int]) -> bool:
    """Whether the messages of a row are the same as before, except for the marks of some, which are not trained on."""
    after = [message for message, _ in _messages(row)]
    return len(before) == len(after) and all(
        (not _weight(new) and _unmarked(old) == _unmarked(new)) if index in chosen else old == new
        for index, (old, new) in enumerate(zip(before, after, strict=True))
    )


def _unmarked(message: Message) -> Message:
    return {key: value for key, value in message.items() if key not in MARK_KEYS}
