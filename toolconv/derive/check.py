"""How well a dialect reads and writes what a template writes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolconv.core.tool_call import ToolCall
from toolconv.derive.samples import Sample
from toolconv.dialects.base import Dialect
from toolconv.dialects.reading.turn_parser import Parsed


@dataclass
class Check:
    """The result of a check.

    Attributes:
        count: how many turns were checked.
        read: how many were read as they were meant: calls, types, prose and reasoning.
        repaired: how many of them needed a repair, by its name.
        written: how many were written to the byte, except for whitespace around the turn.
        unread: the first turn that was read otherwise, and what was read.
        differs: for each kind of turn that was written otherwise, the first one and what was written.
    """

    count: int = 0
    read: int = 0
    repaired: Counter[str] = field(default_factory=Counter)
    written: int = 0
    unread: tuple[Sample, str] | None = None
    differs: dict[str, tuple[Sample, str]] = field(default_factory=dict)

    @property
    def reads_all(self) -> bool:
        """Whether every turn was read."""
        return 0 < self.count == self.read

    @property
    def is_exact(self) -> bool:
        """Whether every turn was read and written."""
        return self.reads_all and self.written == self.count

    def __str__(self) -> str:
        return f"{self.read} of {self.count} read, {self.written} of {self.count} written to the byte"


def check(dialect: Dialect, turns: Iterable[Sample], *, most_unread: int | None = None) -> Check:
    """Read and write turns with a dialect, and compare.

    Args:
        dialect: the dialect.
        turns: what the template writes.
        most_unread: the check ends when more turns than that were read otherwise; ``None`` for all turns.
    """
    result = Check()
    plain: set[str] = set()
    for sample in turns:
        result.count += 1
        parsed = dialect.parse(sample.text, sample.tools)
        read = misreading(dialect, sample, parsed)
        if read is None:
            result.read += 1
            result.repaired.update(set(parsed.repairs))
        elif result.unread is None:
            result.unread = sample, read
        written = dialect.render_turn(sample.prose, sample.reasoning or None, sample.calls).strip()
        if written == sample.text.strip():
            result.written += 1
            plain.update(sample.features)
        else:
            kinds = sample.features
            kind = next((kind for kind in kinds if kind not in plain), kinds[0] if kinds else "calls")
            result.differs.setdefault(kind, (sample, written))
        if most_unread is not None and result.count - result.read > most_unread:
            break
    return result


def misreading(dialect: Dialect, sample: Sample, parsed: Parsed) -> str | None:
    """How a turn is read otherwise than it was meant; ``None`` if it isn't."""
    if _spelled(parsed.calls) != _spelled(sample.calls):
        return f"calls {_spelled(parsed.calls)}"
    if parsed.dropped:
        return f"a dropped call ({parsed.dropped[0].reason})"
    if parsed.content.strip() != sample.prose.strip():
        return f"prose {json.dumps(parsed.content, ensure_ascii=False)}"
    if (parsed.reasoning or "").strip() != sample.reasoning.strip():
        return f"reasoning {json.dumps(parsed.reasoning, ensure_ascii=False)}"
    if (
        sample.has_ids
        and dialect.carries_ids
        and [call.id for call in parsed.calls] != [call.id for call in sample.calls]
    ):
        return f"ids {[call.id for call in parsed.calls]}"
    return None


def _spelled(calls: Sequence[ToolCall]) -> str:
    """Names and arguments as JSON; the order of keys does not count."""
    listed: list[Any] = [[call.name, call.arguments] for call in calls]
    return json.dumps(listed, sort_keys=True, ensure_ascii=False)
