"""The parts of lines that turns are: long rows rarely have the same turns, but each of these is like many others.

A part is what the ordinary path writes for a turn and its results, from the last value before it on. It is known by
its form, that of the turn before it, what follows, and whether the user speaks again. If a template looks further, as
to count turns, examples show it, which are also converted with all of their turns twice: from then on, all turns of a
row are one part.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any, Final, NamedTuple

from toolconv.convert.plans.marked_rows import MARKED, RESULTS
from toolconv.convert.plans.plain_rows import NUMBERED, PlainRows, RowShape
from toolconv.convert.plans.plan import LinePart, Pieces, Plan, RowAccount, by_example, part_of
from toolconv.convert.result import Result

ROOM: Final = 1 << 16
"""How many values the rows had whose parts, and turns, are known at a time."""
MOST_VALUES: Final = 1 << 9
"""How many values a row has at most whose parts are learnt: to cut the line of its example takes quadratic time."""
TRIES: Final = 8
"""About how many shapes of a thousand rows the ordinary path may say something, before no more are tried."""
_USER: Final = "user"
_RESULTS: Final = frozenset({"result", RESULTS})
_OF_CALL: Final = 3
"""How many values a call has, and how long its piece is in the form of a text with markup."""

Key = tuple[Any, ...]


class _Turn(NamedTuple):
    """A turn with its results.

    Attributes:
        number: which one it is, of all forms.
        kind: who speaks, or that it calls.
        values: how many values it has.
        is_answer: whether the assistant speaks.
        calls: how many calls it has.
        own_ids: how many of these have an id other than a number.
        markup: its lines of markup, which some layouts are known by.
    """

    number: int
    kind: str
    values: int
    is_answer: bool
    calls: int
    own_ids: int
    markup: frozenset[str]


class _Known(NamedTuple):
    """A part of lines, how many ids of calls are lost in it, and what is counted for the row by the last one."""

    pieces: Pieces
    lost_ids: int
    part: LinePart
    account: RowAccount


class _Row(NamedTuple):
    """The turns of a row, each with its results; all up to the first one of the user's are in one part.

    Attributes:
        answers: how many turns are the assistant's.
        calls, own_ids: for each turn, how many calls it has, and how many of these have an id other than a number.
        first: how many turns are in the first part.
        starts: the place of the first value of each turn, and that of the first value after them.
        values: how many values the row has.
        keys: what parts are known by: the first one, that of each further turn, and the rest.
    """

    answers: int
    calls: tuple[int, ...]
    own_ids: tuple[int, ...]
    first: int
    starts: list[int]
    values: int
    keys: list[Key]


class TurnParts:
    """The parts of lines that are known.

    Attributes:
        by_turns: whether no part was seen to depend on more of its row.

    Args:
        rows: reads plain rows.
        convert: the ordinary path, for one line.
        first: how many rows with a new part take the ordinary path as well.
        often: of the plans asked for, the row of one in so many does, too.
    """

    def __init__(self, rows: PlainRows, convert: Callable[[bytes], Result], first: int, often: int) -> None:
        self.by_turns = True
        self._tries = TRIES
        self._dialect = ""
        self._rows = rows
        self._convert = convert
        self._first = first
        self._often = often
        self._asked = 0
        self._room = ROOM
        self._turns: dict[Key, _Turn] = {}
        self._parts: dict[Key, _Known] = {}
        self._seen: set[Key] = set()
        self._never: set[RowShape] = set()
        self._unchecked: dict[Key, int] = {}

    def clear(self) -> None:
        """Forget all parts."""
        for known in (self._turns, self._parts, self._seen, self._never, self._unchecked):
            known.clear()
        self._room = ROOM

    def take_rows(self) -> None:
        """Take all turns of a row for one part: a part depends on more of its row."""
        self.by_turns = False
        self.clear()

    def refuse(self, shape: RowShape) -> None:
        """Make no plan for rows of a shape."""
        self._never.add(shape)

    def plan(self, shape: RowShape) -> Plan | None:
        """The plan for rows of a shape; ``None`` if a part of it is new, or other rows than those seen have it."""
        if self._room <= 0:
            self.clear()
        self._asked += 1
        if self._asked % self._often == 0:
            self._tries = TRIES
        row = self._row(shape)
        try:
            parts = self._parts_of(row)
        except KeyError:
            if not self._learns(shape, row):
                return None
            parts = self._parts_of(row)
        return self._joined(row, parts)

    def _parts_of(self, row: _Row) -> list[_Known]:
        return [*map(self._parts.__getitem__, row.keys)]

    def _learns(self, shape: RowShape, row: _Row) -> bool:
        """Learn the parts of rows of a shape that are new, if other rows had one of them; whether all are known now."""
        if shape in self._never:
            return False
        self._room -= row.values
        missing = [key for key in row.keys if key not in self._parts]
        if self._seen.isdisjoint(missing):
            self._seen.update(missing)
            return False
        return row.values <= MOST_VALUES and (self._tries > 0 or not self.by_turns) and self._learn(shape)

    def _row(self, shape: RowShape) -> _Row:
        forms = shape.turns
        begins = [at for at, form in enumerate(forms) if form[0] not in _RESULTS]
        turns: list[_Turn] = []
        for start, end in zip(begins, [*begins[1:], len(forms)], strict=True):
            turn = forms[start:end]
            turns.append(self._turns.get(turn) or self._turn(turn))
        numbers, kinds, values, are_answers, calls, own_ids, markup = zip(*turns, strict=True)
        first = kinds.index(_USER) + 1 if _USER in kinds and self.by_turns else len(turns)
        last_question = len(turns) - kinds[::-1].index(_USER) - 1 if _USER in kinds else 0
        following = (*kinds[1:], "")
        is_asked = [True] * (last_question - first) + [False] * len(turns)  # again, after the turn
        keys: list[Key] = [(shape.fields, *numbers[:first], following[first - 1])]
        keys += zip(numbers[first - 1 :], numbers[first:], following[first:], is_asked)  # noqa: B905
        keys.append((shape.fields, frozenset().union(*markup), *numbers[-1 if self.by_turns else 0 :]))
        counts = [0, 0]  # of values before and after the messages
        is_after = False
        for key, kind, *value in shape.fields:
            if type(kind) is tuple:
                is_after = True
            else:
                counts[is_after] += kind if key == "tools" else not value
        starts = list(accumulate(values, initial=counts[0]))
        return _Row(are_answers.count(True), calls, own_ids, first, starts, starts[-1] + counts[1], keys)

    def _turn(self, forms: Key) -> _Turn:
        """A turn of a form that is new."""
        values = calls = own_ids = 0
        markup: set[str] = set()
        for form, *more in forms:
            if form == "calls":
                _, content, *kinds = more
                ids = kinds[::2]
                calls, own_ids = len(ids), len(ids) - ids.count(NUMBERED)
                values += (content == "text") + _OF_CALL * calls
            elif form == "stated":
                values += more[2]
                markup.update(more[1::2])
            elif form in MARKED:
                markup.update(piece for piece in more[1:] if type(piece) is str)
                filled = [len(piece) for piece in more[1:] if type(piece) is tuple]
                calls += filled.count(_OF_CALL)
                values += len(filled) + (_OF_CALL - 1) * filled.count(_OF_CALL)
            else:
                values += 1
        kind, speaker, *_ = forms[0]
        speaker = "assistant" if calls else self._rows.roles[speaker]
        kind = kind if calls else speaker
        turn = self._turns[forms] = _Turn(
            len(self._turns), kind, values, speaker == "assistant", calls, own_ids, frozenset(markup)
        )
        return turn

    def _learn(self, shape: RowShape) -> bool:
        """Learn the parts of rows of a shape; whether they are certain."""
        first = next(
            (at for at, turn in enumerate(shape.turns) if turn[0] == "text" and self._rows.roles[turn[1]] == _USER), 0
        )
        for turns in (shape.turns + shape.turns[first:], shape.turns)[not self.by_turns :]:
            each = RowShape(shape.fields, turns)
            made = by_example(each, self._rows, self._convert)
            if made is None:
                self._rows.tells_empty = True
                self._tries -= 1
            elif self._take(each, *made):
                continue
            self._never.add(shape)
            if self.by_turns and (made is not None or (self._tries <= 0 and not self._parts)):
                self.take_rows()
            return False
        return True

    def _take(self, shape: RowShape, pieces: Pieces, account: RowAccount) -> bool:
        """Take the parts of a line; whether they, and what is counted for them, are what other rows have."""
        row = self._row(shape)
        parts = _divided(pieces, row)
        calls, own_ids = sum(row.calls), sum(row.own_ids)
        if parts is None or (self.by_turns and account.lost_ids not in (0, own_ids, calls)):
            return False
        losses = [0] * len(row.calls)
        if account.lost_ids:
            losses = [*(row.own_ids if account.lost_ids == own_ids else row.calls)]
        losses = [account.lost_ids - sum(losses[row.first :]), *losses[row.first :], 0]
        of_fields = account._replace(turns=0, turns_with_calls=0, turns_with_several=0, lost_ids=0, dialects=())
        if account.dialects:
            self._dialect = self._rows.dialect.name
            if account.dialects != ((self._dialect, calls),):  # where no dialect is named, tools may show another
                return False
        for key, part, lost_ids in zip(row.keys, parts, losses, strict=True):
            known = self._parts.get(key)
            if known is None:
                self._parts[key] = _Known(part, lost_ids, part_of(part), of_fields)
                self._unchecked[key] = self._first
            elif known.pieces != part or known.lost_ids != lost_ids:
                return False
        return self._account(row, self._parts_of(row)) == account

    def _account(self, row: _Row, parts: list[_Known]) -> RowAccount:
        calls = row.calls
        return parts[-1].account._replace(
            turns=row.answers,
            turns_with_calls=len(calls) - calls.count(0),
            turns_with_several=len(calls) - calls.count(0) - calls.count(1),
            lost_ids=sum([part.lost_ids for part in parts]),
            dialects=((self._dialect, sum(calls)),) if self._dialect and any(calls) else (),
        )

    def _joined(self, row: _Row, parts: list[_Known]) -> Plan:
        """The plan for rows of a shape, of some parts."""
        starts = row.starts[row.first :]
        lines = zip([known.part for known in parts], [0, *starts[:-1], 0], [None, *starts[1:], None], strict=True)
        plan = Plan(lines, self._account(row, parts))
        plan.uses = self._first if self._asked % self._often else self._often - 1
        if not self._unchecked.keys().isdisjoint(row.keys):
            for key in row.keys:
                if key in self._unchecked:
                    plan.uses = 0
                    self._unchecked[key] -= 1
                    if self._unchecked[key] <= 0:
                        del self._unchecked[key]
        return plan


def _divided(pieces: Pieces, row: _Row) -> list[Pieces] | None:
    """The pieces of a line, by the parts of its row; ``None`` if its values are in another order.

    In parts of turns, values are counted from the first one of the turn; in others, those after the turns from the end.
    """
    before, after = row.starts[0], row.starts[-1]
    rest = len(row.keys) - 1
    parts: list[Pieces] = [[] for _ in row.keys]
    part = 0
    literal: bytes = b""
    for piece in pieces:
        if isinstance(piece, bytes):
            literal = piece
            continue
        at, spell = piece
        if before <= at < after:
            now = max(bisect_right(row.starts, at) - row.first, 0)
        elif part == 0:
            now = 0
        else:
            now = rest
        if not part <= now <= part + 1:
            return None
        part = now
        if at >= after:
            at -= row.values
        elif 0 < now < rest:
            at -= row.starts[row.first + now - 1]
        parts[now] += (literal, (at, spell))
    if part < rest - 1:
        return None
    parts[rest].append(literal)
    return parts
