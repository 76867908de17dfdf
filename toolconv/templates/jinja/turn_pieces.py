"""What a template writes around the texts of single turns, learnt from conversations of any form.

Long conversations are rarely of the same form as another, but each of their turns, with its neighbours, is.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import NamedTuple

from toolconv.core.remembered import Remembered
from toolconv.templates.jinja.marks import Slot
from toolconv.templates.jinja.pieces import ChatForm, Declarations, OutlineParts, ValuePlace, merged


class _TurnPlace(NamedTuple):
    """A turn in its conversation.

    Attributes:
        key: what the template's own text around it depends on, most likely.
        at: its index; -1 stands for what is before the first turn.
        first: the number of its first value.
    """

    key: Hashable
    at: int
    first: int


class TurnPieces:
    """Each turn in pieces, from its first value up to the first value of the next one."""

    def __init__(self) -> None:
        self._known: Remembered[Hashable, OutlineParts] = Remembered(4_096)

    @staticmethod
    def _places(form: ChatForm, options: Hashable) -> Iterator[_TurnPlace]:
        turns = form.turns
        roles = ["", "", *(turn.role for turn in turns), "", ""]
        asked = max((at for at, turn in enumerate(turns) if turn.role == "user"), default=-1)
        first = 0
        for at in range(-1, len(turns)):
            turn = turns[at] if at >= 0 else None
            following = turns[at + 1] if at + 1 < len(turns) else None
            then = following and (following.texts, bool(following.calls))
            yield _TurnPlace((options, turn, roles[at + 1], *roles[at + 3 : at + 5], then, asked > at + 1), at, first)
            first += 0 if turn is None else turn.values

    def learn(self, parts: OutlineParts, form: ChatForm, options: Hashable, names: Collection[str]) -> None:
        """Learn from a conversation.

        Args:
            parts: the text of the conversation.
            form: the conversation.
            options: what else the text depends on.
            names: those of the declared tools.
        """
        message_of = [index for index, turn in enumerate(form.turns) for _ in range(turn.values)]
        cuts = [0]
        for at, piece in enumerate(parts.pieces):
            if type(piece) is ValuePlace and message_of[piece.number] == len(cuts) - 1:
                cuts.append(at)
        if len(cuts) != len(form.turns) + 1:
            return  # a turn has no text, or another place than its own
        cuts.append(len(parts.pieces))
        if any(
            first < cuts[slot.message + 1] or max(first, *more, 0) >= cuts[slot.message + 2]
            for slot, first, *more in parts.slots
        ):
            return
        for place in self._places(form, options):
            at, end = cuts[place.at + 1], cuts[place.at + 2]
            pieces = [
                ValuePlace(piece.number - place.first, piece.spell) if type(piece) is ValuePlace else piece
                for piece in parts.pieces[at:end]
            ]
            size = form.turns[place.at].values if place.at >= 0 else 0
            if any(type(piece) is ValuePlace and not 0 <= piece.number < size for piece in pieces):
                continue  # it says again what another turn does
            slots = [
                (slot._replace(message=0), *(number - at for number in numbers))
                for slot, *numbers in parts.slots
                if slot.message == place.at
            ]
            missing = [slot._replace(message=0) for slot in parts.missing if slot.message == place.at]
            found = OutlineParts(pieces, slots, missing)
            known = self._known.get(place.key)
            self._known.add(place.key, found if known is None else merged(known, found, names) or found)

    def parts(self, form: ChatForm, options: Hashable) -> OutlineParts | None:
        """What the text of a conversation should be, of the turns that it has; ``None`` if one is not known."""
        pieces: list[object] = []
        slots: list[tuple[object, ...]] = []
        missing: list[Slot] = []
        for place in self._places(form, options):
            known = self._known.get(place.key)
            if known is None:
                return None
            at, first, index = len(pieces), place.first, place.at
            for piece in known.pieces:
                pieces.append(ValuePlace(piece.number + first, piece.spell) if type(piece) is ValuePlace else piece)
            for (kind, _, call), *numbers in known.slots:
                slots.append((Slot(kind, index, call), *(number + at for number in numbers)))
            missing += [slot._replace(message=index) for slot in known.missing]
        if sum(type(piece) is Declarations for piece in pieces) > 1:
            return None
        missing.sort(key=lambda slot: slot.kind != "call")  # as marks are made
        return OutlineParts(pieces, slots, missing)
