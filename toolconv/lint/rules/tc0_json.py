"""TC0xx: keys, numbers and characters that readers of JSON treat in different ways."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from toolconv.core import jsontext
from toolconv.core.json_pointer import escaped
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.calls import LintCall
from toolconv.lint.model.finding import Finding
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import BIG_NUMBER, SURROGATE_ESCAPE, LintRow
from toolconv.lint.names import listed
from toolconv.lint.rule import RowRule, rule
from toolconv.lint.rules.tc0_file import constants

MAX_EXACT = 2**53
_SURROGATE = lazy_re("[\ud800-\udfff]")


@rule("TC005", "duplicate-json-key", "error", guards=("inexact",))
class DuplicateKey(RowRule):
    """A key that occurs twice in one object.

    Anti-pattern: rows or arguments assembled from strings, so that a key is written twice.

    Why it hurts: most JSON readers silently keep only the last value, so an argument is lost; a model that is trained
    on such text learns to repeat keys.

    Best practice: build the object first, then serialise it.

    Bad: ``{"city": "Rome", "city": "Paris"}``

    Good: ``{"city": "Paris"}``

    Source: RFC 8259, section 4: names within an object should be unique.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.row is None:
            return
        if jsontext.repeated_keys(row.raw, row.row):
            for pointer, keys in _repeats(row.raw.decode("utf-8", "replace")):
                yield self._repeated(row, pointer, keys)
        for call in row.calls:
            if isinstance(call.written, str) and ":" in call.written:
                value = call.strict
                if not isinstance(value, ValueError) and (keys := jsontext.repeated_keys(call.written, value)):
                    yield self._repeated(row, call.arguments_pointer, keys)

    def _repeated(self, row: LintRow, pointer: str, keys: list[str]) -> Finding:
        return self.finding(row, pointer, f"{listed(keys)} twice in one object: only the last would count")


class _Pairs(dict[str, Any]):
    """An object that remembers which of its keys were repeated."""

    def __init__(self, items: list[tuple[str, Any]]) -> None:
        super().__init__(items)
        counts = Counter(key for key, _ in items) if len(self) < len(items) else Counter()
        self.repeated = [key for key, count in counts.items() if count > 1]


def _repeats(text: str) -> Iterator[tuple[str, list[str]]]:
    """Objects of a JSON text in which keys occur twice: pointer and keys."""
    stack: list[tuple[str, Any]] = [("", json.loads(text, object_pairs_hook=_Pairs))]
    while stack:
        pointer, value = stack.pop()
        if isinstance(value, _Pairs):
            if value.repeated:
                yield pointer, value.repeated
            stack.extend((f"{pointer}/{escaped(key)}", member) for key, member in reversed(value.items()))
        elif isinstance(value, list):
            stack.extend((f"{pointer}/{index}", value[index]) for index in range(len(value) - 1, -1, -1))


@rule("TC006", "unsafe-number", "warning", guards=("unreadable", "inexact"))
class UnsafeNumber(RowRule):
    """A number that some readers change: an integer past 2^53, NaN, Infinity, or more digits than a double has.

    Anti-pattern: ids written as numbers, NaN for a missing value, digits copied from a decimal type.

    Why it hurts: pandas, JavaScript and jq round it silently, so the model is trained on a different call; NaN and
    Infinity are not valid JSON, and strict readers reject the row.

    Best practice: write ids as strings, missing values as null, and numbers that fit in a double.

    Bad: ``{"order_id": 12345678901234567890}``

    Good: ``{"order_id": "12345678901234567890"}``

    Source: RFC 7493 (I-JSON), section 2.2.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        refused = constants(row)
        if refused is not None:
            for pointer, value in walk(refused):
                if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
                    what = "NaN" if value != value else "Infinity, or a number past every double,"
                    message = f"{what} at {pointer or 'the top'} is no JSON value: strict readers refuse the row"
                    yield self.finding(row, "", message, level="error")
            return
        if row.row is None or not BIG_NUMBER.search(row.raw):
            return
        yield from self._in(row, row.row, None)
        for call in row.calls:
            if isinstance(call.written, str) and not isinstance(call.arguments, str):
                yield from self._in(row, call.arguments, call)

    def _in(self, row: LintRow, value: Any, call: LintCall | None) -> Iterator[Finding]:
        for inner, number in walk(value):
            message = ""
            if isinstance(number, int) and abs(number) > MAX_EXACT:
                message = f"the integer {str(number)[:40]} is past 2^53: readers with doubles round it"
            elif isinstance(number, jsontext.ExactFloat):
                message = (
                    f"{number.text[:40]} has more digits than a double keeps: readers make {float(number)!r} of it"
                )
            if message:
                where = f" (argument {inner[1:]})" if call else ""
                yield self.finding(row, call.arguments_pointer if call else inner, message + where)


@rule("TC007", "lone-surrogate", "error", guards=("inexact",))
class LoneSurrogate(RowRule):
    r"""Half of a surrogate pair, such as ``\ud83d`` alone.

    Anti-pattern: text cut in the middle of an emoji by code that counts UTF-16 units.

    Why it hurts: it can't be encoded as UTF-8, so tokenizers and ``datasets`` fail on the row or insert a replacement
    character, long after the mistake was made.

    Best practice: cut text at character boundaries; delete the lone half.

    Bad: ``{"content": "Great \ud83d"}``

    Good: ``{"content": "Great 😀"}``

    Source: RFC 8259, section 8.2.
    """

    def check(self, row: LintRow) -> Iterator[Finding]:
        if row.row is None or not SURROGATE_ESCAPE.search(row.raw):
            return
        values = [(pointer, text) for pointer, text in walk(row.row)]
        for call in row.calls:
            if isinstance(call.written, str):
                values += [(call.arguments_pointer, text) for _, text in walk(call.members)]
        seen = set()
        for pointer, text in values:
            if isinstance(text, str) and not text.isascii() and (half := _SURROGATE.search(text)):
                if pointer not in seen:
                    yield self.finding(row, pointer, f"\\u{ord(half[0]):04x} alone: half a character, no UTF-8")
                seen.add(pointer)
