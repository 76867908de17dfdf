"""The order of the package's folders and files: none imports what stands later in it, at any depth, and none in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

import pytest

from tests.conftest import exhaustive

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
    ("choice",),
    ("turn_reader", "detection"),
    ("live",),
    ("stream_reader",),
    ("prompts",),
    ("read_back", "responses"),
    ("steps",),
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


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a file at any depth, except those that only a type checker sees."""
    for statement in body:
        yield statement
        if not (isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"):
            yield from statements(getattr(statement, "body", []))
        for rest in ("handlers", "orelse", "finalbody", "cases"):
            yield from statements(getattr(statement, rest, []))


def imports(path: Path) -> Iterator[str]:
    """The modules of toolconv that a file imports, anywhere in it, except for types alone."""
    for node in statements(ast.parse(path.read_text("utf-8")).body):
        if isinstance(node, ast.ImportFrom):
            names = (f"{node.module}.{name.name}" for name in node.names)
            yield from (name if name in FILES else name.rpartition(".")[0] for name in names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@cache
def arrows_in(package: str) -> dict[str, set[str]]:
    """By module of a package, the modules of the package that it imports."""
    files = {name: path for name, path in FILES.items() if f"{name}.".startswith(f"{package}.")}
    return {name: {other for other in imports(path) if other in files} - {name} for name, path in files.items()}


def back_up(arrows: dict[str, set[str]], package: str, floors: Floors) -> list[str]:
    """The imports inside a package that lead to the same floor, but another folder or file, or to a later one."""

    def part_of(module: str) -> str:
        return f"{module}.".removeprefix(f"{package}.").partition(".")[0]

    floor_of = {part: number for number, floor in enumerate(floors) for part in floor}
    return [
        f"{name} imports {other}"
        for name, others in arrows.items()
        for other in sorted(others)
        if (own := part_of(name)) != (part := part_of(other)) and floor_of[part] >= floor_of[own]
    ]


def circle(arrows: dict[str, set[str]]) -> list[str]:
    """Modules that import each other in a circle, with those that import them; none if there is no circle."""
    while arrows:
        left = {name: others for name, others in arrows.items() if others & arrows.keys()}
        if len(left) == len(arrows):
            return sorted(left)
        arrows = left
    return []


@pytest.mark.parametrize(
    ("package", "floors"),
    [("toolconv.dialects", DIALECTS), pytest.param("toolconv", PACKAGES, marks=exhaustive)],
    ids=["dialects", "all"],
)
def test_no_file_imports_what_stands_later(package: str, floors: Floors) -> None:
    arrows = {name: others - {"toolconv"} for name, others in arrows_in(package).items()}
    assert {name.removeprefix(f"{package}.").partition(".")[0] for name in arrows if name != package} == {
        part for part in chain.from_iterable(floors) if part
    }, "each folder and file has a floor"
    # toolconv/__init__.py imports at first use, and is imported with everything.
    assert back_up({name: arrows[name] for name in arrows if name not in ("toolconv", ANYTHING)}, package, floors) == []


@pytest.mark.parametrize("package", ["toolconv.dialects", pytest.param("toolconv", marks=exhaustive)])
def test_no_files_import_each_other_in_a_circle(package: str) -> None:
    assert circle(arrows_in(package)) == []


def test_what_runs_back_up_is_found() -> None:
    floors = (("a",), ("b", "c"), ("",))
    arrows = {"p.a.x": {"p.b.y"}, "p.b.y": {"p.a.x", "p.b.z", "p.c"}, "p.c": {"p"}, "p": {"p.a.x"}}
    assert back_up(arrows, "p", floors) == ["p.a.x imports p.b.y", "p.b.y imports p.c", "p.c imports p"]
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["a", "b", "c"]
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
