"""Where in the original row something is that was found in its conversation."""

from __future__ import annotations

from collections import deque
from typing import Any, Final

from toolconv.core import jsontext

SEARCHES: Final = 32
"""How many values of a row are looked for, so that a row of many costs no more than its length."""
MISSING: Final = object()


class OriginalRow:
    """An original row, to find places in it.

    Args:
        row: the original row.
    """

    def __init__(self, row: Any) -> None:
        self.row = row
        self._searches = 0

    def of(self, path: tuple[str, ...], value: Any) -> tuple[str, ...]:
        """The path of a value in the row, where it may be at another place than in the conversation.

        Args:
            path: its path in the row if it did not move, without the ``""`` in front.
            value: what it is.

        Returns:
            The path itself if it leads anywhere; else the one where the same value is, below what is left of the path,
            or anywhere; else what is left of the path.
        """
        around = [self.row]
        for step in path:
            inner = _member(around[-1], step)
            if inner is MISSING:
                break
            around.append(inner)
        known = len(around) - 1
        if known == len(path):
            return path
        for at in range(known, -1, -1):
            self._searches += 1
            if self._searches > SEARCHES:
                break
            if type(value) not in (dict, list) and at < known and (at == 0 or path[at].isdecimal()):
                break  # in other turns, many texts and numbers are the same
            if (found := _path_to(value, around[at])) is not None:
                return (*path[:at], *found)
        return path[:known]


def _member(held: Any, step: str) -> Any:
    held = jsontext.opened(held)
    if type(held) is dict:
        return held.get(step, MISSING)
    if type(held) is list and step.isdecimal() and int(step) < len(held):
        return held[int(step)]
    return MISSING


def _path_to(wanted: Any, held: Any) -> tuple[str, ...] | None:
    """The path to the first value in another one that is the same; ``None`` if there is none."""
    waiting: deque[tuple[Any, tuple[str, ...]]] = deque([(held, ())])
    while waiting:
        value, path = waiting.popleft()
        if type(value) is type(wanted) and value == wanted:
            return path
        value = jsontext.opened(value)
        if type(value) is dict:
            waiting += [(member, (*path, key)) for key, member in value.items()]
        elif type(value) is list:
            waiting += [(member, (*path, str(at))) for at, member in enumerate(value)]
    return None
