"""Classes of facts, and patterns that are compiled late: they behave as frozen dataclasses and compiled patterns do."""

from __future__ import annotations

import copy
import importlib
import pickle
import pkgutil
import re
from dataclasses import FrozenInstanceError, field, fields, replace

import pytest

import toolconv
from toolconv.core.facts import Facts, FactsByValue
from toolconv.core.lazy_re import lazy_re


class Base(Facts):
    name: str
    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(self.size)


class Derived(Base):
    parts: list[str] = field(default_factory=list)


class Placed(FactsByValue, kw_only=False):
    one: int
    two: int = 2
    notes: dict[str, int] = field(default_factory=dict, hash=False)


def test_facts_are_given_by_name_or_by_place() -> None:
    derived = Derived(name="a")
    assert (derived.name, derived.size, derived.parts) == ("a", 1, [])
    assert Derived(name="b").parts is not derived.parts
    assert [each.name for each in fields(derived)] == ["name", "size", "parts"]
    assert (Placed(3).one, Placed(3, 4).two, Placed(3, two=5).two) == (3, 4, 5)
    assert repr(Base(name="a")) == "Base(name='a', size=1)"


@pytest.mark.parametrize(
    "make",
    [lambda: Base(), lambda: Base(name="a", sise=2), lambda: Base("a"), lambda: Placed(1, 2, {}, 4)],
    ids=["missing", "unknown", "by place", "too many"],
)
def test_odd_values_are_refused(make: object) -> None:
    with pytest.raises(TypeError):
        make()  # type: ignore[operator]


def test_facts_never_change_and_copies_are_checked() -> None:
    base = Base(name="a")
    with pytest.raises(FrozenInstanceError):
        base.name = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del base.name
    assert replace(base, size=2).size == 2
    with pytest.raises(ValueError, match="-1"):
        replace(base, size=-1)


def test_facts_are_compared_by_identity_or_by_value() -> None:
    assert Base(name="a") != Base(name="a")
    assert Placed(1, notes={"a": 1}) == Placed(1, notes={"a": 1}) != Placed(1)
    assert hash(Placed(1, notes={"a": 1})) == hash(Placed(1))
    again = pickle.loads(pickle.dumps(Placed(1)))
    assert (again, copy.deepcopy(again)) == (Placed(1), Placed(1))


def test_a_late_pattern_is_the_compiled_one() -> None:
    late = lazy_re(r"(?P<word>a+)", re.IGNORECASE)
    assert [match["word"] for match in late.finditer("aAb a")] == ["aA", "a"]
    assert (late.pattern, late.flags) == (r"(?P<word>a+)", re.compile(r"(?P<word>a+)", re.IGNORECASE).flags)
    assert copy.deepcopy(late).search("xa") is not None


def test_every_late_pattern_of_a_module_compiles() -> None:
    optional = ("toolconv.ray", "toolconv.vllm", "toolconv.__main__", "toolconv.manual.__main__")
    for module in pkgutil.walk_packages(toolconv.__path__, "toolconv."):
        if not module.name.startswith(optional):
            for value in vars(importlib.import_module(module.name)).values():
                if type(value) is type(lazy_re("")):
                    assert value.flags is not None
