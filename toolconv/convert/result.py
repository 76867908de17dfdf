"""What comes of converting rows: lines or conversations, rejects, and the account."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from toolconv.convert.receipt import Receipt
from toolconv.core.conversation import Conversation


class Reading(NamedTuple):
    """A row that was read.

    Attributes:
        file, line: its place.
        conversation: its content, with structured calls; ``None`` for a rejected row.
        reason: why it was rejected.
        text: its line, or the raw text; empty for a line that is too long to read.
    """

    file: str
    line: int
    conversation: Conversation | None
    reason: str = ""
    text: bytes = b""


@dataclass(slots=True, repr=False, eq=False)
class Result:
    """The result of converting some rows.

    Attributes:
        output: the lines written, with line ends.
        rejects: the rejected lines, with line ends.
        long: instead of ``rejects``, the pieces of a rejected line that is too long to hold in memory.
        readings: with ``only_read``, and instead of lines, the rows.
        receipt: the account of these rows.
        failed: the last of them stops the run, as ``on_error`` asks.
    """

    output: list[bytes] = field(default_factory=list)
    rejects: list[bytes] = field(default_factory=list)
    long: Iterator[bytes] | None = None
    readings: list[Reading] = field(default_factory=list)
    receipt: Receipt = field(default_factory=Receipt)
    failed: bool = False
