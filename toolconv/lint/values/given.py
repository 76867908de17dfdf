"""What the turns of a row give that a later argument may nearly be: numbers, sums, symbols, ids and addresses,
each with its turn, so that no argument reads all turns before it again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from toolconv.core import jsontext
from toolconv.core.lazy_re import lazy_re
from toolconv.lint.model.memo import once_per_row
from toolconv.lint.model.pointers import walk
from toolconv.lint.model.row import LintRow
from toolconv.lint.names import words_in
from toolconv.lint.values.amounts import ANY_CURRENCY
from toolconv.lint.values.grounding import facts
from toolconv.lint.values.origins import Origin, texts_of

GIVING: Final[tuple[Origin, ...]] = ("request", "response", "earlier")
"""Where a value is looked for that another one nearly is, in this order."""

LONG_NUMBER: Final = 5
"""A shorter number is near another one by chance, and one higher may well be counted on, such as a year."""

_LONG_IDS = lazy_re(r"(?<![a-z0-9_.-])[a-z]{0,6}[-_#]?\d{6,20}(?![a-z0-9_-]|\.\d)")
"""Ids of so many digits that hardly another one is near by chance."""

ADDRESS = lazy_re(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}")
_NEXT = lazy_re(
    r"\b(?:next|following|subsequent|successor|predecessor|previous|preceding|consecutive|one (?:before|after)"
    r"|nächste\w*|siguiente|anterior|próxim[ao]|suivante?|précédente?)\b"
    r"|下一|上一|前一|后一|次の|前の",
    re.I,
)
"""Words for the neighbour of a thing, whose number is one higher or lower."""
_SUM = lazy_re(
    r"(?<![\d.,])(?:[$€£¥] ?(\d{1,3}[.,]\d{3})(?![\d.,]\d|\d)"
    rf"|(\d{{1,3}}[.,]\d{{3}}) ?(?:[$€£¥]|{ANY_CURRENCY}))",
    re.I,
)
"""An amount of money with a sign before its last three digits: they are thousands."""


class Given:
    """What the turns of a row give; of the same thing, what gives it first. Each is found when it is first asked for.

    Args:
        row: the row.
    """

    def __init__(self, row: LintRow) -> None:
        self._row = row

    @cached_property
    def _texts(self) -> dict[Origin, list[tuple[str, int]]]:
        """The texts by :data:`GIVING`, without case, with their turns."""
        found: dict[Origin, list[tuple[str, int]]] = {origin: [] for origin in GIVING}
        for turn in self._row.turns:
            for origin, text in texts_of(self._row, turn):
                if origin in found:
                    found[origin].append((text.casefold(), turn.message))
        return found

    @cached_property
    def numbers(self) -> dict[float, tuple[int, int, str]]:
        """The numbers in the requests, each with its turn, its place among them, and how it is written."""
        found: dict[float, tuple[int, int, str]] = {}
        for text, message in self._texts["request"]:
            for fact in facts(text):
                if isinstance(fact.value, float):
                    found.setdefault(fact.value, (message, len(found), fact.text))
        return found

    @cached_property
    def long_numbers(self) -> list[dict[float, tuple[int, str]]]:
        """By :data:`GIVING`, numbers with two digits exchanged, each with the turn and the number it is made of."""
        known: list[dict[float, tuple[int, str]]] = [{} for _ in GIVING]
        for found, origin in zip(known, GIVING, strict=True):
            for text, message in self._texts[origin]:
                for fact in facts(text):
                    is_long = fact.kind == "number" and sum(map(str.isdigit, fact.text)) >= LONG_NUMBER
                    for other in transposed(fact.text.lstrip("+-").replace(",", "")) if is_long else ():
                        found.setdefault(float(other), (message, fact.text))
        return known

    @cached_property
    def sums(self) -> dict[float, tuple[int, str]]:
        """The thousands of money in the requests as numbers with three decimals, each with its turn and its digits."""
        found: dict[float, tuple[int, str]] = {}
        for text, message in self._texts["request"]:
            for match in _SUM.finditer(text):
                digits = match[1] or match[2]
                found.setdefault(float(digits.replace(",", ".")), (message, digits))
        return found

    @cached_property
    def symbols(self) -> dict[str, dict[str, int]]:
        """The short words of the requests by their letters, in order, each with its turn."""
        found: dict[str, dict[str, int]] = {}
        for text, message in self._texts["request"]:
            for word in re.findall(r"(?<!\w)[a-z]{3,6}(?!\w)", text):
                found.setdefault("".join(sorted(word)), {}).setdefault(word, message)
        return found

    @cached_property
    def addresses(self) -> dict[str, int]:
        """The mail addresses, each with its turn."""
        found: dict[str, int] = {}
        for texts in self._texts.values():
            for text, message in texts:
                for address in ADDRESS.findall(text) if "@" in text else ():
                    found[address.rstrip(".")] = min(message, found.get(address.rstrip("."), message))
        return found

    @cached_property
    def variants(self) -> dict[str, tuple[str, int]]:
        """By each of its :func:`variants_of`, a long id in a request or a response, with its turn."""
        known: dict[str, tuple[str, int]] = {}
        for turn in self._row.turns:
            for code in _LONG_IDS.findall(turn.raw_text.casefold()) if turn.role in ("user", "tool") else ():
                for variant in variants_of(code):
                    known.setdefault(variant, (code, turn.message))
        return known

    @cached_property
    def only_ids(self) -> dict[str, list[tuple[str, int]]]:
        """The first two ids that the responses have under each key, with their turns; none that a call takes."""
        known: dict[str, list[tuple[str, int]]] = {}
        for turn in self._row.turns:
            for response in turn.responses:
                for pointer, value in walk(jsontext.opened(response.content)):
                    key = pointer.rpartition("/")[2]
                    found = known.setdefault(key, [])
                    if len(found) < 2 and isinstance(value, str | int) and str(value) not in (key, *dict(found)):
                        found.append((str(value), turn.message))
        called = "".join(jsontext.compact(call.arguments) for call in self._row.calls)
        return {key: found for key, found in known.items() if found and is_id(key) and found[0][0] not in called}

    @cached_property
    def next_asked(self) -> int | None:
        """The first turn that asks for what comes before or after the thing that it names."""
        return next((message for text, message in self._texts["request"] if _NEXT.search(text) is not None), None)


given_in = once_per_row(Given)


def is_id(key: str) -> bool:
    """Whether a name is that of an id."""
    return words_in(key)[-1:] in (["id"], ["uuid"])


def variants_of(code: str) -> Iterator[str]:
    """A code, and the same without each of its characters: codes that differ in one have one of these in common."""
    yield code
    for at in range(len(code)):
        yield code[:at] + code[at + 1 :]


def transposed(digits: str) -> Iterator[str]:
    """A number with two neighbouring digits exchanged, in all ways."""
    for at in range(len(digits) - 1):
        if digits[at] != digits[at + 1] and "." not in digits[at : at + 2]:
            yield digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]
