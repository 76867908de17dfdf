"""JSON pointers, by the examples of RFC 6901, and references in schemas."""

from __future__ import annotations

from typing import Any

import pytest

from toolconv.core.json_pointer import pointer_to, steps_of, target_of

RFC: dict[str, Any] = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, 'k"l': 6, " ": 7, "m~n": 8}


@pytest.mark.parametrize(
    ("path", "pointer"),
    [
        ((), ""),
        (("foo", "0"), "/foo/0"),
        (("",), "/"),
        (("a/b",), "/a~1b"),
        (("m~n",), "/m~0n"),
        (("~1",), "/~01"),
    ],
)
def test_a_path_is_spelled_and_read(path: tuple[str, ...], pointer: str) -> None:
    assert pointer_to(path) == pointer
    assert steps_of(pointer) == path


def test_an_index_is_spelled_as_a_number() -> None:
    assert pointer_to(("foo", 0)) == "/foo/0"


@pytest.mark.parametrize(
    ("reference", "target"),
    [
        ("#", RFC),
        ("#/foo", ["bar", "baz"]),
        ("#/foo/0", "bar"),
        ("#/", 0),
        ("#/a~1b", 1),
        ("#/c%25d", 2),
        ("#/e%5Ef", 3),
        ("#/k%22l", 6),
        ("#/%20", 7),
        ("#/m~0n", 8),
        ("#/foo/2", None),
        ("#/foo/x", None),
        ("#/foo/1000000000", None),
        ("#/foo/000001", "baz"),
        ("#/foo/0000001", None),
        ("#/foo/0/1", None),
        ("#/absent", None),
        ("#foo", None),
        ("foo", None),
        ("https://example.com/schema#/foo", None),
    ],
)
def test_a_reference_leads_to_a_part_of_its_schema(reference: str, target: Any) -> None:
    assert target_of(RFC, reference) == target
