"""A plan: what the ordinary path writes for a row of one shape, cut where the values of the row stand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple

import orjson

from toolconv.convert.plans.example import MARKS, example, longer_words, words
from toolconv.convert.plans.known_tools import CheckedTool
from toolconv.convert.plans.plain_rows import PlainRows, RowReading, RowShape, Value
from toolconv.convert.plans.plain_values import JsonText
from toolconv.convert.receipt import Receipt
from toolconv.convert.result import Result
from toolconv.core import jsontext

Spell = Callable[[Any], bytes]
Pieces = list[bytes | tuple[int, Spell]]
"""A line, or a part of one: what is written, and between, which values, and how these are written."""


def _in_text(text: str) -> bytes:
    return orjson.dumps(text)[1:-1]


def _spaced(value: JsonText) -> bytes:
    return value.spaced.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


def _compact(value: JsonText) -> bytes:
    return value.compact.replace(b"\\", b"\\\\").replace(b'"', b'\\"')


_as_value: Final = attrgetter("compact")


def _of_tool(spell: Spell, part: Callable[[CheckedTool], JsonText]) -> Spell:
    """The function that spells a tool, or the function in it; each tool is written once."""

    def spelled(tool: CheckedTool) -> bytes:
        found = tool.written.get(spelled)
        if found is None:
            found = tool.written[spelled] = spell(part(tool))
        return found

    return spelled


_OF_JSON: Final = (_spaced, _compact, _as_value)
_OF_TOOLS: Final = tuple(
    _of_tool(spell, part) for spell in _OF_JSON for part in (lambda tool: tool.envelope, lambda tool: tool.function)
)


def _spellings(value: Value) -> tuple[Spell, ...]:
    """How a value may be written in a line: inside a text, or as JSON."""
    return (_in_text,) if type(value) is str else _OF_JSON if type(value) is JsonText else _OF_TOOLS


class LinePart:
    """Part of a line.

    Attributes:
        pieces: what is written, with :data:`_TEXT` in the place of texts, and nothing in that of other values.
        texts: for each text, which value it is.
        taking: takes these from the values.
        holes: for each other value, which piece it is, which value, and how it is written.
    """

    __slots__ = ("holes", "pieces", "taking", "texts")

    def __init__(self, pieces: list[bytes], texts: list[int], holes: list[tuple[int, int, Spell]]) -> None:
        self.pieces = pieces
        self.texts = texts
        self.taking = _taking(texts)
        self.holes = holes


def part_of(pieces: Pieces) -> LinePart:
    """The part of a line with some pieces."""
    line: list[bytes] = []
    texts: list[int] = []
    holes: list[tuple[int, int, Spell]] = []
    for place, piece in enumerate(pieces):
        if isinstance(piece, bytes):
            line.append(piece)
            continue
        at, spell = piece
        if spell is _in_text:
            line.append(_TEXT)
            texts.append(at)
        else:
            line.append(b"")
            holes.append((place, at, spell))
    return LinePart(line, texts, holes)


def _taking(places: list[int]) -> Callable[[Sequence[Any]], Iterable[Any]]:
    """What takes some elements of a sequence, of which a negative place is counted from the end."""
    if len(places) > 1:
        return itemgetter(*places)
    return itemgetter(slice(places[0], places[0] + 1 or None) if places else slice(0))


_TEXT: Final = b"\0" * 16
"""Stands for a text: no line of JSON has this byte. Something long is found several times faster."""
_JOINT: Final = "\x7f"
"""Stands between texts: no plain text has this character, which JSON doesn't escape."""


class _WholeLine:
    """All of a line, for a plan that many rows may take.

    To fill it costs less than to fill its parts, and to make it more.
    """

    __slots__ = ("_holes", "_in_order", "_pieces", "_texts")

    def __init__(self, parts: list[tuple[LinePart, int, int | None]]) -> None:
        self._pieces: list[bytes] = []
        filled: dict[int, tuple[int, Spell]] = {}
        for part, start, _ in parts:
            before = len(self._pieces)
            self._pieces += part.pieces
            of_texts = [before + place for place, piece in enumerate(part.pieces) if piece is _TEXT]
            filled.update({place: (start + at, _in_text) for place, at in zip(of_texts, part.texts, strict=True)})
            filled.update({before + place: (start + at, spell) for place, at, spell in part.holes})
        in_order = [filled[place] for place in sorted(filled)]
        assert sorted(filled) == [*range(1, len(self._pieces), 2)]  # a value between each two pieces
        values = sorted(dict.fromkeys(in_order), key=lambda value: value[1] is not _in_text)
        places = {value: place for place, value in enumerate(values)}
        self._texts = [at for at, spell in values if spell is _in_text]
        self._holes = values[len(self._texts) :]
        self._in_order = _taking([places[value] for value in in_order])

    def fill(self, values: list[Value]) -> bytes:
        """The line for some values."""
        written: list[bytes] = []
        if self._texts:  # all at once: no plain text has a backslash
            texts = [values[at] for at in self._texts]
            written = _in_text(_JOINT.join(texts)).split(_JOINT.encode())  # type: ignore[arg-type]
            if len(written) != len(self._texts):
                raise ValueError("a text that is not plain")
        for at, spell in self._holes:
            written.append(spell(values[at]))
        line = self._pieces.copy()
        line[1::2] = self._in_order(written)
        return b"".join(line)


