"""``each``, which checks many cases in one test, names every case that fails."""

from pathlib import Path

import pytest

from tests.conftest import each, each_table


def test_every_failing_case_is_named(tmp_path: Path) -> None:
    seen = []

    @each("name", ["a", "b"])
    @each("number, square", [(1, 1), (2, 5), (3, 9), (4, 17)])
    def check(name: str, number: int, square: int, folder: Path) -> None:
        seen.append((name, number, folder))
        assert number**2 == square or name == "b"

    with pytest.raises(AssertionError) as failed:
        check(folder=tmp_path)
    assert [number for _, number, _ in seen] == [1, 2, 3, 4] * 2
    message = str(failed.value)
    assert "1 of 2 cases fail" in message and "2 of 4 cases fail" in message
    assert all(part in message for part in ("name='a'", "number=2, square=5", "number=4, square=17"))
    assert "number=3" not in message and "name='b'" not in message


def test_a_table_is_one_test() -> None:
    seen = []

    @each_table([pytest.param("a", 1), pytest.param("b", 2), pytest.param("a", 3)])
    def check(code: str, case: int) -> None:
        seen.append((code, case))
        assert case != 3

    assert [mark.args for mark in check.pytestmark if mark.name == "parametrize"] == [("table", ["a", "b"])]
    check(table="b")
    with pytest.raises(AssertionError, match="1 of 2 cases fail") as failed:
        check(table="a")
    assert seen == [("b", 2), ("a", 1), ("a", 3)] and "code='a', case=3" in str(failed.value)
