"""What is remembered, up to its bounds."""

from __future__ import annotations

import pytest

from toolconv.core.remembered import Remembered


@pytest.mark.parametrize(
    ("added", "held"),
    [
        ([("a", 0), ("b", 0), ("c", 0)], "abc"),
        ([("a", 0), ("b", 0), ("c", 0), ("d", 0)], "d"),
        ([("a", 4), ("b", 6)], "ab"),
        ([("a", 4), ("b", 7)], "b"),
        ([("a", 4), ("b", 7), ("c", 3)], "bc"),
        ([("a", 4), ("b", 7), ("c", 4)], "c"),
        ([("a", 11)], "a"),
        ([("a", 11), ("b", 0)], "b"),
    ],
)
def test_all_is_forgotten_before_there_is_too_much(added: list[tuple[str, int]], held: str) -> None:
    known: Remembered[str, str] = Remembered(3, room=10)
    for key, size in added:
        assert known.add(key, key * 2, size) == known[key] == key * 2
    assert known == {key: key * 2 for key in held}


def test_what_was_cleared_takes_no_room() -> None:
    known: Remembered[str, int] = Remembered(3, room=10)
    known.add("a", 1, 10)
    known.clear()
    known.add("b", 2, 5)
    known.add("c", 3, 5)
    assert known == {"b": 2, "c": 3}
