"""A plan: what the ordinary path writes for a row of one shape, cut where the values of the row stand."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

import orjson

from toolconv.convert.plans.example import MARKS, example, longer_words, words
from toolconv.convert.plans.known_tools import CheckedTool
from toolconv.convert.plans.plain_rows import PlainRows, RowReading, RowShape, Value
from toolconv.convert.plans.plain_values import JsonText
from toolconv.convert.receipt import Receipt
from toolconv.convert.result import Result
from toolconv.core import jsontext

Spell = Callable[[Any], bytes]


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


class Plan:
    """A plan.

    Attributes:
        uses: how many rows took it.
    """

    __slots__ = (
        "_calls",
        "_declares",
        "_dialects",
        "_holes",
        "_layouts",
        "_lost_ids",
        "_parts",
        "_several",
        "_text_holes",
        "_texts",
        "_turns",
        "uses",
    )

    def __init__(self, parts: list[bytes | tuple[int, Spell]], account: Receipt) -> None:
        self.uses = 0
        self._parts = [part if type(part) is bytes else b"" for part in parts]
        holes = [(place, *part) for place, part in enumerate(parts) if type(part) is tuple]
        self._holes = [each for each in holes if each[2] is not _in_text]
        self._texts = sorted({at for _, at, spell in holes if spell is _in_text})
        self._text_holes = [(place, self._texts.index(at)) for place, at, spell in holes if spell is _in_text]
        self._turns, self._calls = account.assistant_turns, account.turns_with_calls
        self._several, self._lost_ids = account.turns_with_several, account.losses["call_id"]
        self._layouts, self._dialects = tuple(account.layouts), tuple(account.dialects.items())
        self._declares = account.declares_tools

    @classmethod
    def by_example(cls, shape: RowShape, rows: PlainRows, convert: Callable[[bytes], Result]) -> Plan | None:
        """The plan for rows of a shape; ``None`` if the ordinary path says anything about such a row.

        Two rows are written, of different words, and one has no arguments where the shape doesn't say whether there are
        some: what depends on these in any other way shows.

        Args:
            shape: the shape.
            rows: reads plain rows.
            convert: the ordinary path, for one line.
        """
        plan: Plan | None = None
        for each, has_arguments in ((words(), True), (longer_words(), False)):
            made = example(shape, each, has_arguments)
            line = jsontext.dumps(made)
            row = rows.read(line)
            if row is None or row.shape != shape or not rows.is_certain(made):
                return None
            result = convert(line)
            if plan is None:
                parts = _cut(result.output[0], row.values) if len(result.output) == 1 else None
                plan = None if parts is None else cls(parts, result.receipt)
            if plan is None or not plan.agrees(row, result):
                return None
        return plan

    def fill(self, values: list[Value]) -> bytes:
        """The line that the ordinary path writes for a row with some values."""
        parts = self._parts.copy()
        for place, at, spell in self._holes:
            parts[place] = spell(values[at])
        if self._texts:  # all at once: no plain text has a backslash, or this character
            texts: list[Any] = [values[at] for at in self._texts]
            found = _in_text("\0".join(texts)).split(b"\\u0000")
            for place, at in self._text_holes:
                parts[place] = found[at]
        return b"".join(parts)

    def count(self, row: RowReading, receipt: Receipt) -> None:
        """Add the account of a row, without the row itself."""
        receipt.assistant_turns += self._turns
        receipt.turns_with_calls += self._calls
        receipt.turns_with_several += self._several
        receipt.declares_tools = receipt.declares_tools or self._declares
        layouts, counts = receipt.layouts, receipt.tool_calls
        for layout in self._layouts:
            layouts[layout] = layouts.get(layout, 0) + 1
        for dialect, calls in self._dialects:
            receipt.dialects[dialect] += calls
        if self._lost_ids:
            receipt.losses["call_id"] += self._lost_ids
        for name in row.names:
            counts[name] = counts.get(name, 0) + 1

    def agrees(self, row: RowReading, result: Result) -> bool:
        """Whether the ordinary path wrote, and counted, for a row what the plan does."""
        account = Receipt(rows_in=1, rows_out=1)
        self.count(row, account)
        return result.output == [self.fill(row.values)] and result.receipt == account


def _cut(output: bytes, values: list[Value]) -> list[bytes | tuple[int, Spell]] | None:
    """A line, cut at its values; ``None`` if it holds a word of one in a form that is not known."""
    places: dict[bytes, tuple[int, Spell]] = {}
    for at, value in enumerate(values):
        for spell in _spellings(value):
            places.setdefault(spell(value), (at, spell))
    parts: list[bytes | tuple[int, Spell]] = [output]
    for text in sorted(places, key=len, reverse=True):
        if output.find(text) >= 0:
            parts = [part for each in parts for part in _split(each, text, places[text])]
    rest = b" ".join([part for part in parts if type(part) is bytes]).lower()
    return None if any(rest.find(mark.lower()) >= 0 for mark in MARKS) else parts


def _split(part: bytes | tuple[int, Spell], text: bytes, place: tuple[int, Spell]) -> list[bytes | tuple[int, Spell]]:
    """A part of a line, cut where ``text`` is, which a value at ``place`` spells."""
    if type(part) is not bytes or part.find(text) < 0:
        return [part]
    found: list[bytes | tuple[int, Spell]] = []
    for piece in part.split(text):
        found += (piece, place)
    return found[:-1]
