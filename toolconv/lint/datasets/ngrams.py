"""Overlap of texts, by the runs of words that they have in common.

:func:`sketch_of` keeps what is needed to compare texts in little memory: each run of words has a number that looks
random, and a sketch holds the least number in each of :data:`SLOTS` groups, shortened to a byte. The share of slots in
which two sketches agree is about the share of runs that the texts have in common. Only texts that agree in all slots
of one of the :data:`BANDS` are compared.

Source: Broder, On the resemblance and containment of documents (1997); Li and others, One permutation hashing (2012),
with empty groups filled from the next one, as in Shrivastava and Li (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import eq
from typing import Final
from zlib import crc32

WORDS: Final = 3
"""How many words a run has in sketches."""

BANDS: Final = 5
SLOTS: Final = 6 * BANDS

_BITS: Final = 0xFFFFFFFF
_SPREAD: Final = 0x9E3779B1
_NONE: Final = 1 << 33


def runs(words: Sequence[str], length: int) -> list[str]:
    """The runs of ``length`` words; the whole text if it is shorter."""
    if len(words) <= length:
        return [" ".join(words)] if words else []
    return list(map(" ".join, zip(*(words[at:] for at in range(length)), strict=False)))


def sketch_of(words: Sequence[str], context: bytes) -> bytes:
    """The sketch of a text; texts with different contexts have nothing in common."""
    least = [_NONE] * SLOTS
    start = crc32(context)
    for run in set(runs(words, WORDS)):
        number = crc32(run.encode("utf-8", "surrogatepass"), start)
        number = ((number ^ number >> 15) * _SPREAD) & _BITS
        number ^= number >> 13
        slot = number % SLOTS
        if number < least[slot]:
            least[slot] = number
    return bytes([_byte(number) if number != _NONE else _filled(least, slot) for slot, number in enumerate(least)])


def _byte(number: int) -> int:
    return ((number // SLOTS * _SPREAD) & _BITS) >> 24


def _filled(least: list[int], slot: int) -> int:
    """The byte of an empty slot: that of the next slot that has one, marked by the distance."""
    for distance in range(1, SLOTS):
        number = least[(slot + distance) % SLOTS]
        if number != _NONE:
            return _byte(number + distance * SLOTS)
    return 0


def bands(sketch: bytes) -> list[bytes]:
    """The parts of a sketch, each with its place; rows with an equal part are worth comparing."""
    width = SLOTS // BANDS
    return [bytes([band]) + sketch[band * width : (band + 1) * width] for band in range(BANDS)]


def overlap(one: bytes, other: bytes) -> float:
    """The share of runs that two texts have in common, estimated from their sketches."""
    same: int = sum(map(eq, one, other))
    return same / SLOTS
