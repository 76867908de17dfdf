"""The base of rules that compare each row with the first of its kind, in little memory."""

from __future__ import annotations

from typing import ClassVar, Final

from toolconv.lint.datasets.digests import Digests
from toolconv.lint.model.row import LintRow
from toolconv.lint.rule import ComparingRule

PLACE_BYTES: Final = 8
"""Bytes of a stored place."""

FILE_BITS: Final = 24
"""Bits of a stored place that hold the number of its file; the others hold its line."""


class DigestingRule(ComparingRule):
    """A rule that stores the place of each row by its digest, with ``more`` extra bytes, in little memory."""

    more: ClassVar[int] = 0

    def store(self) -> Digests:
        return Digests(PLACE_BYTES + self.more)

    def place(self, row: LintRow) -> bytes:
        """A row's place, for :meth:`where`."""
        return self.place_of(row.file, row.line)

    def place_of(self, file: str, line: int) -> bytes:
        """A line, for :meth:`where`."""
        number = self.files.setdefault(file, len(self.files))
        return (line << FILE_BITS | number).to_bytes(PLACE_BYTES, "big")

    def where(self, place: bytes, here: str) -> str:
        """A place from :meth:`place`, in readable form, relative to the file ``here``."""
        number = int.from_bytes(place, "big")
        line, file = number >> FILE_BITS, list(self.files)[number & ((1 << FILE_BITS) - 1)]
        return f"line {line}" if file == here else f"{file}:{line}"
