"""The order of the package's folders and files: none imports what stands later in it, at any depth, and none in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]

Floors = tuple[tuple[str, ...], ...]
"""From the ground up; what stands on one floor doesn't import each other, folders do so inside."""

PACKAGES: Final[Floors] = (
    ("core",),
    ("dialects", "io"),
    ("layouts",),
    ("templates",),
    ("derive", "trainers"),
    ("convert",),
    ("api", "score", "topics"),
    ("lint", "vllm"),
    ("augment", "dataset", "ray", "schema", "select"),
    ("export", "inspect"),
    ("cli",),
    ("__main__", "manual"),
)
DIALECTS: Final[Floors] = (
    ("values", "losses", "models"),
    ("call_template", "chat"),
    ("registry",),
    ("vocabulary",),
    ("lexing",),
    ("call_readers",),
    ("reading",),
    ("base",),
    ("grammars",),
    ("declarations",),
    ("formats",),
    ("dialect_file", "reasoning_parsers"),
    ("live",),
    ("choice",),
    ("turn_reader", "detection"),
    ("stream_reader",),
    ("prompts",),
    ("read_back", "steps"),
    ("turns",),
    ("",),
)
"""The last one is the package itself."""

ANYTHING: Final = "toolconv.dialects.formats.generic"
"""Reads what all dialects read, so it asks the reader of turns."""

FILES: Final = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted((ROOT / "toolconv").rglob("*.py"))
}


def imports(path: Path) -> Iterator[str]:
    """The modules of toolconv that a file imports, anywhere in it, except for types alone."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = (f"{node.module}.{name.name}" for name in node.names)
            yield from (name if name in FILES else name.rpartition(".")[0] for name in names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@cache
def all_arrows() -> dict[str, set[str]]:
    """By module, the modules that it imports."""
    return {name: {other for other in imports(path) if other in FILES} - {name} for name, path in FILES.items()}


def back_up(arrows: dict[str, Iterable[str]], package: str, floors: Floors) -> list[str]:
    """The imports inside a package that lead to the same floor, but another folder or file, or to a later one."""

    def part_of(module: str) -> str:
        return f"{module}.".removeprefix(f"{package}.").partition(".")[0]

    floor_of = {part: number for number, floor in enumerate(floors) for part in floor}
    found = []
    for name, others in arrows.items():
        for other in others:
            if f"{name}.".startswith(f"{package}.") and f"{other}.".startswith(f"{package}."):
                own, part = part_of(name), part_of(other)
                if own != part and floor_of[part] >= floor_of[own]:
                    found.append(f"{name} imports {other}")
    return found


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, with those that import them; none if there is no circle."""
    while arrows:
        left = {name: others for name, others in arrows.items() if others & arrows.keys()}
        if len(left) == len(arrows):
            return sorted(left)
        arrows = left
    return []


@pytest.mark.parametrize(("package", "floors"), [("toolconv", PACKAGES), ("toolconv.dialects", DIALECTS)])
def test_no_file_imports_what_stands_later(package: str, floors: Floors) -> None:
    parts = {name.removeprefix(f"{package}.").split(".")[0] for name in FILES if name.startswith(f"{package}.")}
    assert parts == set(chain.from_iterable(floors)) - {""}, "each folder and file has a floor"
    # toolconv/__init__.py imports at first use, and is imported with everything.
    arrows = {name: others for name, others in all_arrows().items() if name not in ("toolconv", ANYTHING)}
    assert back_up({name: others - {"toolconv"} for name, others in arrows.items()}, package, floors) == []


def test_no_files_import_each_other_in_a_circle() -> None:
    assert circle(all_arrows()) == []


def test_what_runs_back_up_is_found() -> None:
    floors = (("a",), ("b", "c"), ("",))
    arrows = {"p.a.x": {"p.b.y"}, "p.b.y": {"p.a.x", "p.b.z", "p.c"}, "p.c": {"p", "q.z"}, "p": {"p.a.x"}}
    assert back_up(arrows, "p", floors) == ["p.a.x imports p.b.y", "p.b.y imports p.c", "p.c imports p"]
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
