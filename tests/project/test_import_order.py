"""The order of the folders and files of ``dialects/``: none imports what stands later in it, at any depth."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = "toolconv.dialects"

FLOORS: Final = (
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
"""From the ground up; files of one floor don't import each other, folders do so inside. The last one is the package."""

ANYTHING: Final = "formats.generic"
"""Reads what all dialects read, so it asks the reader of turns."""


def imports(path: Path) -> Iterator[str]:
    """The modules of the package that a file imports, anywhere in it, except for types alone."""
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith(f"{PACKAGE}."):
            module = (node.module or "").removeprefix(PACKAGE).removeprefix(".")
            yield from (f"{module}.{name.name}".removeprefix(".") for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name.removeprefix(f"{PACKAGE}.") for name in node.names if name.name.startswith(PACKAGE))
        elif isinstance(node, ast.ImportFrom) and node.module == "toolconv":
            yield from ("" for name in node.names if name.name == "dialects")


def floor_of(module: str) -> int:
    """The floor of a module, given without the package's name."""
    first = module.split(".")[0]
    return next((number for number, floor in enumerate(FLOORS) if first in floor), len(FLOORS) - 1)


FILES: Final = {
    ".".join(path.relative_to(ROOT / "toolconv/dialects").with_suffix("").parts)
    .removesuffix("__init__")
    .rstrip("."): path
    for path in sorted((ROOT / "toolconv/dialects").rglob("*.py"))
}


def test_each_file_has_a_floor() -> None:
    assert {name.split(".")[0] for name in FILES} == set(chain.from_iterable(FLOORS))


@pytest.mark.parametrize("name", [name for name in FILES if name and name != ANYTHING])
def test_no_file_imports_what_stands_later(name: str) -> None:
    own = name.split(".")[0]
    for other in imports(FILES[name]):
        first = other.split(".")[0]
        assert first == own or floor_of(other) < floor_of(name), f"{name} imports {other}"


def test_no_files_import_each_other_in_a_circle() -> None:
    arrows = {name: set[str]() for name in FILES}
    for name, path in FILES.items():
        for other in imports(path) if name != ANYTHING else ():
            module = other if other in FILES else other.rpartition(".")[0]
            if module != name and (module or other in FILES):
                arrows[name].add(module)
    while arrows:
        free = {name for name, others in arrows.items() if not others & arrows.keys()}
        assert free, f"a circle: {sorted(arrows)}"
        arrows = {name: others for name, others in arrows.items() if name not in free}