class RowAccount(NamedTuple):
    """What a receipt counts for each row of a shape, other than the row itself and the names of called tools."""

    turns: int
    turns_with_calls: int
    turns_with_several: int
    lost_ids: int
    layouts: tuple[str, ...]
    dialects: tuple[tuple[str, int], ...]
    declares_tools: bool


class Plan:
    """A plan.

    Attributes:
        account: what it counts for a row.
        uses: how many rows took it.

    Args:
        parts: the line, in parts, each with the place of the value that is its first one, and the end of its values.
        account: what it counts for a row.
    """

    __slots__ = ("_parts", "_whole", "account", "uses")

    def __init__(self, parts: Iterable[tuple[LinePart, int, int | None]], account: RowAccount) -> None:
        self.uses = 0
        self.account = account
        self._parts = list(parts)
        self._whole: _WholeLine | None = None

    def join(self) -> None:
        """Put the parts together to one, for a plan that many rows may take."""
        self._whole = _WholeLine(self._parts)

    def fill(self, values: list[Value]) -> bytes:
        """The line that the ordinary path writes for a row with some values."""
        if self._whole is not None:
            return self._whole.fill(values)
        line: list[bytes] = []
        texts: list[Any] = []
        for part, start, end in self._parts:
            before = len(line)
            line += part.pieces
            own = values[start:end]
            texts += part.taking(own)
            for place, at, spell in part.holes:
                line[before + place] = spell(own[at])
        filled = b"".join(line).split(_TEXT)
        if texts:  # all at once: no plain text has a backslash
            written = _in_text(_JOINT.join(texts)).split(_JOINT.encode())
            if len(filled) != len(written) + 1 or len(written) != len(texts):
                raise ValueError("a text that is not plain")
            between, filled = filled, [b""] * (len(filled) + len(written))
            filled[::2], filled[1::2] = between, written
        return b"".join(filled)

    def count(self, row: RowReading, receipt: Receipt) -> None:
        """Add the account of a row, without the row itself."""
        account = self.account
        receipt.assistant_turns += account.turns
        receipt.turns_with_calls += account.turns_with_calls
        receipt.turns_with_several += account.turns_with_several
        receipt.declares_tools = receipt.declares_tools or account.declares_tools
        layouts, counts = receipt.layouts, receipt.tool_calls
        for layout in account.layouts:
            layouts[layout] = layouts.get(layout, 0) + 1
        for dialect, calls in account.dialects:
            receipt.dialects[dialect] += calls
        if account.lost_ids:
            receipt.losses["call_id"] += account.lost_ids
        for name in row.names:
            counts[name] = counts.get(name, 0) + 1

    def agrees(self, row: RowReading, result: Result) -> bool:
        """Whether the ordinary path wrote, and counted, for a row what the plan does."""
        account = Receipt(rows_in=1, rows_out=1)
        self.count(row, account)
        return result.output == [self.fill(row.values)] and result.receipt == account


def by_example(
    shape: RowShape, rows: PlainRows, convert: Callable[[bytes], Result]
) -> tuple[Pieces, RowAccount] | None:
    """The pieces of the line for rows of a shape; ``None`` if the ordinary path says anything about such a row.

    Two rows are written, of different words, and one has no arguments where the shape doesn't say whether there are
    some: what depends on these in any other way shows.

    Args:
        shape: the shape.
        rows: reads plain rows.
        convert: the ordinary path, for one line.
    """
    found: tuple[Pieces, Plan] | None = None
    for each, has_arguments in ((words(), True), (longer_words(), False)):
        made = example(shape, each, has_arguments)
        line = jsontext.dumps(made)
        rows.takes_any_name = True
        row = rows.read(line)
        rows.takes_any_name = False
        if row is None or row.shape != shape or not rows.is_certain(made):
            return None
        result = convert(line)
        if found is None:
            pieces = _cut(result.output[0], row.values) if len(result.output) == 1 else None
            if pieces is None:
                return None
            found = pieces, Plan([(part_of(pieces), 0, None)], _account(result.receipt))
        if not found[1].agrees(row, result):
            return None
    assert found is not None
    return found[0], found[1].account


def _account(receipt: Receipt) -> RowAccount:
    return RowAccount(
        receipt.assistant_turns,
        receipt.turns_with_calls,
        receipt.turns_with_several,
        receipt.losses["call_id"],
        tuple(receipt.layouts),
        tuple(receipt.dialects.items()),
        receipt.declares_tools,
    )


def _cut(output: bytes, values: list[Value]) -> Pieces | None:
    """A line, cut at its values; ``None`` if it holds a word of one in a form that is not known."""
    spelled: dict[bytes, tuple[int, Spell]] = {}
    for at, value in enumerate(values):
        for spell in _spellings(value):
            spelled.setdefault(spell(value), (at, spell))
    found: list[tuple[int, bytes]] = []
    taken = bytearray(len(output))
    for text in sorted(spelled, key=len, reverse=True):
        size = len(text)
        start = output.find(text)
        while start >= 0:
            if taken.find(1, start, start + size) < 0:
                taken[start : start + size] = b"\1" * size
                found.append((start, text))
            start = output.find(text, start + 1)
    pieces: Pieces = []
    end = 0
    for start, text in sorted(found):
        pieces += (output[end:start], spelled[text])
        end = start + len(text)
    pieces.append(output[end:])
    rest = b" ".join([piece for piece in pieces if type(piece) is bytes]).lower()
    return None if any(rest.find(mark.lower()) >= 0 for mark in MARKS) else pieces
