"""How many rows of each group a selection takes: ``--quota`` and ``--cap``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolconv.core import jsontext

NONE: Final = "null"
"""The group of rows without a value."""


def groups_of(value: Any) -> tuple[str, ...]:
    """The groups of a row whose fact or key has this value: a list has one for each different item."""
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(dict.fromkeys(_name(item) for item in items)) or (NONE,)


def _name(value: Any) -> str:
    if isinstance(value, str):
        return value
    return NONE if value is None else jsontext.compact(value)


class Limits(NamedTuple):
    """A number for each group.

    Attributes:
        every: for all groups that are not named; ``None`` for none.
        named: for single groups.
    """

    every: int | None = None
    named: Mapping[str, int] = {}

    def of(self, group: str) -> int | None:
        """The number for a group; ``None`` if it has none."""
        return self.named.get(group, self.every)


class GroupLimits:
    """Takes rows one by one, as far as the limits of their groups go.

    A row with several groups counts for each. It is taken if one of them still needs rows for its quota, and none is at
    its cap. Without quota, all groups need rows.

    Args:
        quota: how many rows a group needs; those without a number need none. ``None`` without quotas.
        cap: how many rows a group may have. ``None`` without caps.

    Attributes:
        seen, taken: how many rows, by group.
        over, unneeded: how many rows were left out, for a cap and since no quota needs them.
    """

    def __init__(self, quota: Limits | None, cap: Limits | None) -> None:
        self.quota = quota
        self.cap = cap or Limits()
        self.seen: Counter[str] = Counter()
        self.taken: Counter[str] = Counter()
        self.over = 0
        self.unneeded = 0

    def takes(self, groups: Sequence[str]) -> bool:
        """Whether to take the next row."""
        self.seen.update(groups)
        if self.quota is not None and not any(self.taken[each] < (self.quota.of(each) or 0) for each in groups):
            self.unneeded += 1
            return False
        for each in groups:
            cap = self.cap.of(each)
            if cap is not None and self.taken[each] >= cap:
                self.over += 1
                return False
        self.taken.update(groups)
        return True

    def short(self) -> list[str]:
        """The quotas that were not reached, each in a few words."""
        if self.quota is None:
            return []
        names = dict.fromkeys([*self.quota.named, *(sorted(self.seen) if self.quota.every else ())])
        wanted = {name: self.quota.of(name) or 0 for name in names}
        return [
            f"{name} {self.taken[name]:,} of {count:,}" for name, count in wanted.items() if self.taken[name] < count
        ]

    def as_json(self) -> dict[str, dict[str, int]]:
        """How many rows of each group there were, and how many were taken."""
        return {name: {"rows": self.seen[name], "taken": self.taken[name]} for name in sorted(self.seen)}
